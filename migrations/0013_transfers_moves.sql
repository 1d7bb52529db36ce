-- Transfers between members (domain.md §10) and sponsorship (safety.md, Approvals).
CREATE SCHEMA transfers;
GRANT USAGE ON SCHEMA transfers TO arbora_app;

CREATE TABLE transfers.transfer (
    id               uuid PRIMARY KEY,
    sender           uuid NOT NULL REFERENCES identity.account,
    receiver         uuid NOT NULL REFERENCES identity.account,
    usdt             bigint NOT NULL CHECK (usdt > 0),      -- what arrives
    fee              bigint NOT NULL CHECK (fee >= 0),      -- paid beside it
    status           text NOT NULL CHECK (status IN ('pending', 'complete', 'rejected')),
    -- Its place in the limits, and the case and the hold of one that a person looks at first.
    outbound         uuid NOT NULL,
    compliance_case  uuid,
    hold             uuid,
    digest           bytea NOT NULL CHECK (length(digest) = 32),
    ledger_transfer  uuid,
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    reason           text CHECK (length(reason) <= 500),
    settings_version integer NOT NULL,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT transfer_to_another CHECK (sender <> receiver),
    CONSTRAINT transfer_booked CHECK ((status = 'complete') = (ledger_transfer IS NOT NULL)),
    CONSTRAINT transfer_waits CHECK (status = 'complete' OR hold IS NOT NULL),
    CONSTRAINT transfer_reason CHECK ((status = 'rejected') = (reason IS NOT NULL))
);
CREATE INDEX transfer_sender ON transfers.transfer (sender, created_at DESC);
CREATE INDEX transfer_receiver ON transfers.transfer (receiver, created_at DESC);
CREATE INDEX transfer_created ON transfers.transfer (created_at DESC);
CREATE INDEX transfer_waiting ON transfers.transfer (created_at) WHERE status = 'pending';
GRANT SELECT, INSERT ON transfers.transfer TO arbora_app;
GRANT UPDATE (status, ledger_transfer, approvals, approvals_needed, reason, version, updated_at) ON transfers.transfer TO arbora_app;

-- What was held for a look is released by its approvals only, and what has ended stays as it ended.
CREATE FUNCTION transfers.check_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'pending' THEN
        RAISE EXCEPTION 'the transfer has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_ended';
    END IF;
    IF NEW.status = 'complete' AND NOT approvals.is_approved('transfer', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a transfer that waits needs its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'transfer_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER transfer_checked BEFORE UPDATE ON transfers.transfer FOR EACH ROW EXECUTE FUNCTION transfers.check_transfer();

-- Sponsored balance that staff give or take: an order, its approvals, its end.
CREATE SCHEMA sponsorship;
GRANT USAGE ON SCHEMA sponsorship TO arbora_app;

CREATE TABLE sponsorship.request (
    id               uuid PRIMARY KEY,
    user_id          uuid NOT NULL REFERENCES identity.account,
    licence          uuid REFERENCES licences.licence,
    operation        text NOT NULL CHECK (operation IN ('add', 'remove')),
    usdt             bigint NOT NULL CHECK (usdt > 0),
    reason           text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    digest           bytea NOT NULL CHECK (length(digest) = 32),
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'complete', 'rejected')),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    ordered_by       uuid NOT NULL REFERENCES identity.account,
    rejected_reason  text CHECK (length(rejected_reason) <= 500),
    created_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK ((status = 'rejected') = (rejected_reason IS NOT NULL))
);
CREATE INDEX request_user ON sponsorship.request (user_id, created_at DESC);
CREATE INDEX request_waiting ON sponsorship.request (created_at) WHERE status = 'pending';
GRANT SELECT, INSERT ON sponsorship.request TO arbora_app;
GRANT UPDATE (status, approvals, approvals_needed, rejected_reason, ended_at) ON sponsorship.request TO arbora_app;

CREATE FUNCTION sponsorship.check_request() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'pending' THEN
        RAISE EXCEPTION 'the request has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'request_ended';
    END IF;
    IF NEW.status = 'complete' AND NOT approvals.is_approved('sponsorship', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'sponsorship needs its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'request_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER request_checked BEFORE UPDATE ON sponsorship.request FOR EACH ROW EXECUTE FUNCTION sponsorship.check_request();
