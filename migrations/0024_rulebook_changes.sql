-- Rulebook: changes of the rules that staff tune. What a fault in the server must not get past stands here (safety.md, Approvals):
-- rules about money change by two persons, and a day after the second one's word.
CREATE SCHEMA rulebook;
GRANT USAGE ON SCHEMA rulebook TO arbora_app;

-- Counts every change of anything here; whoever changes something locks it and names the revision that was read.
CREATE TABLE rulebook.book (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    revision  bigint NOT NULL CHECK (revision >= 0)
);
INSERT INTO rulebook.book (revision) VALUES (0);
GRANT SELECT, UPDATE ON rulebook.book TO arbora_app;

CREATE TABLE rulebook.change (
    id               uuid PRIMARY KEY,
    kind             text NOT NULL CHECK (kind IN ('settings', 'plan')),
    plan             uuid,                             -- none: a new one
    items            jsonb NOT NULL CHECK (jsonb_typeof(items) = 'array' AND jsonb_array_length(items) > 0),
    money            boolean NOT NULL,
    reason           text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    digest           bytea NOT NULL CHECK (length(digest) = 32),
    status           text NOT NULL CHECK (status IN ('waiting', 'agreed', 'in_force', 'withdrawn')),
    ordered_by       uuid NOT NULL REFERENCES identity.account,
    agreed_by        uuid REFERENCES identity.account,
    withdrawn_by     uuid REFERENCES identity.account,
    withdrawn_reason text CHECK (length(withdrawn_reason) <= 500),
    created_at       timestamptz NOT NULL,
    agreed_at        timestamptz,
    effective_at     timestamptz,
    version          bigint NOT NULL DEFAULT 1,
    CONSTRAINT change_plan CHECK (kind = 'plan' OR plan IS NULL),
    CONSTRAINT change_plan_is_money CHECK (kind <> 'plan' OR money),
    CONSTRAINT change_begins CHECK (status <> 'waiting' OR (money AND agreed_by IS NULL AND effective_at IS NULL)),
    CONSTRAINT change_agreed CHECK (status NOT IN ('agreed', 'in_force') OR effective_at IS NOT NULL),
    CONSTRAINT change_second_person CHECK (NOT money OR status NOT IN ('agreed', 'in_force') OR (agreed_by IS NOT NULL AND agreed_by <> ordered_by)),
    CONSTRAINT change_withdrawn CHECK ((status = 'withdrawn') = (withdrawn_by IS NOT NULL))
);
CREATE INDEX change_open ON rulebook.change (created_at) WHERE status IN ('waiting', 'agreed');
CREATE INDEX change_history ON rulebook.change (created_at DESC, id DESC);
GRANT SELECT, INSERT ON rulebook.change TO arbora_app;
GRANT UPDATE (status, agreed_by, withdrawn_by, withdrawn_reason, agreed_at, effective_at, version) ON rulebook.change TO arbora_app;

CREATE FUNCTION rulebook.check_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.money AND NEW.status <> 'waiting' THEN
            RAISE EXCEPTION 'a change about money waits for a second person' USING ERRCODE = 'check_violation', CONSTRAINT = 'change_waits';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.status IN ('in_force', 'withdrawn') OR (OLD.status, NEW.status) = ('agreed', 'waiting') THEN
        RAISE EXCEPTION 'the change has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'change_ended';
    END IF;
    IF NEW.money AND NEW.status IN ('agreed', 'in_force') AND NOT approvals.is_approved('money_settings', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a change about money needs its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'change_approved';
    END IF;
    IF NEW.kind = 'settings' AND NEW.money AND NEW.status IN ('agreed', 'in_force')
        AND NEW.effective_at < NEW.agreed_at + interval '24 hours' THEN
        RAISE EXCEPTION 'a money setting takes effect a day later' USING ERRCODE = 'check_violation', CONSTRAINT = 'change_a_day_later';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER change_checked BEFORE INSERT OR UPDATE ON rulebook.change FOR EACH ROW EXECUTE FUNCTION rulebook.check_change();

-- Plans are never changed: another one takes the place. What was sold or ordered under the old one keeps its terms.
ALTER TABLE licences.plan ADD COLUMN replaced_by uuid REFERENCES licences.plan;
ALTER TABLE licences.plan ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE licences.plan ADD CONSTRAINT plan_replaced CHECK (replaced_by IS NULL OR NOT active);
ALTER TABLE licences.plan ADD CONSTRAINT plan_factor CHECK (allocation_factor <= 5);
CREATE INDEX licence_plan ON licences.licence (plan) WHERE state = 'active';
GRANT INSERT, UPDATE (active, replaced_by) ON licences.plan TO arbora_app;
