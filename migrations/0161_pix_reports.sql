-- What reports add up: what was credited and stayed, what was paid, by when it began.
CREATE INDEX deposit_credited ON pix.deposit (created_at) WHERE status = 'approved' AND reversed_at IS NULL;
CREATE INDEX withdrawal_paid ON pix.withdrawal (created_at) INCLUDE (net) WHERE paid_at IS NOT NULL;
