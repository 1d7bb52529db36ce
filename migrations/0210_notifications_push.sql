-- Notifications: devices that notices are pushed to, and what waits to be pushed (docs/decisions/0102-push-by-the-house.md,
-- docs/rules/notifications.md#push).
-- Holds identity.session and identity.account: each for the moment in which a key or a trigger is put on it; no row is read.

-- A browser that its owner switched notices on in. It is the session's: who signs out there is pushed nothing there any more.
CREATE TABLE notifications.push_device (
    id           uuid PRIMARY KEY,
    owner        uuid NOT NULL REFERENCES identity.account,
    session      uuid NOT NULL REFERENCES identity.session ON DELETE CASCADE,
    -- Where its push service takes messages for it, in one form: a browser has one, whoever is signed in there.
    endpoint     text NOT NULL UNIQUE CHECK (length(endpoint) BETWEEN 10 AND 1000),
    -- Public: what is written with it only that browser reads.
    p256dh       bytea NOT NULL CHECK (length(p256dh) = 65),
    auth         bytea NOT NULL CHECK (length(auth) = 16),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    since        timestamptz NOT NULL,
    last_sent_at timestamptz,
    tried_at     timestamptz,
    -- How many went there in the hour that began then.
    hour_from    timestamptz NOT NULL,
    hour_sent    integer NOT NULL DEFAULT 0 CHECK (hour_sent >= 0)
);
CREATE INDEX push_device_owner ON notifications.push_device (owner, since);
CREATE INDEX push_device_session ON notifications.push_device (session);
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications.push_device TO arbora_app;

-- A line of the inbox that a device has not been told yet, written with the line. No keys to either: nobody waits for anybody here, and what is left
-- of a device that is gone goes when its turn comes.
CREATE TABLE notifications.push (
    device   uuid NOT NULL,
    line     uuid NOT NULL,
    -- When it was said: a line that takes a newer fact in is said again.
    at       timestamptz NOT NULL,
    -- When it is next looked at. Who takes it puts this off, so that nobody else does until it was sent or its sender is dead.
    due_at   timestamptz NOT NULL,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- Whether it goes as one of several told together. Kept before the first try: a second one is the same message.
    together boolean,
    PRIMARY KEY (device, line)
);
CREATE INDEX push_due ON notifications.push (due_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON notifications.push TO arbora_app;

-- A device does not outlive its session, nor an account's being active, whoever ends them.
CREATE FUNCTION notifications.end_pushing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'session' THEN
        DELETE FROM notifications.push_device WHERE session = NEW.id;
    ELSE
        DELETE FROM notifications.push_device WHERE owner = NEW.id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER session_ends_pushing AFTER UPDATE OF ended_at ON identity.session
    FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION notifications.end_pushing();
CREATE TRIGGER account_ends_pushing AFTER UPDATE OF status ON identity.account
    FOR EACH ROW WHEN (OLD.status = 'active' AND NEW.status <> 'active') EXECUTE FUNCTION notifications.end_pushing();
