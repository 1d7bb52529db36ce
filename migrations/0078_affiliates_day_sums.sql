-- Affiliates: points since the last closing, summed for everyone now and then, so that a look at one's legs costs the same however much was sold
-- (docs/decisions/0065-days-points-summed.md).

-- What the sums say: points of the days after `after`, of rows up to `through`. They are of no use once another day stands on the legs.
CREATE TABLE affiliates.day_sum (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    after   date,
    through bigint NOT NULL DEFAULT 0 CHECK (through >= 0)
);
INSERT INTO affiliates.day_sum DEFAULT VALUES;
GRANT SELECT ON affiliates.day_sum TO arbora_app;
GRANT UPDATE (after, through) ON affiliates.day_sum TO arbora_app;

-- Points on both legs, 256 members a row (`node.no`), as in `leg_points`; only segments with any.
CREATE TABLE affiliates.day_points (
    segment      integer PRIMARY KEY CHECK (segment >= 0),
    left_points  bigint[] NOT NULL CHECK (cardinality(left_points) = 256),
    right_points bigint[] NOT NULL CHECK (cardinality(right_points) = 256)
);
ALTER TABLE affiliates.day_points ALTER COLUMN left_points SET STORAGE PLAIN, ALTER COLUMN right_points SET STORAGE PLAIN;
GRANT SELECT, INSERT, DELETE ON affiliates.day_points TO arbora_app;

CREATE OR REPLACE VIEW affiliates.carried_points AS
SELECT n.no, p.points, p.business_day, p.id
FROM affiliates.points p
JOIN affiliates.node n ON n.member = p.member
LEFT JOIN affiliates.points s ON p.kind = 'reversal' AND s.licence = p.licence AND s.kind = 'sale'
WHERE n.placed_at <= coalesce(s.booked_at, p.booked_at);

-- Points since `closed` that the sums do not hold, by seller: no more than were sold since they were made.
CREATE FUNCTION affiliates.unsummed(closed date) RETURNS TABLE (no integer, points numeric) LANGUAGE sql STABLE AS $$
    SELECT p.no, sum(p.points) FROM affiliates.carried_points p
    WHERE (closed IS NULL OR p.business_day > closed)
      AND p.id > coalesce((SELECT s.through FROM affiliates.day_sum s WHERE s.after IS NOT DISTINCT FROM closed), 0)
    GROUP BY p.no
$$;

-- The ancestor of a placed member at a depth of the binary tree: the member itself where it stands no deeper.
CREATE FUNCTION affiliates.ancestor_at(of integer, aim bigint) RETURNS integer LANGUAGE plpgsql STABLE AS $$
DECLARE at affiliates.node; hop affiliates.node;
BEGIN
    SELECT * INTO at FROM affiliates.node WHERE no = of;
    WHILE at.depth > aim LOOP
        SELECT * INTO hop FROM affiliates.node WHERE no = at.jump;
        IF hop.depth < aim THEN
            SELECT * INTO hop FROM affiliates.node WHERE no = at.parent;
        END IF;
        at := hop;
    END LOOP;
    RETURN at.no;
END $$;
