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
