-- Affiliates: what an open review is about, and its case, name everything by which the two belong together: a bonus that joined them with a reason of its
-- own raised what they hold, and left their words as they were. Whoever cleared them had not cleared that.

-- Reasons come, and never go.
GRANT UPDATE (reasons) ON approvals.compliance_case TO arbora_app;
CREATE OR REPLACE FUNCTION approvals.check_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'open' THEN
        RAISE EXCEPTION 'the case is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_done';
    END IF;
    IF NOT OLD.reasons <@ NEW.reasons THEN
        RAISE EXCEPTION 'a case keeps its reasons' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_reasons';
    END IF;
    IF NEW.decided_by IS NOT NULL AND EXISTS (
        SELECT FROM affiliates.member m
        WHERE (m.id = NEW.decided_by AND m.sponsor = NEW.user_id) OR (m.id = NEW.user_id AND m.sponsor = NEW.decided_by)) THEN
        RAISE EXCEPTION 'the customer stands in the direct line of who decides' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_own_money';
    END IF;
    RETURN NEW;
END $$;

-- Those of the bonuses on matched points that are held now were kept with them.
UPDATE approvals.compliance_case c SET reasons = c.reasons || m.words, version = c.version + 1
FROM (SELECT r.case_id, array_agg(DISTINCT w.word) AS words
      FROM affiliates.review r
      JOIN approvals.compliance_case k ON k.id = r.case_id AND k.status = 'open'
      JOIN affiliates.bonus b ON b.review = r.id
      JOIN affiliates.related_seller s ON s.bonus = b.id AND s.seller = r.source
      CROSS JOIN LATERAL unnest(s.reasons) AS w(word)
      WHERE r.status = 'open' AND r.closed_at IS NULL AND w.word <> ALL (k.reasons)
      GROUP BY r.case_id) m
WHERE c.id = m.case_id;
UPDATE affiliates.review r SET reasons = c.reasons
FROM approvals.compliance_case c
WHERE c.id = r.case_id AND c.status = 'open' AND r.status = 'open' AND r.closed_at IS NULL AND NOT c.reasons <@ r.reasons;

-- What clears a pair is what whoever decided has seen: the review says no more than its case, and only while that is open.
CREATE FUNCTION affiliates.check_review_reasons() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.closed_at IS NOT NULL OR NOT OLD.reasons <@ NEW.reasons
       OR NOT EXISTS (SELECT FROM approvals.compliance_case c WHERE c.id = NEW.case_id AND c.status = 'open' AND NEW.reasons <@ c.reasons) THEN
        RAISE EXCEPTION 'a review is about what its open case says' USING ERRCODE = 'check_violation', CONSTRAINT = 'review_reasons';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER review_reasons BEFORE UPDATE OF reasons ON affiliates.review
    FOR EACH ROW WHEN (NEW.reasons IS DISTINCT FROM OLD.reasons) EXECUTE FUNCTION affiliates.check_review_reasons();
