-- Identity: people, roles, sessions, factors, codes, links.
CREATE SCHEMA identity;
GRANT USAGE ON SCHEMA identity TO arbora_app;

CREATE TABLE identity.role (
    id          uuid PRIMARY KEY,
    name        text NOT NULL UNIQUE,
    position    smallint NOT NULL,
    permissions text[] NOT NULL
);

CREATE TABLE identity.account (
    id               uuid PRIMARY KEY,
    email            text NOT NULL CHECK (length(email) <= 254),
    email_key        text NOT NULL UNIQUE,          -- lower case, NFC: what two people may not share
    username         text NOT NULL CHECK (length(username) <= 32),
    username_key     text NOT NULL UNIQUE,
    full_name        text NOT NULL CHECK (length(full_name) BETWEEN 2 AND 120),
    mobile_number    text CHECK (length(mobile_number) <= 32),
    password_hash    text,                          -- none: invited, no password yet, or a house member
    status           text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive')),
    status_reason    text,
    is_house         boolean NOT NULL DEFAULT false, -- the root of the tree: no sign-in, no role, no money
    locale           text NOT NULL DEFAULT 'pt' CHECK (locale IN ('pt', 'en', 'es')),
    email_confirmed_at timestamptz,
    terms_accepted_at  timestamptz,
    terms_version      text,
    risk_accepted_at   timestamptz,
    adult_declared_at  timestamptz,
    avatar           uuid,
    two_factor_email boolean NOT NULL DEFAULT false,
    totp_secret      bytea,                         -- sealed
    totp_confirmed_at timestamptz,
    totp_last_step   bigint NOT NULL DEFAULT 0,     -- a step is never taken twice
    totp_pending     bytea,                         -- sealed; shown once, becomes the secret with its first code
    totp_pending_at  timestamptz,
    hold_until       timestamptz,                   -- outbound money waits until then
    hold_reason      text,
    anti_phishing    text CHECK (length(anti_phishing) <= 32),
    frozen_at        timestamptz,                   -- by the link in a mail: no sign-in until the password is reset
    version          bigint NOT NULL DEFAULT 1,     -- grows with roles, status, password: older sessions ask again
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL
);
CREATE UNIQUE INDEX account_one_house ON identity.account (is_house) WHERE is_house;
CREATE INDEX account_username_prefix ON identity.account (username_key text_pattern_ops);
CREATE INDEX account_created ON identity.account (created_at DESC);

CREATE TABLE identity.address (
    account     uuid PRIMARY KEY REFERENCES identity.account,
    country     text NOT NULL, state text NOT NULL, city text NOT NULL, street text NOT NULL,
    number      text NOT NULL, complement text, district text NOT NULL, postal_code text NOT NULL,
    updated_at  timestamptz NOT NULL
);

CREATE TABLE identity.account_role (
    account    uuid NOT NULL REFERENCES identity.account,
    role       uuid NOT NULL REFERENCES identity.role,
    granted_by uuid,
    granted_at timestamptz NOT NULL,
    PRIMARY KEY (account, role)
);

-- A signed-in browser. Its refresh token carries (id, generation) under a MAC and is stored nowhere; the previous generation is
-- good once more for 30 s and gets the same successor, later reuse ends the session.
CREATE TABLE identity.session (
    id              uuid PRIMARY KEY,
    account         uuid NOT NULL REFERENCES identity.account,
    generation      integer NOT NULL DEFAULT 1,
    rotated_at      timestamptz,
    previous_used   boolean NOT NULL DEFAULT false,
    device          text NOT NULL CHECK (length(device) <= 200),
    address         text NOT NULL,
    created_at      timestamptz NOT NULL,
    seen_at         timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    end_reason      text
);
CREATE INDEX session_account ON identity.session (account, created_at DESC) WHERE ended_at IS NULL;

-- A password was right and a second factor is asked for.
CREATE TABLE identity.challenge (
    id         uuid PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    device     text NOT NULL,
    address    text NOT NULL,
    attempts   smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);

-- Six-digit codes by mail: stored as HMAC, consumed in the transaction that they authorise.
CREATE TABLE identity.code (
    id         uuid PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    purpose    text NOT NULL,
    binding    bytea NOT NULL DEFAULT ''::bytea,    -- hash of the action that it authorises
    mac        bytea NOT NULL,
    attempts   smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX code_open ON identity.code (account, purpose, created_at DESC);

-- Wrong tries, for growing delays and daily limits.
CREATE TABLE identity.failure (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scope   text NOT NULL,                          -- e.g. login:<email hash>, code:<account>:<purpose>
    at      timestamptz NOT NULL
);
CREATE INDEX failure_scope ON identity.failure (scope, at DESC);

-- Links by mail: 256 bits, hashed, one use, newest only.
CREATE TABLE identity.link (
    id         uuid PRIMARY KEY,
    account    uuid NOT NULL REFERENCES identity.account,
    purpose    text NOT NULL CHECK (purpose IN ('confirm-email', 'reset-password', 'invitation', 'freeze')),
    hash       bytea NOT NULL UNIQUE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE INDEX link_account ON identity.link (account, purpose, created_at DESC);

-- One-time tickets for the socket's handshake: 30 s, hashed.
CREATE TABLE identity.ws_ticket (
    hash       bytea PRIMARY KEY,
    session    uuid NOT NULL REFERENCES identity.session,
    expires_at timestamptz NOT NULL
);
CREATE INDEX ws_ticket_session ON identity.ws_ticket (session);

CREATE TABLE identity.recovery_code (
    account uuid NOT NULL REFERENCES identity.account,
    hash    bytea NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (account, hash)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA identity TO arbora_app;

-- The display roles of product.md §6 with their default permissions (domain.md §11); fixed ids, so that a client may name them.
INSERT INTO identity.role (id, name, position, permissions) VALUES
 ('0190a000-0000-7000-8000-000000000001', 'administrator', 1, ARRAY['registered-user','admin_dashboard','admin_permissions','customer-service_list-users','customer-service_user-view','customer-service_user-edit','customer-service_list-tickets','customer-service_response-ticket']),
 ('0190a000-0000-7000-8000-000000000002', 'system_employee', 2, ARRAY['registered-user','admin_dashboard','customer-service_list-users','customer-service_user-view','customer-service_list-tickets','customer-service_response-ticket']),
 ('0190a000-0000-7000-8000-000000000003', 'salesperson', 3, ARRAY['registered-user','customer-service_list-users','customer-service_user-view']),
 ('0190a000-0000-7000-8000-000000000004', 'store_employee', 4, ARRAY['registered-user','customer-service_list-tickets','customer-service_response-ticket']),
 ('0190a000-0000-7000-8000-000000000005', 'customer', 5, ARRAY['registered-user']);

-- The root of the network: a house member without sign-in, role or money.
INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, is_house, email_confirmed_at, created_at, updated_at)
VALUES ('0190a000-0000-7000-8000-0000000000ff', 'house@arbora.invalid', 'house@arbora.invalid', 'arbora', 'arbora', 'Arbora', true, now(), now(), now());
