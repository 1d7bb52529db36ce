-- Robots: what settlements made of a person's money, day by day in the books' own time, so that who asks for a year of it adds up no
-- single posting. `day_result` cannot tell it: its day is the one that was open, it counts what is not booked, and has no moment.

CREATE TABLE robots.day_settled (
    owner       uuid NOT NULL,
    mode        text NOT NULL CHECK (mode IN ('simulated', 'paper', 'live')),
    -- São Paulo's day of the settlements' `at`.
    day         date NOT NULL,
    -- Gains less losses, as they were posted to all licences of the owner.
    net         bigint NOT NULL,
    settlements bigint NOT NULL CHECK (settlements > 0),
    -- The newest of them.
    last_at     timestamptz NOT NULL CHECK (day = (last_at AT TIME ZONE 'America/Sao_Paulo')::date),
    last        uuid NOT NULL,
    PRIMARY KEY (owner, day, mode)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE ON robots.day_settled TO arbora_app;

INSERT INTO robots.day_settled (owner, mode, day, net, settlements, last_at, last)
SELECT s.owner, s.mode, (s.at AT TIME ZONE 'America/Sao_Paulo')::date, sum(s.net), count(*), max(s.at),
       (array_agg(s.id ORDER BY s.at DESC, s.id DESC))[1]
FROM (SELECT l.owner, t.id, t.at, t.mode, sum(p.amount) AS net
      FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id JOIN ledger.account a ON a.id = p.account
      JOIN licences.licence l ON l.id = a.owner
      WHERE t.kind = 'settlement' AND a.currency = 'USDT'
      GROUP BY l.owner, t.id, t.at, t.mode) s
GROUP BY 1, 2, 3;
