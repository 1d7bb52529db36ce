-- Approvals: whoever's decisions do not count yet freezes nobody's and ends no case. A new administrator froze an established one,
-- whose decisions then stood still until two others agreed: the new one's own, frozen with them, cost nothing.
CREATE FUNCTION approvals.counts(person uuid, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = person AND g.ended_at IS NULL AND g.counts_at <= at)
$$;

CREATE OR REPLACE FUNCTION approvals.check_freeze() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- One at a time: two who freeze each other at once are one freeze, and who is being frozen freezes nobody.
    PERFORM pg_advisory_xact_lock(hashtextextended('approvals.freeze', 5));
    IF TG_OP = 'INSERT' THEN
        IF approvals.is_frozen(NEW.frozen_by) THEN
            RAISE EXCEPTION 'who is frozen freezes nobody' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
        END IF;
        IF NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = NEW.frozen_by AND g.ended_at IS NULL)
            OR NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = NEW.frozen AND g.ended_at IS NULL) THEN
            RAISE EXCEPTION 'no permission to decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_permission';
        END IF;
        IF NOT approvals.counts(NEW.frozen_by, NEW.at) THEN
            RAISE EXCEPTION 'the permission does not count yet' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_too_new';
        END IF;
        IF approvals.is_frozen(NEW.frozen) THEN
            RAISE EXCEPTION 'frozen already' USING ERRCODE = 'check_violation', CONSTRAINT = 'freeze_frozen';
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

CREATE OR REPLACE FUNCTION approvals.check_case_decider() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.decided_by IS NULL OR NEW.decided_by IS NOT DISTINCT FROM OLD.decided_by THEN
        RETURN NEW;
    END IF;
    IF approvals.is_frozen(NEW.decided_by) THEN
        RAISE EXCEPTION 'decisions of this person are frozen' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_frozen';
    END IF;
    IF NOT approvals.counts(NEW.decided_by, NEW.decided_at) THEN
        RAISE EXCEPTION 'the permission does not count yet' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_too_new';
    END IF;
    RETURN NEW;
END $$;
