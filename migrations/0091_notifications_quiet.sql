-- Notifications: groups of lines that a person reads in the inbox alone, without a toast.
CREATE TABLE notifications.quiet (
    owner  uuid NOT NULL,
    topic  text NOT NULL CHECK (length(topic) BETWEEN 1 AND 40),
    PRIMARY KEY (owner, topic)
);
GRANT SELECT, INSERT, DELETE ON notifications.quiet TO arbora_app;
