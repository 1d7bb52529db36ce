-- Identity: who reads the mailbox that an account had may take it back for a week, by the freeze link that lies there
-- (docs/rules/identity.md#address-given-back).

-- The address that another one took the place of. It is the account's until then, or until it is back: nobody else takes it.
CREATE TABLE identity.former_address (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    email      text NOT NULL,
    email_key  text NOT NULL,
    changed_at timestamptz NOT NULL,
    until      timestamptz NOT NULL CHECK (until > changed_at),
    undone_at  timestamptz
);
CREATE INDEX former_address_account ON identity.former_address (account, id);
CREATE INDEX former_address_key ON identity.former_address (email_key) WHERE undone_at IS NULL;
CREATE INDEX former_address_until ON identity.former_address (until);
GRANT SELECT, INSERT, DELETE ON identity.former_address TO arbora_app;
GRANT UPDATE (undone_at) ON identity.former_address TO arbora_app;

-- Looked at after the row has its place among the others: whoever took the address waited for the change that left it.
CREATE FUNCTION identity.check_kept_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM identity.former_address f
               WHERE f.email_key = NEW.email_key AND f.account <> NEW.id AND f.undone_at IS NULL AND f.until > NEW.updated_at) THEN
        RAISE EXCEPTION 'the address is kept for its account' USING ERRCODE = 'unique_violation', CONSTRAINT = 'account_email_key_key';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER account_address_kept AFTER INSERT OR UPDATE OF email_key ON identity.account
    FOR EACH ROW EXECUTE FUNCTION identity.check_kept_address();

-- The mailbox that a freeze link was sent to; none of those from before.
ALTER TABLE identity.link ADD COLUMN mailbox text;

-- Since when somebody has shown to read the account's mail. Another address that staff put in place is unconfirmed; that does not make the
-- account one that nobody ever used.
ALTER TABLE identity.account ADD COLUMN proven_at timestamptz;
CREATE FUNCTION identity.note_proven() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.proven_at := COALESCE(NEW.proven_at, NEW.email_confirmed_at);
    RETURN NEW;
END $$;
CREATE TRIGGER account_proven BEFORE INSERT OR UPDATE OF email_confirmed_at ON identity.account
    FOR EACH ROW EXECUTE FUNCTION identity.note_proven();
UPDATE identity.account a SET proven_at = COALESCE(a.email_confirmed_at,
    (SELECT min(l.at) FROM foundation.audit l
     WHERE l.subject = a.id AND l.action IN ('auth.email_confirmed', 'auth.invitation_accepted', 'auth.email_changed')))
WHERE NOT a.is_house;
