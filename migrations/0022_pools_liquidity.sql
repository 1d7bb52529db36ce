-- Pools (domain.md §4): plans with a term, what people put in, revenue with its approvals, shares of it. Amounts are micro-USDT.
CREATE SCHEMA pools;
GRANT USAGE ON SCHEMA pools TO arbora_app;

CREATE TABLE pools.pool (
    id         uuid PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (length(btrim(name)) BETWEEN 1 AND 60),
    term_days  integer NOT NULL CHECK (term_days BETWEEN 1 AND 1825),
    minimum    bigint NOT NULL CHECK (minimum > 0),
    open       boolean NOT NULL DEFAULT true,            -- takes new money
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    version    bigint NOT NULL DEFAULT 1
);
GRANT SELECT, INSERT ON pools.pool TO arbora_app;
GRANT UPDATE (name, term_days, minimum, open, updated_at, version) ON pools.pool TO arbora_app;

-- What one person put in at one time, under the terms of then. It counts on its full days, first to last, and is back after them.
CREATE TABLE pools.entry (
    id               uuid PRIMARY KEY,
    pool             uuid NOT NULL REFERENCES pools.pool,
    owner            uuid NOT NULL REFERENCES identity.account,
    value            bigint NOT NULL CHECK (value > 0),
    term_days        integer NOT NULL CHECK (term_days > 0),
    source           text NOT NULL CHECK (source IN ('available', 'deposit')),
    risk_accepted_at timestamptz NOT NULL,
    settings_version integer NOT NULL,
    joined_at        timestamptz NOT NULL,
    first_day        date NOT NULL,
    last_day         date NOT NULL,
    ends_at          timestamptz NOT NULL,
    ended_at         timestamptz,
    received         bigint NOT NULL DEFAULT 0 CHECK (received >= 0),
    version          bigint NOT NULL DEFAULT 1,
    CHECK (last_day - first_day + 1 = term_days),
    -- Nobody leaves early.
    CONSTRAINT entry_stays_its_term CHECK (ended_at >= ends_at)
);
CREATE INDEX entry_owner ON pools.entry (owner, joined_at DESC);
CREATE INDEX entry_days ON pools.entry (pool, first_day, last_day);
GRANT SELECT, INSERT ON pools.entry TO arbora_app;
GRANT UPDATE (ended_at, received, version) ON pools.entry TO arbora_app;

CREATE FUNCTION pools.check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.ended_at IS NOT NULL AND NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.received < OLD.received THEN
        RAISE EXCEPTION 'an entry only goes forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_forward';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER entry_checked BEFORE UPDATE ON pools.entry FOR EACH ROW EXECUTE FUNCTION pools.check_entry();

-- Revenue of a period, with what proves it. Booked only with both approvals of exactly this.
CREATE TABLE pools.revenue (
    id               uuid PRIMARY KEY,
    pool             uuid NOT NULL REFERENCES pools.pool,
    value            bigint NOT NULL CHECK (value > 0),
    from_day         date NOT NULL,
    to_day           date NOT NULL,
    source           text NOT NULL CHECK (source IN ('custody', 'chain')),
    tx_hash          text CHECK (tx_hash ~ '^0x[0-9a-f]{64}$'),
    proof            uuid REFERENCES foundation.file,
    proof_seen       boolean NOT NULL DEFAULT false,     -- the same bytes or pixels were sent before
    note             text NOT NULL CHECK (length(btrim(note)) BETWEEN 1 AND 500),
    digest           bytea NOT NULL CHECK (length(digest) = 32),
    status           text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'booked', 'rejected')),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 2,
    ordered_by       uuid NOT NULL REFERENCES identity.account,
    rejected_reason  text CHECK (length(rejected_reason) <= 500),
    created_at       timestamptz NOT NULL,
    ended_at         timestamptz,
    business_day     date,                               -- on which it was booked
    planned_at       timestamptz,                        -- its shares are written down
    shared_at        timestamptz,                        -- and all of them paid
    CHECK (from_day <= to_day),
    CHECK ((source = 'chain') = (tx_hash IS NOT NULL)),
    CHECK (source <> 'custody' OR proof IS NOT NULL),
    CHECK ((status = 'pending') = (ended_at IS NULL)),
    CHECK ((status = 'rejected') = (rejected_reason IS NOT NULL)),
    CHECK ((status = 'booked') = (business_day IS NOT NULL)),
    CHECK (planned_at IS NULL OR status = 'booked'),
    CHECK (shared_at IS NULL OR planned_at IS NOT NULL)
);
CREATE UNIQUE INDEX revenue_hash ON pools.revenue (tx_hash) WHERE status <> 'rejected';
CREATE INDEX revenue_open ON pools.revenue (business_day, id) WHERE status = 'booked' AND shared_at IS NULL;
CREATE INDEX revenue_waiting ON pools.revenue (created_at) WHERE status = 'pending';
CREATE INDEX revenue_pool ON pools.revenue (pool, ended_at DESC) WHERE status = 'booked';
GRANT SELECT, INSERT ON pools.revenue TO arbora_app;
GRANT UPDATE (status, approvals, approvals_needed, rejected_reason, ended_at, business_day, planned_at, shared_at) ON pools.revenue TO arbora_app;

CREATE FUNCTION pools.check_revenue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'pending' AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'the revenue was decided on' USING ERRCODE = 'check_violation', CONSTRAINT = 'revenue_decided';
    END IF;
    IF NEW.status = 'booked' AND OLD.status = 'pending' AND (NEW.approvals < 2
        OR NOT approvals.is_approved('pool_revenue', NEW.id, NEW.digest)) THEN
        RAISE EXCEPTION 'revenue needs two approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'revenue_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER revenue_checked BEFORE UPDATE ON pools.revenue FOR EACH ROW EXECUTE FUNCTION pools.check_revenue();

-- Who gets what of a revenue: written once, then paid once.
CREATE TABLE pools.share (
    revenue  uuid NOT NULL REFERENCES pools.revenue,
    entry    uuid NOT NULL REFERENCES pools.entry,
    days     integer NOT NULL CHECK (days > 0),
    value    bigint NOT NULL CHECK (value > 0),
    transfer uuid,
    paid_at  timestamptz,
    PRIMARY KEY (revenue, entry),
    CHECK ((transfer IS NULL) = (paid_at IS NULL))
);
CREATE INDEX share_entry ON pools.share (entry);
CREATE INDEX share_unpaid ON pools.share (revenue, entry) WHERE paid_at IS NULL;
GRANT SELECT, INSERT ON pools.share TO arbora_app;
GRANT UPDATE (transfer, paid_at) ON pools.share TO arbora_app;

-- No more is shared than came in, and nothing is paid twice.
CREATE FUNCTION pools.check_shares() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM (SELECT DISTINCT revenue FROM fresh) f JOIN pools.revenue r ON r.id = f.revenue
               WHERE (SELECT sum(value) FROM pools.share s WHERE s.revenue = r.id) > r.value) THEN
        RAISE EXCEPTION 'more is shared than came in' USING ERRCODE = 'check_violation', CONSTRAINT = 'share_within_revenue';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER shares_checked AFTER INSERT ON pools.share REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION pools.check_shares();
CREATE FUNCTION pools.check_share_paid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a share is paid once' USING ERRCODE = 'check_violation', CONSTRAINT = 'share_paid_once';
END $$;
CREATE TRIGGER share_paid BEFORE UPDATE ON pools.share
    FOR EACH ROW WHEN (OLD.paid_at IS NOT NULL) EXECUTE FUNCTION pools.check_share_paid();

-- Proofs of revenue are files of their own kind.
ALTER TABLE foundation.file DROP CONSTRAINT file_purpose_check;
ALTER TABLE foundation.file ADD CONSTRAINT file_purpose_check
    CHECK (purpose IN ('pix_proof', 'pix_payment', 'ticket_attachment', 'avatar', 'pool_proof'));

INSERT INTO pools.pool (id, name, term_days, minimum, created_at, updated_at) VALUES
    ('0190b000-0000-7000-8000-000000000001', 'Liquidez 90', 90, 100000000, now(), now()),
    ('0190b000-0000-7000-8000-000000000002', 'Liquidez 180', 180, 250000000, now(), now()),
    ('0190b000-0000-7000-8000-000000000003', 'Liquidez 365', 365, 500000000, now(), now());
