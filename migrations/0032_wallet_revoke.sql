-- Wallet: a swap that failed takes back what it allowed the exchange.

ALTER TABLE wallet.outgoing DROP CONSTRAINT outgoing_cause_kind_check;
ALTER TABLE wallet.outgoing ADD CONSTRAINT outgoing_cause_kind_check
    CHECK (cause_kind IN ('withdrawal', 'wallet_send', 'wallet_approve', 'wallet_swap', 'wallet_revoke', 'cold'));
ALTER TABLE wallet.user_step DROP CONSTRAINT user_step_kind_check;
ALTER TABLE wallet.user_step ADD CONSTRAINT user_step_kind_check CHECK (kind IN ('send', 'approve', 'swap', 'revoke'));
-- A revocation allows nothing, and each move has one at most.
ALTER TABLE wallet.user_step ADD CONSTRAINT user_step_revokes
    CHECK (kind <> 'revoke' OR (value = 0 AND substring(data FROM 37 FOR 32) = decode(repeat('00', 32), 'hex')));
CREATE UNIQUE INDEX user_step_revoke ON wallet.user_step (move) WHERE kind = 'revoke';
