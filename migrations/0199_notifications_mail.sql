-- Notifications: what a person was told while they were away. A burst begins with its first line and ends with their next socket or reading; one
-- mail tells of it. A row whose mail has gone says that nothing more is mailed until they have been here.
CREATE TABLE notifications.burst (
    owner     uuid PRIMARY KEY,
    -- Each burst's own: a job for one that has ended does nothing to the next.
    id        uuid NOT NULL,
    since     timestamptz NOT NULL,
    mailed_at timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications.burst TO arbora_app;

-- Who wants a digest each morning, and how far theirs has come: days of the robots are told whole, what else came in by the moment at which it was
-- booked. Nothing is left out between two digests, nor told twice.
CREATE TABLE notifications.digest (
    owner    uuid PRIMARY KEY,
    told_day date NOT NULL,
    told_at  timestamptz NOT NULL,
    next_at  timestamptz NOT NULL
);
CREATE INDEX digest_next ON notifications.digest (next_at, owner);
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications.digest TO arbora_app;
