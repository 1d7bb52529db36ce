-- Robots: results rolled up per day, so that no screen adds up single operations; balances of licences at the end of each day.
-- Days are São Paulo's calendar days of the booking, the same that the ledger's settlements carry.

-- Written with the settlement that it counts, never by a job: Σ over days = Σ robots.share = the settlements in the ledger.
CREATE TABLE robots.day_result (
    licence    uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    day        date NOT NULL,
    owner      uuid NOT NULL,
    gain       bigint NOT NULL CHECK (gain >= 0),
    loss       bigint NOT NULL CHECK (loss >= 0),
    fees       bigint NOT NULL CHECK (fees >= 0),
    operations bigint NOT NULL CHECK (operations > 0),
    -- Operations that the market ended above zero, whatever a ceiling then cut.
    hits       bigint NOT NULL CHECK (hits BETWEEN 0 AND operations),
    PRIMARY KEY (licence, mode, day)
) WITH (fillfactor = 50);
-- The month's ranking reads everyone's days of one mode.
CREATE INDEX day_result_day ON robots.day_result (mode, day);

CREATE TABLE robots.day_route (
    licence    uuid NOT NULL,
    mode       text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    day        date NOT NULL,
    route      text NOT NULL,
    gain       bigint NOT NULL CHECK (gain >= 0),
    loss       bigint NOT NULL CHECK (loss >= 0),
    fees       bigint NOT NULL CHECK (fees >= 0),
    operations bigint NOT NULL CHECK (operations > 0),
    hits       bigint NOT NULL CHECK (hits BETWEEN 0 AND operations),
    PRIMARY KEY (licence, mode, day, route)
) WITH (fillfactor = 50);

-- What a licence's busy accounts held at the end of a day; only where something moved, or capital worked.
CREATE TABLE robots.day_close (
    account uuid NOT NULL,
    day     date NOT NULL,
    licence uuid NOT NULL,
    name    text NOT NULL,
    balance bigint NOT NULL,
    -- The account's version in the ledger, from which the next day goes on.
    version bigint NOT NULL,
    -- Balance × seconds of the day, in micro-USDT seconds.
    weight  numeric(38, 0) NOT NULL,
    PRIMARY KEY (account, day)
);
CREATE INDEX day_close_capital ON robots.day_close (day, licence) WHERE name = 'allocated';

-- Days of which every licence's close is written. Later ones are read from the postings themselves.
CREATE TABLE robots.closed_day (
    day date PRIMARY KEY,
    at  timestamptz NOT NULL
);

-- domain.md §5: the best tenth of the month so far, by mode; written anew with every closed day.
CREATE TABLE robots.gold_trader (
    mode    text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    owner   uuid NOT NULL,
    -- The last day that counted.
    through date NOT NULL,
    PRIMARY KEY (mode, owner)
);

GRANT SELECT, INSERT, UPDATE ON robots.day_result, robots.day_route TO arbora_app;
GRANT SELECT, INSERT ON robots.day_close, robots.closed_day TO arbora_app;
GRANT SELECT, INSERT, DELETE ON robots.gold_trader TO arbora_app;

-- What was booked before this table existed.
INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
SELECT s.licence, b.mode, (b.at AT TIME ZONE 'America/Sao_Paulo')::date, s.owner, sum(greatest(s.result, 0)), sum(greatest(-s.result, 0)),
       sum(s.fees), count(*), count(*) FILTER (WHERE s.result + s.cut > 0)
FROM robots.share s JOIN robots.operation o ON o.id = s.operation JOIN robots.batch b ON b.id = o.batch
GROUP BY 1, 2, 3, 4;
INSERT INTO robots.day_route (licence, mode, day, route, gain, loss, fees, operations, hits)
SELECT s.licence, b.mode, (b.at AT TIME ZONE 'America/Sao_Paulo')::date, o.route, sum(greatest(s.result, 0)), sum(greatest(-s.result, 0)),
       sum(s.fees), count(*), count(*) FILTER (WHERE s.result + s.cut > 0)
FROM robots.share s JOIN robots.operation o ON o.id = s.operation JOIN robots.batch b ON b.id = o.batch
GROUP BY 1, 2, 3, 4;
