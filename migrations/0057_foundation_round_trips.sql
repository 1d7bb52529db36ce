-- What belongs together is asked for at once: each of these was several statements, one after another. They are functions where the
-- order counts: every statement inside sees what was committed until it begins, so that what is read behind a lock is read behind it,
-- which parts of one statement do not promise.

-- Waits for a running call of the same key, then its answer if there is one.
CREATE FUNCTION foundation.first_answer(of_user uuid, of_route text, of_key text)
RETURNS TABLE (body_hash bytea, status smallint, response jsonb) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(of_user || ':' || of_route || ':' || of_key, 7));
    RETURN QUERY SELECT i.body_hash, i.status, i.response FROM foundation.idempotency i
        WHERE i.user_id = of_user AND i.route = of_route AND i.key = of_key;
END $$;

-- The end of a change: its audit lines, what others may point at, its jobs, its first answer, its facts with their numbers. The stream
-- heads come last, in sorted order: whoever holds one waits for nothing but the next one.
CREATE FUNCTION foundation.finish(
    moment timestamptz,
    audit_actors uuid[], audit_subjects uuid[], audit_categories text[], audit_actions text[], audit_details jsonb[],
    subject_kinds text[], subject_ids uuid[], subject_owners uuid[], subject_amounts bigint[], subject_currencies text[],
    subject_statuses text[],
    job_kinds text[], job_effects text[], job_payloads jsonb[], job_run_ats timestamptz[],
    answer_user uuid, answer_route text, answer_key text, answer_hash bytea, answer_status smallint, answer jsonb,
    head_streams text[], head_counts bigint[],
    event_streams text[], event_places bigint[], event_kinds text[], event_payloads text[])
RETURNS TABLE (stream text, epoch integer, seq bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF cardinality(audit_actions) > 0 THEN
        INSERT INTO foundation.audit (at, actor, subject, category, action, details)
        SELECT moment, a, s, c, n, d
        FROM unnest(audit_actors, audit_subjects, audit_categories, audit_actions, audit_details) WITH ORDINALITY AS t(a, s, c, n, d, place)
        ORDER BY place;
    END IF;
    IF cardinality(subject_ids) > 0 THEN
        INSERT INTO foundation.subject (kind, id, owner, amount, currency, status, at)
        SELECT k, i, o, a, c, s, moment
        FROM unnest(subject_kinds, subject_ids, subject_owners, subject_amounts, subject_currencies, subject_statuses) AS t(k, i, o, a, c, s)
        ON CONFLICT (kind, id) DO UPDATE SET amount = EXCLUDED.amount, currency = EXCLUDED.currency, status = EXCLUDED.status,
            at = EXCLUDED.at;
    END IF;
    IF cardinality(job_effects) > 0 THEN
        INSERT INTO foundation.job (kind, effect, payload, run_at, created_at)
        SELECT k, e, p, r, moment FROM unnest(job_kinds, job_effects, job_payloads, job_run_ats) AS t(k, e, p, r)
        WHERE NOT EXISTS (SELECT 1 FROM foundation.job_done d WHERE d.effect = t.e)
        ON CONFLICT (effect) DO NOTHING;
    END IF;
    IF answer_key IS NOT NULL THEN
        INSERT INTO foundation.idempotency (user_id, route, key, body_hash, status, response, created_at)
        VALUES (answer_user, answer_route, answer_key, answer_hash, answer_status, answer, moment);
    END IF;
    IF cardinality(head_streams) > 0 THEN
        RETURN QUERY WITH heads AS (
            INSERT INTO foundation.stream_head AS h (stream, seq)
            SELECT s, n FROM unnest(head_streams, head_counts) AS t(s, n) ORDER BY s COLLATE "C"
            ON CONFLICT (stream) DO UPDATE SET seq = h.seq + EXCLUDED.seq
            RETURNING h.stream, h.epoch, h.seq
        ), events AS (
            -- A fact's place is counted from the end of its stream: the newest has 0.
            INSERT INTO foundation.event (stream, epoch, seq, kind, payload, at)
            SELECT f.s, heads.epoch, heads.seq - f.place, f.k, f.p::json, moment
            FROM unnest(event_streams, event_places, event_kinds, event_payloads) WITH ORDINALITY AS f(s, place, k, p, line)
            JOIN heads ON heads.stream = f.s ORDER BY f.line
        )
        SELECT heads.stream, heads.epoch, heads.seq FROM heads;
    END IF;
END $$;

-- Locks accounts in the order of their ids, then says whether one of the keys was booked: a last row without an id. Whoever booked the
-- same order before held the same locks, so it is seen. Those of `fresh_ids` that do not exist are created first, in the order of their
-- ids and before anything is held, or two who create could wait for each other.
CREATE FUNCTION ledger.lock_accounts(ids uuid[], fresh_ids uuid[], owner_kinds text[], owners uuid[], names text[], currencies text[],
    stripes smallint[], bounds smallint[], keys text[])
RETURNS TABLE (id uuid, owner_kind text, owner uuid, name text, bound smallint, balance numeric, version bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
    IF (SELECT count(*) FROM ledger.account a WHERE a.id = ANY(fresh_ids)) < cardinality(fresh_ids) THEN
        INSERT INTO ledger.account (id, owner_kind, owner, name, currency, stripe, bound)
        SELECT n.i, n.k, n.o, n.n, n.c, n.s, n.b
        FROM unnest(fresh_ids, owner_kinds, owners, names, currencies, stripes, bounds) AS n(i, k, o, n, c, s, b)
        WHERE NOT EXISTS (SELECT FROM ledger.account a WHERE a.id = n.i) ORDER BY n.i
        ON CONFLICT (id) DO NOTHING;
    END IF;
    RETURN QUERY SELECT a.id, a.owner_kind, a.owner, a.name, a.bound, a.balance, a.version FROM ledger.account a
        WHERE a.id = ANY(ids) ORDER BY a.id FOR NO KEY UPDATE OF a;
    RETURN QUERY SELECT NULL::uuid, 'key'::text, NULL::uuid, ''::text, 0::smallint, 0::numeric, 0::bigint
        WHERE EXISTS (SELECT FROM ledger.transfer t WHERE t.key = ANY(keys));
END $$;

-- What came into an account by these kinds of transfers since then, whatever left again.
CREATE FUNCTION ledger.received_since(of_account uuid, kinds text[], since timestamptz) RETURNS numeric LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT COALESCE(sum(p.amount), 0)::numeric(38, 0) FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id
            WHERE p.account = of_account AND p.amount > 0 AND t.at > since AND t.kind = ANY(kinds));
END $$;

-- How many other accounts were used from a person's devices since then, and whether two people share one.
CREATE FUNCTION identity.accounts_on_devices(person uuid, since timestamptz) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT count(DISTINCT o.account) FROM identity.device d
            JOIN identity.device o ON o.token_hash = d.token_hash AND o.account <> d.account AND o.seen_at > since
            WHERE d.account = person AND d.seen_at > since);
END $$;
CREATE FUNCTION identity.share_device(one uuid, other uuid, since timestamptz) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN EXISTS (SELECT FROM identity.device a JOIN identity.device b ON b.token_hash = a.token_hash
                   WHERE a.account = one AND b.account = other AND a.seen_at > since AND b.seen_at > since);
END $$;

-- The tries of several counts, each held until the transaction ends, in the given order: tries at once are judged one after another.
-- With `noted` this try is written down in all of them.
CREATE FUNCTION identity.tries(scopes text[], sinces timestamptz[], nths bigint[], moment timestamptz, noted boolean)
RETURNS TABLE (count bigint, newest timestamptz, nth timestamptz, id bigint) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. cardinality(scopes) LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(scopes[i], 12));
        SELECT count(*), max(f.at),
               (SELECT n.at FROM identity.failure n WHERE n.scope = scopes[i] AND n.at > sinces[i] ORDER BY n.at DESC OFFSET nths[i] - 1 LIMIT 1)
        INTO count, newest, nth FROM identity.failure f WHERE f.scope = scopes[i] AND f.at > sinces[i];
        IF noted THEN
            INSERT INTO identity.failure AS f (scope, at) VALUES (scopes[i], moment) RETURNING f.id INTO id;
        END IF;
        RETURN NEXT;
    END LOOP;
END $$;

-- All that the compliance rules look at, and the case of the thing in question, if it has one.
CREATE FUNCTION approvals.evidence(
    person uuid, hour_ago timestamptz, day_ago timestamptz, month_ago timestamptz, is_out boolean, available uuid, kinds text[],
    of_payer bytea, other uuid, subject_of text, subject_id uuid)
RETURNS TABLE (case_id uuid, case_status text, outs_last_hour bigint, out_last_day bigint, in_last_day numeric, device_accounts bigint, payer_accounts bigint,
    same_device boolean, same_document boolean, same_payer boolean, refused_before boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
    SELECT count(*) FILTER (WHERE o.at > hour_ago AND o.action <> 'pyx_trade'), foundation.clamped(COALESCE(sum(o.usdt), 0))
    INTO outs_last_hour, out_last_day
    FROM approvals.outbound o WHERE o.user_id = person AND o.at > day_ago AND o.released_at IS NULL AND o.usdt > 0;
    in_last_day := 0;
    device_accounts := 0;
    IF is_out THEN
        in_last_day := ledger.received_since(available, kinds, day_ago);
        device_accounts := identity.accounts_on_devices(person, month_ago);
    END IF;
    payer_accounts := 0;
    IF of_payer IS NOT NULL THEN
        payer_accounts := (SELECT count(*) FROM approvals.payer p WHERE p.payer = of_payer AND p.user_id <> person);
    END IF;
    same_device := false;
    same_document := false;
    same_payer := false;
    refused_before := false;
    IF other IS NOT NULL THEN
        same_device := identity.share_device(person, other, month_ago);
        same_document := EXISTS (SELECT FROM approvals.document a JOIN approvals.document b USING (document)
                                 WHERE a.user_id = person AND b.user_id = other);
        same_payer := EXISTS (SELECT FROM approvals.payer a JOIN approvals.payer b USING (payer)
                              WHERE a.user_id = person AND b.user_id = other);
        refused_before := EXISTS (SELECT FROM approvals.compliance_case c WHERE c.user_id = person AND c.counterparty = other
                                  AND c.status = 'refused' AND c.decided_at > month_ago);
    END IF;
    IF subject_id IS NOT NULL THEN
        SELECT c.id, c.status INTO case_id, case_status FROM approvals.compliance_case c
        WHERE c.subject_kind = subject_of AND c.subject = subject_id;
    END IF;
    RETURN NEXT;
END $$;

-- What the guard looks at, behind its lock where it asks for it: one person's outgoing requests follow one another.
CREATE FUNCTION approvals.standing(
    person uuid, locked boolean, moment timestamptz, day_ago timestamptz, available_row uuid, debt_row uuid, list text, place text)
RETURNS TABLE (hold_until timestamptz, hold_reason text, excluded_until timestamptz, pause_reason text, pause_review_at timestamptz, available numeric, debt numeric, young bigint, young_until timestamptz,
    used bigint, request_usdt bigint, request_next bigint, request_next_at timestamptz, day_usdt bigint, day_next bigint,
    day_next_at timestamptz, listed boolean, usable_at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
    IF locked THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 6));
    END IF;
    SELECT a.hold_until, a.hold_reason INTO hold_until, hold_reason FROM identity.account a WHERE a.id = person;
    excluded_until := (SELECT e.until FROM approvals.self_exclusion e WHERE e.user_id = person);
    SELECT p.reason, p.review_at INTO pause_reason, pause_review_at FROM approvals.pause p
    WHERE p.active_from IS NOT NULL AND p.lifted_at IS NULL AND (p.user_id = person OR p.user_id IS NULL)
    ORDER BY p.user_id NULLS LAST LIMIT 1;
    available := COALESCE((SELECT a.balance FROM ledger.account a WHERE a.id = available_row), 0);
    debt := COALESCE((SELECT a.balance FROM ledger.account a WHERE a.id = debt_row), 0);
    SELECT foundation.clamped(COALESCE(sum(y.usdt), 0)), max(y.until) INTO young, young_until
    FROM approvals.young_credit y WHERE y.user_id = person AND y.until > moment AND y.ended_at IS NULL;
    used := (SELECT foundation.clamped(COALESCE(sum(o.usdt), 0)) FROM approvals.outbound o
             WHERE o.user_id = person AND o.at > day_ago AND o.released_at IS NULL);
    SELECT l.usdt, l.next_usdt, l.next_at INTO request_usdt, request_next, request_next_at
    FROM approvals.own_limit l WHERE l.user_id = person AND l.kind = 'transaction';
    SELECT l.usdt, l.next_usdt, l.next_at INTO day_usdt, day_next, day_next_at
    FROM approvals.own_limit l WHERE l.user_id = person AND l.kind = 'day';
    listed := EXISTS (SELECT FROM approvals.whitelist_switch s
                      WHERE s.user_id = person AND s.is_on AND (s.off_at IS NULL OR s.off_at > moment));
    IF listed AND list IS NOT NULL THEN
        usable_at := (SELECT w.usable_at FROM approvals.whitelist w
                      WHERE w.user_id = person AND w.kind = list AND w.destination = place AND w.removed_at IS NULL);
    END IF;
    RETURN NEXT;
END $$;

-- How far a subject is approved, and what was approved in the last day beside it. The sums must not be read by two decisions at once:
-- both could stay below the limit; where `locked` asks for it, approver and customer are held in the order of their ids, and read behind
-- that. A subject approved twice, or anew after a change, counts once, with its greatest amount; one that was rejected after it does not.
CREATE FUNCTION approvals.approved(
    locked boolean, approver uuid, of_customer uuid, of_kind text, of_subject uuid, of_digest bytea, since timestamptz)
RETURNS TABLE ("position" smallint, needed smallint, customer_sum bigint, approver_sum bigint) LANGUAGE plpgsql AS $$
DECLARE person uuid;
BEGIN
    IF locked THEN
        FOR person IN SELECT DISTINCT p FROM unnest(ARRAY[approver, of_customer]) AS p WHERE p IS NOT NULL ORDER BY p LOOP
            PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 5));
        END LOOP;
    END IF;
    SELECT d.position, d.needed INTO "position", needed FROM approvals.decision d
    WHERE d.kind = of_kind AND d.subject = of_subject AND d.digest = of_digest AND d.verdict = 'approve'
    ORDER BY d.position DESC LIMIT 1;
    IF NOT FOUND THEN
        WITH approved AS (
            SELECT d.customer, d.decided_by, d.subject, d.usdt FROM approvals.decision d
            WHERE (d.customer = of_customer OR d.decided_by = approver) AND d.at > since AND d.verdict = 'approve' AND d.subject <> of_subject
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

-- How many deposits wait for a decision. Changes of the queue follow one another, so that the length that each reports is the length at
-- its commit.
CREATE FUNCTION pix.pending() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('pix-deposits', 8));
    RETURN (SELECT count(*) FROM pix.deposit WHERE status = 'pending_approval');
END $$;

-- The next number among a person's licences, for one purchase at a time.
CREATE FUNCTION licences.next_number(person uuid) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 11));
    RETURN (SELECT coalesce(max(number), 0) + 1 FROM licences.licence WHERE owner = person);
END $$;
