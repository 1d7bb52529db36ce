-- Licences: what is sold, what was bought, the lots of capital in it (domain.md §4). Amounts are micro-USDT, shares millionths.
CREATE SCHEMA licences;
GRANT USAGE ON SCHEMA licences TO arbora_app;

CREATE TABLE licences.plan (
    id                 uuid PRIMARY KEY,
    value              bigint NOT NULL CHECK (value > 0),
    is_high_risk       boolean NOT NULL,
    maximum_return_ppm bigint NOT NULL DEFAULT 3000000 CHECK (maximum_return_ppm > 0),
    network_ceiling_ppm bigint NOT NULL DEFAULT 5000000 CHECK (network_ceiling_ppm > 0),
    allocation_factor  bigint NOT NULL DEFAULT 5 CHECK (allocation_factor > 0),
    active             boolean NOT NULL DEFAULT true
);
CREATE UNIQUE INDEX plan_offered ON licences.plan (value, is_high_risk) WHERE active;

CREATE TABLE licences.licence (
    id                 uuid PRIMARY KEY,
    owner              uuid NOT NULL,
    number             integer NOT NULL CHECK (number > 0),
    plan               uuid NOT NULL REFERENCES licences.plan,
    -- As sold: a later change of the plan changes nothing here.
    value              bigint NOT NULL CHECK (value > 0),
    is_high_risk       boolean NOT NULL,
    maximum_return_ppm bigint NOT NULL,
    network_ceiling_ppm bigint NOT NULL,
    allocation_factor  bigint NOT NULL,
    settings_version   integer NOT NULL,
    source             text NOT NULL CHECK (source IN ('available', 'sponsored')),
    state              text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'ceiling_reached', 'cancelled', 'reversed')),
    risk_accepted_at   timestamptz NOT NULL,
    paid_at            timestamptz NOT NULL,
    cancellable_until  timestamptz NOT NULL,
    final_at           timestamptz,
    ended_at           timestamptz,
    -- The ledger's balances after the newest posting, written in its transaction: the truth is there, this is for reading.
    price              bigint NOT NULL DEFAULT 0 CHECK (price >= 0),
    topup              bigint NOT NULL DEFAULT 0 CHECK (topup >= 0),
    allocated          bigint NOT NULL DEFAULT 0 CHECK (allocated >= 0),
    yield              bigint NOT NULL DEFAULT 0 CHECK (yield >= 0),
    loan               bigint NOT NULL DEFAULT 0 CHECK (loan <= 0),
    -- Bound in open operations of the desk.
    reserved           bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    -- value + top-ups + relocated in − relocated out − capital withdrawn: what the maximum return is counted on.
    capital            bigint NOT NULL CHECK (capital >= 0),
    gains              bigint NOT NULL DEFAULT 0 CHECK (gains >= 0),
    losses             bigint NOT NULL DEFAULT 0 CHECK (losses >= 0),
    network_used       bigint NOT NULL DEFAULT 0 CHECK (network_used >= 0),
    topup_at           timestamptz,
    -- The robot.
    paused             boolean NOT NULL DEFAULT false,
    manual_key         boolean NOT NULL DEFAULT false,
    goal_ppm           bigint NOT NULL CHECK (goal_ppm > 0),
    goal_day           date,                              -- the day on which the goal was reached
    today              bigint NOT NULL DEFAULT 0,         -- net result of `today_day`
    today_day          date,
    operations         bigint NOT NULL DEFAULT 0,
    eligible_from      timestamptz,
    last_served        timestamptz,
    version            bigint NOT NULL DEFAULT 1,
    UNIQUE (owner, number),
    CONSTRAINT licence_reserved_within_allocated CHECK (reserved <= allocated),
    CONSTRAINT licence_limit_of_allocation CHECK (topup + allocated <= allocation_factor * value),
    CHECK (state <> 'cancelled' OR (price = 0 AND topup = 0 AND allocated = 0))
) WITH (fillfactor = 60);
CREATE INDEX licence_owner ON licences.licence (owner, number);
CREATE INDEX licence_trading ON licences.licence (id) WHERE state = 'active' AND allocated > 0;
CREATE INDEX licence_open_sale ON licences.licence (cancellable_until) WHERE final_at IS NULL AND state = 'active';

-- Capital by when it came and where from; the sum of a licence's lots is its topup + allocated.
CREATE TABLE licences.lot (
    id             uuid PRIMARY KEY,
    licence        uuid NOT NULL REFERENCES licences.licence,
    amount         bigint NOT NULL CHECK (amount >= 0),   -- what is left of it
    origin         text NOT NULL CHECK (origin IN ('available', 'bonus', 'yield', 'sponsored', 'licence')),
    origin_licence uuid,
    created_at     timestamptz NOT NULL,
    free_at        timestamptz NOT NULL,
    CHECK ((origin IN ('yield', 'licence')) = (origin_licence IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX lot_licence ON licences.lot (licence, created_at, id) WHERE amount > 0;

GRANT SELECT ON licences.plan TO arbora_app;
GRANT SELECT, INSERT, UPDATE ON licences.licence, licences.lot TO arbora_app;

INSERT INTO licences.plan (id, value, is_high_risk)
SELECT ('0190a000-0000-7000-8000-0000000' || CASE WHEN risky THEN '2' ELSE '1' END || lpad(ordinal::text, 4, '0'))::uuid, value * 1000000, risky
FROM unnest(ARRAY[50, 100, 250, 500, 1000, 2500, 5000, 10000]::bigint[]) WITH ORDINALITY AS v(value, ordinal), unnest(ARRAY[false, true]) AS risky;
