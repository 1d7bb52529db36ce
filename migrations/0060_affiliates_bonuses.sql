-- Affiliates: bonuses, the fund that pays them, and the closing of days (docs/rules/affiliates.md). Amounts are micro-USDT, points
-- millionths of a point, shares parts per million.

-- The business day that is open: final sales and gains belong to it, or to today if that is later. None until the first closing.
-- Whoever books reads it under a shared advisory lock, the closing moves it under the exclusive one: a lock on the row would write
-- the row for each settlement and leave its members to be cleaned up.
CREATE TABLE foundation.open_day (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    day date
);
INSERT INTO foundation.open_day DEFAULT VALUES;
GRANT SELECT ON foundation.open_day TO arbora_app;
GRANT UPDATE (day) ON foundation.open_day TO arbora_app;

CREATE FUNCTION foundation.check_open_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.day IS NULL OR NEW.day <> OLD.day + 1 THEN
        RAISE EXCEPTION 'days are opened one after the other' USING ERRCODE = 'check_violation', CONSTRAINT = 'open_day_next';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER open_day_next BEFORE UPDATE ON foundation.open_day FOR EACH ROW EXECUTE FUNCTION foundation.check_open_day();
CREATE FUNCTION foundation.refuse_open_day() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'there is one open day' USING ERRCODE = 'check_violation', CONSTRAINT = 'open_day_one';
END $$;
CREATE TRIGGER open_day_stays BEFORE DELETE OR TRUNCATE ON foundation.open_day
    FOR EACH STATEMENT EXECUTE FUNCTION foundation.refuse_open_day();

-- The lock comes first, and the look after it sees what was committed meanwhile: two statements, each with its own snapshot.
CREATE FUNCTION foundation.open_day() RETURNS date LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(60, 1);
    RETURN (SELECT day FROM foundation.open_day);
END $$;
CREATE FUNCTION foundation.lock_open_day() RETURNS date LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(60, 1);
    RETURN (SELECT day FROM foundation.open_day);
END $$;

-- What bonuses have used of each licence's network ceiling: the one place. Apart from `member_licence`, which changes with the
-- licence: bonuses wait for nobody's licence.
CREATE TABLE affiliates.network_ceiling (
    licence uuid PRIMARY KEY REFERENCES affiliates.member_licence,
    member  uuid NOT NULL REFERENCES affiliates.member,
    ceiling bigint NOT NULL CHECK (ceiling >= 0),
    used    bigint NOT NULL DEFAULT 0,
    since   timestamptz NOT NULL,
    CONSTRAINT network_ceiling_holds CHECK (used BETWEEN 0 AND ceiling)
) WITH (fillfactor = 70);
CREATE INDEX network_ceiling_member ON affiliates.network_ceiling (member, since, licence);
INSERT INTO affiliates.network_ceiling (licence, member, ceiling, since)
SELECT m.licence, m.member, floor(l.value::numeric * l.network_ceiling_ppm / 1000000)::bigint, m.since
FROM affiliates.member_licence m JOIN licences.licence l ON l.id = m.licence;
ALTER TABLE affiliates.member_licence DROP COLUMN network_used;
ALTER TABLE licences.licence DROP COLUMN network_used;
GRANT SELECT, INSERT ON affiliates.network_ceiling TO arbora_app;
GRANT UPDATE (used) ON affiliates.network_ceiling TO arbora_app;

-- The highest N that each member ever had: only what goes beyond it pays.
CREATE TABLE affiliates.peak (
    member     uuid PRIMARY KEY REFERENCES affiliates.member,
    peak       bigint NOT NULL CHECK (peak >= 0),
    updated_at timestamptz NOT NULL
) WITH (fillfactor = 70);
GRANT SELECT, INSERT ON affiliates.peak TO arbora_app;
GRANT UPDATE (peak, updated_at) ON affiliates.peak TO arbora_app;
-- What stood before bonuses existed pays none.
INSERT INTO affiliates.peak (member, peak, updated_at)
SELECT m.id, greatest(0, sum(l.allocated + l.loan) - coalesce(sum(s.amount), 0)), now()
FROM affiliates.member m JOIN licences.licence l ON l.owner = m.id AND l.state = 'active' AND l.source <> 'sponsored'
LEFT JOIN LATERAL (SELECT sum(amount) AS amount FROM licences.lot WHERE licence = l.id AND origin = 'sponsored') s ON true
GROUP BY m.id;

-- What happened that bonuses follow from, in the order in which it is worked off; written with the fact itself. `base` is the value
-- of a final sale, the rise of N, or what a reversed credit took of capital that may have raised N.
CREATE TABLE affiliates.cause (
    seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid NOT NULL UNIQUE,
    kind         text NOT NULL CHECK (kind IN ('sale', 'allocation', 'reversal')),
    member       uuid NOT NULL REFERENCES affiliates.member,
    licence      uuid,                                -- sold, allocated to, undone
    base         bigint NOT NULL CHECK (base >= 0),
    business_day date NOT NULL,
    at           timestamptz NOT NULL,
    young_until  timestamptz,                         -- the member's money may still be taken back until then
    since        timestamptz,                         -- of a reversal: the credit's time
    losses       text CHECK (losses IN ('chain_losses', 'pix_losses')),
    undone       bigint NOT NULL DEFAULT 0,           -- of a rise: what a reversed credit took of it
    booked_at    timestamptz,
    CONSTRAINT cause_undone_within CHECK (undone BETWEEN 0 AND base),
    CONSTRAINT cause_base CHECK (base > 0 OR kind = 'reversal'),
    CONSTRAINT cause_licence CHECK (licence IS NOT NULL OR kind = 'reversal'),
    CONSTRAINT cause_reversal CHECK ((kind = 'reversal') = (losses IS NOT NULL) AND (kind = 'reversal') = (since IS NOT NULL))
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX cause_sale ON affiliates.cause (licence) WHERE kind = 'sale';
CREATE UNIQUE INDEX cause_undone ON affiliates.cause (licence) WHERE kind = 'reversal' AND licence IS NOT NULL;
CREATE INDEX cause_pending ON affiliates.cause (seq) WHERE booked_at IS NULL;
CREATE INDEX cause_member ON affiliates.cause (member, at) WHERE kind = 'allocation';
CREATE INDEX cause_licence ON affiliates.cause (licence) WHERE licence IS NOT NULL;
GRANT SELECT, INSERT ON affiliates.cause TO arbora_app;
GRANT UPDATE (booked_at, undone) ON affiliates.cause TO arbora_app;

-- A fund with what its queue still waits for: the lock of everything that pays bonuses, and the mark that new ones queue behind.
CREATE TABLE affiliates.fund (
    name    text PRIMARY KEY CHECK (name IN ('network_fund')),
    waiting bigint NOT NULL DEFAULT 0 CHECK (waiting >= 0)
) WITH (fillfactor = 50);
INSERT INTO affiliates.fund (name) VALUES ('network_fund');
GRANT SELECT ON affiliates.fund TO arbora_app;
GRANT UPDATE (waiting) ON affiliates.fund TO arbora_app;

-- The closing of a business day: the first transaction opens the next day and copies what later steps need; the rest goes on from
-- where it stands (`step`, and within it the last member that is done).
CREATE TABLE affiliates.closing (
    id               uuid PRIMARY KEY,
    day              date NOT NULL UNIQUE,
    settings_version integer NOT NULL,
    opened_at        timestamptz NOT NULL,
    step             text NOT NULL DEFAULT 'residual' CHECK (step IN ('residual', 'binary', 'graduations', 'done')),
    done_through     uuid,                            -- within the step; none: nothing yet
    finished_at      timestamptz,
    CONSTRAINT closing_finished CHECK ((step = 'done') = (finished_at IS NOT NULL))
);
GRANT SELECT, INSERT ON affiliates.closing TO arbora_app;
GRANT UPDATE (step, done_through, finished_at) ON affiliates.closing TO arbora_app;

-- A step is never gone back to.
CREATE FUNCTION affiliates.check_closing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF array_position(ARRAY['residual', 'binary', 'graduations', 'done'], NEW.step)
       < array_position(ARRAY['residual', 'binary', 'graduations', 'done'], OLD.step)
       OR (NEW.step = OLD.step AND NEW.done_through < OLD.done_through) THEN
        RAISE EXCEPTION 'a closing only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'closing_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER closing_forward BEFORE UPDATE ON affiliates.closing FOR EACH ROW EXECUTE FUNCTION affiliates.check_closing();

-- Members as they were when the day ended: those who were active then. Whoever has no row was not.
CREATE TABLE affiliates.closing_member (
    closing   uuid NOT NULL REFERENCES affiliates.closing,
    member    uuid NOT NULL,
    qualified boolean NOT NULL,
    daily_cap bigint NOT NULL CHECK (daily_cap >= 0),
    PRIMARY KEY (closing, member)
);
GRANT SELECT, INSERT ON affiliates.closing_member TO arbora_app;

-- Points carried per member and leg; what a reversal took beyond them is owed by the leg's next points. Only members that have any.
CREATE TABLE affiliates.carry (
    member       uuid PRIMARY KEY REFERENCES affiliates.member,
    left_points  bigint NOT NULL DEFAULT 0 CHECK (left_points >= 0),
    right_points bigint NOT NULL DEFAULT 0 CHECK (right_points >= 0),
    left_owed    bigint NOT NULL DEFAULT 0 CHECK (left_owed >= 0),
    right_owed   bigint NOT NULL DEFAULT 0 CHECK (right_owed >= 0),
    through      date NOT NULL,                       -- the last closing that changed it
    CONSTRAINT carry_left CHECK (left_points = 0 OR left_owed = 0),
    CONSTRAINT carry_right CHECK (right_points = 0 OR right_owed = 0)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON affiliates.carry TO arbora_app;

-- A downline member's losses that are set off first against what they gain later.
CREATE TABLE affiliates.residual_carry (
    member   uuid PRIMARY KEY REFERENCES affiliates.member,
    negative bigint NOT NULL CHECK (negative >= 0),
    through  date NOT NULL
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON affiliates.residual_carry TO arbora_app;

-- What a closing matched of a member's legs: the points that stood there before, what was lost of the matched ones and why.
CREATE TABLE affiliates.match (
    closing      uuid NOT NULL REFERENCES affiliates.closing,
    member       uuid NOT NULL,
    left_points  bigint NOT NULL CHECK (left_points >= 0),
    right_points bigint NOT NULL CHECK (right_points >= 0),
    matched      bigint NOT NULL CHECK (matched > 0),
    lost         bigint NOT NULL CHECK (lost BETWEEN 0 AND matched),
    lost_reason  text CHECK (lost_reason IN ('inactive', 'not_qualified', 'network_ceiling', 'daily_cap')),
    PRIMARY KEY (closing, member),
    CONSTRAINT match_least CHECK (matched = least(left_points, right_points)),
    CONSTRAINT match_lost_has_a_reason CHECK ((lost > 0) = (lost_reason IS NOT NULL))
);
CREATE INDEX match_member ON affiliates.match (member, closing);
GRANT SELECT, INSERT ON affiliates.match TO arbora_app;

-- Matched points that were paid, ever, and the rank that they reached.
CREATE TABLE affiliates.standing (
    member      uuid PRIMARY KEY REFERENCES affiliates.member,
    paid_points bigint NOT NULL CHECK (paid_points >= 0),
    rank        smallint NOT NULL DEFAULT 0 CHECK (rank BETWEEN 0 AND 8)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON affiliates.standing TO arbora_app;

CREATE TABLE affiliates.graduation (
    id               uuid PRIMARY KEY,
    member           uuid NOT NULL REFERENCES affiliates.member,
    rank             smallint NOT NULL CHECK (rank BETWEEN 1 AND 8),
    threshold        bigint NOT NULL CHECK (threshold > 0),
    rate             bigint NOT NULL CHECK (rate >= 0),
    amount           bigint NOT NULL CHECK (amount >= 0),
    settings_version integer NOT NULL,
    closing          uuid NOT NULL REFERENCES affiliates.closing,
    business_day     date NOT NULL,
    reached_at       timestamptz NOT NULL,
    payout           uuid UNIQUE,                     -- the payment on chain that is under way, or was made
    payment_hash     text CHECK (payment_hash ~ '^0x[0-9a-f]{64}$'),
    paid_at          timestamptz,
    version          bigint NOT NULL DEFAULT 1,
    CONSTRAINT graduation_once UNIQUE (member, rank),
    CONSTRAINT graduation_paid CHECK ((paid_at IS NULL) = (payment_hash IS NULL) AND (paid_at IS NULL OR payout IS NOT NULL))
);
CREATE INDEX graduation_rank ON affiliates.graduation (rank, reached_at DESC);
CREATE INDEX graduation_unpaid ON affiliates.graduation (reached_at) WHERE paid_at IS NULL;
GRANT SELECT, INSERT ON affiliates.graduation TO arbora_app;
GRANT UPDATE (payout, payment_hash, paid_at, version) ON affiliates.graduation TO arbora_app;

-- Bonuses between two accounts that share a device, a document or a payer stay locked until a person has looked: one review per pair
-- at a time, of all that arises meanwhile.
CREATE TABLE affiliates.review (
    id         uuid PRIMARY KEY,
    receiver   uuid NOT NULL REFERENCES affiliates.member,
    source     uuid NOT NULL REFERENCES affiliates.member,
    reasons    text[] NOT NULL CHECK (cardinality(reasons) > 0),
    case_id    uuid NOT NULL UNIQUE,                  -- in the queue of compliance, which alerts
    opened_at  timestamptz NOT NULL,
    status     text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'cleared', 'refused')),
    decided_by uuid,
    decided_at timestamptz,
    note       text CHECK (length(note) <= 500),
    CHECK ((status = 'open') = (decided_at IS NULL)),
    CHECK ((status = 'open') = (decided_by IS NULL)),
    CONSTRAINT review_refused_with_reason CHECK (status <> 'refused' OR length(btrim(note)) > 0)
);
CREATE UNIQUE INDEX review_open ON affiliates.review (receiver, source) WHERE status = 'open';
CREATE INDEX review_pair ON affiliates.review (receiver, source, decided_at DESC);
CREATE INDEX review_queue ON affiliates.review (opened_at, id) WHERE status = 'open';
CREATE INDEX review_decided ON affiliates.review (decided_at DESC, id) WHERE status <> 'open';
GRANT SELECT, INSERT ON affiliates.review TO arbora_app;
GRANT UPDATE (reasons, status, decided_by, decided_at, note) ON affiliates.review TO arbora_app;
CREATE FUNCTION affiliates.check_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the review is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'review_done';
END $$;
CREATE TRIGGER review_decided_once BEFORE UPDATE ON affiliates.review
    FOR EACH ROW WHEN (OLD.status <> 'open') EXECUTE FUNCTION affiliates.check_review();

-- A bonus: one row for each cause, receiver, kind, level and source. What it came to (`gross`) is paid, waits for the fund, is lost
-- with its reason, or was dropped; of what was paid a part may have been taken back.
CREATE TABLE affiliates.bonus (
    id               uuid PRIMARY KEY,
    -- Members are never deleted: a foreign key would only lock the receiver's row for each of a closing's many bonuses.
    receiver         uuid NOT NULL,
    source           uuid,                            -- whose sale, allocation or gains; none of binary bonuses
    kind             text NOT NULL CHECK (kind IN ('level', 'direct_sale', 'indirect_sale', 'residual', 'binary')),
    level            smallint NOT NULL CHECK (level BETWEEN 0 AND 10),
    cause_kind       text NOT NULL CHECK (cause_kind IN ('sale', 'allocation', 'closing')),
    cause            uuid NOT NULL,                   -- affiliates.cause.id, affiliates.closing.id
    base             bigint NOT NULL CHECK (base > 0),
    rate             bigint NOT NULL CHECK (rate > 0),
    settings_version integer NOT NULL,
    gross            bigint NOT NULL CHECK (gross > 0),
    lost             bigint NOT NULL DEFAULT 0 CHECK (lost >= 0),
    lost_reason      text CHECK (lost_reason IN ('inactive', 'not_qualified', 'network_ceiling', 'daily_cap')),
    paid             bigint NOT NULL DEFAULT 0 CHECK (paid >= 0),
    waiting          bigint NOT NULL DEFAULT 0 CHECK (waiting >= 0),
    dropped          bigint NOT NULL DEFAULT 0 CHECK (dropped >= 0),
    returned         bigint NOT NULL DEFAULT 0 CHECK (returned >= 0),
    business_day     date NOT NULL,
    booked_at        timestamptz NOT NULL,
    paid_at          timestamptz,                     -- the last part
    young_until      timestamptz,                     -- stays in `bonus` until then
    review           uuid REFERENCES affiliates.review,
    version          bigint NOT NULL DEFAULT 1,
    CONSTRAINT bonus_adds_up CHECK (gross = lost + paid + waiting + dropped),
    CONSTRAINT bonus_returned CHECK (returned <= paid),
    CONSTRAINT bonus_lost_has_a_reason CHECK ((lost > 0) = (lost_reason IS NOT NULL)),
    CONSTRAINT bonus_paid_at CHECK ((paid > 0) = (paid_at IS NOT NULL)),
    CONSTRAINT bonus_source CHECK ((source IS NULL) = (kind = 'binary')),
    CONSTRAINT bonus_level CHECK (CASE kind WHEN 'binary' THEN level = 0 WHEN 'direct_sale' THEN level = 1
        WHEN 'indirect_sale' THEN level BETWEEN 2 AND 5 WHEN 'residual' THEN level BETWEEN 1 AND 3 ELSE level BETWEEN 1 AND 10 END),
    CONSTRAINT bonus_cause CHECK (CASE kind WHEN 'level' THEN cause_kind = 'allocation'
        WHEN 'direct_sale' THEN cause_kind = 'sale' WHEN 'indirect_sale' THEN cause_kind = 'sale' ELSE cause_kind = 'closing' END)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX bonus_once ON affiliates.bonus (cause, receiver, kind, level, source) NULLS NOT DISTINCT;
CREATE INDEX bonus_receiver ON affiliates.bonus (receiver, booked_at DESC, id DESC);
CREATE INDEX bonus_queue ON affiliates.bonus (business_day, booked_at, id) WHERE waiting > 0;
CREATE INDEX bonus_held ON affiliates.bonus (receiver) WHERE young_until IS NOT NULL OR review IS NOT NULL;
CREATE INDEX bonus_review ON affiliates.bonus (review) WHERE review IS NOT NULL;
CREATE INDEX bonus_day ON affiliates.bonus (business_day, kind);
GRANT SELECT, INSERT ON affiliates.bonus TO arbora_app;
GRANT UPDATE (paid, waiting, dropped, returned, paid_at, version) ON affiliates.bonus TO arbora_app;

-- What it came to never changes; what was paid was paid, what is due only becomes less.
CREATE FUNCTION affiliates.check_bonus() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.paid < OLD.paid OR NEW.waiting > OLD.waiting OR NEW.dropped < OLD.dropped OR NEW.returned < OLD.returned THEN
        RAISE EXCEPTION 'a bonus only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'bonus_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER bonus_forward BEFORE UPDATE ON affiliates.bonus FOR EACH ROW EXECUTE FUNCTION affiliates.check_bonus();
CREATE FUNCTION affiliates.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'affiliates.% is append-only', TG_TABLE_NAME;
END $$;
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['bonus', 'cause', 'closing', 'graduation', 'review'] LOOP
        EXECUTE format('CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON affiliates.%I FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change()', t);
    END LOOP;
END $$;

-- Points of a reversed sale are taken by a row of their own: a closing adds up what its day says.
ALTER TABLE affiliates.points ADD COLUMN kind text NOT NULL DEFAULT 'sale' CHECK (kind IN ('sale', 'reversal'));
ALTER TABLE affiliates.points ALTER COLUMN kind DROP DEFAULT;
ALTER TABLE affiliates.points DROP CONSTRAINT points_licence_key;
ALTER TABLE affiliates.points ADD CONSTRAINT points_once UNIQUE (licence, kind);
ALTER TABLE affiliates.points DROP CONSTRAINT points_points_check;
ALTER TABLE affiliates.points ADD CONSTRAINT points_sign CHECK (CASE kind WHEN 'sale' THEN points > 0 ELSE points < 0 END);
CREATE TRIGGER kept BEFORE UPDATE OR DELETE OR TRUNCATE ON affiliates.points
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change();
