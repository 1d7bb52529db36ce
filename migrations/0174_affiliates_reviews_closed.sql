-- Affiliates: what a person has decided of a bonus holds from that moment on, though what follows of it is done by a job: nothing joins a review
-- whose case is decided (docs/rules/affiliates.md#held-bonuses).

-- Since when nothing joins it: its case is decided, and what follows has still to be done. What arises between the same two has a review of its
-- own, or none.
ALTER TABLE affiliates.review ADD COLUMN closed_at timestamptz;
GRANT UPDATE (closed_at) ON affiliates.review TO arbora_app;
DROP INDEX affiliates.review_open;
CREATE UNIQUE INDEX review_open ON affiliates.review (receiver, source) WHERE status = 'open' AND closed_at IS NULL;

CREATE FUNCTION affiliates.check_review_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.closed_at IS NOT NULL OR (SELECT c.status = 'open' FROM approvals.compliance_case c WHERE c.id = NEW.case_id) THEN
        RAISE EXCEPTION 'a review is closed once, when its case is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'review_closed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER review_closed BEFORE UPDATE OF closed_at ON affiliates.review
    FOR EACH ROW WHEN (NEW.closed_at IS DISTINCT FROM OLD.closed_at) EXECUTE FUNCTION affiliates.check_review_closed();

-- The case is held until the bonus is there: whoever decides waits for it, and sees that the case is worth more.
CREATE FUNCTION affiliates.check_bonus_joins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM affiliates.review r JOIN approvals.compliance_case c ON c.id = r.case_id
    WHERE r.id = NEW.review AND r.status = 'open' AND r.closed_at IS NULL AND c.status = 'open' FOR SHARE OF c;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'nobody will look at a bonus that joins a decided review' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_joins_open';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bonus_joins_open BEFORE INSERT OR UPDATE OF review ON affiliates.bonus
    FOR EACH ROW WHEN (NEW.review IS NOT NULL) EXECUTE FUNCTION affiliates.check_bonus_joins();

-- What a pair was ever cleared of. The case says it: what follows of it may still have to be done.
CREATE FUNCTION affiliates.cleared_of(of_receiver uuid, of_source uuid) RETURNS text[] LANGUAGE sql STABLE AS $$
    SELECT coalesce(array_agg(DISTINCT w.reason), '{}') FROM affiliates.review r
    CROSS JOIN LATERAL unnest(r.reasons) AS w(reason)
    WHERE r.receiver = of_receiver AND r.source = of_source
      AND (SELECT c.status FROM approvals.compliance_case c WHERE c.id = r.case_id) = 'cleared'
$$;

-- What a review says of a bonus to whoever reads of it: why it waits, or that it was refused.
CREATE VIEW affiliates.review_told AS
SELECT id, CASE WHEN status = 'open' THEN reasons END AS reasons, status = 'refused' AS refused FROM affiliates.review;
GRANT SELECT ON affiliates.review_told TO arbora_app;
