-- Foundation: the world, facts (outbox), jobs, idempotency, settings, audit, subjects, files.
-- The server's role owns nothing; what it may do is granted table by table.
DO $$ BEGIN
    CREATE ROLE arbora_app LOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

CREATE SCHEMA foundation;
GRANT USAGE ON SCHEMA foundation TO arbora_app;

-- domain.md §0: one row, written once, never changed.
CREATE TABLE foundation.world (
    singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    kind       text NOT NULL CHECK (kind IN ('demo', 'production')),
    chain_id   bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (kind <> 'demo' OR chain_id IN (31337, 97)),
    CHECK (kind <> 'production' OR chain_id <> 31337)
);
GRANT SELECT, INSERT ON foundation.world TO arbora_app;

-- Durable numbered streams of facts. The head row is locked last in a transaction, in sorted order,
-- so numbers are gap-free and in commit order.
CREATE TABLE foundation.stream_head (
    stream text PRIMARY KEY CHECK (length(stream) <= 80),
    epoch  integer NOT NULL DEFAULT 1,
    seq    bigint NOT NULL CHECK (seq > 0)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON foundation.stream_head TO arbora_app;

CREATE TABLE foundation.event (
    id      bigint GENERATED ALWAYS AS IDENTITY,
    xid     xid8 NOT NULL DEFAULT pg_current_xact_id(),
    stream  text NOT NULL,
    epoch   integer NOT NULL,
    seq     bigint NOT NULL,
    kind    text NOT NULL,
    payload jsonb NOT NULL,
    at      timestamptz NOT NULL,
    PRIMARY KEY (stream, epoch, seq)
);
CREATE INDEX event_relay ON foundation.event (xid, id);
CREATE INDEX event_at ON foundation.event USING brin (at);
GRANT SELECT, INSERT, DELETE ON foundation.event TO arbora_app;

-- Jobs join the transaction that causes them; `effect` makes each outside effect unique.
CREATE TABLE foundation.job (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind        text NOT NULL,
    effect      text NOT NULL UNIQUE,
    payload     jsonb NOT NULL,
    state       text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'parked')),
    run_at      timestamptz NOT NULL,
    attempts    integer NOT NULL DEFAULT 0,
    max_attempts integer NOT NULL DEFAULT 12,
    locked_until timestamptz,
    last_error  text,
    created_at  timestamptz NOT NULL
);
CREATE INDEX job_due ON foundation.job (run_at, id) WHERE state <> 'parked';
GRANT SELECT, INSERT, UPDATE, DELETE ON foundation.job TO arbora_app;

-- A done job leaves its effect key behind, so that it is never done again.
CREATE TABLE foundation.job_done (
    effect  text PRIMARY KEY,
    kind    text NOT NULL,
    done_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON foundation.job_done TO arbora_app;

-- One run of each schedule per slot, whichever node is first.
CREATE TABLE foundation.lease (
    name       text PRIMARY KEY,
    holder     uuid NOT NULL,
    fence      bigint NOT NULL,
    expires_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON foundation.lease TO arbora_app;

-- First answers to money calls (domain.md §2): scope (user, route, key), 30 days.
CREATE TABLE foundation.idempotency (
    user_id    uuid NOT NULL,
    route      text NOT NULL,
    key        text NOT NULL CHECK (length(key) BETWEEN 16 AND 64),
    body_hash  bytea NOT NULL,
    status     smallint NOT NULL,
    response   jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, route, key)
);
CREATE INDEX idempotency_age ON foundation.idempotency (created_at);
GRANT SELECT, INSERT, DELETE ON foundation.idempotency TO arbora_app;

-- Typed settings, every version kept; the newest in force is the greatest version whose effective_at has passed.
CREATE TABLE foundation.settings (
    version      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    body         jsonb NOT NULL,
    effective_at timestamptz NOT NULL,
    author       uuid,
    reason       text,
    created_at   timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT ON foundation.settings TO arbora_app;

-- Who did what: append-only, fields by allow-list, no personal values.
CREATE TABLE foundation.audit (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL,
    actor    uuid,
    subject  uuid,
    category text NOT NULL CHECK (category IN ('auth', 'profile', 'money', 'roles', 'settings', 'support')),
    action   text NOT NULL,
    details  jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_subject ON foundation.audit (subject, id DESC);
CREATE INDEX audit_actor ON foundation.audit (actor, id DESC);
GRANT SELECT, INSERT ON foundation.audit TO arbora_app;

-- What other rooms may point at (a ticket at a deposit) without importing its room.
CREATE TABLE foundation.subject (
    kind       text NOT NULL,
    id         uuid NOT NULL,
    owner      uuid NOT NULL,
    amount     bigint NOT NULL DEFAULT 0,
    currency   text NOT NULL DEFAULT 'USDT',
    status     text NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (kind, id)
);
CREATE INDEX subject_owner ON foundation.subject (owner, at DESC);
GRANT SELECT, INSERT, UPDATE ON foundation.subject TO arbora_app;

-- Uploaded files: what they are by content, whose they are, which thing they belong to.
CREATE TABLE foundation.file (
    id         uuid PRIMARY KEY,
    owner      uuid NOT NULL,
    purpose    text NOT NULL CHECK (purpose IN ('pix_proof', 'ticket_attachment', 'avatar')),
    mime       text NOT NULL,
    name       text NOT NULL CHECK (length(name) <= 200),
    bytes      bigint NOT NULL CHECK (bytes > 0),
    sha256     bytea NOT NULL,
    -- Hash of the decoded pixels: equal pictures in different wrappings.
    pixels     bytea,
    created_at timestamptz NOT NULL
);
CREATE INDEX file_sha256 ON foundation.file (purpose, sha256);
CREATE INDEX file_pixels ON foundation.file (purpose, pixels) WHERE pixels IS NOT NULL;
GRANT SELECT, INSERT, DELETE ON foundation.file TO arbora_app;

-- Outgoing mail; without an SMTP server it stays here and the development mailbox shows it.
CREATE TABLE foundation.mail (
    id         uuid PRIMARY KEY,
    recipient  text NOT NULL,
    user_id    uuid,
    template   text NOT NULL,
    subject    text NOT NULL,
    text_body  text NOT NULL,
    html_body  text NOT NULL,
    created_at timestamptz NOT NULL,
    due_at     timestamptz NOT NULL,                -- a notice above the recipient's hourly cap waits
    sent_at    timestamptz
);
CREATE INDEX mail_recent ON foundation.mail (created_at DESC);
CREATE INDEX mail_recipient ON foundation.mail (recipient, due_at DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON foundation.mail TO arbora_app;
CREATE INDEX job_done_age ON foundation.job_done (done_at);
