-- Notifications: each person's digest is a job of its own, so that one that fails holds up nobody. `untold` is the first morning whose job is not
-- done: while it stands there is one job for it, however many mornings pass, and that one tells of all of them.
ALTER TABLE notifications.digest ADD COLUMN untold timestamptz;
