-- Copying (domain.md §5): robots that others follow, and who follows them. Amounts are micro-USDT.

-- A robot that is, or once was, open to followers. It stays listed with its results when it closes or its licence ends.
CREATE TABLE robots.leader (
    licence   uuid PRIMARY KEY,
    owner     uuid NOT NULL,
    open      boolean NOT NULL DEFAULT false,
    opened_at timestamptz NOT NULL,               -- the latest opening
    closed_at timestamptz,
    why       text CHECK (why IN ('owner', 'inactive', 'cancelled', 'ceiling_reached', 'reversed')),
    CHECK (NOT open OR (closed_at IS NULL AND why IS NULL))
);
-- The desk's node looks for those that no longer trade.
CREATE INDEX leader_open ON robots.leader (licence) WHERE open;

-- One robot's copying of another, from its beginning to its end; what has ended stays.
CREATE TABLE robots.following (
    id           uuid PRIMARY KEY,
    follower     uuid NOT NULL,
    owner        uuid NOT NULL,
    leader       uuid NOT NULL REFERENCES robots.leader,
    since        timestamptz NOT NULL,
    maximum_loss bigint NOT NULL CHECK (maximum_loss > 0),
    -- Its booked results since, written with the settlements that it counts.
    net          bigint NOT NULL DEFAULT 0,
    state        text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'loss', 'left', 'ended')),
    ended_at     timestamptz,
    CHECK (follower <> leader),
    CHECK ((state = 'active') = (ended_at IS NULL)),
    CHECK (state <> 'active' OR net > -maximum_loss),
    CHECK (state <> 'loss' OR net <= -maximum_loss)
) WITH (fillfactor = 70);
-- Nobody follows two.
CREATE UNIQUE INDEX following_active ON robots.following (follower) WHERE state = 'active';
CREATE INDEX following_leader ON robots.following (leader) WHERE state = 'active';
CREATE INDEX following_owner ON robots.following (owner, since DESC);

-- A leader's return is its results by its capital at work.
CREATE INDEX day_close_licence ON robots.day_close (licence, day) WHERE name = 'allocated';

GRANT SELECT, INSERT, UPDATE ON robots.leader, robots.following TO arbora_app;
