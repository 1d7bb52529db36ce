-- Affiliates: how many somebody brought, how many of them are active and on which leg, counted so that a look costs the same however many they
-- are (docs/decisions/0089-sums-of-the-network-are-kept.md).
--
-- Holds identity.account, affiliates.node, affiliates.member_licence: those whom each brought are counted once; whoever comes, buys, ends or is
-- changed waits.

-- In the order in which those take them who come and buy: triggers are made on all three.
LOCK TABLE identity.account, affiliates.node, affiliates.member_licence IN SHARE ROW EXCLUSIVE MODE;

-- Who may count otherwise than the counters say: written with the cause, in its transaction, and taken away when the counters hold it. Whoever buys,
-- ends or stands still waits for no counter of a sponsor with many others.
CREATE TABLE affiliates.touched (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    no      integer NOT NULL,
    sponsor integer NOT NULL
);
CREATE INDEX touched_sponsor ON affiliates.touched (sponsor, no);

-- As what the counters hold a member.
CREATE TABLE affiliates.referral (
    no       integer PRIMARY KEY REFERENCES affiliates.node ON DELETE CASCADE,
    on_right boolean,
    active   boolean NOT NULL
) WITH (fillfactor = 80);

CREATE TABLE affiliates.directs (
    sponsor      integer PRIMARY KEY REFERENCES affiliates.node ON DELETE CASCADE,
    referrals    bigint NOT NULL,
    active       bigint NOT NULL,
    active_left  bigint NOT NULL CHECK (active_left >= 0),
    active_right bigint NOT NULL CHECK (active_right >= 0),
    -- Who waits for a place stands on no leg.
    CHECK (active_left + active_right <= active AND active <= referrals)
) WITH (fillfactor = 70);

-- How many came in a month, of São Paulo.
CREATE TABLE affiliates.directs_month (
    sponsor   integer NOT NULL REFERENCES affiliates.node ON DELETE CASCADE,
    month     date NOT NULL CHECK (extract(day FROM month) = 1),
    referrals bigint NOT NULL CHECK (referrals > 0),
    PRIMARY KEY (sponsor, month)
) WITH (fillfactor = 70);

GRANT SELECT, INSERT, DELETE ON affiliates.touched TO arbora_app;
GRANT SELECT, INSERT, UPDATE ON affiliates.referral, affiliates.directs, affiliates.directs_month TO arbora_app;

CREATE FUNCTION affiliates.month_of(moment timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
    SELECT date_trunc('month', moment AT TIME ZONE 'America/Sao_Paulo')::date
$$;

CREATE FUNCTION affiliates.node_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO affiliates.touched (no, sponsor) VALUES (NEW.no, NEW.sponsor);
    RETURN NULL;
END $$;
CREATE TRIGGER came AFTER INSERT ON affiliates.node
    FOR EACH ROW WHEN (NEW.sponsor IS NOT NULL) EXECUTE FUNCTION affiliates.node_touched();
CREATE TRIGGER stands AFTER UPDATE OF on_right ON affiliates.node
    FOR EACH ROW WHEN (NEW.sponsor IS NOT NULL AND NEW.on_right IS DISTINCT FROM OLD.on_right) EXECUTE FUNCTION affiliates.node_touched();

CREATE FUNCTION affiliates.licence_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO affiliates.touched (no, sponsor) SELECT n.no, n.sponsor FROM affiliates.node n WHERE n.member = NEW.member AND n.sponsor IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER begun AFTER INSERT ON affiliates.member_licence
    FOR EACH ROW WHEN (NEW.active) EXECUTE FUNCTION affiliates.licence_touched();
CREATE TRIGGER ended AFTER UPDATE OF active ON affiliates.member_licence
    FOR EACH ROW WHEN (NEW.active IS DISTINCT FROM OLD.active) EXECUTE FUNCTION affiliates.licence_touched();

CREATE FUNCTION affiliates.account_touched() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO affiliates.touched (no, sponsor) SELECT n.no, n.sponsor FROM affiliates.node n WHERE n.member = NEW.id AND n.sponsor IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER referral_status AFTER UPDATE OF status ON identity.account
    FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION affiliates.account_touched();

-- Those who are there, behind the triggers: none comes between. Who is active is asked of all at once, not of each (affiliates.is_active).
INSERT INTO affiliates.referral (no, on_right, active)
SELECT n.no, n.on_right,
       coalesce(a.status = 'active', false) AND n.member IN (SELECT l.member FROM affiliates.member_licence l WHERE l.active)
FROM affiliates.node n LEFT JOIN identity.account a ON a.id = n.member WHERE n.sponsor IS NOT NULL;
INSERT INTO affiliates.directs (sponsor, referrals, active, active_left, active_right)
SELECT n.sponsor, count(*), count(*) FILTER (WHERE r.active), count(*) FILTER (WHERE r.active AND NOT r.on_right),
       count(*) FILTER (WHERE r.active AND r.on_right)
FROM affiliates.node n JOIN affiliates.referral r ON r.no = n.no GROUP BY n.sponsor;
INSERT INTO affiliates.directs_month (sponsor, month, referrals)
SELECT n.sponsor, affiliates.month_of(m.registered_at), count(*)
FROM affiliates.node n JOIN affiliates.member m ON m.id = n.member WHERE n.sponsor IS NOT NULL GROUP BY 1, 2;

-- What the counters do not hold yet of those whom somebody brought: as they count, and as they were counted.
CREATE FUNCTION affiliates.uncounted(above integer)
RETURNS TABLE (no integer, fresh boolean, month date, is_now boolean, on_right boolean, was boolean, was_right boolean) LANGUAGE sql STABLE AS $$
    SELECT n.no, r.no IS NULL, affiliates.month_of(m.registered_at), affiliates.is_active(n.member), n.on_right, coalesce(r.active, false), r.on_right
    FROM (SELECT DISTINCT u.no FROM affiliates.touched u WHERE u.sponsor = above) t
    JOIN affiliates.node n ON n.no = t.no
    JOIN affiliates.member m ON m.id = n.member
    LEFT JOIN affiliates.referral r ON r.no = t.no
$$;

-- Those whom somebody brought, as they are now: the counters, and what those do not hold yet.
CREATE FUNCTION affiliates.directs_of(above integer)
RETURNS TABLE (referrals bigint, active bigint, active_left bigint, active_right bigint) LANGUAGE sql STABLE AS $$
    SELECT coalesce(d.referrals, 0) + f.referrals, coalesce(d.active, 0) + f.active,
           coalesce(d.active_left, 0) + f.active_left, coalesce(d.active_right, 0) + f.active_right
    FROM (SELECT count(*) FILTER (WHERE u.fresh) AS referrals,
                 count(*) FILTER (WHERE u.is_now) - count(*) FILTER (WHERE u.was) AS active,
                 count(*) FILTER (WHERE u.is_now AND NOT u.on_right) - count(*) FILTER (WHERE u.was AND NOT u.was_right) AS active_left,
                 count(*) FILTER (WHERE u.is_now AND u.on_right) - count(*) FILTER (WHERE u.was AND u.was_right) AS active_right
          FROM affiliates.uncounted(above) u) f
    LEFT JOIN affiliates.directs d ON d.sponsor = above
$$;

-- Brings the oldest rows of `touched` into the counters, no more than so many; how many there were. One at a time: the lock comes before the
-- statement that reads the counters and writes them.
CREATE FUNCTION affiliates.count_touched(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    done integer;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('affiliates.count_touched'));
    WITH taken AS (
        DELETE FROM affiliates.touched WHERE id IN (SELECT t.id FROM affiliates.touched t ORDER BY t.id LIMIT most) RETURNING no),
    found AS MATERIALIZED (
        SELECT n.no, n.sponsor, n.on_right, affiliates.month_of(m.registered_at) AS month, affiliates.is_active(n.member) AS active,
               r.no IS NULL AS fresh, coalesce(r.active, false) AS was, r.on_right AS was_right
        FROM (SELECT DISTINCT no FROM taken) t
        JOIN affiliates.node n ON n.no = t.no
        JOIN affiliates.member m ON m.id = n.member
        LEFT JOIN affiliates.referral r ON r.no = t.no),
    kept AS (
        INSERT INTO affiliates.referral (no, on_right, active) SELECT f.no, f.on_right, f.active FROM found f
        ON CONFLICT (no) DO UPDATE SET on_right = excluded.on_right, active = excluded.active),
    months AS (
        INSERT INTO affiliates.directs_month AS k (sponsor, month, referrals)
        SELECT f.sponsor, f.month, count(*) FROM found f WHERE f.fresh GROUP BY 1, 2
        ON CONFLICT (sponsor, month) DO UPDATE SET referrals = k.referrals + excluded.referrals),
    counted AS (
        INSERT INTO affiliates.directs (sponsor, referrals, active, active_left, active_right)
        SELECT f.sponsor, coalesce(d.referrals, 0) + f.referrals, coalesce(d.active, 0) + f.active,
               coalesce(d.active_left, 0) + f.active_left, coalesce(d.active_right, 0) + f.active_right
        FROM (SELECT x.sponsor, count(*) FILTER (WHERE x.fresh) AS referrals,
                     count(*) FILTER (WHERE x.active) - count(*) FILTER (WHERE x.was) AS active,
                     count(*) FILTER (WHERE x.active AND NOT x.on_right) - count(*) FILTER (WHERE x.was AND NOT x.was_right) AS active_left,
                     count(*) FILTER (WHERE x.active AND x.on_right) - count(*) FILTER (WHERE x.was AND x.was_right) AS active_right
              FROM found x GROUP BY x.sponsor) f
        LEFT JOIN affiliates.directs d ON d.sponsor = f.sponsor
        ON CONFLICT (sponsor) DO UPDATE SET referrals = excluded.referrals, active = excluded.active,
            active_left = excluded.active_left, active_right = excluded.active_right)
    SELECT count(*) INTO done FROM taken;
    RETURN done;
END $$;
