-- The desk's day and its feed (domain.md §5). Amounts are micro-USDT.

-- What a business day has brought in a mode: the desk reads it at its start, so that a limit on the day's loss outlives it.
CREATE TABLE robots.desk_day (
    mode       text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    day        date NOT NULL,
    net        bigint NOT NULL,
    operations bigint NOT NULL CHECK (operations >= 0),
    PRIMARY KEY (mode, day)
);

-- How the feed of the desk's node did when it last looked: one row, of the newest lease.
CREATE TABLE robots.feed_state (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    fence bigint NOT NULL,
    at    timestamptz NOT NULL,
    state jsonb NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON robots.desk_day, robots.feed_state TO arbora_app;
