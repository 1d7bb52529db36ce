-- Approvals: who decided what about money. Append-only; what a fault in the server must not get past stands here.
CREATE SCHEMA approvals;
GRANT USAGE ON SCHEMA approvals TO arbora_app;

CREATE TABLE approvals.decision (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('pix_deposit', 'pix_withdrawal', 'crypto_withdrawal', 'crypto_deposit', 'sponsorship',
                   'graduation_bonus', 'pool_revenue', 'declared_holdings', 'money_settings', 'live_trading', 'admin_grant')),
    subject    uuid NOT NULL,
    -- Whose money it is; none for what concerns the house.
    customer   uuid REFERENCES identity.account,
    -- What was approved: SHA-256 of (id, kind, coin, destination, amount). The clear text stays with the subject.
    digest     bytea NOT NULL CHECK (length(digest) = 32),
    usdt       bigint NOT NULL CHECK (usdt >= 0),
    decided_by uuid NOT NULL REFERENCES identity.account,
    verdict    text NOT NULL CHECK (verdict IN ('approve', 'reject')),
    reason     text CHECK (length(reason) <= 500),
    -- The first or second approval, of how many; a rejection stands alone.
    position   smallint NOT NULL CHECK (position BETWEEN 1 AND 2),
    needed     smallint NOT NULL CHECK (needed BETWEEN 1 AND 2),
    at         timestamptz NOT NULL,
    CONSTRAINT decision_position CHECK (position <= needed),
    CONSTRAINT decision_reason CHECK (verdict <> 'reject' OR length(btrim(reason)) > 0),
    CONSTRAINT decision_own_money CHECK (customer IS NULL OR customer <> decided_by),
    CONSTRAINT decision_always_two CHECK (verdict = 'reject' OR needed = 2 OR kind NOT IN ('pool_revenue', 'money_settings', 'live_trading'))
);
CREATE UNIQUE INDEX decision_same_person ON approvals.decision (kind, subject, digest, decided_by) WHERE verdict = 'approve';
CREATE UNIQUE INDEX decision_done ON approvals.decision (kind, subject, digest, position) WHERE verdict = 'approve';
CREATE INDEX decision_approver ON approvals.decision (decided_by, at) WHERE verdict = 'approve';
CREATE INDEX decision_customer ON approvals.decision (customer, at) WHERE verdict = 'approve';
CREATE INDEX decision_subject ON approvals.decision (kind, subject);
GRANT SELECT, INSERT ON approvals.decision TO arbora_app;

-- safety.md, Approvals: nobody decides on the money of their sponsor or of those whom they sponsor; of two approvers neither
-- got the permission from the other; the second one decides on the very thing that the first one saw.
CREATE FUNCTION approvals.check_decision() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    first approvals.decision;
BEGIN
    IF NEW.customer IS NOT NULL AND EXISTS (
        SELECT FROM affiliates.member m
        WHERE (m.id = NEW.decided_by AND m.sponsor = NEW.customer) OR (m.id = NEW.customer AND m.sponsor = NEW.decided_by)) THEN
        RAISE EXCEPTION 'the customer stands in the direct line of who decides' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_own_money';
    END IF;
    IF NOT EXISTS (
        SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
        WHERE ar.account = NEW.decided_by AND 'admin_permissions' = ANY (r.permissions)) THEN
        RAISE EXCEPTION 'no permission to decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_permission';
    END IF;
    IF NEW.verdict = 'approve' AND NEW.position = 2 THEN
        SELECT * INTO first FROM approvals.decision
        WHERE kind = NEW.kind AND subject = NEW.subject AND digest = NEW.digest AND verdict = 'approve' AND position = 1;
        IF NOT FOUND OR first.needed <> 2 THEN
            RAISE EXCEPTION 'a second approval without a first that asked for it' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_done';
        END IF;
        IF NOT approvals.stands_without(NEW.decided_by, first.decided_by) OR NOT approvals.stands_without(first.decided_by, NEW.decided_by) THEN
            RAISE EXCEPTION 'one of the two made the other an approver' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_granted';
        END IF;
    END IF;
    RETURN NEW;
END $$;

-- Whether a person would hold the permission without what the other one granted.
CREATE FUNCTION approvals.stands_without(person uuid, other uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
        WHERE ar.account = person AND 'admin_permissions' = ANY (r.permissions) AND ar.granted_by IS DISTINCT FROM other)
$$;

CREATE TRIGGER decision_checked BEFORE INSERT ON approvals.decision FOR EACH ROW EXECUTE FUNCTION approvals.check_decision();

CREATE FUNCTION approvals.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'decisions are append-only';
END $$;
CREATE TRIGGER decision_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals.decision
    FOR EACH STATEMENT EXECUTE FUNCTION approvals.refuse_change();

-- Asked by the triggers of those whose money waits for approvals: whether all that are needed are there for exactly this.
CREATE FUNCTION approvals.is_approved(of_kind text, of_subject uuid, of_digest bytea) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM approvals.decision
        WHERE kind = of_kind AND subject = of_subject AND digest = of_digest AND verdict = 'approve' AND position = needed)
$$;
