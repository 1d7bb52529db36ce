-- A bonus on matched points is looked at for each seller below its receiver who belongs to the receiver, one after the other: cleared of one, it
-- waits for the look at the next.
GRANT UPDATE (review) ON affiliates.bonus TO arbora_app;
CREATE OR REPLACE FUNCTION affiliates.check_bonus() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.paid < OLD.paid OR NEW.waiting > OLD.waiting OR NEW.dropped < OLD.dropped OR NEW.returned < OLD.returned THEN
        RAISE EXCEPTION 'a bonus only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_forward';
    END IF;
    IF NEW.review IS DISTINCT FROM OLD.review AND NOT coalesce(NEW.kind = 'binary'
        AND (SELECT status = 'cleared' FROM affiliates.review WHERE id = OLD.review)
        AND (SELECT status = 'open' FROM affiliates.review WHERE id = NEW.review), false) THEN
        RAISE EXCEPTION 'a bonus leaves a review for the next one' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_review_next';
    END IF;
    RETURN NEW;
END $$;
