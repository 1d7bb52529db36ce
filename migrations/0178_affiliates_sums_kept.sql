-- Affiliates: what residual bonuses of the open day would be paid on, summed for those above while results are booked, so that a look at tonight's
-- closing costs the same however many robots work below (docs/decisions/0089-sums-kept-where-booked.md).

-- A member's results of the day that is open, and what is set off first. Everyone with something to set off has a row, so that who counts a
-- result finds it under the row's own lock.
CREATE TABLE affiliates.day_gain (
    no         integer PRIMARY KEY REFERENCES affiliates.node ON DELETE CASCADE,
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
    no     integer PRIMARY KEY REFERENCES affiliates.node ON DELETE CASCADE,
    day    date NOT NULL,
    first  bigint NOT NULL,
    second bigint NOT NULL,
    third  bigint NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON affiliates.day_gain, affiliates.gain_below TO arbora_app;

-- Adds to the sums above these members; the house has none. Rows are taken in the order of their numbers, after all rows of `day_gain`: two who
-- book at once wait for each other and never in a circle.
CREATE FUNCTION affiliates.raise_above(of_day date, numbers integer[], moves bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    below_zero boolean;
BEGIN
    WITH raised AS (
        INSERT INTO affiliates.gain_below AS b (no, day, first, second, third)
        SELECT u.no, of_day,
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 1), 0)),
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 2), 0)),
               foundation.clamped(coalesce(sum(m.moved) FILTER (WHERE u.step = 3), 0))
        FROM unnest(numbers, moves) AS m(no, moved)
        JOIN affiliates.node n ON n.no = m.no
        JOIN affiliates.node one ON one.no = n.sponsor
        LEFT JOIN affiliates.node two ON two.no = one.sponsor
        LEFT JOIN affiliates.node three ON three.no = two.sponsor
        CROSS JOIN LATERAL (VALUES (1, one.no, one.sponsor), (2, two.no, two.sponsor), (3, three.no, three.sponsor)) AS u(step, no, sponsor)
        WHERE u.sponsor IS NOT NULL
        GROUP BY u.no ORDER BY u.no
        ON CONFLICT (no) DO UPDATE SET day = excluded.day,
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

-- Counts results that robots of members brought on a day: for the members, and for those above.
CREATE FUNCTION affiliates.count_results(of_day date, members uuid[], results bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    numbers integer[];
    moves bigint[];
BEGIN
    WITH given AS (
        SELECT n.no, foundation.clamped(sum(r.result)) AS result
        FROM unnest(members, results) AS r(member, result) JOIN affiliates.node n ON n.member = r.member
        GROUP BY n.no HAVING sum(r.result) <> 0),
    counted AS (
        INSERT INTO affiliates.day_gain AS g (no, day, result, moved)
        SELECT v.no, of_day, v.result, greatest(v.result, 0) FROM given v ORDER BY v.no
        ON CONFLICT (no) DO UPDATE SET day = excluded.day,
            result = CASE WHEN g.day = excluded.day THEN g.result ELSE 0 END + excluded.result,
            moved = greatest(CASE WHEN g.day = excluded.day THEN g.result ELSE 0 END + excluded.result - g.to_set_off, 0)
                - CASE WHEN g.day = excluded.day THEN g.base ELSE 0 END
        -- A day that is over is no longer summed.
        WHERE g.day <= excluded.day
        RETURNING g.no, g.moved)
    SELECT array_agg(c.no), array_agg(c.moved) INTO numbers, moves FROM counted c WHERE c.moved <> 0;
    IF numbers IS NOT NULL THEN
        PERFORM affiliates.raise_above(of_day, numbers, moves);
    END IF;
END $$;

-- Writes what members have to set off after the closing of a day; given twice it changes nothing.
CREATE FUNCTION affiliates.count_set_off(closed date, members uuid[], amounts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    part record;
    parts jsonb;
BEGIN
    WITH counted AS (
        INSERT INTO affiliates.day_gain AS g (no, day, result, to_set_off, moved)
        SELECT n.no, closed + 1, 0, s.amount, 0
        FROM unnest(members, amounts) AS s(member, amount) JOIN affiliates.node n ON n.member = s.member
        ORDER BY n.no
        ON CONFLICT (no) DO UPDATE SET day = greatest(g.day, excluded.day),
            result = CASE WHEN g.day >= excluded.day THEN g.result ELSE 0 END,
            to_set_off = excluded.to_set_off,
            moved = CASE WHEN g.day >= excluded.day THEN greatest(g.result - excluded.to_set_off, 0) - g.base ELSE 0 END
        RETURNING g.no, g.day, g.moved)
    SELECT jsonb_agg(jsonb_build_object('day', d.day, 'numbers', d.numbers, 'moves', d.moves) ORDER BY d.day) INTO parts
    FROM (SELECT c.day, array_agg(c.no) AS numbers, array_agg(c.moved) AS moves FROM counted c WHERE c.moved <> 0 GROUP BY c.day) d;
    FOR part IN SELECT * FROM jsonb_to_recordset(coalesce(parts, '[]')) AS p(day date, numbers integer[], moves bigint[]) ORDER BY 1 LOOP
        PERFORM affiliates.raise_above(part.day, part.numbers, part.moves);
    END LOOP;
END $$;

-- Those who are there: of the day that is closed next.
INSERT INTO affiliates.day_gain (no, day, result, to_set_off, moved)
SELECT n.no, o.day, coalesce(r.result, 0), coalesce(c.negative, 0), 0
FROM (SELECT coalesce((SELECT max(k.day) + 1 FROM affiliates.closing k), (now() AT TIME ZONE 'America/Sao_Paulo')::date) AS day) o
CROSS JOIN affiliates.node n
LEFT JOIN affiliates.residual_carry c ON c.member = n.member
LEFT JOIN (SELECT d.owner, d.day, foundation.clamped(sum(d.gain - d.loss)) AS result FROM robots.day_result d
           WHERE d.mode = 'live' OR NOT EXISTS (SELECT FROM foundation.world WHERE kind = 'production')
           GROUP BY d.owner, d.day) r ON r.owner = n.member AND r.day = o.day
WHERE r.owner IS NOT NULL OR c.member IS NOT NULL;
SELECT affiliates.raise_above(g.day, array_agg(g.no), array_agg(g.base)) FROM affiliates.day_gain g WHERE g.base > 0 GROUP BY g.day;

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

INSERT INTO affiliates.bonus_month (no, month, kind, level, paid, waiting)
SELECT n.no, date_trunc('month', b.business_day::timestamp)::date, b.kind, b.level,
       foundation.clamped(sum(b.paid - b.returned)), foundation.clamped(sum(b.waiting))
FROM affiliates.bonus b JOIN affiliates.node n ON n.member = b.receiver
GROUP BY 1, 2, 3, 4;

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
