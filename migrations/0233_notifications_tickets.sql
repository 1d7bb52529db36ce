-- Notifications: who answers tickets may ask to be told, while they are away, of those that nobody has taken. Nobody is who did not ask: the
-- inbox has everything else, and of these a busy house has many.
CREATE TABLE notifications.wanted (
    owner uuid NOT NULL,
    topic text NOT NULL CHECK (length(topic) BETWEEN 1 AND 40),
    PRIMARY KEY (owner, topic)
);
CREATE INDEX wanted_topic ON notifications.wanted (topic, owner);
GRANT SELECT, INSERT, DELETE ON notifications.wanted TO arbora_app;

-- What came there while one of them was away: a burst begins with its first ticket or words, and ends with their next socket or reading. A row that
-- was told says that nothing more is until they have been here.
CREATE TABLE notifications.untaken (
    owner   uuid PRIMARY KEY,
    -- Each burst's own: a job for one that has ended does nothing to the next.
    id      uuid NOT NULL,
    since   timestamptz NOT NULL,
    told_at timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications.untaken TO arbora_app;
