-- The chain over the audit: each line's digest contains the one before, so that no line can be changed, left out or put in between
-- without all that follow. Lines are linked by a job within a minute and not by the deed that wrote them, which would make every
-- audited change of the platform wait for the one before.
CREATE TABLE foundation.audit_link (
    seq       bigint PRIMARY KEY CHECK (seq > 0),
    audit     bigint NOT NULL UNIQUE REFERENCES foundation.audit (id),
    digest    bytea NOT NULL CHECK (length(digest) = 32),
    linked_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON foundation.audit_link TO arbora_app;

-- One chain: every link but the first has the one before it.
CREATE FUNCTION foundation.check_audit_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.seq > 1 AND NOT EXISTS (SELECT FROM foundation.audit_link l WHERE l.seq = NEW.seq - 1) THEN
        RAISE EXCEPTION 'audit link % has no link before it', NEW.seq USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER link_follows BEFORE INSERT ON foundation.audit_link FOR EACH ROW EXECUTE FUNCTION foundation.check_audit_link();

-- Not even by a slip of whoever owns the tables.
CREATE FUNCTION foundation.refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON foundation.audit
    FOR EACH STATEMENT EXECUTE FUNCTION foundation.refuse_audit_change();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON foundation.audit_link
    FOR EACH STATEMENT EXECUTE FUNCTION foundation.refuse_audit_change();

-- The whole audit by category and by action, newest first.
CREATE INDEX audit_category ON foundation.audit (category, id DESC);
CREATE INDEX audit_action ON foundation.audit (action, id DESC);
