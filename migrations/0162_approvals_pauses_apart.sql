-- Approvals: the desk and registrations stand still apart from outgoing money and from each other, each by one person at once and for
-- everybody, until two agree that it goes on.
ALTER TABLE approvals.pause
    ADD COLUMN what text NOT NULL DEFAULT 'outbound' CHECK (what IN ('outbound', 'desk', 'sign_ups')),
    ADD CONSTRAINT pause_of_one_is_of_money CHECK (user_id IS NULL OR what = 'outbound');
DROP INDEX approvals.pause_one_for_all;
CREATE UNIQUE INDEX pause_one_for_all ON approvals.pause (what) WHERE user_id IS NULL AND lifted_at IS NULL;

-- Of pauses the guard looks at those of money alone.
CREATE OR REPLACE FUNCTION approvals.standing(
    person uuid, locked boolean, moment timestamptz, day_ago timestamptz, available_row uuid, debt_row uuid, list text, place text)
RETURNS TABLE (hold_until timestamptz, hold_reason text, excluded_until timestamptz, pause_reason text, pause_review_at timestamptz, available numeric, debt numeric, young bigint, young_until timestamptz,
    used bigint, request_usdt bigint, request_next bigint, request_next_at timestamptz, day_usdt bigint, day_next bigint,
    day_next_at timestamptz, listed boolean, usable_at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
    IF locked THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 6));
    END IF;
    SELECT a.hold_until, a.hold_reason INTO hold_until, hold_reason FROM identity.account a WHERE a.id = person;
    excluded_until := (SELECT e.until FROM approvals.self_exclusion e WHERE e.user_id = person);
    SELECT p.reason, p.review_at INTO pause_reason, pause_review_at FROM approvals.pause p
    WHERE p.what = 'outbound' AND p.active_from IS NOT NULL AND p.lifted_at IS NULL AND (p.user_id = person OR p.user_id IS NULL)
    ORDER BY p.user_id NULLS LAST LIMIT 1;
    available := COALESCE((SELECT a.balance FROM ledger.account a WHERE a.id = available_row), 0);
    debt := COALESCE((SELECT a.balance FROM ledger.account a WHERE a.id = debt_row), 0);
    SELECT foundation.clamped(COALESCE(sum(y.usdt), 0)), max(y.until) INTO young, young_until
    FROM approvals.young_credit y WHERE y.user_id = person AND y.until > moment AND y.ended_at IS NULL;
    used := (SELECT foundation.clamped(COALESCE(sum(o.usdt), 0)) FROM approvals.outbound o
             WHERE o.user_id = person AND o.at > day_ago AND o.released_at IS NULL);
    SELECT l.usdt, l.next_usdt, l.next_at INTO request_usdt, request_next, request_next_at
    FROM approvals.own_limit l WHERE l.user_id = person AND l.kind = 'transaction';
    SELECT l.usdt, l.next_usdt, l.next_at INTO day_usdt, day_next, day_next_at
    FROM approvals.own_limit l WHERE l.user_id = person AND l.kind = 'day';
    listed := EXISTS (SELECT FROM approvals.whitelist_switch s
                      WHERE s.user_id = person AND s.is_on AND (s.off_at IS NULL OR s.off_at > moment));
    IF listed AND list IS NOT NULL THEN
        usable_at := (SELECT w.usable_at FROM approvals.whitelist w
                      WHERE w.user_id = person AND w.kind = list AND w.destination = place AND w.removed_at IS NULL);
    END IF;
    RETURN NEXT;
END $$;
