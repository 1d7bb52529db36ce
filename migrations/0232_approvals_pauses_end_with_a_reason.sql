-- Approvals: a pause ends with a reason, as it begins with one: those whom it concerned read both. Those that ended before have none.
ALTER TABLE approvals.pause ADD COLUMN lift_reason text CHECK (length(btrim(lift_reason)) BETWEEN 1 AND 500);
GRANT UPDATE (lift_reason) ON approvals.pause TO arbora_app;

CREATE OR REPLACE FUNCTION approvals.check_pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.active_from IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.active_from IS NULL)
        AND NOT approvals.is_approved('outbound_pause', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a pause without its decision' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_approved';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD.lifted_at IS NOT NULL OR NEW.user_id IS DISTINCT FROM OLD.user_id OR NEW.reason <> OLD.reason OR NEW.digest <> OLD.digest THEN
            RAISE EXCEPTION 'a pause stays as it was decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_done';
        END IF;
        IF NEW.lifted_at IS NOT NULL AND NOT approvals.is_decided('pause_lift', NEW.id) THEN
            RAISE EXCEPTION 'two persons end a pause' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_lift_approved';
        END IF;
        IF (NEW.lifted_at IS NULL) <> (NEW.lift_reason IS NULL) THEN
            RAISE EXCEPTION 'a pause ends with a reason' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_lift_reason';
        END IF;
    END IF;
    RETURN NEW;
END $$;
