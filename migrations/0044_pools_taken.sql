-- Money that a reversed credit takes back from a pool. The entry shrinks by it, and so do its shares that are not paid yet.

-- `value` is what the entry holds now; what was put in is `value + taken`. Taken whole, an entry ends before its term.
ALTER TABLE pools.entry ADD COLUMN taken bigint NOT NULL DEFAULT 0;
ALTER TABLE pools.entry DROP CONSTRAINT entry_value_check;
ALTER TABLE pools.entry ADD CONSTRAINT entry_value CHECK (value >= 0 AND taken >= 0 AND value + taken > 0);
ALTER TABLE pools.entry DROP CONSTRAINT entry_stays_its_term;
ALTER TABLE pools.entry ADD CONSTRAINT entry_stays_its_term CHECK (ended_at >= ends_at OR value = 0);
ALTER TABLE pools.entry ADD CONSTRAINT entry_empty_ended CHECK (value > 0 OR ended_at IS NOT NULL);
GRANT UPDATE (value, taken) ON pools.entry TO arbora_app;

-- What is taken leaves `value` and nothing else does; what has ended keeps what it was.
CREATE OR REPLACE FUNCTION pools.check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.received < OLD.received THEN
        RAISE EXCEPTION 'an entry only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_forward';
    END IF;
    IF NEW.value + NEW.taken <> OLD.value + OLD.taken OR NEW.taken < OLD.taken
        OR OLD.ended_at IS NOT NULL AND NEW.value <> OLD.value THEN
        RAISE EXCEPTION 'an entry only shrinks by what is taken back' USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_taken';
    END IF;
    RETURN NEW;
END $$;

-- A share that is not paid may become less, down to nothing; one that is paid never changes (`share_paid`).
ALTER TABLE pools.share DROP CONSTRAINT share_value_check;
ALTER TABLE pools.share ADD CONSTRAINT share_value CHECK (value >= 0 AND (value > 0 OR paid_at IS NULL));
GRANT UPDATE (value) ON pools.share TO arbora_app;
CREATE FUNCTION pools.check_share_value() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a share never grows' USING ERRCODE = 'check_violation', CONSTRAINT = 'share_grows';
END $$;
CREATE TRIGGER share_value BEFORE UPDATE ON pools.share
    FOR EACH ROW WHEN (NEW.value > OLD.value) EXECUTE FUNCTION pools.check_share_value();

-- What a person's entries of a pool hold is the balance of their account there. Looked at when the change is whole: whoever moves
-- that balance has the account's row until then.
CREATE FUNCTION pools.check_principal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entries numeric;
    balance numeric;
BEGIN
    SELECT coalesce(sum(e.value), 0) INTO entries FROM pools.entry e
        WHERE e.pool = NEW.pool AND e.owner = NEW.owner AND e.ended_at IS NULL;
    SELECT a.balance INTO balance FROM ledger.account a
        WHERE a.id = ledger.account_id('user', NEW.owner, 'pool_principal:' || NEW.pool, 'USDT', 0::smallint);
    IF entries <> coalesce(balance, 0) THEN
        RAISE EXCEPTION 'entries hold %, the account %', entries, coalesce(balance, 0)
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_principal';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER entry_principal AFTER INSERT OR UPDATE OF value, ended_at ON pools.entry DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION pools.check_principal();
