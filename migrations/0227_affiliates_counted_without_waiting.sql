-- Who is counting already counts for all: nobody stands in a place of the jobs to wait for it.
CREATE OR REPLACE FUNCTION affiliates.count_touched(most integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    done integer;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('affiliates.count_touched')) THEN
        RETURN 0;
    END IF;
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
