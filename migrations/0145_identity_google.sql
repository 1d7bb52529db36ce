-- Identity: signing in with Google. A Google account is known by issuer and subject, never by its e-mail, which Google may give to another.
CREATE TABLE identity.google_account (
    account   uuid PRIMARY KEY REFERENCES identity.account,
    issuer    text NOT NULL,
    subject   text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    email     text NOT NULL,                        -- as Google had it then: shown to the owner, compared with nothing
    linked_at timestamptz NOT NULL,
    UNIQUE (issuer, subject)
);
GRANT SELECT, INSERT, DELETE ON identity.google_account TO arbora_app;

-- A visit to Google that is under way: for minutes. State, code and the starting browser's cookie are stored hashed; nonce and PKCE verifier
-- are derived from the first and the last and stored nowhere.
CREATE TABLE identity.google_visit (
    id          uuid PRIMARY KEY,
    state       bytea NOT NULL UNIQUE,
    browser     bytea NOT NULL,
    -- A visit that links: who asked for it, signed in.
    account     uuid REFERENCES identity.account,
    session     uuid,
    -- Whose referral link was open.
    upline      text CHECK (length(upline) <= 60),
    started_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL CHECK (expires_at > started_at),
    -- Google sent the browser back; what it said, or why nothing of it counts.
    answered_at timestamptz,
    refusal     text CHECK (refusal IN ('refused', 'unverified', 'unavailable')),
    issuer      text,
    subject     text,
    email       text,
    full_name   text,
    -- What the page shows for it, once and soon.
    code        bytea UNIQUE,
    code_until  timestamptz,
    used_at     timestamptz,
    CHECK ((account IS NULL) = (session IS NULL)),
    CHECK (code IS NULL OR (code_until IS NOT NULL AND (refusal IS NULL) = (subject IS NOT NULL AND email IS NOT NULL AND issuer IS NOT NULL)))
);
CREATE INDEX google_visit_expires ON identity.google_visit (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity.google_visit TO arbora_app;
