-- Affiliates: residual bonuses are booked receiver by receiver, each with everything that the day brings; what members' losses leave is
-- written before that, and read again by a closing that goes on after it was stopped (docs/rules/affiliates.md).
ALTER TABLE affiliates.residual_carry ADD COLUMN before bigint NOT NULL DEFAULT 0 CHECK (before >= 0);
COMMENT ON COLUMN affiliates.residual_carry.before IS 'What was to be set off before the closing of the day in `through`; 0 where that day was closed before the column came.';
-- How far a residual step has come was told by sources before, by receivers from now on: one that was begun is ended first.
DO $$
BEGIN
    IF EXISTS (SELECT FROM affiliates.closing WHERE step = 'residual' AND done_through IS NOT NULL) THEN
        RAISE EXCEPTION 'a closing is under way: end it with the version that began it, then start this one';
    END IF;
END $$;
