-- Robots: what the desk reserved, did and settled (domain.md §5). Amounts are micro-USDT.
CREATE SCHEMA robots;
GRANT USAGE ON SCHEMA robots TO arbora_app;

-- One settlement of the desk; its id is drawn by the desk, so that a batch sent again is booked once.
CREATE TABLE robots.batch (
    id         uuid PRIMARY KEY,
    fence      bigint NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    at         timestamptz NOT NULL,
    operations integer NOT NULL,
    -- False in production for what is not live: recorded, never posted.
    posted     boolean NOT NULL
);

CREATE TABLE robots.operation (
    id         uuid PRIMARY KEY,
    batch      uuid NOT NULL REFERENCES robots.batch,
    mode       text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    route      text NOT NULL,
    triangular boolean NOT NULL,
    manual     boolean NOT NULL,
    edge_ppm   bigint NOT NULL,
    decided_at timestamptz NOT NULL,
    filled_at  timestamptz NOT NULL,
    legs       jsonb NOT NULL,             -- venue, symbol, side, price, quantity, fee of each fill
    volume     bigint NOT NULL CHECK (volume >= 0),
    fees       bigint NOT NULL CHECK (fees >= 0),
    result     bigint NOT NULL
);
CREATE INDEX operation_batch ON robots.operation (batch);

-- What an operation brought one robot. `result` is what was booked; with `cut` it adds up to the share's part of the operation.
CREATE TABLE robots.share (
    licence    uuid NOT NULL,
    operation  uuid NOT NULL REFERENCES robots.operation,
    owner      uuid NOT NULL,
    amount     bigint NOT NULL CHECK (amount >= 0),
    volume     bigint NOT NULL,
    fees       bigint NOT NULL,
    result     bigint NOT NULL,
    -- Of a gain what the ceiling cut off (≥ 0), of a loss what the robot could not bear (≤ 0).
    cut        bigint NOT NULL,
    filled_at  timestamptz NOT NULL,
    PRIMARY KEY (licence, operation)
);
CREATE INDEX share_history ON robots.share (licence, filled_at DESC, operation DESC);
CREATE INDEX share_operation ON robots.share (operation);

-- Capital bound until its operation is settled or the time is over.
CREATE TABLE robots.reservation (
    operation  uuid NOT NULL,
    licence    uuid NOT NULL,
    amount     bigint NOT NULL CHECK (amount > 0),
    fence      bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (operation, licence)
);
CREATE INDEX reservation_expiry ON robots.reservation (expires_at);

GRANT SELECT, INSERT ON robots.batch, robots.operation, robots.share TO arbora_app;
GRANT SELECT, INSERT, DELETE ON robots.reservation TO arbora_app;
