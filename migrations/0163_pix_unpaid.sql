-- PIX: whoever has seen the whole key of an approved withdrawal may have paid it at the bank. That it was not paid is then their own word, or that of
-- two (docs/rules/pix.md#withdrawals): by anybody else's alone it was given back and paid as well.

ALTER TABLE approvals.decision DROP CONSTRAINT decision_kind_check;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_kind_check CHECK (kind IN ('pix_deposit', 'pix_withdrawal', 'crypto_withdrawal',
    'crypto_deposit', 'sponsorship', 'graduation_bonus', 'pool_revenue', 'declared_holdings', 'money_settings', 'live_trading',
    'admin_grant', 'transfer', 'outbound_pause', 'pause_lift', 'pix_reversal', 'pix_payment', 'pix_key', 'pix_holder', 'payout_retry',
    'held_bonus', 'hot_wallet', 'manual_key', 'result_reversal', 'pix_unpaid'));
ALTER TABLE approvals.decision DROP CONSTRAINT decision_always_two;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_always_two CHECK (verdict = 'reject' OR needed = 2
    OR kind NOT IN ('pool_revenue', 'money_settings', 'live_trading', 'pause_lift', 'hot_wallet', 'result_reversal', 'pix_unpaid'));

-- Who has seen a withdrawal's whole key, and when last.
CREATE TABLE pix.key_look (
    withdrawal uuid NOT NULL REFERENCES pix.withdrawal,
    seen_by    uuid NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (withdrawal, seen_by)
);
GRANT SELECT, INSERT ON pix.key_look TO arbora_app;
GRANT UPDATE (at) ON pix.key_look TO arbora_app;
INSERT INTO pix.key_look (withdrawal, seen_by, at)
SELECT w.id, l.actor, max(l.at) FROM foundation.audit l JOIN pix.withdrawal w ON w.id::text = l.details ->> 'withdrawal'
WHERE l.action = 'pix_withdrawal.key' AND l.actor IS NOT NULL GROUP BY w.id, l.actor;

-- An approved one is given back by who alone has seen its key, or by two.
CREATE FUNCTION pix.check_unpaid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM pix.key_look k
        WHERE k.withdrawal = NEW.id AND k.seen_by IS DISTINCT FROM (
            SELECT d.decided_by FROM approvals.decision d
            WHERE d.kind = 'pix_withdrawal' AND d.subject = NEW.id AND d.verdict = 'reject' ORDER BY d.at DESC LIMIT 1))
        AND NOT approvals.is_decided('pix_unpaid', NEW.id) THEN
        RAISE EXCEPTION 'a withdrawal given back that may be paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'withdrawal_unpaid';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER unpaid_checked BEFORE UPDATE OF status ON pix.withdrawal FOR EACH ROW
    WHEN (OLD.status = 'approved' AND NEW.status <> 'approved') EXECUTE FUNCTION pix.check_unpaid();
