-- Approvals: cases end with what waited for them; limits and a time out that people set for themselves; queues that grew old.

-- A case whose subject came to nothing by itself (taken back by its user, expired) has lapsed: nobody decided on it.
ALTER TABLE approvals.compliance_case ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE approvals.compliance_case DROP CONSTRAINT compliance_case_status_check;
ALTER TABLE approvals.compliance_case DROP CONSTRAINT compliance_case_check2;
ALTER TABLE approvals.compliance_case ADD CONSTRAINT case_status CHECK (status IN ('open', 'cleared', 'refused', 'lapsed'));
ALTER TABLE approvals.compliance_case ADD CONSTRAINT case_decided_by CHECK ((status IN ('open', 'lapsed')) = (decided_by IS NULL));
GRANT UPDATE (version) ON approvals.compliance_case TO arbora_app;
CREATE INDEX case_counterparty ON approvals.compliance_case (user_id, counterparty, decided_at) WHERE status = 'refused';

-- Nobody decides on a case of their sponsor or of those whom they sponsor, as with money.
CREATE OR REPLACE FUNCTION approvals.check_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'open' THEN
        RAISE EXCEPTION 'the case is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_done';
    END IF;
    IF NEW.decided_by IS NOT NULL AND EXISTS (
        SELECT FROM affiliates.member m
        WHERE (m.id = NEW.decided_by AND m.sponsor = NEW.user_id) OR (m.id = NEW.user_id AND m.sponsor = NEW.decided_by)) THEN
        RAISE EXCEPTION 'the customer stands in the direct line of who decides' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_own_money';
    END IF;
    RETURN NEW;
END $$;

-- Cases that were left behind by what they were about.
UPDATE approvals.compliance_case c SET status = 'lapsed', decided_at = now() FROM pix.withdrawal w
    WHERE c.status = 'open' AND c.subject_kind = 'pix_withdrawal' AND w.id = c.subject AND w.status NOT IN ('pending', 'awaiting_confirmation');
UPDATE approvals.compliance_case c SET status = 'lapsed', decided_at = now() FROM pix.deposit d
    WHERE c.status = 'open' AND c.subject_kind = 'pix_deposit' AND d.id = c.subject AND d.status <> 'pending_approval';

-- Limits that a person sets for themselves. Lowering holds at once; a raise, or the end of a limit, waits in `next` until `next_at`.
CREATE TABLE approvals.own_limit (
    user_id    uuid NOT NULL REFERENCES identity.account,
    kind       text NOT NULL CHECK (kind IN ('transaction', 'day')),
    usdt       bigint CHECK (usdt >= 0),           -- none: only the platform's limit
    next_usdt  bigint CHECK (next_usdt >= 0),      -- with next_at; none: only the platform's limit
    next_at    timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, kind),
    CHECK (next_at IS NOT NULL OR next_usdt IS NULL)
);
GRANT SELECT, INSERT, UPDATE ON approvals.own_limit TO arbora_app;

-- A raise never takes effect before its day is over, whatever the server says.
CREATE FUNCTION approvals.check_own_limit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
BEGIN
    before := CASE WHEN OLD.next_at <= NEW.updated_at THEN OLD.next_usdt ELSE OLD.usdt END;
    IF before IS NOT NULL AND (NEW.usdt IS NULL OR NEW.usdt > before) THEN
        RAISE EXCEPTION 'a limit is raised a day later' USING ERRCODE = 'check_violation', CONSTRAINT = 'own_limit_raised';
    END IF;
    IF NEW.next_at IS NOT NULL AND NEW.next_at < NEW.updated_at + interval '24 hours' THEN
        RAISE EXCEPTION 'a limit is raised a day later' USING ERRCODE = 'check_violation', CONSTRAINT = 'own_limit_raised';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER own_limit_raised BEFORE UPDATE ON approvals.own_limit FOR EACH ROW EXECUTE FUNCTION approvals.check_own_limit();

-- Time out that a person takes: nothing is bought, topped up or allocated until then. It is only ever made longer.
CREATE TABLE approvals.self_exclusion (
    user_id    uuid PRIMARY KEY REFERENCES identity.account,
    since      timestamptz NOT NULL,
    until      timestamptz NOT NULL,
    CHECK (until > since)
);
GRANT SELECT, INSERT, UPDATE ON approvals.self_exclusion TO arbora_app;
CREATE FUNCTION approvals.check_exclusion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.until < OLD.until THEN
        RAISE EXCEPTION 'a time out is never made shorter' USING ERRCODE = 'check_violation', CONSTRAINT = 'exclusion_shorter';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER exclusion_longer BEFORE UPDATE ON approvals.self_exclusion FOR EACH ROW EXECUTE FUNCTION approvals.check_exclusion();

-- Staff queues in which somebody waits too long, since when they were told of it; the row goes when the queue has caught up.
CREATE TABLE notifications.old_queue (
    queue   text PRIMARY KEY CHECK (length(queue) <= 40),
    since   timestamptz NOT NULL,
    told_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON notifications.old_queue TO arbora_app;

-- What leaves is at most `available` less the young money (safety.md). The guard looks before the money moves; a purchase that
-- comes in between would let young money go. At the commit the account's row is this change's own: nothing comes in between.
CREATE FUNCTION approvals.check_young() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    young numeric;
    balance numeric;
BEGIN
    IF NEW.action NOT IN ('crypto_withdrawal', 'pix_withdrawal', 'transfer') THEN
        RETURN NULL;
    END IF;
    SELECT COALESCE(sum(c.usdt), 0) INTO young FROM approvals.young_credit c
        WHERE c.user_id = NEW.user_id AND c.until > NEW.at AND c.ended_at IS NULL;
    IF young > 0 THEN
        SELECT a.balance INTO balance FROM ledger.account a
            WHERE a.id = ledger.account_id('user', NEW.user_id, 'available', 'USDT', 0::smallint);
        IF COALESCE(balance, 0) < young THEN
            -- To be tried again: the guard then says what may leave.
            RAISE EXCEPTION 'young money would leave' USING ERRCODE = 'serialization_failure', CONSTRAINT = 'outbound_young';
        END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER outbound_young AFTER INSERT ON approvals.outbound DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION approvals.check_young();
