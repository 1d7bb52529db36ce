-- Notifications: each user's inbox, written from facts.
CREATE SCHEMA notifications;
GRANT USAGE ON SCHEMA notifications TO arbora_app;

CREATE TABLE notifications.line (
    id      uuid PRIMARY KEY,
    owner   uuid NOT NULL,
    code    text NOT NULL CHECK (length(code) <= 60),
    params  jsonb NOT NULL DEFAULT '{}',
    amount  bigint,
    -- The thing that the line is about: reading a ticket reads its lines.
    about   uuid NOT NULL,
    -- The fact that made it: at most one line a fact.
    stream  text NOT NULL,
    epoch   integer NOT NULL,
    seq     bigint NOT NULL,
    at      timestamptz NOT NULL,
    read_at timestamptz,
    UNIQUE (stream, epoch, seq)
);
CREATE INDEX line_owner ON notifications.line (owner, at DESC, id DESC);
CREATE INDEX line_unread ON notifications.line (owner, about) WHERE read_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON notifications.line TO arbora_app;

-- The last state seen of a thing that facts show whole: only a change of state is news.
CREATE TABLE notifications.seen (
    subject uuid PRIMARY KEY,
    state   text NOT NULL,
    version bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON notifications.seen TO arbora_app;

-- How far the facts have been read, in the transaction that wrote the lines.
CREATE TABLE notifications.cursor (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    xid       bigint NOT NULL,
    event     bigint NOT NULL
);
INSERT INTO notifications.cursor (xid, event) VALUES (0, 0);
GRANT SELECT, UPDATE ON notifications.cursor TO arbora_app;
