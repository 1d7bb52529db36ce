-- Support: the desk's list by its customers' names, read from an index however many tickets there are. The name stands in another room's table, so that
-- its folded form stands at the ticket as well; it follows the account's, when somebody is renamed and when who has left is erased. A ticket that is
-- opened at the very moment at which its owner is renamed stands under the name before until the next one: nothing waits for an order. A deleted one
-- stands in no list, and has none: what is renamed is found by the index of those that are there.
-- Holds support.ticket: each row is written once, an index is built; and identity.account, for the moment in which a trigger is put on it.
ALTER TABLE support.ticket ADD COLUMN owner_key text NOT NULL DEFAULT '';
UPDATE support.ticket t SET owner_key = foundation.folded(a.full_name) FROM identity.account a WHERE a.id = t.owner AND t.deleted_at IS NULL;
CREATE INDEX ticket_by_customer ON support.ticket (owner_key, created_at, number) WHERE deleted_at IS NULL;

CREATE FUNCTION support.name_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.owner_key := CASE WHEN NEW.deleted_at IS NULL
        THEN COALESCE((SELECT foundation.folded(a.full_name) FROM identity.account a WHERE a.id = NEW.owner), '') ELSE '' END;
    RETURN NEW;
END $$;
CREATE TRIGGER owner_named BEFORE INSERT OR UPDATE OF deleted_at ON support.ticket FOR EACH ROW EXECUTE FUNCTION support.name_owner();

CREATE FUNCTION support.rename_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE support.ticket SET owner_key = foundation.folded(NEW.full_name) WHERE owner = NEW.id AND deleted_at IS NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER tickets_renamed AFTER UPDATE OF full_name ON identity.account
    FOR EACH ROW WHEN (NEW.full_name IS DISTINCT FROM OLD.full_name) EXECUTE FUNCTION support.rename_owner();
