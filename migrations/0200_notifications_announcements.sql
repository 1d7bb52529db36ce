-- Notifications: what staff say to everyone, or to all who have a role. The words stand here once, in three languages; each reader's line has the
-- title, and `told_to` is how far a job has written them.
CREATE TABLE notifications.announcement (
    id         uuid PRIMARY KEY,
    title      jsonb NOT NULL,
    body       jsonb NOT NULL,
    -- None: everyone.
    role       text,
    by         uuid NOT NULL,
    created_at timestamptz NOT NULL,
    told_to    uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    told       bigint NOT NULL DEFAULT 0,
    done_at    timestamptz
);
CREATE INDEX announcement_created ON notifications.announcement (created_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON notifications.announcement TO arbora_app;
