-- As before, but the job of a watched thing comes only with a change of what is shown of it: many changes of its room write the same line anew.
CREATE OR REPLACE FUNCTION foundation.finish(
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
        WITH given AS (
            SELECT k, i, o, a, c, s
            FROM unnest(subject_kinds, subject_ids, subject_owners, subject_amounts, subject_currencies, subject_statuses) AS t(k, i, o, a, c, s)
        ), known AS (
            -- As it stood before this change: who writes a thing holds its own row.
            SELECT f.kind, f.id, f.amount, f.currency, f.status FROM foundation.subject f JOIN given ON f.kind = given.k AND f.id = given.i
            WHERE f.watched
        ), shown AS (
            INSERT INTO foundation.subject AS f (kind, id, owner, amount, currency, status, at)
            SELECT k, i, o, a, c, s, moment FROM given
            ON CONFLICT (kind, id) DO UPDATE SET amount = EXCLUDED.amount, currency = EXCLUDED.currency, status = EXCLUDED.status,
                at = EXCLUDED.at
            RETURNING f.kind, f.id, f.amount, f.currency, f.status, f.watched
        )
        INSERT INTO foundation.job (kind, effect, payload, run_at, created_at)
        SELECT 'subject.watched', 'subject.watched:' || shown.kind || ':' || shown.id || ':' || pg_current_xact_id(),
               jsonb_build_object('kind', shown.kind, 'id', shown.id), moment, moment
        FROM shown LEFT JOIN known USING (kind, id)
        WHERE shown.watched
            AND (shown.amount, shown.currency, shown.status) IS DISTINCT FROM (known.amount, known.currency, known.status)
        ON CONFLICT (effect) DO NOTHING;
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
