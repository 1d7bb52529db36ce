-- Wallet: what comes over the chain to a closed account's address waits for a person, who gives it back (docs/rules/privacy.md#closing).
ALTER TABLE wallet.deposit
    DROP CONSTRAINT deposit_pending_cause_check,
    ADD CONSTRAINT deposit_pending_cause_check
        CHECK (pending_cause IN ('unlisted_token', 'native', 'no_rate', 'compliance', 'balance', 'dust', 'closed'));

-- Nothing is sent to who closed their account in the same instant: the foreign key has waited for the closing, this looks again behind it.
CREATE FUNCTION transfers.check_receiver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM identity.account a WHERE a.id = NEW.receiver AND a.status = 'closed') THEN
        RAISE EXCEPTION 'the receiver has closed their account' USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_receiver_open';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER transfer_receiver_open AFTER INSERT ON transfers.transfer
    FOR EACH ROW EXECUTE FUNCTION transfers.check_receiver();
