-- Privacy: what a person gets of all that is kept about them, as one file (docs/rules/privacy.md#export).
CREATE SCHEMA privacy;
GRANT USAGE ON SCHEMA privacy TO arbora_app;

ALTER TABLE foundation.file DROP CONSTRAINT file_purpose_check;
ALTER TABLE foundation.file ADD CONSTRAINT file_purpose_check
    CHECK (purpose IN ('pix_proof', 'pix_payment', 'ticket_attachment', 'avatar', 'pool_proof', 'content_cover', 'content_file', 'data_export'));

CREATE TABLE privacy.export (
    id            uuid PRIMARY KEY,
    owner         uuid NOT NULL REFERENCES identity.account,
    -- asked → ready → expired.
    state         text NOT NULL CHECK (state IN ('asked', 'ready', 'expired')),
    file          uuid UNIQUE REFERENCES foundation.file,
    bytes         bigint CHECK (bytes > 0),
    asked_at      timestamptz NOT NULL,
    ready_at      timestamptz,
    expires_at    timestamptz CHECK (expires_at > ready_at),
    downloaded_at timestamptz,
    version       bigint NOT NULL DEFAULT 1,
    CONSTRAINT export_file CHECK ((state = 'ready') = (file IS NOT NULL)),
    CONSTRAINT export_ready CHECK ((state = 'asked') = (ready_at IS NULL) AND (ready_at IS NULL) = (expires_at IS NULL) AND (ready_at IS NULL) = (bytes IS NULL))
);
-- One at a time, the newest first.
CREATE UNIQUE INDEX export_under_way ON privacy.export (owner) WHERE state = 'asked';
CREATE INDEX export_owner ON privacy.export (owner, asked_at DESC);
GRANT SELECT, INSERT ON privacy.export TO arbora_app;
GRANT UPDATE (state, file, bytes, ready_at, expires_at, downloaded_at, version) ON privacy.export TO arbora_app;

-- What was removed from somebody's list of places is theirs to read, too.
CREATE INDEX whitelist_user ON approvals.whitelist (user_id, created_at);

-- An exact amount as people write it: whole units of the last decimal, so many decimals.
CREATE FUNCTION privacy.amount(units numeric, decimals integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (units::text || 'e-' || decimals)::numeric::text
$$;
GRANT EXECUTE ON FUNCTION privacy.amount(numeric, integer) TO arbora_app;
