-- PIX: deposits with proof, what arrived of them, the last rate of the rate service.
CREATE SCHEMA pix;
GRANT USAGE ON SCHEMA pix TO arbora_app;

CREATE TABLE pix.deposit (
    id                uuid PRIMARY KEY,
    owner             uuid NOT NULL REFERENCES identity.account,
    -- Ours, inside the BR Code: the bank's statement names it.
    txid              text NOT NULL UNIQUE CHECK (txid ~ '^[A-Za-z0-9]{1,25}$'),
    br_code           text NOT NULL,
    usdt              bigint NOT NULL CHECK (usdt > 0),
    brl               bigint NOT NULL CHECK (brl > 0),
    rate              bigint NOT NULL CHECK (rate > 0),          -- BRL per USDT in 10⁻⁴
    rate_source       text NOT NULL CHECK (rate_source IN ('default', 'service')),
    rate_locked_until timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    settings_version  integer NOT NULL,
    status            text NOT NULL CHECK (status IN ('pending', 'pending_approval', 'approved', 'rejected', 'canceled', 'cancelled_timed_out')),
    reason            text CHECK (length(reason) <= 500),
    proof             uuid REFERENCES foundation.file,
    approvals         smallint NOT NULL DEFAULT 0,
    approvals_needed  smallint NOT NULL DEFAULT 1,
    -- What the approvals bind; set by the first, checked when the status becomes approved.
    digest            bytea,
    reversed_at       timestamptz,
    version           bigint NOT NULL DEFAULT 1,
    created_at        timestamptz NOT NULL,
    waiting_since     timestamptz,                               -- in the queue since
    decided_at        timestamptz,
    CHECK (status <> 'pending_approval' OR (proof IS NOT NULL AND waiting_since IS NOT NULL)),
    CHECK (reversed_at IS NULL OR status = 'approved')
) WITH (fillfactor = 80);
CREATE INDEX deposit_owner ON pix.deposit (owner, created_at DESC, id);
CREATE INDEX deposit_created ON pix.deposit (created_at DESC, id);
CREATE INDEX deposit_queue ON pix.deposit (waiting_since, id) WHERE status = 'pending_approval';
CREATE INDEX deposit_open ON pix.deposit (expires_at) WHERE status = 'pending';

-- Every proof ever sent for a deposit: a later one replaces, nothing is forgotten.
CREATE TABLE pix.proof (
    file    uuid PRIMARY KEY REFERENCES foundation.file,
    deposit uuid NOT NULL REFERENCES pix.deposit,
    sha256  bytea NOT NULL,
    pixels  bytea,
    at      timestamptz NOT NULL
);
CREATE INDEX proof_deposit ON pix.proof (deposit);
CREATE INDEX proof_bytes ON pix.proof (sha256);
CREATE INDEX proof_pixels ON pix.proof (pixels) WHERE pixels IS NOT NULL;

-- What an approver read off the bank's statement. The payer's name is personal: it stands here only and can be removed.
CREATE TABLE pix.claim (
    deposit       uuid PRIMARY KEY REFERENCES pix.deposit,
    end_to_end_id text NOT NULL CHECK (length(end_to_end_id) = 32),
    payer_name    text NOT NULL CHECK (length(payer_name) BETWEEN 1 AND 140),
    brl           bigint NOT NULL CHECK (brl > 0),
    rate          bigint NOT NULL CHECK (rate > 0),
    usdt          bigint NOT NULL CHECK (usdt > 0),
    claimed_by    uuid NOT NULL REFERENCES identity.account,
    at            timestamptz NOT NULL
);

-- A bank's id is credited once, for ever: also after a reversal.
CREATE TABLE pix.credit (
    end_to_end_id text PRIMARY KEY,
    deposit       uuid NOT NULL UNIQUE REFERENCES pix.deposit,
    transfer      uuid NOT NULL,
    brl           bigint NOT NULL CHECK (brl > 0),
    rate          bigint NOT NULL CHECK (rate > 0),
    usdt          bigint NOT NULL CHECK (usdt > 0),
    at            timestamptz NOT NULL
);
CREATE UNIQUE INDEX credit_transfer ON pix.credit (transfer);

-- One row: the last answer of the rate service.
CREATE TABLE pix.rate (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    rate      bigint NOT NULL CHECK (rate > 0),
    at        timestamptz NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON pix.deposit, pix.claim, pix.rate TO arbora_app;
GRANT SELECT, INSERT ON pix.proof, pix.credit TO arbora_app;

-- No deposit becomes approved without all approvals of exactly this, nor leaves that state again.
CREATE FUNCTION pix.check_deposit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('approved', 'rejected', 'canceled') AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'a deposit that was decided stays so';
    END IF;
    IF NEW.status = 'approved' AND OLD.status <> 'approved' THEN
        IF NEW.digest IS NULL OR NOT approvals.is_approved('pix_deposit', NEW.id, NEW.digest) THEN
            RAISE EXCEPTION 'a deposit without its approvals';
        END IF;
        IF NOT EXISTS (SELECT FROM pix.credit WHERE deposit = NEW.id) THEN
            RAISE EXCEPTION 'a deposit approved without its credit';
        END IF;
    END IF;
    IF NEW.owner <> OLD.owner OR NEW.usdt <> OLD.usdt OR NEW.brl <> OLD.brl OR NEW.rate <> OLD.rate OR NEW.txid <> OLD.txid THEN
        RAISE EXCEPTION 'what was agreed with the customer does not change';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_checked BEFORE UPDATE ON pix.deposit FOR EACH ROW EXECUTE FUNCTION pix.check_deposit();

-- A deposit with what its screens show of it.
CREATE VIEW pix.shown AS
SELECT d.*, a.username, a.full_name, a.email, a.created_at AS member_since, f.mime AS proof_mime,
       c.brl AS brl_received, c.usdt AS credited,
       k.end_to_end_id AS claim_id, k.payer_name AS claim_payer, k.brl AS claim_brl, k.usdt AS claim_usdt,
       b.full_name AS claim_by,
       -- Equal bytes, or equal pixels in another wrapping, among the proofs of other deposits.
       EXISTS (SELECT FROM pix.proof p JOIN pix.proof o ON o.deposit <> p.deposit AND (o.sha256 = p.sha256 OR o.pixels = p.pixels)
               WHERE p.file = d.proof) AS proof_seen_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.status = 'approved' AND e.id <> d.id) AS approved_before,
       (SELECT count(*) FROM pix.deposit e WHERE e.owner = d.owner AND e.id <> d.id
            AND e.created_at BETWEEN d.created_at - interval '24 hours' AND d.created_at) AS day_before
FROM pix.deposit d
JOIN identity.account a ON a.id = d.owner
LEFT JOIN foundation.file f ON f.id = d.proof
LEFT JOIN pix.credit c ON c.deposit = d.id
LEFT JOIN pix.claim k ON k.deposit = d.id
LEFT JOIN identity.account b ON b.id = k.claimed_by;
GRANT SELECT ON pix.shown TO arbora_app;
