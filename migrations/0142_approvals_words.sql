-- Approvals: the first of two words counts only while whoever spoke it may still decide, and falls away when it no longer counts, is taken
-- back, or could be followed by nobody (docs/rules/approvals.md#first-words). It was looked at when it was spoken and never again: the word of
-- who had lost the role, was switched off or had begun anew counted with a second one; and where nobody was a second person to its speaker
-- it stood in the way for ever.

-- How often the first word for exactly this had fallen away before: a decision stays as it is, and the next first word is of another turn.
ALTER TABLE approvals.decision ADD COLUMN turn smallint NOT NULL DEFAULT 0 CHECK (turn >= 0);
DROP INDEX approvals.decision_same_person;
DROP INDEX approvals.decision_done;
CREATE UNIQUE INDEX decision_same_person ON approvals.decision (kind, subject, digest, turn, decided_by) WHERE verdict = 'approve';
CREATE UNIQUE INDEX decision_done ON approvals.decision (kind, subject, digest, turn, position) WHERE verdict = 'approve';

-- A first word that fell away. Append-only: the decision itself is never changed.
CREATE TABLE approvals.fallen (
    decision uuid PRIMARY KEY REFERENCES approvals.decision,
    -- `taken_back` by its speaker; `speaker`: who spoke it may no longer decide; `alone`: nobody could have been the second.
    why      text NOT NULL CHECK (why IN ('taken_back', 'speaker', 'alone')),
    -- Who took it back, or whose word came when it counted no more.
    fell_by  uuid NOT NULL REFERENCES identity.account,
    at       timestamptz NOT NULL
);
GRANT SELECT, INSERT ON approvals.fallen TO arbora_app;
CREATE TRIGGER fallen_immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON approvals.fallen
    FOR EACH STATEMENT EXECUTE FUNCTION approvals.refuse_change();

-- What is said about one thing is said one after another: a word that is taken back and its second meet here, and one of them is refused.
CREATE FUNCTION approvals.lock_words(of_subject uuid) RETURNS void LANGUAGE sql AS $$
    SELECT pg_advisory_xact_lock(hashtextextended('approvals.words ' || of_subject, 5))
$$;

-- Whether somebody is a side of what is decided on beside the customer.
CREATE FUNCTION approvals.is_side(person uuid, of_kind text, of_subject uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT CASE of_kind
        WHEN 'admin_grant' THEN EXISTS (SELECT FROM approvals.grant_request r WHERE r.id = of_subject AND r.account = person)
        WHEN 'held_bonus' THEN EXISTS (SELECT FROM approvals.compliance_case c
            WHERE c.id = of_subject AND (c.counterparty = person OR approvals.in_line(person, c.counterparty)))
        WHEN 'transfer' THEN EXISTS (SELECT FROM transfers.transfer t WHERE t.id = of_subject AND t.receiver = person)
        ELSE false
    END
$$;

-- Whether somebody may decide on this, holding the permission since before that moment without a break.
CREATE FUNCTION approvals.may_decide(person uuid, of_kind text, of_subject uuid, of_customer uuid, moment timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT approvals.counts(person, moment) AND NOT approvals.is_frozen(person)
        AND EXISTS (SELECT FROM identity.account a WHERE a.id = person AND a.status = 'active')
        AND person IS DISTINCT FROM of_customer AND NOT approvals.in_line(person, of_customer)
        AND NOT approvals.is_side(person, of_kind, of_subject)
$$;

-- Whether who spoke a word may still decide, with the very permission that they had when they spoke it.
CREATE FUNCTION approvals.holds(word approvals.decision) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT approvals.may_decide(word.decided_by, word.kind, word.subject, word.customer, word.at)
$$;

-- Whether anybody could speak the second word beside this person now.
CREATE FUNCTION approvals.has_second(person uuid, of_kind text, of_subject uuid, of_customer uuid, moment timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM approvals.admin_grant g
        WHERE g.ended_at IS NULL AND g.counts_at <= moment AND g.account <> person
          AND approvals.may_decide(g.account, of_kind, of_subject, of_customer, moment) AND approvals.are_two(person, g.account))
$$;

-- Why a first word falls away when this person speaks; none when it counts, or stands in their way.
CREATE FUNCTION approvals.falls(word approvals.decision, person uuid, moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN NOT approvals.may_decide(person, word.kind, word.subject, word.customer, moment) THEN NULL
        WHEN NOT approvals.holds(word) THEN 'speaker'
        WHEN person = word.decided_by OR approvals.are_two(person, word.decided_by) THEN NULL
        WHEN NOT approvals.has_second(word.decided_by, word.kind, word.subject, word.customer, moment)
            AND approvals.has_second(person, word.kind, word.subject, word.customer, moment) THEN 'alone'
    END
$$;

-- The first words that stand and wait for a second one: what lists show.
CREATE VIEW approvals.first_word AS
SELECT d.* FROM approvals.decision d
WHERE d.verdict = 'approve' AND d.position = 1 AND d.needed = 2
  AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
  AND NOT EXISTS (SELECT FROM approvals.decision s WHERE s.kind = d.kind AND s.subject = d.subject AND s.digest = d.digest
                  AND s.turn = d.turn AND s.verdict = 'approve' AND s.position = 2)
  AND approvals.holds(d);
GRANT SELECT ON approvals.first_word TO arbora_app;

-- How many words for exactly this have not fallen away.
CREATE FUNCTION approvals.words(of_kind text, of_subject uuid, of_digest bytea) RETURNS smallint LANGUAGE sql STABLE AS $$
    SELECT COALESCE(max(d.position), 0)::smallint FROM approvals.decision d
    WHERE d.kind = of_kind AND d.subject = of_subject AND d.digest = of_digest AND d.verdict = 'approve'
      AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
$$;

CREATE FUNCTION approvals.check_fallen() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    word approvals.decision;
BEGIN
    SELECT * INTO word FROM approvals.decision d WHERE d.id = NEW.decision;
    PERFORM approvals.lock_words(word.subject);
    IF word.id IS NULL OR word.verdict <> 'approve' OR word.position <> 1 OR word.needed <> 2 THEN
        RAISE EXCEPTION 'only the first of two words falls away' USING ERRCODE = 'check_violation', CONSTRAINT = 'fallen_first';
    END IF;
    IF EXISTS (SELECT FROM approvals.decision s WHERE s.kind = word.kind AND s.subject = word.subject AND s.digest = word.digest
               AND s.turn = word.turn AND s.verdict = 'approve' AND s.position = 2) THEN
        RAISE EXCEPTION 'the second word is there' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_done';
    END IF;
    IF (CASE NEW.why WHEN 'taken_back' THEN NEW.fell_by <> word.decided_by
        ELSE approvals.falls(word, NEW.fell_by, NEW.at) IS DISTINCT FROM NEW.why END) THEN
        RAISE EXCEPTION 'the word stands' USING ERRCODE = 'check_violation', CONSTRAINT = 'fallen_stands';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fallen_checked BEFORE INSERT ON approvals.fallen FOR EACH ROW EXECUTE FUNCTION approvals.check_fallen();

-- A second word looks at the first one again (`check_words`, behind these): no longer here.
CREATE OR REPLACE FUNCTION approvals.check_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.customer = NEW.decided_by OR approvals.in_line(NEW.decided_by, NEW.customer) THEN
        RAISE EXCEPTION 'the customer is, or stands in the direct line of who decides' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_own_money';
    END IF;
    IF NOT EXISTS (
        SELECT FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role JOIN identity.account a ON a.id = ar.account
        WHERE ar.account = NEW.decided_by AND 'admin_permissions' = ANY (r.permissions) AND a.status = 'active') THEN
        RAISE EXCEPTION 'no permission to decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_permission';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION approvals.check_decider() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF approvals.is_frozen(NEW.decided_by) THEN
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

-- Fires behind the two above (triggers go by their names): who may decide at all has been looked at.
CREATE FUNCTION approvals.check_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    first approvals.decision;
BEGIN
    PERFORM approvals.lock_words(NEW.subject);
    NEW.turn := (SELECT count(*) FROM approvals.fallen f JOIN approvals.decision d ON d.id = f.decision
                 WHERE d.kind = NEW.kind AND d.subject = NEW.subject AND d.digest = NEW.digest);
    IF NEW.verdict <> 'approve' THEN
        RETURN NEW;
    END IF;
    IF NEW.position = 1 THEN
        -- Where two were asked for, one word that falls away does not make one enough.
        IF NEW.turn > 0 AND NEW.needed <> 2 THEN
            RAISE EXCEPTION 'two were asked for before' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_two_before';
        END IF;
        RETURN NEW;
    END IF;
    SELECT * INTO first FROM approvals.decision d
    WHERE d.kind = NEW.kind AND d.subject = NEW.subject AND d.digest = NEW.digest AND d.turn = NEW.turn
      AND d.verdict = 'approve' AND d.position = 1;
    IF NOT FOUND OR first.needed <> 2 THEN
        RAISE EXCEPTION 'a second approval without a first that asked for it' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_done';
    END IF;
    -- One person twice is refused by a name of its own (`decision_same_person`).
    IF NEW.decided_by <> first.decided_by AND NOT approvals.holds(first) THEN
        RAISE EXCEPTION 'who spoke the first word may no longer decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_first_fell';
    END IF;
    IF NOT approvals.stands_without(NEW.decided_by, first.decided_by) OR NOT approvals.stands_without(first.decided_by, NEW.decided_by) THEN
        RAISE EXCEPTION 'one of the two made the other an approver' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_granted';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER decision_words BEFORE INSERT ON approvals.decision FOR EACH ROW EXECUTE FUNCTION approvals.check_words();

-- As before (0057), and what becomes of a first word that waits: it counts, it is in the way (both as `position` 1), or it falls away now and
-- the approver's is the first. `locked` writes that down; a look does not. `again`: two were asked for before, whatever the sums say.
DROP FUNCTION approvals.approved(boolean, uuid, uuid, text, uuid, bytea, timestamptz);
CREATE FUNCTION approvals.approved(
    locked boolean, approver uuid, of_customer uuid, of_kind text, of_subject uuid, of_digest bytea, since timestamptz)
RETURNS TABLE ("position" smallint, needed smallint, customer_sum bigint, approver_sum bigint, again boolean, fell uuid, why text)
LANGUAGE plpgsql AS $$
DECLARE
    person uuid;
    word approvals.decision;
    moment timestamptz := since + interval '24 hours';
BEGIN
    IF locked THEN
        FOR person IN SELECT DISTINCT p FROM unnest(ARRAY[approver, of_customer]) AS p WHERE p IS NOT NULL ORDER BY p LOOP
            PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 5));
        END LOOP;
        PERFORM approvals.lock_words(of_subject);
    END IF;
    SELECT d.* INTO word FROM approvals.decision d
    WHERE d.kind = of_kind AND d.subject = of_subject AND d.digest = of_digest AND d.verdict = 'approve'
      AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
    ORDER BY d.turn DESC, d.position DESC LIMIT 1;
    IF FOUND AND word.position < word.needed THEN
        why := approvals.falls(word, approver, moment);
        IF why IS NOT NULL THEN
            fell := word.decided_by;
            IF locked THEN
                INSERT INTO approvals.fallen (decision, why, fell_by, at) VALUES (word.id, approved.why, approver, moment);
            END IF;
            word := NULL;
        END IF;
    END IF;
    again := fell IS NOT NULL OR EXISTS (
        SELECT FROM approvals.fallen f JOIN approvals.decision d ON d.id = f.decision
        WHERE d.kind = of_kind AND d.subject = of_subject AND d.digest = of_digest);
    "position" := word.position;
    needed := word.needed;
    IF word.id IS NULL THEN
        WITH approved AS (
            SELECT d.customer, d.decided_by, d.subject, d.usdt FROM approvals.decision d
            WHERE (d.customer = of_customer OR d.decided_by = approver) AND d.at > since AND d.verdict = 'approve' AND d.subject <> of_subject
              AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
              AND NOT EXISTS (SELECT FROM approvals.decision r
                              WHERE r.kind = d.kind AND r.subject = d.subject AND r.verdict = 'reject' AND r.at >= d.at))
        SELECT foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
                   WHERE a.customer = of_customer GROUP BY a.subject) c)),
               foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
                   WHERE a.decided_by = approver GROUP BY a.subject) c))
        INTO customer_sum, approver_sum;
    END IF;
    RETURN NEXT;
END $$;

-- As before (0121), and whether two were asked for before.
DROP FUNCTION approvals.foreseen(uuid, uuid[], uuid[], timestamptz);
CREATE FUNCTION approvals.foreseen(approver uuid, subjects uuid[], customers uuid[], since timestamptz)
RETURNS TABLE (subject uuid, customer_sum bigint, approver_sum bigint, again boolean) LANGUAGE sql STABLE AS $$
    WITH approved AS (
        SELECT d.customer, d.decided_by, d.subject, d.usdt FROM approvals.decision d
        WHERE (d.customer = ANY(customers) OR d.decided_by = approver) AND d.at > since AND d.verdict = 'approve'
          AND NOT EXISTS (SELECT FROM approvals.fallen f WHERE f.decision = d.id)
          AND NOT EXISTS (SELECT FROM approvals.decision r
                          WHERE r.kind = d.kind AND r.subject = d.subject AND r.verdict = 'reject' AND r.at >= d.at))
    SELECT w.subject,
           foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
               WHERE a.customer = w.customer AND a.subject <> w.subject GROUP BY a.subject) c)),
           foundation.clamped((SELECT sum(c.most) FROM (SELECT max(a.usdt) AS most FROM approved a
               WHERE a.decided_by = approver AND a.subject <> w.subject GROUP BY a.subject) c)),
           EXISTS (SELECT FROM approvals.decision d JOIN approvals.fallen f ON f.decision = d.id WHERE d.subject = w.subject)
    FROM unnest(subjects, customers) AS w(subject, customer)
$$;

-- A role that decides is given on the two words of one turn.
CREATE OR REPLACE FUNCTION approvals.check_admin_role() RETURNS trigger LANGUAGE plpgsql AS $$
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
                AND two.verdict = 'approve' AND two.position = 2 AND two.decided_by = NEW.seconded_by AND two.turn = one.turn
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

-- Who has asked to take a credit back, as long as their word stands.
CREATE OR REPLACE VIEW pix.shown AS
SELECT d.*, a.username, a.full_name, a.email, a.created_at AS member_since, f.mime AS proof_mime,
       c.brl AS brl_received, c.usdt AS credited,
       k.end_to_end_id AS claim_id, k.payer_name AS claim_payer, k.brl AS claim_brl, k.usdt AS claim_usdt,
       b.full_name AS claim_by,
       l.end_to_end_id AS line_id, l.payer_name AS line_payer, l.brl AS line_brl,
       EXISTS (SELECT FROM pix.proof p JOIN pix.proof o ON o.deposit <> p.deposit AND (o.sha256 = p.sha256 OR o.pixels = p.pixels)
               WHERE p.file = d.proof) AS proof_seen_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.status = 'approved' AND e.id <> d.id) AS approved_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.id <> d.id
            AND e.created_at BETWEEN d.created_at - interval '24 hours' AND d.created_at) AS day_before,
       r.username AS reversal_asked_by, r.reason AS reversal_reason
FROM pix.deposit d
JOIN identity.account a ON a.id = d.owner
LEFT JOIN foundation.file f ON f.id = d.proof
LEFT JOIN pix.credit c ON c.deposit = d.id
LEFT JOIN pix.claim k ON k.deposit = d.id
LEFT JOIN identity.account b ON b.id = k.claimed_by
LEFT JOIN pix.statement_line l ON l.id = d.statement_line
LEFT JOIN LATERAL (
    SELECT w.username, x.reason FROM approvals.first_word x JOIN identity.account w ON w.id = x.decided_by
    WHERE d.status = 'approved' AND d.reversed_at IS NULL AND x.kind = 'pix_reversal' AND x.subject = d.id
    ORDER BY x.at DESC LIMIT 1) r ON true;
