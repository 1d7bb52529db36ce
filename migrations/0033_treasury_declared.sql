-- Treasury: what the house holds elsewhere, as staff declare it (domain.md §2): beside the ratio, never in it.
CREATE SCHEMA treasury;
GRANT USAGE ON SCHEMA treasury TO arbora_app;

CREATE TABLE treasury.declaration (
    id               uuid PRIMARY KEY,
    place            text NOT NULL CHECK (length(btrim(place)) BETWEEN 1 AND 60),
    usdt             bigint NOT NULL CHECK (usdt >= 0),     -- zero: nothing is there any more
    note             text NOT NULL CHECK (length(btrim(note)) BETWEEN 1 AND 500),
    digest           bytea NOT NULL CHECK (length(digest) = 32),
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'standing', 'replaced', 'rejected')),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    declared_by      uuid NOT NULL REFERENCES identity.account,
    rejected_reason  text CHECK (length(rejected_reason) <= 500),
    created_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    CHECK ((status IN ('replaced', 'rejected')) = (ended_at IS NOT NULL)),
    CHECK ((status = 'rejected') = (rejected_reason IS NOT NULL))
);
-- Of one place the newest word stands.
CREATE UNIQUE INDEX declaration_stands ON treasury.declaration (lower(place)) WHERE status = 'standing';
CREATE INDEX declaration_waiting ON treasury.declaration (created_at) WHERE status = 'pending';
GRANT SELECT, INSERT ON treasury.declaration TO arbora_app;
GRANT UPDATE (status, approvals, approvals_needed, rejected_reason, ended_at) ON treasury.declaration TO arbora_app;

CREATE FUNCTION treasury.check_declaration() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = OLD.status THEN
        RETURN NEW;
    END IF;
    IF NOT (CASE OLD.status WHEN 'pending' THEN NEW.status IN ('standing', 'rejected') WHEN 'standing' THEN NEW.status = 'replaced' ELSE false END) THEN
        RAISE EXCEPTION 'the declaration has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'declaration_ended';
    END IF;
    IF NEW.status = 'standing' AND NOT approvals.is_approved('declared_holdings', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a declaration needs its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'declaration_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER declaration_checked BEFORE UPDATE ON treasury.declaration FOR EACH ROW EXECUTE FUNCTION treasury.check_declaration();
