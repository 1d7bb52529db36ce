-- Affiliates: what residual bonuses of the open day would be paid on, summed for those above behind the settlements, so that a look at tonight's
-- closing costs the same however many robots work below (docs/decisions/0089-sums-of-the-network-are-kept.md).
--
-- Holds affiliates.bonus: what bonuses brought is added up once; whoever books or changes one waits.
-- Holds affiliates.residual_carry and affiliates.node: a closing that writes what is set off waits, and whoever comes.

-- Results that are in no sum yet. Who books results or takes one back leaves a row, in its own transaction, and waits for nobody; the transaction that
-- adds them to the sums takes the row away.
CREATE TABLE affiliates.gained (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    day     date NOT NULL,
    at      timestamptz NOT NULL,
    -- One result of each.
    members uuid[] NOT NULL,
    results bigint[] NOT NULL,
    owners  integer NOT NULL GENERATED ALWAYS AS (cardinality(members)) STORED,
    CHECK (cardinality(members) = cardinality(results))
);
-- They live for seconds, and ids cannot be made smaller.
ALTER TABLE affiliates.gained ALTER COLUMN members SET STORAGE EXTERNAL, ALTER COLUMN results SET STORAGE EXTERNAL;
GRANT SELECT, INSERT, DELETE ON affiliates.gained TO arbora_app;

-- Leaves results of a day, one of each member, for the sums.
CREATE FUNCTION affiliates.leave_results(of_day date, moment timestamptz, owners uuid[], amounts bigint[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO affiliates.gained (day, at, members, results) VALUES (of_day, moment, owners, amounts)
$$;

-- A member's results of the day that is closed next, and what is set off first; everyone with something to set off has a row. By the member, as
-- results are booked; without foreign keys: members are never deleted. Who writes here or in `gain_below` holds the lock of
-- `affiliates.gains_lock()`.
CREATE TABLE affiliates.day_gain (
    member     uuid PRIMARY KEY,
    -- Who stands above over one, two and three steps; the house is left out. Sponsors never change: they are looked up once.
    known      boolean NOT NULL DEFAULT false,
    first      uuid,
    second     uuid,
    third      uuid,
    day        date NOT NULL,
    result     bigint NOT NULL,
    to_set_off bigint NOT NULL DEFAULT 0 CHECK (to_set_off >= 0),
    -- What residual bonuses would be paid on.
    base       bigint NOT NULL GENERATED ALWAYS AS (greatest(result - to_set_off, 0)) STORED,
    -- By how much that changed last: what goes up with the same statement.
    moved      bigint NOT NULL
) WITH (fillfactor = 50);

-- The bases of those whom a member brought, over one, two and three steps.
CREATE TABLE affiliates.gain_below (
    member uuid PRIMARY KEY,
    day    date NOT NULL,
    first  bigint NOT NULL,
    second bigint NOT NULL,
    third  bigint NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON affiliates.day_gain, affiliates.gain_below TO arbora_app;

-- The advisory lock under which these sums are written: one writer at a time, whose rows come in no order.
CREATE FUNCTION affiliates.gains_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT hashtextextended('affiliates.day_gain', 208) $$;

-- Who stands above a member over one, two and three steps; the house is left out.
CREATE FUNCTION affiliates.stand_above(whom uuid) RETURNS TABLE (first uuid, second uuid, third uuid) LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN one.sponsor IS NOT NULL THEN one.member END,
           CASE WHEN two.sponsor IS NOT NULL THEN two.member END,
           CASE WHEN three.sponsor IS NOT NULL THEN three.member END
    FROM affiliates.node n
    LEFT JOIN affiliates.node one ON one.no = n.sponsor
    LEFT JOIN affiliates.node two ON two.no = one.sponsor
    LEFT JOIN affiliates.node three ON three.no = two.sponsor
    WHERE n.member = whom
$$;

-- Writes down who stands above these members.
CREATE FUNCTION affiliates.know_above(members uuid[]) RETURNS void LANGUAGE sql AS $$
    UPDATE affiliates.day_gain g SET known = true, first = a.first, second = a.second, third = a.third
    FROM unnest(members) AS m(id) CROSS JOIN LATERAL affiliates.stand_above(m.id) a
    WHERE g.member = m.id
$$;

-- Adds to the sums of those above.
CREATE FUNCTION affiliates.raise_above(of_day date, firsts uuid[], seconds uuid[], thirds uuid[], moves bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    below_zero boolean;
BEGIN
    WITH raised AS (
        INSERT INTO affiliates.gain_below AS b (member, day, first, second, third)
        SELECT u.member, of_day,
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 1), 0)),
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 2), 0)),
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 3), 0))
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
    SELECT bool_or(lowest < 0) INTO below_zero FROM raised;
    -- No CHECK: it would look at what an upsert adds, and that may be below zero.
    IF below_zero THEN
        RAISE EXCEPTION 'bases below zero' USING ERRCODE = 'check_violation', CONSTRAINT = 'gain_below_not_negative';
    END IF;
END $$;

-- Counts results that robots of members brought on a day, one of each member: for the members, and for those above. The caller lets nobody else
-- write meanwhile.
CREATE FUNCTION affiliates.count_results(of_day date, members uuid[], results bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    firsts uuid[];
    seconds uuid[];
    thirds uuid[];
    moves bigint[];
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

-- Brings what was left of the day that is closed next into the sums, in the order in which it was left and no more than of about so many owners at a
-- time; whether there is more. What was left of the day after it waits until that is the next one, what is left of a day that is closed goes: nobody asks.
-- While somebody else is at it there is nothing to do.
CREATE FUNCTION affiliates.count_gained(most bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    closes date;
    counted date;
    whose uuid[];
    amounts bigint[];
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
        SELECT u.member, foundation.clamped(sum(u.result)) AS result
        FROM taken t CROSS JOIN LATERAL unnest(t.members, t.results) AS u(member, result) GROUP BY u.member)
    SELECT array_agg(s.member), array_agg(s.result),
           (SELECT count(*) FROM affiliates.gained g WHERE g.day <= coalesce(closes, 'infinity')) > (SELECT count(*) FROM due)
    INTO whose, amounts, more FROM summed s;
    PERFORM affiliates.count_results(counted, whose, amounts);
    RETURN more;
END $$;

-- What residual bonuses would be paid on if a day ended now, of those whom a member brought: the sums, and what is left for them if it is of no more than
-- so many owners; otherwise since when something is left.
CREATE FUNCTION affiliates.gains_of(whom uuid, of_day date, most bigint)
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
    SELECT coalesce(k.first, 0) + m.first, coalesce(k.second, 0) + m.second, coalesce(k.third, 0) + m.third, CASE WHEN NOT b.few THEN b.since END
    FROM behind b
    CROSS JOIN (
        SELECT foundation.clamped(coalesce(sum(x.base) FILTER (WHERE x.first = whom), 0)) AS first,
               foundation.clamped(coalesce(sum(x.base) FILTER (WHERE x.second = whom), 0)) AS second,
               foundation.clamped(coalesce(sum(x.base) FILTER (WHERE x.third = whom), 0)) AS third
        FROM moved x) m
    LEFT JOIN affiliates.gain_below k ON k.member = whom AND k.day = of_day
$$;

-- Writes what members have to set off after the closing of a day; given twice it changes nothing.
CREATE FUNCTION affiliates.count_set_off(closed date, members uuid[], amounts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    changed uuid[];
    unknown uuid[];
    part record;
BEGIN
    PERFORM pg_advisory_xact_lock(affiliates.gains_lock());
    WITH counted AS (
        INSERT INTO affiliates.day_gain AS g (member, day, result, to_set_off, moved)
        SELECT s.member, closed + 1, 0, s.amount, 0 FROM unnest(members, amounts) AS s(member, amount) ORDER BY s.member
        ON CONFLICT (member) DO UPDATE SET day = greatest(g.day, excluded.day),
            result = CASE WHEN g.day >= excluded.day THEN g.result ELSE 0 END,
            to_set_off = excluded.to_set_off,
            moved = CASE WHEN g.day >= excluded.day THEN greatest(g.result - excluded.to_set_off, 0) - g.base ELSE 0 END
        RETURNING g.member, g.known, g.moved)
    SELECT array_agg(c.member), array_agg(c.member) FILTER (WHERE NOT c.known) INTO changed, unknown FROM counted c WHERE c.moved <> 0;
    IF unknown IS NOT NULL THEN
        PERFORM affiliates.know_above(unknown);
    END IF;
    FOR part IN
        SELECT g.day, array_agg(g.first) AS firsts, array_agg(g.second) AS seconds, array_agg(g.third) AS thirds, array_agg(g.moved) AS moves
        FROM affiliates.day_gain g WHERE g.member = ANY (changed) GROUP BY g.day ORDER BY g.day
    LOOP
        PERFORM affiliates.raise_above(part.day, part.firsts, part.seconds, part.thirds, part.moves);
    END LOOP;
END $$;

-- Whatever writes what is set off writes it here too: the version of before as well, which may close a day beside this schema.
CREATE FUNCTION affiliates.set_off_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    part record;
BEGIN
    FOR part IN
        SELECT f.through, array_agg(f.member) AS members, array_agg(f.negative) AS amounts FROM fresh f GROUP BY f.through ORDER BY f.through
    LOOP
        PERFORM affiliates.count_set_off(part.through, part.members, part.amounts);
    END LOOP;
    RETURN NULL;
END $$;
CREATE TRIGGER set_off_written AFTER INSERT ON affiliates.residual_carry REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.set_off_written();
CREATE TRIGGER set_off_changed AFTER UPDATE ON affiliates.residual_carry REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.set_off_written();

-- Those who are there, behind the triggers: what is set off, and as left what robots have brought since the last closing. What the version of before
-- settles meanwhile is missing from the sums of that day, and of no other.
INSERT INTO affiliates.day_gain (member, day, result, to_set_off, moved)
SELECT c.member, c.through + 1, 0, c.negative, 0 FROM affiliates.residual_carry c WHERE c.negative > 0;
INSERT INTO affiliates.gained (day, at, members, results)
SELECT r.day, now(), array_agg(r.owner), array_agg(r.result)
FROM (SELECT d.day, d.owner, foundation.clamped(sum(d.gain - d.loss)) AS result FROM robots.day_result d
      WHERE d.day >= coalesce((SELECT max(k.day) + 1 FROM affiliates.closing k), (now() AT TIME ZONE 'America/Sao_Paulo')::date)
        AND (d.mode = 'live' OR NOT EXISTS (SELECT FROM foundation.world WHERE kind = 'production'))
      GROUP BY d.day, d.owner) r
WHERE r.result <> 0 GROUP BY r.day;

-- What each type of bonus brought a member in a month: a day's residual bonuses are as many as robots below. Whoever writes bonuses holds the fund, so
-- that these rows are one's own meanwhile.
CREATE TABLE affiliates.bonus_month (
    no      integer NOT NULL REFERENCES affiliates.node ON DELETE CASCADE,
    month   date NOT NULL CHECK (extract(day FROM month) = 1),
    kind    text NOT NULL,
    level   smallint NOT NULL,
    -- What was paid and not taken back.
    paid    bigint NOT NULL CHECK (paid >= 0),
    waiting bigint NOT NULL CHECK (waiting >= 0),
    PRIMARY KEY (no, month, kind, level)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON affiliates.bonus_month TO arbora_app;

CREATE FUNCTION affiliates.bonuses_booked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO affiliates.bonus_month AS m (no, month, kind, level, paid, waiting)
    SELECT n.no, date_trunc('month', b.business_day::timestamp)::date, b.kind, b.level,
           foundation.clamped(sum(b.paid - b.returned)), foundation.clamped(sum(b.waiting))
    FROM fresh b JOIN affiliates.node n ON n.member = b.receiver
    GROUP BY 1, 2, 3, 4
    ON CONFLICT (no, month, kind, level) DO UPDATE SET paid = m.paid + excluded.paid, waiting = m.waiting + excluded.waiting;
    RETURN NULL;
END $$;
CREATE TRIGGER bonus_booked AFTER INSERT ON affiliates.bonus REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.bonuses_booked();

CREATE FUNCTION affiliates.bonuses_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE affiliates.bonus_month m SET paid = m.paid + d.paid, waiting = m.waiting + d.waiting
    FROM (SELECT n.no, date_trunc('month', b.business_day::timestamp)::date AS month, b.kind, b.level,
                 foundation.clamped(sum(b.paid - b.returned - o.paid + o.returned)) AS paid, foundation.clamped(sum(b.waiting - o.waiting)) AS waiting
          FROM fresh b JOIN old_rows o ON o.id = b.id JOIN affiliates.node n ON n.member = b.receiver
          WHERE (b.paid, b.returned, b.waiting) <> (o.paid, o.returned, o.waiting)
          GROUP BY 1, 2, 3, 4) d
    WHERE (m.no, m.month, m.kind, m.level) = (d.no, d.month, d.kind, d.level);
    RETURN NULL;
END $$;
CREATE TRIGGER bonus_moved AFTER UPDATE ON affiliates.bonus REFERENCING OLD TABLE AS old_rows NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.bonuses_moved();

-- Those that are there, behind the triggers: none comes between.
INSERT INTO affiliates.bonus_month (no, month, kind, level, paid, waiting)
SELECT n.no, date_trunc('month', b.business_day::timestamp)::date, b.kind, b.level,
       foundation.clamped(sum(b.paid - b.returned)), foundation.clamped(sum(b.waiting))
FROM affiliates.bonus b JOIN affiliates.node n ON n.member = b.receiver
GROUP BY 1, 2, 3, 4;
