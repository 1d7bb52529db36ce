-- Affiliates: who belongs to whom below it is asked of the closing's day, and costs what there is of those who share something, not its square
-- (docs/decisions/0095-who-stands-below-by-a-walk.md).

-- Everybody with a place who has a device, a document or a payer that one of these receivers has too, each with the thing: whether it is one of
-- them, and whether it had sold what stood when the day ended. A sale of later is none of that day, and one that is taken back later was one of it.
-- Who stands below whom is not asked here: the closing has the tree. What is looked up by a key says so (LATERAL, OFFSET 0), and the rest is joined
-- by hashing: nothing is known beforehand of how much is shared.
CREATE FUNCTION affiliates.sharers(receivers uuid[], since timestamptz, day date)
RETURNS TABLE (reason text, thing bytea, member uuid, no integer, earns boolean, sells boolean)
LANGUAGE sql STABLE SET enable_nestloop = off SET jit = off AS $$
    WITH things AS MATERIALIZED (
        SELECT t.reason, t.thing, t.person
        FROM (SELECT u.reason, u.thing, u.person, count(*) OVER (PARTITION BY u.reason, u.thing) AS people
              FROM approvals.shared_things(receivers, since) u) t
        WHERE t.people > 1),
    placed AS MATERIALIZED (
        SELECT p.person AS member, n.no,
               (SELECT sum(s.points) FROM affiliates.points s WHERE s.member = p.person AND s.business_day <= day) > 0 IS TRUE AS sells
        FROM (SELECT DISTINCT t.person FROM things t) p
        CROSS JOIN LATERAL (SELECT o.no FROM affiliates.node o WHERE o.member = p.person AND o.depth IS NOT NULL OFFSET 0) n)
    SELECT t.reason, t.thing, p.member, p.no, r.member IS NOT NULL, p.sells
    FROM things t
    JOIN placed p ON p.member = t.person
    LEFT JOIN (SELECT DISTINCT unnest(receivers) AS member) r ON r.member = p.member
    WHERE p.sells OR r.member IS NOT NULL
    ORDER BY t.reason, t.thing
$$;
DROP FUNCTION affiliates.related_sellers(uuid[], timestamptz);

-- They come with the booking: asked once a statement, of each bonus in it. It was asked for each row.
DROP TRIGGER related_seller_booked ON affiliates.related_seller;
CREATE OR REPLACE FUNCTION affiliates.check_related_seller() RETURNS trigger LANGUAGE plpgsql SET jit = off AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT bonus FROM fresh) f
               WHERE NOT EXISTS (SELECT FROM affiliates.bonus b WHERE b.id = f.bonus AND b.kind = 'binary' AND b.review IS NOT NULL AND b.version = 1))
       OR EXISTS (SELECT FROM fresh f JOIN affiliates.bonus b ON b.id = f.bonus AND b.receiver = f.seller) THEN
        RAISE EXCEPTION 'related sellers are noted when a bonus on matched points is booked'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'related_seller_booked';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER related_seller_booked AFTER INSERT ON affiliates.related_seller REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.check_related_seller();
