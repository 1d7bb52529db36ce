-- Approvals: what young money refuses at the commit is said like what it refuses before: with what may leave.
CREATE OR REPLACE FUNCTION approvals.check_young() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    young numeric;
    balance numeric;
BEGIN
    IF NEW.action NOT IN ('crypto_withdrawal', 'pix_withdrawal', 'transfer') THEN
        RETURN NULL;
    END IF;
    SELECT COALESCE(sum(c.usdt), 0) INTO young FROM approvals.young_credit c
        WHERE c.user_id = NEW.user_id AND c.until > NEW.at AND c.ended_at IS NULL;
    IF young > 0 THEN
        SELECT a.balance INTO balance FROM ledger.account a
            WHERE a.id = ledger.account_id('user', NEW.user_id, 'available', 'USDT', 0::smallint);
        balance := COALESCE(balance, 0);
        IF balance < young THEN
            RAISE EXCEPTION 'young money would leave' USING ERRCODE = 'check_violation', CONSTRAINT = 'outbound_young',
                DETAIL = foundation.clamped(GREATEST(balance + NEW.usdt - young, 0))::text;
        END IF;
    END IF;
    RETURN NULL;
END $$;
