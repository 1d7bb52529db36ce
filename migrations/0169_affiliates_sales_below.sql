-- Affiliates: a binary bonus shows the sales below its receiver since the match before (docs/rules/affiliates.md#sales-of-a-binary-bonus).

-- Whose sale of which licence it is that reached those above.
CREATE OR REPLACE VIEW affiliates.carried_points AS
SELECT n.no, p.points, p.business_day, p.id, p.member, p.licence
FROM affiliates.points p
JOIN affiliates.node n ON n.member = p.member
LEFT JOIN affiliates.points s ON p.kind = 'reversal' AND s.licence = p.licence AND s.kind = 'sale'
WHERE n.placed_at <= coalesce(s.booked_at, p.booked_at);

-- What a member sold in some days is found without the rest of it; the lists of references sum it as before.
DROP INDEX affiliates.points_member;
CREATE INDEX points_member ON affiliates.points (member, business_day, id) INCLUDE (points);
