-- What each member sold stands on the lists of references: without it every row read all sales.
CREATE INDEX points_member ON affiliates.points (member) INCLUDE (points);
-- A closing tells its ranks, and the payout report sums those of its days.
CREATE INDEX graduation_closing ON affiliates.graduation (closing, member);
CREATE INDEX graduation_day ON affiliates.graduation (business_day);
