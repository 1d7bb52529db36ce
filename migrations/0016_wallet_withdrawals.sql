-- Wallet: what goes out over the chain. Withdrawals, the transactions that carry them, whose nonces are whose.

-- A sender of ours: its nonces are counted here, never at a node. `checked_block`: up to there chain and table agreed.
CREATE TABLE wallet.sender (
    address       bytea PRIMARY KEY CHECK (length(address) = 20),
    key           text NOT NULL CHECK (key IN ('hot', 'user')),
    owner         uuid REFERENCES identity.account,
    next_nonce    bigint NOT NULL CHECK (next_nonce >= 0),
    checked_block bigint NOT NULL CHECK (checked_block >= 0),
    -- Nothing is signed while the chain knows of nonces that are not ours; how far it has been looked for them.
    halted_at     timestamptz,
    halted_why    text,
    scanned       bigint,
    created_at    timestamptz NOT NULL,
    CHECK ((key = 'user') = (owner IS NOT NULL)),
    CHECK ((halted_at IS NULL) = (halted_why IS NULL))
);
GRANT SELECT, INSERT, UPDATE ON wallet.sender TO arbora_app;

CREATE TABLE wallet.withdrawal (
    id               uuid PRIMARY KEY,
    owner            uuid NOT NULL REFERENCES identity.account,
    coin             text NOT NULL CHECK (coin IN ('usdt', 'busd', 'bnb')),
    address          bytea NOT NULL CHECK (length(address) = 20),
    usdt             bigint NOT NULL CHECK (usdt > 0),
    fee              bigint NOT NULL CHECK (fee >= 0),
    net              bigint NOT NULL CHECK (net > 0),
    -- What the address receives, exact.
    wei              numeric(38, 0) NOT NULL CHECK (wei > 0),
    rate             bigint NOT NULL CHECK (rate > 0),              -- 10⁻⁶ USDT per whole coin
    -- What the user is asked to confirm since the rate moved.
    offer_wei        numeric(38, 0) CHECK (offer_wei > 0),
    offer_rate       bigint CHECK (offer_rate > 0),
    hold             uuid NOT NULL UNIQUE,
    -- Its place in the rolling limits of outgoing money.
    outbound         uuid,
    settings_version integer NOT NULL,
    review           boolean NOT NULL DEFAULT false,
    status           text NOT NULL CHECK (status IN ('awaiting_email', 'pending', 'awaiting_confirmation', 'approved', 'sent', 'complete',
                         'failed', 'rejected', 'canceled', 'expired')),
    reason           text CHECK (length(reason) <= 500),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    digest           bytea,
    -- The mailed link: only its hash, only the newest.
    link             bytea CHECK (length(link) = 32),
    -- The transaction that carries it, or carried it last.
    outgoing         uuid,
    -- Its posting in the books, with the fact that it is complete.
    transfer         uuid UNIQUE,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    waiting_since    timestamptz NOT NULL,                           -- in its queue since
    expires_at       timestamptz NOT NULL,
    decided_at       timestamptz,
    CHECK (usdt = fee + net),
    CHECK ((offer_wei IS NULL) = (offer_rate IS NULL)),
    CHECK ((status = 'awaiting_confirmation') = (offer_wei IS NOT NULL)),
    CHECK ((status = 'awaiting_email') = (link IS NOT NULL)),
    CHECK ((status = 'complete') = (transfer IS NOT NULL)),
    CHECK (status NOT IN ('sent', 'complete', 'failed') OR outgoing IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX withdrawal_owner ON wallet.withdrawal (owner, created_at DESC, id);
CREATE INDEX withdrawal_created ON wallet.withdrawal (created_at DESC, id);
CREATE INDEX withdrawal_address ON wallet.withdrawal (address);
CREATE INDEX withdrawal_queue ON wallet.withdrawal (waiting_since, id) WHERE status IN ('pending', 'approved', 'sent', 'failed');
CREATE INDEX withdrawal_open ON wallet.withdrawal (expires_at) WHERE status IN ('awaiting_email', 'pending', 'awaiting_confirmation');
CREATE UNIQUE INDEX withdrawal_link ON wallet.withdrawal (link) WHERE link IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON wallet.withdrawal TO arbora_app;

-- One transaction of ours. It has a nonce from the moment it is signed, and keeps it whatever it costs.
CREATE TABLE wallet.outgoing (
    id          uuid PRIMARY KEY,
    key         text NOT NULL CHECK (key IN ('hot', 'user')),
    owner       uuid REFERENCES identity.account,
    sender      bytea NOT NULL CHECK (length(sender) = 20),
    nonce       bigint CHECK (nonce >= 0),
    recipient   bytea NOT NULL CHECK (length(recipient) = 20),       -- as the chain sees it: a contract where a token moves
    value       numeric(38, 0) NOT NULL CHECK (value >= 0),
    data        bytea NOT NULL DEFAULT '',
    gas_limit   bigint NOT NULL CHECK (gas_limit > 0),
    -- As people see it, where it carries a coin to somebody.
    coin        text CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx')),
    beneficiary bytea CHECK (length(beneficiary) = 20),
    amount      numeric(38, 0) CHECK (amount > 0),
    cause_kind  text NOT NULL CHECK (cause_kind IN ('withdrawal', 'wallet_send', 'wallet_approve', 'wallet_swap', 'cold')),
    cause       uuid NOT NULL,
    state       text NOT NULL CHECK (state IN ('queued', 'signed', 'sent', 'mined', 'done', 'failed', 'dropped')),
    -- The attempt that is in a block, and what became of it.
    tx          bytea CHECK (length(tx) = 32),
    block       bigint,
    success     boolean,
    gas         numeric(38, 0),
    created_at  timestamptz NOT NULL,
    signed_at   timestamptz,
    ended_at    timestamptz,
    CONSTRAINT outgoing_nonce UNIQUE (sender, nonce),
    CHECK ((key = 'user') = (owner IS NOT NULL)),
    CHECK ((key = 'hot') = (cause_kind IN ('withdrawal', 'cold'))),
    CHECK ((state IN ('queued', 'dropped')) = (nonce IS NULL)),
    CHECK ((coin IS NULL) = (beneficiary IS NULL) AND (coin IS NULL) = (amount IS NULL)),
    CHECK ((state IN ('mined', 'done', 'failed')) = (tx IS NOT NULL)),
    CHECK ((tx IS NULL) = (block IS NULL) AND (tx IS NULL) = (success IS NULL)),
    CHECK (state NOT IN ('done', 'failed') OR success = (state = 'done'))
) WITH (fillfactor = 80);
CREATE INDEX outgoing_queued ON wallet.outgoing (sender, created_at, id) WHERE state = 'queued';
CREATE INDEX outgoing_open ON wallet.outgoing (sender, nonce) WHERE state IN ('signed', 'sent', 'mined');
CREATE INDEX outgoing_owner ON wallet.outgoing (owner, created_at DESC) WHERE owner IS NOT NULL;
-- Whatever happens, a cause has one living transaction: nothing is paid twice.
CREATE UNIQUE INDEX outgoing_cause ON wallet.outgoing (cause_kind, cause) WHERE state NOT IN ('failed', 'dropped');
GRANT SELECT, INSERT, UPDATE ON wallet.outgoing TO arbora_app;
ALTER TABLE wallet.withdrawal ADD FOREIGN KEY (outgoing) REFERENCES wallet.outgoing;

-- The same transaction at another price. Stored before it is sent; only these bytes are ever sent. One that was found on the chain
-- after a backup had come back has no bytes.
CREATE TABLE wallet.outgoing_attempt (
    outgoing  uuid NOT NULL REFERENCES wallet.outgoing,
    tx        bytea PRIMARY KEY CHECK (length(tx) = 32),
    nonce     bigint NOT NULL,
    gas_price numeric(38, 0) NOT NULL,
    raw       bytea,
    signed_at timestamptz NOT NULL,
    sent_at   timestamptz,
    sent_head bigint
);
CREATE INDEX outgoing_attempt_of ON wallet.outgoing_attempt (outgoing, signed_at);
GRANT SELECT, INSERT ON wallet.outgoing_attempt TO arbora_app;
GRANT UPDATE (sent_at, sent_head) ON wallet.outgoing_attempt TO arbora_app;

-- Transactions of our senders on the chain that nothing here knew of: a backup that came back, a key used elsewhere. One that pays
-- what waits here is taken for its payment, whenever that comes up.
CREATE TABLE wallet.foreign_transaction (
    tx              bytea PRIMARY KEY CHECK (length(tx) = 32),
    sender          bytea NOT NULL CHECK (length(sender) = 20),
    nonce           bigint NOT NULL,
    recipient       bytea NOT NULL CHECK (length(recipient) = 20),
    value           numeric(38, 0) NOT NULL,
    data            bytea NOT NULL,
    block           bigint NOT NULL,
    found_at        timestamptz NOT NULL,
    outgoing        uuid UNIQUE REFERENCES wallet.outgoing,
    acknowledged_by uuid REFERENCES identity.account,
    acknowledged_at timestamptz,
    CHECK ((acknowledged_by IS NULL) = (acknowledged_at IS NULL))
);
CREATE INDEX foreign_transaction_sender ON wallet.foreign_transaction (sender, nonce);
GRANT SELECT, INSERT ON wallet.foreign_transaction TO arbora_app;
GRANT UPDATE (outgoing, acknowledged_by, acknowledged_at) ON wallet.foreign_transaction TO arbora_app;

-- No withdrawal becomes approved without all approvals of exactly this, complete without its transaction, or changes what was agreed.
CREATE FUNCTION wallet.check_withdrawal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    carried text;
BEGIN
    IF NEW.owner <> OLD.owner OR NEW.usdt <> OLD.usdt OR NEW.fee <> OLD.fee OR NEW.net <> OLD.net OR NEW.hold <> OLD.hold
       OR NEW.coin <> OLD.coin OR NEW.address <> OLD.address THEN
        RAISE EXCEPTION 'what was agreed with the customer does not change';
    END IF;
    IF (NEW.wei <> OLD.wei OR NEW.rate <> OLD.rate)
       AND NOT (OLD.status = 'awaiting_confirmation' AND NEW.status = 'pending' AND NEW.wei = OLD.offer_wei AND NEW.rate = OLD.offer_rate) THEN
        RAISE EXCEPTION 'an amount changes by its user''s word only';
    END IF;
    IF NEW.status = OLD.status THEN
        IF OLD.status IN ('approved', 'sent', 'complete', 'failed') AND NEW.digest IS DISTINCT FROM OLD.digest THEN
            RAISE EXCEPTION 'what was approved does not change';
        END IF;
        RETURN NEW;
    END IF;
    IF NOT (CASE OLD.status
        WHEN 'awaiting_email' THEN NEW.status IN ('pending', 'rejected', 'canceled', 'expired')
        WHEN 'pending' THEN NEW.status IN ('awaiting_confirmation', 'approved', 'rejected', 'canceled', 'expired')
        WHEN 'awaiting_confirmation' THEN NEW.status IN ('pending', 'rejected', 'canceled', 'expired')
        WHEN 'approved' THEN NEW.status IN ('sent', 'rejected', 'canceled')
        WHEN 'sent' THEN NEW.status IN ('approved', 'complete', 'failed')
        WHEN 'failed' THEN NEW.status IN ('approved', 'rejected', 'canceled')
        ELSE false END) THEN
        RAISE EXCEPTION 'a withdrawal does not go from % to %', OLD.status, NEW.status;
    END IF;
    SELECT state INTO carried FROM wallet.outgoing WHERE id = NEW.outgoing;
    IF NEW.status = 'approved' AND (NEW.digest IS NULL OR NOT approvals.is_approved('crypto_withdrawal', NEW.id, NEW.digest)) THEN
        RAISE EXCEPTION 'a withdrawal without its approvals';
    END IF;
    IF (NEW.status = 'sent' AND carried NOT IN ('signed', 'sent', 'mined'))
       OR (NEW.status = 'complete' AND carried <> 'done')
       OR (NEW.status = 'failed' AND carried <> 'failed')
       -- Money goes back only where nothing of it can still leave.
       OR (NEW.status IN ('rejected', 'canceled', 'expired') AND coalesce(carried, 'dropped') NOT IN ('dropped', 'failed'))
       OR (OLD.status = 'sent' AND NEW.status = 'approved' AND carried <> 'queued') THEN
        RAISE EXCEPTION 'a withdrawal % whose transaction is %', NEW.status, carried;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER withdrawal_checked BEFORE UPDATE ON wallet.withdrawal FOR EACH ROW EXECUTE FUNCTION wallet.check_withdrawal();

-- A transaction of the hot wallet carries what was approved, to whom it was approved, once.
CREATE FUNCTION wallet.check_outgoing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.cause_kind = 'withdrawal' AND NOT EXISTS (
            SELECT FROM wallet.withdrawal w WHERE w.id = NEW.cause AND w.status = 'approved' AND w.coin = NEW.coin
            AND w.address = NEW.beneficiary AND w.wei = NEW.amount AND approvals.is_approved('crypto_withdrawal', w.id, w.digest)) THEN
            RAISE EXCEPTION 'a transaction for what was not approved';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.key <> OLD.key OR NEW.owner IS DISTINCT FROM OLD.owner OR NEW.sender <> OLD.sender OR NEW.recipient <> OLD.recipient
       OR NEW.value <> OLD.value OR NEW.data <> OLD.data OR NEW.coin IS DISTINCT FROM OLD.coin
       OR NEW.beneficiary IS DISTINCT FROM OLD.beneficiary OR NEW.amount IS DISTINCT FROM OLD.amount
       OR NEW.cause_kind <> OLD.cause_kind OR NEW.cause <> OLD.cause THEN
        RAISE EXCEPTION 'what a transaction carries does not change';
    END IF;
    IF OLD.state IN ('done', 'failed', 'dropped') THEN
        RAISE EXCEPTION 'a transaction that has ended stays so';
    END IF;
    -- A nonce is given up only when another transaction has used it; a queued one is taken back, a signed one never is.
    IF OLD.nonce IS NOT NULL AND NEW.nonce IS NOT NULL AND NEW.nonce <> OLD.nonce THEN
        RAISE EXCEPTION 'a replacement keeps its nonce';
    END IF;
    IF NEW.state IN ('signed', 'sent', 'mined') AND NOT EXISTS (
        SELECT FROM wallet.outgoing_attempt a WHERE a.outgoing = NEW.id AND a.nonce = NEW.nonce AND (NEW.tx IS NULL OR a.tx = NEW.tx)) THEN
        RAISE EXCEPTION 'a transaction without its stored bytes';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER outgoing_checked BEFORE INSERT OR UPDATE ON wallet.outgoing FOR EACH ROW EXECUTE FUNCTION wallet.check_outgoing();

-- How the hot wallet stands, as those who decide see it. Written by the sender.
CREATE TABLE wallet.hot_state (
    singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    view       jsonb NOT NULL,
    version    bigint NOT NULL DEFAULT 1,
    checked_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON wallet.hot_state TO arbora_app;

-- A withdrawal with what its screens show of it.
CREATE VIEW wallet.withdrawal_shown AS
SELECT w.*, a.username, a.full_name, a.email, a.created_at AS member_since,
       o.state AS carried, o.block, o.ended_at AS completed_at, o.signed_at AS sent_at,
       coalesce(o.tx, (SELECT t.tx FROM wallet.outgoing_attempt t WHERE t.outgoing = o.id ORDER BY t.signed_at DESC LIMIT 1)) AS tx,
       (SELECT count(*) FROM wallet.withdrawal e WHERE e.owner = w.owner AND e.status = 'complete' AND e.id <> w.id) AS paid_before,
       EXISTS (SELECT FROM wallet.withdrawal e WHERE e.owner = w.owner AND e.address = w.address AND e.status = 'complete' AND e.id <> w.id) AS address_known,
       EXISTS (SELECT FROM wallet.withdrawal e WHERE e.owner <> w.owner AND e.address = w.address) AS address_shared,
       (SELECT count(*) FROM wallet.withdrawal e WHERE e.owner = w.owner AND e.id <> w.id
            AND e.created_at BETWEEN w.created_at - interval '24 hours' AND w.created_at) AS day_before
FROM wallet.withdrawal w
JOIN identity.account a ON a.id = w.owner
LEFT JOIN wallet.outgoing o ON o.id = w.outgoing;
GRANT SELECT ON wallet.withdrawal_shown TO arbora_app;
