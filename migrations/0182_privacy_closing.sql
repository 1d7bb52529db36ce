-- Privacy: a person closes their own account (docs/decisions/0090-closing-an-account.md, docs/rules/privacy.md#closing).

-- Closed is for good. The row stays, for the books and for the network's tree; what names the person goes from it when the law lets it.
ALTER TABLE identity.account
    DROP CONSTRAINT account_status_check,
    ADD CONSTRAINT account_status_check CHECK (status IN ('active', 'inactive', 'closed')),
    ADD COLUMN closed_at timestamptz,
    ADD COLUMN erased_at timestamptz,
    ADD CONSTRAINT account_closed CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    ADD CONSTRAINT account_erased CHECK (erased_at IS NULL OR erased_at >= closed_at);
CREATE INDEX account_closed_at ON identity.account (closed_at) WHERE erased_at IS NULL AND closed_at IS NOT NULL;

CREATE FUNCTION identity.stay_closed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a closed account stays closed' USING ERRCODE = 'check_violation', CONSTRAINT = 'account_stays_closed';
END $$;
CREATE TRIGGER account_stays_closed BEFORE UPDATE OF status ON identity.account
    FOR EACH ROW WHEN (OLD.status = 'closed' AND NEW.status <> 'closed') EXECUTE FUNCTION identity.stay_closed();

-- Usernames of closed accounts: nobody gets one again. Kept as digests, which tell nothing of whose they were.
CREATE TABLE identity.retired_username (
    digest     bytea PRIMARY KEY CHECK (length(digest) = 32),
    retired_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON identity.retired_username TO arbora_app;

-- A new account with such a name is not stored, as one with a taken name is not: whoever makes accounts draws another.
CREATE FUNCTION identity.skip_retired_username() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM identity.retired_username r WHERE r.digest = sha256(convert_to(NEW.username_key, 'UTF8'))) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER account_username_retired BEFORE INSERT ON identity.account
    FOR EACH ROW EXECUTE FUNCTION identity.skip_retired_username();

CREATE TABLE privacy.closing (
    id       uuid PRIMARY KEY,
    owner    uuid NOT NULL REFERENCES identity.account,
    -- waiting → closed; cancelled: by the owner, or by the freeze of the account; kept: something was in it when its day came.
    state    text NOT NULL CHECK (state IN ('waiting', 'closed', 'cancelled', 'kept')),
    -- Why, in the owner's words, if they gave any; of a closed account it stands there, for staff.
    reason   text CHECK (length(reason) BETWEEN 1 AND 500),
    asked_at timestamptz NOT NULL,
    due_at   timestamptz NOT NULL CHECK (due_at > asked_at),
    ended_at timestamptz,
    version  bigint NOT NULL DEFAULT 1,
    CONSTRAINT closing_ended CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CONSTRAINT closing_reason CHECK (state = 'waiting' OR reason IS NULL)
);
CREATE UNIQUE INDEX closing_waiting ON privacy.closing (owner) WHERE state = 'waiting';
CREATE INDEX closing_owner ON privacy.closing (owner, asked_at DESC);
GRANT SELECT, INSERT ON privacy.closing TO arbora_app;
GRANT UPDATE (state, reason, ended_at, version) ON privacy.closing TO arbora_app;
