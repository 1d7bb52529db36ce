-- Affiliates: sums of the network have no limit that they could pass, and one that is wrong keeps nobody waiting. A closing writes what is set off,
-- and with it these sums (0208): a sum beyond the greatest amount, or below zero, ended that statement, and so the closing of the day for everybody,
-- though no bonus is paid by them: they say what tonight's closing is foreseen to bring. Results, bases and sums are numeric, as balances of the
-- ledger are; who asks is told an amount (foundation.clamped), as of every sum of money. What is set off stays an amount: the closing says it.
--
-- Holds affiliates.day_gain and affiliates.gain_below: their rows are written anew, as numbers without a limit.
ALTER TABLE affiliates.day_gain DROP COLUMN base;
ALTER TABLE affiliates.day_gain ALTER COLUMN result TYPE numeric, ALTER COLUMN moved TYPE numeric;
ALTER TABLE affiliates.day_gain ADD COLUMN base numeric NOT NULL GENERATED ALWAYS AS (greatest(result - to_set_off, 0)) STORED;
ALTER TABLE affiliates.gain_below ALTER COLUMN first TYPE numeric, ALTER COLUMN second TYPE numeric, ALTER COLUMN third TYPE numeric;

-- Adds to the sums of those above. Each base went up before it goes down, under one lock, so that none is below zero. One that is nevertheless is kept
-- as it came to be, told to whoever reads the log, and shown as nothing: to refuse it would stop the sums of all, and the closing that writes them.
DROP FUNCTION affiliates.raise_above(date, uuid[], uuid[], uuid[], bigint[]);
CREATE FUNCTION affiliates.raise_above(of_day date, firsts uuid[], seconds uuid[], thirds uuid[], moves numeric[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    below_zero bigint;
BEGIN
    WITH raised AS (
        INSERT INTO affiliates.gain_below AS b (member, day, first, second, third)
        SELECT u.member, of_day,
               coalesce(sum(m.moved) FILTER (WHERE u.step = 1), 0),
               coalesce(sum(m.moved) FILTER (WHERE u.step = 2), 0),
               coalesce(sum(m.moved) FILTER (WHERE u.step = 3), 0)
        FROM unnest(firsts, seconds, thirds, moves) AS m(one, two, three, moved)
        CROSS JOIN LATERAL (VALUES (1, m.one), (2, m.two), (3, m.three)) AS u(step, member)
        WHERE u.member IS NOT NULL
        GROUP BY u.member ORDER BY u.member
        ON CONFLICT (member) DO UPDATE SET day = excluded.day,
            first = CASE WHEN b.day = excluded.day THEN b.first ELSE 0 END + excluded.first,
            second = CASE WHEN b.day = excluded.day THEN b.second ELSE 0 END + excluded.second,
            third = CASE WHEN b.day = excluded.day THEN b.third ELSE 0 END + excluded.third
        WHERE b.day <= excluded.day
        RETURNING least(b.first, b.second, b.third) AS lowest)
    SELECT count(*) INTO below_zero FROM raised WHERE lowest < 0;
    IF below_zero > 0 THEN
        RAISE WARNING 'what residual bonuses of % would be paid on is below zero for % members', of_day, below_zero;
    END IF;
END $$;

-- Counts results that robots of members brought on a day, one of each member: for the members, and for those above. The caller lets nobody else
-- write meanwhile.
DROP FUNCTION affiliates.count_results(date, uuid[], bigint[]);
CREATE FUNCTION affiliates.count_results(of_day date, members uuid[], results numeric[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    firsts uuid[];
    seconds uuid[];
    thirds uuid[];
    moves numeric[];
    unknown uuid[];
BEGIN
    WITH counted AS (
        INSERT INTO affiliates.day_gain AS g (member, day, result, moved)
        SELECT v.member, of_day, v.result, greatest(v.result, 0) FROM unnest(members, results) AS v(member, result)
        WHERE v.result <> 0 ORDER BY v.member
        ON CONFLICT (member) DO UPDATE SET day = excluded.day,
            result = CASE WHEN g.day = excluded.day THEN g.result ELSE 0 END + excluded.result,
            moved = greatest(CASE WHEN g.day = excluded.day THEN g.result ELSE 0 END + excluded.result - g.to_set_off, 0)
                - CASE WHEN g.day = excluded.day THEN g.base ELSE 0 END
        -- A day that is over is no longer summed.
        WHERE g.day <= excluded.day
        RETURNING g.member, g.known, g.first, g.second, g.third, g.moved)
    SELECT array_agg(c.first), array_agg(c.second), array_agg(c.third), array_agg(c.moved), array_agg(c.member) FILTER (WHERE NOT c.known)
    INTO firsts, seconds, thirds, moves, unknown FROM counted c WHERE c.moved <> 0;
    IF unknown IS NOT NULL THEN
        PERFORM affiliates.know_above(unknown);
        SELECT firsts || array_agg(g.first), seconds || array_agg(g.second), thirds || array_agg(g.third), moves || array_agg(g.moved)
        INTO firsts, seconds, thirds, moves FROM affiliates.day_gain g WHERE g.member = ANY (unknown);
    END IF;
    IF moves IS NOT NULL THEN
        PERFORM affiliates.raise_above(of_day, firsts, seconds, thirds, moves);
    END IF;
END $$;

-- As in 0208; what was brought is summed as it is.
CREATE OR REPLACE FUNCTION affiliates.count_gained(most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    closes date;
    counted date;
    whose uuid[];
    amounts numeric[];
    more boolean;
BEGIN
    IF NOT pg_try_advisory_xact_lock(affiliates.gains_lock()) THEN
        RETURN false;
    END IF;
    SELECT max(k.day) + 1 INTO closes FROM affiliates.closing k;
    DELETE FROM affiliates.gained g WHERE g.day < closes;
    -- Before the first closing day by day.
    SELECT min(g.day) INTO counted FROM affiliates.gained g WHERE g.day <= coalesce(closes, 'infinity');
    IF counted IS NULL THEN
        RETURN false;
    END IF;
    WITH due AS MATERIALIZED (
        SELECT f.id FROM (
            SELECT g.id, sum(g.owners) OVER (ORDER BY g.id) - g.owners AS before FROM affiliates.gained g WHERE g.day = counted) f
        WHERE f.before < most),
    taken AS (
        DELETE FROM affiliates.gained g USING due d WHERE g.id = d.id RETURNING g.members, g.results),
    summed AS (
        SELECT u.member, sum(u.result) AS result
        FROM taken t CROSS JOIN LATERAL unnest(t.members, t.results) AS u(member, result) GROUP BY u.member)
    SELECT array_agg(s.member), array_agg(s.result),
           (SELECT count(*) FROM affiliates.gained g WHERE g.day <= coalesce(closes, 'infinity')) > (SELECT count(*) FROM due)
    INTO whose, amounts, more FROM summed s;
    PERFORM affiliates.count_results(counted, whose, amounts);
    RETURN more;
END $$;

-- As in 0208; what is shown is an amount, and not below zero.
CREATE OR REPLACE FUNCTION affiliates.gains_of(whom uuid, of_day date, most bigint)
RETURNS TABLE (first bigint, second bigint, third bigint, since timestamptz) LANGUAGE sql STABLE AS $$
    WITH behind AS MATERIALIZED (
        SELECT coalesce(sum(g.owners), 0) <= most AS few, min(g.at) AS since FROM affiliates.gained g WHERE g.day = of_day),
    left_over AS MATERIALIZED (
        SELECT u.member, sum(u.result) AS result
        FROM affiliates.gained g CROSS JOIN LATERAL unnest(g.members, g.results) AS u(member, result)
        WHERE g.day = of_day AND (SELECT b.few FROM behind b)
        GROUP BY u.member),
    moved AS (
        SELECT CASE WHEN d.known THEN d.first ELSE a.first END AS first, CASE WHEN d.known THEN d.second ELSE a.second END AS second,
               CASE WHEN d.known THEN d.third ELSE a.third END AS third,
               greatest(CASE WHEN d.day = of_day THEN d.result ELSE 0 END + l.result - coalesce(d.to_set_off, 0), 0)
                   - CASE WHEN d.day = of_day THEN d.base ELSE 0 END AS base
        FROM left_over l
        LEFT JOIN affiliates.day_gain d ON d.member = l.member
        LEFT JOIN LATERAL affiliates.stand_above(CASE WHEN d.known THEN NULL ELSE l.member END) a ON true
        WHERE d.member IS NULL OR d.day <= of_day)
    SELECT foundation.clamped(greatest(coalesce(k.first, 0) + m.first, 0)), foundation.clamped(greatest(coalesce(k.second, 0) + m.second, 0)),
           foundation.clamped(greatest(coalesce(k.third, 0) + m.third, 0)), CASE WHEN NOT b.few THEN b.since END
    FROM behind b
    CROSS JOIN (
        SELECT coalesce(sum(x.base) FILTER (WHERE x.first = whom), 0) AS first,
               coalesce(sum(x.base) FILTER (WHERE x.second = whom), 0) AS second,
               coalesce(sum(x.base) FILTER (WHERE x.third = whom), 0) AS third
        FROM moved x) m
    LEFT JOIN affiliates.gain_below k ON k.member = whom AND k.day = of_day
$$;
