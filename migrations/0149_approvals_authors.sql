-- Approvals: who asked for something is no second person to another's word about it, of whatever kind (docs/rules/approvals.md#first-words). Once
-- an order's author had taken the first word back, another's word and the author's made two; of changes of rules and of live trading alone it
-- was refused.

-- Who asked for what two decide on; none of what has no request of its own.
CREATE FUNCTION approvals.author(of_kind text, of_subject uuid) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT CASE of_kind
        WHEN 'admin_grant' THEN (SELECT r.asked_by FROM approvals.grant_request r WHERE r.id = of_subject)
        WHEN 'declared_holdings' THEN (SELECT d.declared_by FROM treasury.declaration d WHERE d.id = of_subject)
        WHEN 'live_trading' THEN (SELECT s.asked_by FROM robots.live_switch s WHERE s.id = of_subject)
        WHEN 'money_settings' THEN COALESCE(
            (SELECT c.ordered_by FROM rulebook.change c WHERE c.id = of_subject),
            (SELECT r.proposed_by FROM presale.round r WHERE r.id = of_subject))
        WHEN 'pool_revenue' THEN (SELECT r.ordered_by FROM pools.revenue r WHERE r.id = of_subject)
        WHEN 'sponsorship' THEN (SELECT r.ordered_by FROM sponsorship.request r WHERE r.id = of_subject)
    END
$$;

-- As before (0142), but for the author.
CREATE OR REPLACE FUNCTION approvals.has_second(person uuid, of_kind text, of_subject uuid, of_customer uuid, moment timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM approvals.admin_grant g
        WHERE g.ended_at IS NULL AND g.counts_at <= moment AND g.account <> person
          AND g.account IS DISTINCT FROM approvals.author(of_kind, of_subject)
          AND approvals.may_decide(g.account, of_kind, of_subject, of_customer, moment) AND approvals.are_two(person, g.account))
$$;

CREATE OR REPLACE FUNCTION approvals.falls(word approvals.decision, person uuid, moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN NOT approvals.may_decide(person, word.kind, word.subject, word.customer, moment) THEN NULL
        WHEN NOT approvals.holds(word) THEN 'speaker'
        WHEN person = word.decided_by THEN NULL
        WHEN approvals.are_two(person, word.decided_by) AND person IS DISTINCT FROM approvals.author(word.kind, word.subject) THEN NULL
        WHEN NOT approvals.has_second(word.decided_by, word.kind, word.subject, word.customer, moment)
            AND approvals.has_second(person, word.kind, word.subject, word.customer, moment) THEN 'alone'
    END
$$;

-- Fires behind the two above (triggers go by their names): who may decide at all has been looked at.
CREATE OR REPLACE FUNCTION approvals.check_words() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    first approvals.decision;
BEGIN
    PERFORM approvals.lock_words(NEW.subject);
    NEW.turn := (SELECT count(*) FROM approvals.fallen f JOIN approvals.decision d ON d.id = f.decision
                 WHERE d.kind = NEW.kind AND d.subject = NEW.subject AND d.digest = NEW.digest);
    IF NEW.verdict <> 'approve' THEN
        RETURN NEW;
    END IF;
    IF NEW.position = 1 THEN
        -- Where two were asked for, one word that falls away does not make one enough.
        IF NEW.turn > 0 AND NEW.needed <> 2 THEN
            RAISE EXCEPTION 'two were asked for before' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_two_before';
        END IF;
        RETURN NEW;
    END IF;
    SELECT * INTO first FROM approvals.decision d
    WHERE d.kind = NEW.kind AND d.subject = NEW.subject AND d.digest = NEW.digest AND d.turn = NEW.turn
      AND d.verdict = 'approve' AND d.position = 1;
    IF NOT FOUND OR first.needed <> 2 THEN
        RAISE EXCEPTION 'a second approval without a first that asked for it' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_done';
    END IF;
    -- One person twice is refused by a name of its own (`decision_same_person`).
    IF NEW.decided_by <> first.decided_by AND NOT approvals.holds(first) THEN
        RAISE EXCEPTION 'who spoke the first word may no longer decide' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_first_fell';
    END IF;
    IF NEW.decided_by = approvals.author(NEW.kind, NEW.subject) THEN
        RAISE EXCEPTION 'who asked is no second person to another''s word' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_same_person';
    END IF;
    IF NOT approvals.stands_without(NEW.decided_by, first.decided_by) OR NOT approvals.stands_without(first.decided_by, NEW.decided_by) THEN
        RAISE EXCEPTION 'one of the two made the other an approver' USING ERRCODE = 'check_violation', CONSTRAINT = 'decision_granted';
    END IF;
    RETURN NEW;
END $$;
