-- Approvals: who may decide is decided by two. One administrator alone made a second one, who made a third one, whose approval
-- counted as the second person's: a permission to decide comes and goes by two persons, neither of whom got theirs through the
-- other, and whom it goes back to is kept with it.

ALTER TABLE identity.account_role
    -- Where a role that decides came from: `two` approvals, the `console`, or a demo's `seed`; none for other roles and before.
    ADD COLUMN origin      text CHECK (origin IN ('two', 'console', 'seed')),
    ADD COLUMN seconded_by uuid REFERENCES identity.account,
    ADD COLUMN request     uuid,
    -- From when on decisions of who holds it count.
    ADD COLUMN counts_at   timestamptz,
    ADD CONSTRAINT account_role_two CHECK (seconded_by IS NULL OR (granted_by IS NOT NULL AND seconded_by <> granted_by));

-- The server's role makes and changes no roles; it may lock them.
REVOKE INSERT, UPDATE, DELETE ON identity.role FROM arbora_app;
GRANT UPDATE (position) ON identity.role TO arbora_app;

-- Whether a role carries the permission to decide.
CREATE FUNCTION approvals.is_admin_role(of_role uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM identity.role WHERE id = of_role AND 'admin_permissions' = ANY (permissions))
$$;

-- Whether the statement comes from who owns the tables: migrations and the console, never the server.
CREATE FUNCTION approvals.is_owner() RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT pg_has_role(current_user, c.relowner, 'MEMBER') FROM pg_class c WHERE c.oid = 'identity.account_role'::regclass
$$;

-- A request to give or take roles that decide. Its asker's word is the first approval.
CREATE TABLE approvals.grant_request (
    id         uuid PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    action     text NOT NULL CHECK (action IN ('add', 'remove')),
    roles      uuid[] NOT NULL CHECK (cardinality(roles) BETWEEN 1 AND 50),
    digest     bytea NOT NULL CHECK (length(digest) = 32),
    status     text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'done', 'rejected', 'lapsed')),
    asked_by   uuid NOT NULL REFERENCES identity.account,
    asked_at   timestamptz NOT NULL,
    decided_by uuid REFERENCES identity.account,
    decided_at timestamptz,
    reason     text CHECK (length(reason) <= 500),
    version    bigint NOT NULL DEFAULT 1,
    CONSTRAINT grant_own CHECK (asked_by <> account AND decided_by IS DISTINCT FROM account),
    CONSTRAINT grant_decided CHECK ((status = 'waiting') = (decided_at IS NULL) AND (status IN ('done', 'rejected')) = (decided_by IS NOT NULL))
);
CREATE UNIQUE INDEX grant_request_waiting ON approvals.grant_request (account) WHERE status = 'waiting';
CREATE INDEX grant_request_history ON approvals.grant_request (asked_at DESC);
GRANT SELECT, INSERT ON approvals.grant_request TO arbora_app;
GRANT UPDATE (status, decided_by, decided_at, reason, version) ON approvals.grant_request TO arbora_app;

CREATE FUNCTION approvals.check_grant_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'waiting' THEN
            RAISE EXCEPTION 'a request begins waiting' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_ended';
        END IF;
    ELSIF OLD.status <> 'waiting' THEN
        RAISE EXCEPTION 'the request is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_ended';
    ELSIF NEW.status = 'done' AND NOT approvals.is_approved('admin_grant', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'two persons give and take this permission' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER grant_request_checked BEFORE INSERT OR UPDATE ON approvals.grant_request
    FOR EACH ROW EXECUTE FUNCTION approvals.check_grant_request();

-- Every time that somebody held a role that decides, written by the triggers below alone. `rests_on`: everybody without whose word
-- it would not have been given, through any chain of grants; fixed when it is given, so that a chain stays known when somebody in
-- its middle has gone, and no circle can form. `made_by`: those who could have given it alone (before two were needed).
CREATE TABLE approvals.admin_grant (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    role       uuid NOT NULL REFERENCES identity.role,
    origin     text,
    granted_by  uuid REFERENCES identity.account,
    seconded_by uuid REFERENCES identity.account,
    request    uuid REFERENCES approvals.grant_request,
    rests_on   uuid[] NOT NULL,
    made_by    uuid[] NOT NULL,
    granted_at timestamptz NOT NULL,
    counts_at  timestamptz NOT NULL,
    ended_at   timestamptz,
    ended_by   uuid REFERENCES approvals.grant_request
);
CREATE UNIQUE INDEX admin_grant_held ON approvals.admin_grant (account, role) WHERE ended_at IS NULL;
CREATE INDEX admin_grant_account ON approvals.admin_grant (account);
GRANT SELECT ON approvals.admin_grant TO arbora_app;

-- What a person holds now; of who holds nothing any more, what they held last.
CREATE FUNCTION approvals.grants_of(person uuid) RETURNS SETOF approvals.admin_grant LANGUAGE sql STABLE AS $$
    SELECT g.* FROM approvals.admin_grant g
    WHERE g.account = person AND g.ended_at IS NOT DISTINCT FROM (
        SELECT CASE WHEN bool_or(h.ended_at IS NULL) THEN NULL ELSE max(h.ended_at) END
        FROM approvals.admin_grant h WHERE h.account = person)
$$;

-- Everybody without whom a person would not hold the permission: in the chain of each of their grants.
CREATE FUNCTION approvals.rests_on(person uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT COALESCE(array_agg(s.who), '{}') FROM (
        SELECT who FROM approvals.grants_of(person) g CROSS JOIN LATERAL unnest(g.rests_on) AS who
        GROUP BY who HAVING count(*) = (SELECT count(*) FROM approvals.grants_of(person))) s
$$;

-- Everybody who alone could have made a person an approver.
CREATE FUNCTION approvals.made_by(person uuid) RETURNS uuid[] LANGUAGE sql STABLE AS $$
    SELECT COALESCE(array_agg(s.who), '{}') FROM (
        SELECT who FROM approvals.grants_of(person) g CROSS JOIN LATERAL unnest(g.made_by) AS who
        GROUP BY who HAVING count(*) = (SELECT count(*) FROM approvals.grants_of(person))) s
$$;

-- Two persons are two: neither's permission goes back to the other, and no third one made both alone.
CREATE FUNCTION approvals.are_two(one uuid, other uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT one <> other AND one <> ALL (approvals.rests_on(other)) AND other <> ALL (approvals.rests_on(one))
        AND NOT approvals.made_by(one) && approvals.made_by(other)
$$;

-- Asked by the trigger of decisions (0005), which looked one grant back only. One person twice is refused by a name of its own
-- (`decision_same_person`).
CREATE OR REPLACE FUNCTION approvals.stands_without(person uuid, other uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT person = other OR approvals.are_two(person, other)
$$;

-- What stands before this migration: given by one person each. Circles end by themselves: UNION adds nobody twice.
WITH RECURSIVE held AS (
    SELECT ar.account, ar.role, ar.granted_by, ar.granted_at FROM identity.account_role ar
    JOIN identity.role r ON r.id = ar.role WHERE 'admin_permissions' = ANY (r.permissions)),
back (account, role, who) AS (
    SELECT account, role, granted_by FROM held WHERE granted_by IS NOT NULL
    UNION
    SELECT b.account, b.role, h.granted_by FROM back b JOIN held h ON h.account = b.who WHERE h.granted_by IS NOT NULL)
INSERT INTO approvals.admin_grant (account, role, granted_by, rests_on, made_by, granted_at, counts_at)
SELECT h.account, h.role, h.granted_by, c.chain, c.chain, h.granted_at, h.granted_at
FROM held h CROSS JOIN LATERAL (
    SELECT ARRAY(SELECT b.who FROM back b WHERE b.account = h.account AND b.role = h.role AND b.who <> h.account) AS chain) c;
UPDATE identity.account_role ar SET counts_at = ar.granted_at WHERE approvals.is_admin_role(ar.role);

-- The server gives and takes a role that decides only with two approvals of exactly that, each request once.
CREATE FUNCTION approvals.check_admin_role() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' AND approvals.is_admin_role(NEW.role) THEN
        NEW.counts_at := COALESCE(NEW.counts_at, NEW.granted_at);
        IF approvals.is_owner() OR (NEW.origin = 'seed' AND NEW.granted_by IS NULL
                AND EXISTS (SELECT FROM foundation.world WHERE kind = 'demo')) THEN
            RETURN NEW;
        END IF;
        IF NEW.origin = 'two' AND NEW.counts_at >= NEW.granted_at + interval '1 hour' AND EXISTS (
            SELECT FROM approvals.grant_request r
            JOIN approvals.decision one ON one.kind = 'admin_grant' AND one.subject = r.id AND one.digest = r.digest
                AND one.verdict = 'approve' AND one.position = 1 AND one.decided_by = NEW.granted_by
            JOIN approvals.decision two ON two.kind = 'admin_grant' AND two.subject = r.id AND two.digest = r.digest
                AND two.verdict = 'approve' AND two.position = 2 AND two.decided_by = NEW.seconded_by
            WHERE r.id = NEW.request AND r.action = 'add' AND r.account = NEW.account AND NEW.role = ANY (r.roles) AND r.status = 'waiting'
                AND NOT EXISTS (SELECT FROM approvals.admin_grant g WHERE g.request = r.id AND g.role = NEW.role)) THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'DELETE' AND approvals.is_admin_role(OLD.role) THEN
        IF approvals.is_owner() OR EXISTS (
            SELECT FROM approvals.grant_request r
            WHERE r.action = 'remove' AND r.account = OLD.account AND OLD.role = ANY (r.roles) AND r.status = 'waiting'
                AND approvals.is_approved('admin_grant', r.id, r.digest)) THEN
            RETURN OLD;
        END IF;
    ELSIF TG_OP = 'UPDATE' AND NEW IS DISTINCT FROM OLD
        AND (approvals.is_admin_role(OLD.role) OR approvals.is_admin_role(NEW.role)) THEN
        IF approvals.is_owner() THEN
            RETURN NEW;
        END IF;
    ELSE
        RETURN COALESCE(NEW, OLD);
    END IF;
    RAISE EXCEPTION 'two persons give and take this permission' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_approved';
END $$;
CREATE TRIGGER admin_role_checked BEFORE INSERT OR UPDATE OR DELETE ON identity.account_role
    FOR EACH ROW EXECUTE FUNCTION approvals.check_admin_role();

-- Keeps `admin_grant`, whoever wrote the role.
CREATE FUNCTION approvals.note_admin_role() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    chain  uuid[] := '{}';
    makers uuid[] := '{}';
BEGIN
    IF TG_OP = 'UPDATE' AND NEW IS NOT DISTINCT FROM OLD THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN
        UPDATE approvals.admin_grant g SET ended_at = clock_timestamp(), ended_by = (
            SELECT r.id FROM approvals.grant_request r WHERE r.account = OLD.account AND r.action = 'remove' AND r.status = 'waiting')
        WHERE g.account = OLD.account AND g.role = OLD.role AND g.ended_at IS NULL;
    END IF;
    IF TG_OP <> 'DELETE' AND approvals.is_admin_role(NEW.role) THEN
        IF NEW.granted_by IS NOT NULL THEN
            chain := approvals.rests_on(NEW.granted_by) || NEW.granted_by;
            makers := approvals.made_by(NEW.granted_by) || NEW.granted_by;
        END IF;
        IF NEW.seconded_by IS NOT NULL THEN
            chain := chain || approvals.rests_on(NEW.seconded_by) || NEW.seconded_by;
            makers := ARRAY(SELECT unnest(makers) INTERSECT SELECT unnest(approvals.made_by(NEW.seconded_by) || NEW.seconded_by));
        END IF;
        INSERT INTO approvals.admin_grant (account, role, origin, granted_by, seconded_by, request, rests_on, made_by, granted_at, counts_at)
        VALUES (NEW.account, NEW.role, NEW.origin, NEW.granted_by, NEW.seconded_by, NEW.request,
            ARRAY(SELECT DISTINCT who FROM unnest(chain) AS who WHERE who <> NEW.account),
            ARRAY(SELECT DISTINCT who FROM unnest(makers) AS who WHERE who <> NEW.account),
            NEW.granted_at, COALESCE(NEW.counts_at, NEW.granted_at));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER admin_role_noted AFTER INSERT OR UPDATE OR DELETE ON identity.account_role
    FOR EACH ROW EXECUTE FUNCTION approvals.note_admin_role();

-- Who decides is not switched off or on by one person either: the role goes first, by two.
CREATE FUNCTION approvals.check_admin_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT approvals.is_owner() AND EXISTS (SELECT FROM identity.account_role ar WHERE ar.account = NEW.id AND approvals.is_admin_role(ar.role)) THEN
        RAISE EXCEPTION 'two persons give and take this permission' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER admin_status_checked BEFORE UPDATE OF status ON identity.account
    FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION approvals.check_admin_status();
