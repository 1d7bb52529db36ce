-- Approvals: the guard before money leaves (safety.md, Who may move money): what left within the limits, young PIX money,
-- whitelists, compliance cases, pauses by two persons.

ALTER TABLE approvals.decision DROP CONSTRAINT decision_kind_check;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_kind_check CHECK (kind IN ('pix_deposit', 'pix_withdrawal', 'crypto_withdrawal',
    'crypto_deposit', 'sponsorship', 'graduation_bonus', 'pool_revenue', 'declared_holdings', 'money_settings', 'live_trading',
    'admin_grant', 'transfer', 'outbound_pause'));
ALTER TABLE approvals.decision DROP CONSTRAINT decision_always_two;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_always_two CHECK (verdict = 'reject' OR needed = 2
    OR kind NOT IN ('pool_revenue', 'money_settings', 'live_trading', 'outbound_pause'));

-- What passed the guard: the sum of the rolling limits. A request that came to nothing gives its part back.
CREATE TABLE approvals.outbound (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES identity.account,
    action       text NOT NULL,
    usdt         bigint NOT NULL CHECK (usdt >= 0),
    counterparty uuid REFERENCES identity.account,
    at           timestamptz NOT NULL,
    released_at  timestamptz
);
CREATE INDEX outbound_user ON approvals.outbound (user_id, at DESC);
GRANT SELECT, INSERT ON approvals.outbound TO arbora_app;
GRANT UPDATE (released_at) ON approvals.outbound TO arbora_app;

-- PIX credits that a bank may still take back: they may be traded, not sent away.
CREATE TABLE approvals.young_credit (
    source   uuid PRIMARY KEY,
    user_id  uuid NOT NULL REFERENCES identity.account,
    usdt     bigint NOT NULL CHECK (usdt > 0),
    at       timestamptz NOT NULL,
    until    timestamptz NOT NULL,
    ended_at timestamptz,
    CHECK (until > at)
);
CREATE INDEX young_credit_user ON approvals.young_credit (user_id, until DESC);
GRANT SELECT, INSERT ON approvals.young_credit TO arbora_app;
GRANT UPDATE (ended_at) ON approvals.young_credit TO arbora_app;

-- Whether a person's money goes to listed destinations only. Switched off, it stays in force until `off_at`.
CREATE TABLE approvals.whitelist_switch (
    user_id    uuid PRIMARY KEY REFERENCES identity.account,
    is_on      boolean NOT NULL,
    off_at     timestamptz,
    updated_at timestamptz NOT NULL,
    CHECK (off_at IS NULL OR is_on)
);
GRANT SELECT, INSERT, UPDATE ON approvals.whitelist_switch TO arbora_app;

CREATE TABLE approvals.whitelist (
    id          uuid PRIMARY KEY,
    user_id     uuid NOT NULL REFERENCES identity.account,
    kind        text NOT NULL CHECK (kind IN ('chain', 'pix', 'member')),
    -- As compared: lower case; of a member the id.
    destination text NOT NULL CHECK (length(destination) BETWEEN 1 AND 200),
    shown       text NOT NULL CHECK (length(shown) BETWEEN 1 AND 200),
    label       text NOT NULL CHECK (length(label) <= 60),
    created_at  timestamptz NOT NULL,
    usable_at   timestamptz NOT NULL,
    removed_at  timestamptz
);
CREATE UNIQUE INDEX whitelist_once ON approvals.whitelist (user_id, kind, destination) WHERE removed_at IS NULL;
GRANT SELECT, INSERT ON approvals.whitelist TO arbora_app;
GRANT UPDATE (removed_at) ON approvals.whitelist TO arbora_app;

-- What the compliance rules want a person to look at.
CREATE TABLE approvals.compliance_case (
    id           uuid PRIMARY KEY,
    user_id      uuid NOT NULL REFERENCES identity.account,
    flow         text NOT NULL,
    usdt         bigint NOT NULL CHECK (usdt >= 0),
    counterparty uuid REFERENCES identity.account,
    reasons      text[] NOT NULL CHECK (cardinality(reasons) > 0),
    -- The thing that waits for it, if it waits.
    subject_kind text,
    subject      uuid,
    opened_at    timestamptz NOT NULL,
    status       text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'cleared', 'refused')),
    decided_by   uuid REFERENCES identity.account,
    decided_at   timestamptz,
    note         text CHECK (length(note) <= 500),
    CHECK ((subject IS NULL) = (subject_kind IS NULL)),
    CHECK ((status = 'open') = (decided_at IS NULL)),
    CHECK ((status = 'open') = (decided_by IS NULL)),
    CONSTRAINT case_own_money CHECK (decided_by IS NULL OR (decided_by <> user_id AND decided_by IS DISTINCT FROM counterparty)),
    CONSTRAINT case_refused_with_reason CHECK (status <> 'refused' OR length(btrim(note)) > 0)
);
CREATE INDEX case_open ON approvals.compliance_case (opened_at) WHERE status = 'open';
CREATE INDEX case_user ON approvals.compliance_case (user_id, opened_at DESC);
CREATE UNIQUE INDEX case_subject ON approvals.compliance_case (subject_kind, subject) WHERE subject IS NOT NULL;
GRANT SELECT, INSERT ON approvals.compliance_case TO arbora_app;
GRANT UPDATE (subject_kind, subject, status, decided_by, decided_at, note) ON approvals.compliance_case TO arbora_app;

-- A decided case stays as it was decided.
CREATE FUNCTION approvals.check_case() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'open' THEN
        RAISE EXCEPTION 'the case is decided' USING ERRCODE = 'check_violation', CONSTRAINT = 'case_done';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER case_decided_once BEFORE UPDATE ON approvals.compliance_case FOR EACH ROW EXECUTE FUNCTION approvals.check_case();

-- Who paid in: hashes of payers' names with ids, so that one payer in several accounts is seen.
CREATE TABLE approvals.payer (
    payer   bytea NOT NULL CHECK (length(payer) = 32),
    user_id uuid NOT NULL REFERENCES identity.account,
    at      timestamptz NOT NULL,
    PRIMARY KEY (payer, user_id)
);
CREATE INDEX payer_user ON approvals.payer (user_id);
GRANT SELECT, INSERT ON approvals.payer TO arbora_app;

-- Outgoing money stands still: for everyone or for one person, decided by two, with a reason and a day to look again.
CREATE TABLE approvals.pause (
    id          uuid PRIMARY KEY,
    user_id     uuid REFERENCES identity.account,   -- none: the whole platform
    reason      text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    review_at   timestamptz NOT NULL,
    digest      bytea NOT NULL CHECK (length(digest) = 32),
    proposed_by uuid NOT NULL REFERENCES identity.account,
    proposed_at timestamptz NOT NULL,
    active_from timestamptz,
    lifted_by   uuid REFERENCES identity.account,
    lifted_at   timestamptz,
    CHECK (review_at > proposed_at),
    CHECK ((lifted_by IS NULL) = (lifted_at IS NULL))
);
CREATE UNIQUE INDEX pause_one_for_all ON approvals.pause ((true)) WHERE user_id IS NULL AND lifted_at IS NULL;
CREATE UNIQUE INDEX pause_one_each ON approvals.pause (user_id) WHERE user_id IS NOT NULL AND lifted_at IS NULL;
GRANT SELECT, INSERT ON approvals.pause TO arbora_app;
GRANT UPDATE (active_from, lifted_by, lifted_at) ON approvals.pause TO arbora_app;

CREATE FUNCTION approvals.check_pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.active_from IS NOT NULL AND (TG_OP = 'INSERT' OR OLD.active_from IS NULL)
        AND NOT approvals.is_approved('outbound_pause', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a pause needs two persons' USING ERRCODE = 'check_violation', CONSTRAINT = 'pause_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER pause_approved BEFORE INSERT OR UPDATE ON approvals.pause FOR EACH ROW EXECUTE FUNCTION approvals.check_pause();

-- Which accounts are used from one device.
CREATE INDEX session_device ON identity.session (address, device, seen_at);
