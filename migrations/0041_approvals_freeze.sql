-- Approvals: one administrator stops another's decisions at once, their own with them, until two others or the console end it.
CREATE TABLE approvals.freeze (
    id        uuid PRIMARY KEY,
    frozen    uuid NOT NULL REFERENCES identity.account,
    frozen_by uuid NOT NULL REFERENCES identity.account,
    reason    text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    digest    bytea NOT NULL CHECK (length(digest) = 32),
    at        timestamptz NOT NULL,
    ended_at  timestamptz,
    ended_how text CHECK (ended_how IN ('agreed', 'console')),
    lifted_by uuid REFERENCES identity.account,
    version   bigint NOT NULL DEFAULT 1,
    CONSTRAINT freeze_own CHECK (frozen <> frozen_by),
    CONSTRAINT freeze_ended CHECK ((ended_at IS NULL) = (ended_how IS NULL) AND (ended_how IS NOT DISTINCT FROM 'agreed') = (lifted_by IS NOT NULL))
);
CREATE UNIQUE INDEX freeze_frozen ON approvals.freeze (frozen) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX freeze_frozen_by ON approvals.freeze (frozen_by) WHERE ended_at IS NULL;
CREATE INDEX freeze_history ON approvals.freeze (at DESC);
GRANT SELECT, INSERT ON approvals.freeze TO arbora_app;
GRANT UPDATE (ended_at, ended_how, lifted_by, version) ON approvals.freeze TO arbora_app;

CREATE FUNCTION approvals.is_frozen(person uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM approvals.freeze f WHERE f.ended_at IS NULL AND person IN (f.frozen, f.frozen_by))
$$;

CREATE FUNCTION approvals.check_freeze() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One at a time: two who freeze each other at once are one freeze, and who is being frozen freezes nobody.
    PERFORM pg_advisory_xact_lock(hashtextextended('approvals.freeze', 5));
    IF TG_OP = 'INSERT' THEN
        IF approvals.is_frozen(NEW.frozen_by) THEN
            RAISE EXCEPTION 'who is frozen freezes nobody' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
        END IF;
        IF approvals.is_frozen(NEW.frozen) THEN
            RAISE EXCEPTION 'frozen already' USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_frozen';
        END IF;
        IF NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = NEW.frozen_by AND g.ended_at IS NULL)
            OR NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = NEW.frozen AND g.ended_at IS NULL) THEN
            RAISE EXCEPTION 'no permission to decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_permission';
        END IF;
        IF NEW.ended_at IS NOT NULL THEN
            RAISE EXCEPTION 'a freeze begins in force' USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_done';
        END IF;
    ELSIF OLD.ended_at IS NOT NULL THEN
        RAISE EXCEPTION 'the freeze has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_done';
    ELSIF NEW.ended_at IS NOT NULL AND NOT (CASE NEW.ended_how
        WHEN 'agreed' THEN approvals.is_approved('admin_grant', NEW.id, NEW.digest) ELSE approvals.is_owner() END) THEN
        RAISE EXCEPTION 'two persons or the console end a freeze' USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER freeze_checked BEFORE INSERT OR UPDATE ON approvals.freeze FOR EACH ROW EXECUTE FUNCTION approvals.check_freeze();

-- Giving and taking the permission, and lifting a freeze, always need two.
ALTER TABLE approvals.decision ADD CONSTRAINT decision_admin_grant_two CHECK (kind <> 'admin_grant' OR verdict = 'reject' OR needed = 2);

-- Who decides: not while frozen, nor before their permission counts, nor about their own. A first approval of who is frozen waits too.
CREATE FUNCTION approvals.check_decider() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF approvals.is_frozen(NEW.decided_by) OR (NEW.verdict = 'approve' AND NEW.position = 2 AND EXISTS (
        SELECT FROM approvals.decision d WHERE d.kind = NEW.kind AND d.subject = NEW.subject AND d.digest = NEW.digest
            AND d.verdict = 'approve' AND d.position = 1 AND approvals.is_frozen(d.decided_by))) THEN
        RAISE EXCEPTION 'decisions of this person are frozen' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
    END IF;
    IF NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = NEW.decided_by AND g.ended_at IS NULL AND g.counts_at <= NEW.at) THEN
        RAISE EXCEPTION 'the permission does not count yet' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_too_new';
    END IF;
    IF NEW.kind = 'admin_grant' AND EXISTS (SELECT FROM approvals.grant_request r WHERE r.id = NEW.subject AND r.account = NEW.decided_by) THEN
        RAISE EXCEPTION 'nobody decides on their own permission' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_own';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER decision_decider BEFORE INSERT ON approvals.decision FOR EACH ROW EXECUTE FUNCTION approvals.check_decider();

-- A case is a decision too, kept in its own table.
CREATE FUNCTION approvals.check_case_decider() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.decided_by IS NOT NULL AND approvals.is_frozen(NEW.decided_by) THEN
        RAISE EXCEPTION 'decisions of this person are frozen' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER case_decider BEFORE UPDATE ON approvals.compliance_case FOR EACH ROW EXECUTE FUNCTION approvals.check_case_decider();
