-- Identity: another e-mail by the owner's hand, confirmed at the address that stands and at the one that comes. One request a person; it is
-- deleted when it is taken back, overtaken or replaced, and kept after the change so that a link opened twice still says so.
CREATE TABLE identity.email_change (
    account          uuid PRIMARY KEY REFERENCES identity.account,
    email            text NOT NULL,
    email_key        text NOT NULL,
    session          uuid NOT NULL,                 -- who asked stays signed in
    asked_at         timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL CHECK (expires_at > asked_at),
    old_confirmed_at timestamptz,
    new_confirmed_at timestamptz,
    changed_at       timestamptz CHECK (changed_at IS NULL OR (old_confirmed_at IS NOT NULL AND new_confirmed_at IS NOT NULL))
);
CREATE INDEX email_change_expires ON identity.email_change (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity.email_change TO arbora_app;

ALTER TABLE identity.link
    DROP CONSTRAINT link_purpose_check,
    ADD CONSTRAINT link_purpose_check CHECK (
        purpose IN ('confirm-email', 'reset-password', 'invitation', 'freeze', 'email-change-old', 'email-change-new'));
