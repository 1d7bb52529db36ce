-- Identity: passkeys (WebAuthn; docs/decisions/0100-passkeys.md, docs/rules/identity.md#passkeys).

-- By what a person's authenticators know the account: random, so that nobody learns from one whose it is. The first passkey brings it.
CREATE TABLE identity.passkey_handle (
    account uuid PRIMARY KEY REFERENCES identity.account,
    handle  bytea NOT NULL UNIQUE CHECK (length(handle) = 32),
    made_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON identity.passkey_handle TO arbora_app;

CREATE TABLE identity.passkey (
    id              uuid PRIMARY KEY,
    account         uuid NOT NULL REFERENCES identity.passkey_handle (account),
    credential      bytea NOT NULL UNIQUE CHECK (length(credential) BETWEEN 16 AND 1023),
    -- A COSE_Key (RFC 9052) as the authenticator wrote it. Public: it opens nothing.
    public_key      bytea NOT NULL CHECK (length(public_key) BETWEEN 32 AND 2048),
    -- How often the authenticator says that it signed; zero of those that do not count.
    sign_count      bigint NOT NULL CHECK (sign_count BETWEEN 0 AND 4294967295),
    transports      text[] NOT NULL CHECK (transports <@ ARRAY['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']),
    -- Whether it may be copied to the person's other devices, and was.
    backup_eligible boolean NOT NULL,
    backed_up       boolean NOT NULL,
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    created_at      timestamptz NOT NULL,
    last_used_at    timestamptz CHECK (last_used_at >= created_at),
    -- Its count went back: somebody may have a copy of the key. It opens nothing any more, and stays a factor until its owner takes it off.
    doubted_at      timestamptz CHECK (doubted_at >= created_at),
    CONSTRAINT passkey_backup CHECK (backup_eligible OR NOT backed_up)
);
CREATE INDEX passkey_account ON identity.passkey (account, created_at);
GRANT SELECT, INSERT, DELETE ON identity.passkey TO arbora_app;
GRANT UPDATE (sign_count, backed_up, name, last_used_at, doubted_at) ON identity.passkey TO arbora_app;

-- A count only grows, a doubt stays, whatever the server does.
CREATE FUNCTION identity.passkey_goes_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sign_count < OLD.sign_count THEN
        RAISE EXCEPTION 'a passkey counts forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_counts_forward';
    END IF;
    IF OLD.doubted_at IS NOT NULL AND (NEW.doubted_at IS DISTINCT FROM OLD.doubted_at OR NEW.last_used_at IS DISTINCT FROM OLD.last_used_at) THEN
        RAISE EXCEPTION 'a doubted passkey opens nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_doubted';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER passkey_goes_forward BEFORE UPDATE ON identity.passkey
    FOR EACH ROW EXECUTE FUNCTION identity.passkey_goes_forward();

-- Challenges that wait for an authenticator's answer, each for one thing, once. What a confirmation proved is shown to the call that it was
-- made for, once, by the same session.
CREATE TABLE identity.passkey_challenge (
    id          uuid PRIMARY KEY,
    digest      bytea NOT NULL UNIQUE CHECK (length(digest) = 32),
    purpose     text NOT NULL CHECK (purpose IN ('register', 'sign-in', 'second-step', 'confirm')),
    account     uuid REFERENCES identity.account,
    session     uuid,
    -- The half-done sign-in whose second step it is.
    step        uuid,
    -- What is confirmed: the purpose of a code, and the hash of destination and amount.
    action      text CHECK (length(action) BETWEEN 1 AND 40),
    binding     bytea CHECK (length(binding) IN (0, 32)),
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL CHECK (expires_at > created_at),
    used_at     timestamptz CHECK (used_at >= created_at),
    proof       bytea UNIQUE CHECK (length(proof) = 32),
    spent_at    timestamptz CHECK (spent_at >= used_at),
    -- Signing in without a password asks nobody in particular.
    CONSTRAINT passkey_challenge_whose CHECK ((purpose = 'sign-in') = (account IS NULL)),
    CONSTRAINT passkey_challenge_session CHECK ((purpose IN ('register', 'confirm')) = (session IS NOT NULL)),
    CONSTRAINT passkey_challenge_step CHECK ((purpose = 'second-step') = (step IS NOT NULL)),
    CONSTRAINT passkey_challenge_bound CHECK ((purpose = 'confirm') = (action IS NOT NULL) AND (action IS NULL) = (binding IS NULL)),
    CONSTRAINT passkey_challenge_proof CHECK (proof IS NULL OR (purpose = 'confirm' AND used_at IS NOT NULL)),
    CONSTRAINT passkey_challenge_spent CHECK (spent_at IS NULL OR proof IS NOT NULL)
);
CREATE INDEX passkey_challenge_expires ON identity.passkey_challenge (expires_at);
CREATE INDEX passkey_challenge_account ON identity.passkey_challenge (account) WHERE used_at IS NULL OR (proof IS NOT NULL AND spent_at IS NULL);
GRANT SELECT, INSERT, DELETE ON identity.passkey_challenge TO arbora_app;
GRANT UPDATE (used_at, proof, spent_at) ON identity.passkey_challenge TO arbora_app;

CREATE FUNCTION identity.passkey_challenge_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.used_at IS NOT NULL AND NEW.used_at IS DISTINCT FROM OLD.used_at
       OR OLD.proof IS NOT NULL AND NEW.proof IS DISTINCT FROM OLD.proof
       OR OLD.spent_at IS NOT NULL AND NEW.spent_at IS DISTINCT FROM OLD.spent_at THEN
        RAISE EXCEPTION 'a challenge is answered once' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_challenge_once';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER passkey_challenge_once BEFORE UPDATE ON identity.passkey_challenge
    FOR EACH ROW EXECUTE FUNCTION identity.passkey_challenge_once();

-- How a session began, for the list of its owner's devices; none of those that are older than this.
ALTER TABLE identity.session ADD COLUMN method text CHECK (length(method) BETWEEN 1 AND 20);
