-- Wallet: what comes in over the chain. Deposit addresses, deposits (asked for and not), payments seen, the watcher's place.
CREATE SCHEMA wallet;
GRANT USAGE ON SCHEMA wallet TO arbora_app;

-- Which extended public key the addresses came from: another one must not continue the same numbers.
CREATE TABLE wallet.deposit_branch (
    singleton   boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    chain_id    bigint NOT NULL,
    created_at  timestamptz NOT NULL
);
GRANT SELECT, INSERT ON wallet.deposit_branch TO arbora_app;

-- Child `number` of the branch. Given out once, watched for ever.
CREATE SEQUENCE wallet.deposit_number AS integer MINVALUE 0 START 0;
CREATE TABLE wallet.deposit_address (
    number     integer PRIMARY KEY CHECK (number >= 0),
    address    bytea NOT NULL UNIQUE CHECK (length(address) = 20),
    owner      uuid NOT NULL REFERENCES identity.account,
    created_at timestamptz NOT NULL
);
CREATE INDEX deposit_address_owner ON wallet.deposit_address (owner);
GRANT SELECT, INSERT ON wallet.deposit_address TO arbora_app;
GRANT USAGE ON SEQUENCE wallet.deposit_number TO arbora_app;

-- One line of the deposit lists: an intent (a licence, a pool, a plain sum), or money that came to a known address unasked.
CREATE TABLE wallet.deposit (
    id               uuid PRIMARY KEY,
    owner            uuid NOT NULL REFERENCES identity.account,
    address          integer NOT NULL REFERENCES wallet.deposit_address,
    -- The deposit whose address the money came to, when it was not asked for.
    parent           uuid REFERENCES wallet.deposit,
    product          text NOT NULL CHECK (product IN ('license', 'liquidity_for_pools', 'plain')),
    -- None: a token that is on no list.
    coin             text CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx')),
    contract         bytea CHECK (length(contract) = 20),
    plan             uuid,
    is_high_risk     boolean NOT NULL DEFAULT false,
    value            bigint CHECK (value > 0),                       -- asked for, 10⁻⁶ USDT
    due              numeric(38, 0) CHECK (due > 0),                 -- exact wei of an intent with a product
    expires_at       timestamptz,                                    -- none: unasked
    status           text NOT NULL CHECK (status IN ('waiting_for_buyer_funds', 'pending', 'funds_received_and_confirmed', 'complete',
                         'cancelled_timed_out', 'completed', 'pending_approval', 'approved', 'rejected', 'canceled')),
    -- How it ended, for the sentence on the screen.
    outcome          text CHECK (outcome IN ('exact', 'overpaid', 'underpaid', 'late', 'later', 'wrong_token', 'plan_gone', 'plain', 'dust')),
    -- Why a person must look.
    pending_cause    text CHECK (pending_cause IN ('unlisted_token', 'native', 'no_rate', 'compliance', 'balance', 'dust')),
    received         numeric(38, 0) NOT NULL DEFAULT 0 CHECK (received >= 0),   -- confirmed wei
    seen             numeric(38, 0) NOT NULL DEFAULT 0 CHECK (seen >= 0),       -- wei not confirmed yet
    seen_block       bigint,                                         -- of the newest payment
    tx               bytea,                                          -- the newest payment's transaction
    rate             bigint CHECK (rate > 0),                        -- 10⁻⁶ USDT per whole coin, when it is no USDT
    credited         bigint CHECK (credited >= 0),
    fee              bigint CHECK (fee >= 0),
    transfer         uuid,
    hold             uuid,
    licence          uuid,
    reason           text CHECK (length(reason) <= 500),
    refund           bytea CHECK (length(refund) = 32),              -- the transaction that gave a rejected deposit back
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    digest           bytea,
    reversed_at      timestamptz,
    settings_version integer NOT NULL,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    waiting_since    timestamptz,                                    -- in the queue since
    decided_at       timestamptz,
    CHECK (product = 'plain' OR (plan IS NOT NULL AND value IS NOT NULL AND due IS NOT NULL AND expires_at IS NOT NULL)),
    CHECK ((credited IS NULL) = (transfer IS NULL)),
    CHECK (status <> 'pending_approval' OR (waiting_since IS NOT NULL AND pending_cause IS NOT NULL)),
    CHECK (status NOT IN ('complete', 'approved', 'funds_received_and_confirmed') OR transfer IS NOT NULL),
    CHECK (status <> 'rejected' OR reason IS NOT NULL OR refund IS NOT NULL),
    CHECK (reversed_at IS NULL OR transfer IS NOT NULL)
) WITH (fillfactor = 80);
CREATE INDEX deposit_owner ON wallet.deposit (owner, created_at DESC, id);
CREATE INDEX deposit_created ON wallet.deposit (created_at DESC, id);
CREATE INDEX deposit_by_address ON wallet.deposit (address);
CREATE INDEX deposit_queue ON wallet.deposit (waiting_since, id) WHERE status = 'pending_approval';
CREATE INDEX deposit_open ON wallet.deposit (expires_at) WHERE status IN ('waiting_for_buyer_funds', 'pending');
CREATE UNIQUE INDEX deposit_transfer ON wallet.deposit (transfer) WHERE transfer IS NOT NULL;
-- Small sums of an address make one line.
CREATE UNIQUE INDEX deposit_dust ON wallet.deposit (address, coin) WHERE outcome = 'dust' AND transfer IS NULL;
GRANT SELECT, INSERT, UPDATE ON wallet.deposit TO arbora_app;

-- Every payment to one of our addresses that was ever in a block: a log of a token, or native coin (log −1).
CREATE TABLE wallet.payment (
    id           uuid PRIMARY KEY,
    chain_id     bigint NOT NULL,
    tx           bytea NOT NULL CHECK (length(tx) = 32),
    log          integer NOT NULL CHECK (log >= -1),
    address      integer NOT NULL REFERENCES wallet.deposit_address,
    contract     bytea CHECK (length(contract) = 20),
    coin         text CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx')),
    payer        bytea NOT NULL CHECK (length(payer) = 20),
    wei          numeric(38, 0) NOT NULL CHECK (wei > 0),
    block        bigint NOT NULL CHECK (block >= 0),
    block_hash   bytea NOT NULL CHECK (length(block_hash) = 32),
    block_time   timestamptz NOT NULL,
    -- seen → settled; removed: left the chain before it counted; gone: left it afterwards; reversed: taken back for that.
    state        text NOT NULL CHECK (state IN ('seen', 'settled', 'removed', 'gone', 'reversed')),
    deposit      uuid REFERENCES wallet.deposit,
    settled_at   timestamptz,
    CONSTRAINT payment_once UNIQUE (chain_id, tx, log),
    CHECK (state NOT IN ('settled', 'gone', 'reversed') OR (deposit IS NOT NULL AND settled_at IS NOT NULL))
) WITH (fillfactor = 80);
CREATE INDEX payment_seen ON wallet.payment (block) WHERE state = 'seen';
CREATE INDEX payment_gone ON wallet.payment (block) WHERE state = 'gone';
CREATE INDEX payment_block ON wallet.payment (block);
CREATE INDEX payment_address ON wallet.payment (address);
CREATE INDEX payment_deposit ON wallet.payment (deposit);
GRANT SELECT, INSERT, UPDATE ON wallet.payment TO arbora_app;

-- A payment that counted never counts again, and what it was never changes: only its place on the chain may.
CREATE FUNCTION wallet.check_payment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.chain_id <> OLD.chain_id OR NEW.tx <> OLD.tx OR NEW.address <> OLD.address OR NEW.wei <> OLD.wei
        OR NEW.contract IS DISTINCT FROM OLD.contract OR NEW.coin IS DISTINCT FROM OLD.coin THEN
        RAISE EXCEPTION 'what a payment is does not change';
    END IF;
    IF (OLD.state IN ('settled', 'gone') AND NEW.state IN ('seen', 'removed')) OR (OLD.state = 'reversed' AND NEW.state <> 'reversed') THEN
        RAISE EXCEPTION 'a payment that counted cannot count again';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER payment_checked BEFORE UPDATE ON wallet.payment FOR EACH ROW EXECUTE FUNCTION wallet.check_payment();

-- What was agreed with the customer does not change, nor what was credited; an approved deposit has all its approvals.
CREATE FUNCTION wallet.check_deposit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.owner <> OLD.owner OR NEW.address <> OLD.address OR NEW.product <> OLD.product OR NEW.plan IS DISTINCT FROM OLD.plan
        OR NEW.value IS DISTINCT FROM OLD.value OR NEW.due IS DISTINCT FROM OLD.due OR NEW.expires_at IS DISTINCT FROM OLD.expires_at THEN
        RAISE EXCEPTION 'what was agreed with the customer does not change';
    END IF;
    IF OLD.transfer IS NOT NULL AND (NEW.transfer IS DISTINCT FROM OLD.transfer OR NEW.credited IS DISTINCT FROM OLD.credited) THEN
        RAISE EXCEPTION 'a deposit is credited once';
    END IF;
    IF OLD.status IN ('rejected', 'approved', 'complete', 'completed') AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'a deposit that has ended stays so';
    END IF;
    IF NEW.status = 'approved' AND OLD.status <> 'approved'
        AND NOT coalesce(approvals.is_approved('crypto_deposit', NEW.id, NEW.digest), false) THEN
        RAISE EXCEPTION 'a deposit approved without its approvals';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER deposit_checked BEFORE UPDATE ON wallet.deposit FOR EACH ROW EXECUTE FUNCTION wallet.check_deposit();

-- Hashes of the newest blocks, to notice when the chain has changed its mind.
CREATE TABLE wallet.block (
    number bigint PRIMARY KEY,
    hash   bytea NOT NULL CHECK (length(hash) = 32),
    at     timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON wallet.block TO arbora_app;

-- How far the watcher has come: everything up to `scanned` was read, everything up to `confirmed` has counted.
CREATE TABLE wallet.cursor (
    singleton    boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    scanned      bigint NOT NULL,
    confirmed    bigint NOT NULL,
    confirmed_at timestamptz NOT NULL,
    halted_at    timestamptz,
    halted_why   text,
    -- The watcher's last good round.
    alive_at     timestamptz NOT NULL,
    CHECK (confirmed <= scanned)
);
GRANT SELECT, INSERT, UPDATE ON wallet.cursor TO arbora_app;

-- Gathering what lies on deposit addresses: gas to the address first where a token needs it, then the coins to the house.
CREATE TABLE wallet.sweep (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('gas', 'sweep')),
    address    integer NOT NULL REFERENCES wallet.deposit_address,
    coin       text NOT NULL CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx')),
    wei        numeric(38, 0) NOT NULL CHECK (wei > 0),
    sender     bytea NOT NULL CHECK (length(sender) = 20),
    recipient  bytea NOT NULL CHECK (length(recipient) = 20),
    nonce      bigint NOT NULL CHECK (nonce >= 0),
    tx         bytea NOT NULL UNIQUE CHECK (length(tx) = 32),
    raw        bytea NOT NULL,                       -- signed, stored before it is sent
    state      text NOT NULL CHECK (state IN ('signed', 'sent', 'done', 'failed')),
    gas        numeric(38, 0),                       -- wei that it cost
    created_at timestamptz NOT NULL,
    ended_at   timestamptz,
    CONSTRAINT sweep_nonce UNIQUE (sender, nonce)
);
CREATE INDEX sweep_open ON wallet.sweep (created_at) WHERE state IN ('signed', 'sent');
CREATE INDEX sweep_address ON wallet.sweep (address, coin);
GRANT SELECT, INSERT, UPDATE ON wallet.sweep TO arbora_app;

-- A deposit with what its screens show of it.
CREATE VIEW wallet.deposit_shown AS
SELECT d.*, a.username, a.full_name, a.email, a.created_at AS member_since, b.address AS on_chain,
       (SELECT count(*) FROM wallet.deposit e WHERE e.owner = d.owner AND e.credited > 0 AND e.id <> d.id) AS credited_before
FROM wallet.deposit d
JOIN identity.account a ON a.id = d.owner
JOIN wallet.deposit_address b ON b.number = d.address;
GRANT SELECT ON wallet.deposit_shown TO arbora_app;
