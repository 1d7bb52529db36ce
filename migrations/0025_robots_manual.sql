-- Operations that owners order themselves (domain.md §5). Amounts are micro-USDT.

-- Staff have taken the manual-operation key away; its owner cannot switch it on.
ALTER TABLE licences.licence ADD COLUMN manual_revoked boolean NOT NULL DEFAULT false;
ALTER TABLE licences.licence ADD CONSTRAINT licence_manual_key_not_revoked CHECK (NOT (manual_key AND manual_revoked));

-- An order is one operation with one robot, and has its id.
CREATE TABLE robots.manual_order (
    id        uuid PRIMARY KEY,
    licence   uuid NOT NULL,
    owner     uuid NOT NULL,
    route     text NOT NULL CHECK (length(route) BETWEEN 1 AND 200),
    state     text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'sent', 'done', 'nothing', 'refused')),
    reason    text,
    asked_at  timestamptz NOT NULL,
    -- The lease of the desk that took it.
    sent      bigint,
    closed_at timestamptz,
    volume    bigint CHECK (volume >= 0),
    -- As it was booked.
    result    bigint,
    mode      text CHECK (mode IN ('simulated', 'paper', 'live')),
    CHECK ((state IN ('asked', 'sent')) = (closed_at IS NULL)),
    CHECK ((state = 'refused') = (reason IS NOT NULL)),
    CHECK ((state = 'done') = (volume IS NOT NULL AND result IS NOT NULL AND mode IS NOT NULL)),
    CHECK (state <> 'sent' OR sent IS NOT NULL)
) WITH (fillfactor = 70);
-- One order in the air per person, whatever happens at the same time.
CREATE UNIQUE INDEX manual_order_open ON robots.manual_order (owner) WHERE state IN ('asked', 'sent');
CREATE INDEX manual_order_newest ON robots.manual_order (licence, asked_at DESC, id DESC);
CREATE INDEX manual_order_turn ON robots.manual_order (owner, asked_at DESC) WHERE state = 'done';
GRANT SELECT, INSERT, UPDATE ON robots.manual_order TO arbora_app;

-- The day's volume, and the part of the day that owners ordered: what is left of the whole is the cohorts'.
ALTER TABLE robots.desk_day
    ADD COLUMN volume            bigint NOT NULL DEFAULT 0 CHECK (volume >= 0),
    ADD COLUMN manual_net        bigint NOT NULL DEFAULT 0,
    ADD COLUMN manual_operations bigint NOT NULL DEFAULT 0 CHECK (manual_operations BETWEEN 0 AND operations),
    ADD COLUMN manual_volume     bigint NOT NULL DEFAULT 0 CHECK (manual_volume BETWEEN 0 AND volume);

-- Days before this change: their volume, and nothing manual, which there was not.
UPDATE robots.desk_day d SET volume = s.volume
FROM (SELECT b.mode, (b.at AT TIME ZONE 'America/Sao_Paulo')::date AS day, sum(o.volume)::bigint AS volume
      FROM robots.operation o JOIN robots.batch b ON b.id = o.batch GROUP BY 1, 2) s
WHERE d.mode = s.mode AND d.day = s.day;
