-- What reports add up: what was credited and stayed, what has left, by when it began.
CREATE INDEX deposit_credited ON wallet.deposit (created_at) INCLUDE (credited) WHERE credited > 0 AND reversed_at IS NULL;
CREATE INDEX withdrawal_complete ON wallet.withdrawal (created_at) INCLUDE (net) WHERE status = 'complete';
