-- PIX: withdrawals, whose document stands behind them, the bank's statement.

-- A holder's taxpayer number: sealed, found again by its MAC, shown as its mask. Closing the account deletes the row.
CREATE TABLE pix.holder (
    account    uuid PRIMARY KEY REFERENCES identity.account,
    kind       text NOT NULL CHECK (kind IN ('cpf', 'cnpj')),
    sealed     bytea NOT NULL,
    mac        bytea NOT NULL CHECK (length(mac) = 32),
    masked     text NOT NULL CHECK (masked LIKE '%*%'),
    created_at timestamptz NOT NULL
);
CREATE INDEX holder_mac ON pix.holder (mac);
GRANT SELECT, INSERT, DELETE ON pix.holder TO arbora_app;

ALTER TABLE foundation.file DROP CONSTRAINT file_purpose_check;
ALTER TABLE foundation.file ADD CONSTRAINT file_purpose_check
    CHECK (purpose IN ('pix_proof', 'pix_payment', 'ticket_attachment', 'avatar'));

CREATE TABLE pix.withdrawal (
    id               uuid PRIMARY KEY,
    owner            uuid NOT NULL REFERENCES identity.account,
    -- Where to: the key itself is sealed and stands here only; facts, audit and decisions know the mask or a digest.
    key_kind         text NOT NULL CHECK (key_kind IN ('cpf', 'cnpj', 'phone', 'email', 'evp')),
    key_sealed       bytea NOT NULL,
    key_mac          bytea NOT NULL CHECK (length(key_mac) = 32),
    key_masked       text NOT NULL CHECK (key_masked LIKE '%*%'),
    holder_match     text NOT NULL CHECK (holder_match IN ('matches', 'unknown', 'differs')),
    usdt             bigint NOT NULL CHECK (usdt > 0),
    fee              bigint NOT NULL CHECK (fee >= 0),
    net              bigint NOT NULL CHECK (net > 0),
    brl              bigint NOT NULL CHECK (brl > 0),
    rate             bigint NOT NULL CHECK (rate > 0),          -- BRL per USDT in 10⁻⁴
    rate_source      text NOT NULL CHECK (rate_source IN ('default', 'service')),
    -- What the user is asked to confirm since the rate moved.
    offer_brl        bigint CHECK (offer_brl > 0),
    offer_rate       bigint CHECK (offer_rate > 0),
    hold             uuid NOT NULL UNIQUE,
    -- Its place in the rolling limits of outgoing money.
    outbound         uuid,
    settings_version integer NOT NULL,
    -- The guard let it through for a person to look at.
    review           boolean NOT NULL DEFAULT false,
    status           text NOT NULL CHECK (status IN ('pending', 'awaiting_confirmation', 'approved', 'rejected', 'canceled', 'expired')),
    reason           text CHECK (length(reason) <= 500),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    digest           bytea,
    -- An approver has seen at the bank that the key is the holder's, or accepts that it is not.
    holder_checked   boolean NOT NULL DEFAULT false,
    paid_at          timestamptz,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    waiting_since    timestamptz NOT NULL,                       -- in the queue since
    expires_at       timestamptz NOT NULL,
    decided_at       timestamptz,
    CHECK (usdt = fee + net),
    CHECK ((offer_brl IS NULL) = (offer_rate IS NULL)),
    CHECK ((status = 'awaiting_confirmation') = (offer_brl IS NOT NULL)),
    CHECK (paid_at IS NULL OR status = 'approved')
) WITH (fillfactor = 80);
CREATE INDEX withdrawal_owner ON pix.withdrawal (owner, created_at DESC, id);
CREATE INDEX withdrawal_created ON pix.withdrawal (created_at DESC, id);
CREATE INDEX withdrawal_key ON pix.withdrawal (key_mac);
CREATE INDEX withdrawal_queue ON pix.withdrawal (waiting_since, id) WHERE status = 'pending' OR status = 'approved' AND paid_at IS NULL;
CREATE INDEX withdrawal_open ON pix.withdrawal (expires_at) WHERE status IN ('pending', 'awaiting_confirmation');
GRANT SELECT, INSERT, UPDATE ON pix.withdrawal TO arbora_app;

-- What left, and how one knows: written once, with the posting. A bank's id pays one withdrawal, for ever.
CREATE TABLE pix.payment (
    withdrawal    uuid PRIMARY KEY REFERENCES pix.withdrawal,
    end_to_end_id text UNIQUE CHECK (length(end_to_end_id) = 32),
    proof         uuid UNIQUE REFERENCES foundation.file,
    transfer      uuid NOT NULL UNIQUE,
    brl           bigint NOT NULL CHECK (brl > 0),
    paid_by       uuid NOT NULL REFERENCES identity.account,
    at            timestamptz NOT NULL,
    CHECK (end_to_end_id IS NOT NULL OR proof IS NOT NULL)
);
GRANT SELECT, INSERT ON pix.payment TO arbora_app;

-- No withdrawal becomes approved without all approvals of exactly this, is paid without its payment, or changes what was agreed.
CREATE FUNCTION pix.check_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('rejected', 'canceled', 'expired') AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'a withdrawal that has ended stays so';
    END IF;
    IF OLD.paid_at IS NOT NULL AND (NEW.status <> OLD.status OR NEW.paid_at IS DISTINCT FROM OLD.paid_at) THEN
        RAISE EXCEPTION 'what was paid stays paid';
    END IF;
    IF NEW.status = 'approved' AND OLD.status <> 'approved' THEN
        IF OLD.status <> 'pending' OR NEW.digest IS NULL OR NOT approvals.is_approved('pix_withdrawal', NEW.id, NEW.digest) THEN
            RAISE EXCEPTION 'a withdrawal without its approvals';
        END IF;
        IF NEW.holder_match <> 'matches' AND NOT NEW.holder_checked THEN
            RAISE EXCEPTION 'a key whose holder nobody checked';
        END IF;
    END IF;
    IF OLD.status = 'approved' AND NEW.status NOT IN ('approved', 'rejected', 'canceled') THEN
        RAISE EXCEPTION 'an approved withdrawal is paid or given back';
    END IF;
    IF OLD.status = 'approved' AND (NEW.digest <> OLD.digest OR NEW.brl <> OLD.brl OR NEW.rate <> OLD.rate) THEN
        RAISE EXCEPTION 'what was approved does not change';
    END IF;
    IF NEW.paid_at IS NOT NULL AND OLD.paid_at IS NULL AND NOT EXISTS (SELECT FROM pix.payment WHERE withdrawal = NEW.id) THEN
        RAISE EXCEPTION 'paid without a payment';
    END IF;
    IF NEW.owner <> OLD.owner OR NEW.usdt <> OLD.usdt OR NEW.fee <> OLD.fee OR NEW.net <> OLD.net OR NEW.hold <> OLD.hold
       OR NEW.key_kind <> OLD.key_kind OR NEW.key_mac <> OLD.key_mac OR NEW.key_sealed <> OLD.key_sealed THEN
        RAISE EXCEPTION 'what was agreed with the customer does not change';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER withdrawal_checked BEFORE UPDATE ON pix.withdrawal FOR EACH ROW EXECUTE FUNCTION pix.check_withdrawal();

-- A payment is of an approved withdrawal, in the amount that was approved.
CREATE FUNCTION pix.check_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM pix.withdrawal w WHERE w.id = NEW.withdrawal AND w.status = 'approved' AND w.brl = NEW.brl
                   AND w.owner <> NEW.paid_by AND approvals.is_approved('pix_withdrawal', w.id, w.digest)) THEN
        RAISE EXCEPTION 'a payment of what was not approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payment_checked BEFORE INSERT ON pix.payment FOR EACH ROW EXECUTE FUNCTION pix.check_payment();

-- A withdrawal with what its screens show of it.
CREATE VIEW pix.withdrawal_shown AS
SELECT w.*, a.username, a.full_name, a.email, a.created_at AS member_since,
       p.end_to_end_id, p.proof, f.mime AS proof_mime,
       h.masked AS document_masked,
       EXISTS (SELECT FROM pix.holder o WHERE o.mac = h.mac AND o.account <> w.owner) AS document_shared,
       (SELECT count(*) FROM pix.withdrawal e WHERE e.owner = w.owner AND e.paid_at IS NOT NULL AND e.id <> w.id) AS paid_before,
       EXISTS (SELECT FROM pix.withdrawal e WHERE e.owner = w.owner AND e.key_mac = w.key_mac AND e.paid_at IS NOT NULL AND e.id <> w.id) AS key_known,
       EXISTS (SELECT FROM pix.withdrawal e WHERE e.owner <> w.owner AND e.key_mac = w.key_mac) AS key_shared,
       (SELECT count(*) FROM pix.withdrawal e WHERE e.owner = w.owner AND e.id <> w.id
            AND e.created_at BETWEEN w.created_at - interval '24 hours' AND w.created_at) AS day_before,
       EXISTS (SELECT FROM pix.credit c JOIN pix.deposit d ON d.id = c.deposit
            WHERE d.owner = w.owner AND c.at BETWEEN w.created_at - interval '24 hours' AND w.created_at) AS fresh_deposit
FROM pix.withdrawal w
JOIN identity.account a ON a.id = w.owner
LEFT JOIN pix.payment p ON p.withdrawal = w.id
LEFT JOIN foundation.file f ON f.id = p.proof
LEFT JOIN pix.holder h ON h.account = w.owner;
GRANT SELECT ON pix.withdrawal_shown TO arbora_app;

-- The bank's statement as staff uploaded it: each file once.
CREATE TABLE pix.statement (
    id          uuid PRIMARY KEY,
    sha256      bytea NOT NULL UNIQUE CHECK (length(sha256) = 32),
    name        text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    uploaded_by uuid NOT NULL REFERENCES identity.account,
    first_day   date NOT NULL,
    last_day    date NOT NULL,
    lines       integer NOT NULL CHECK (lines > 0),
    at          timestamptz NOT NULL,
    CHECK (first_day <= last_day)
);
CREATE INDEX statement_at ON pix.statement (at DESC, id);

-- One finding each: a line of the file, or (without number) what we booked and the file lacks. The payer's name is personal: it
-- stands here only and can be removed.
CREATE TABLE pix.statement_line (
    id            uuid PRIMARY KEY,
    statement     uuid NOT NULL REFERENCES pix.statement,
    number        integer CHECK (number > 0),
    day           date NOT NULL,
    end_to_end_id text,
    txid          text,
    payer_name    text CHECK (length(payer_name) <= 140),
    brl           bigint NOT NULL CHECK (brl <> 0),              -- below zero: it left
    outcome       text NOT NULL CHECK (outcome IN ('matched', 'missing_approval', 'reopened', 'amount_differs', 'unknown', 'duplicate', 'without_line')),
    booked_brl    bigint,
    deposit       uuid REFERENCES pix.deposit,
    withdrawal    uuid REFERENCES pix.withdrawal,
    CHECK ((outcome = 'without_line') = (number IS NULL)),
    CHECK (outcome <> 'unknown' OR deposit IS NULL AND withdrawal IS NULL)
);
CREATE UNIQUE INDEX statement_line_number ON pix.statement_line (statement, number) WHERE number IS NOT NULL;
CREATE INDEX statement_line_outcome ON pix.statement_line (statement, outcome);
CREATE INDEX statement_line_deposit ON pix.statement_line (deposit) WHERE deposit IS NOT NULL;
GRANT SELECT, INSERT ON pix.statement TO arbora_app;
GRANT SELECT, INSERT, UPDATE ON pix.statement_line TO arbora_app;

-- A line of a statement is as good as a proof: it reopens a deposit whose day ended without one.
ALTER TABLE pix.deposit ADD COLUMN statement_line uuid REFERENCES pix.statement_line;
ALTER TABLE pix.deposit DROP CONSTRAINT deposit_check;
ALTER TABLE pix.deposit ADD CONSTRAINT deposit_evidence
    CHECK (status <> 'pending_approval' OR ((proof IS NOT NULL OR statement_line IS NOT NULL) AND waiting_since IS NOT NULL));

-- With what the statement says of a deposit.
DROP VIEW pix.shown;
CREATE VIEW pix.shown AS
SELECT d.*, a.username, a.full_name, a.email, a.created_at AS member_since, f.mime AS proof_mime,
       c.brl AS brl_received, c.usdt AS credited,
       k.end_to_end_id AS claim_id, k.payer_name AS claim_payer, k.brl AS claim_brl, k.usdt AS claim_usdt,
       b.full_name AS claim_by,
       l.end_to_end_id AS line_id, l.payer_name AS line_payer, l.brl AS line_brl,
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
LEFT JOIN identity.account b ON b.id = k.claimed_by
LEFT JOIN pix.statement_line l ON l.id = d.statement_line;
GRANT SELECT ON pix.shown TO arbora_app;
