-- Who stands at which rank, the highest first. Paid points are in no index: each closing raises those of many, and writes their rows in place.
CREATE INDEX standing_rank ON affiliates.standing (rank DESC);
