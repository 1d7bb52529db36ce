-- Devices: a browser is known by a random cookie of its own, which it gets with a full sign-in. The same cookie has the same hash
-- in every account that was used with it. What sessions say of a browser (its name, its address) is for display only.
CREATE TABLE identity.device (
    account    uuid NOT NULL REFERENCES identity.account,
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    label      text NOT NULL CHECK (length(label) <= 200),
    known      boolean NOT NULL DEFAULT true,       -- has a count of wrong passwords of its own; a row that lost this stays as evidence
    created_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (account, token_hash)
);
CREATE INDEX device_token ON identity.device (token_hash);
CREATE INDEX device_seen ON identity.device (seen_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity.device TO arbora_app;

-- The device on which a session was opened; sessions from before devices have none.
ALTER TABLE identity.session ADD COLUMN device_hash bytea;

-- A reset, or a change of password or factor, ends what the old password had opened.
CREATE INDEX challenge_open ON identity.challenge (account) WHERE used_at IS NULL;
