-- Wallet: the users' own wallets. Their sealed keys, what they send, swap and receive.

-- Which master keys ever sealed something here. The key itself is configuration; its fingerprint says whether it is the right one.
CREATE TABLE wallet.master_key (
    version     integer PRIMARY KEY CHECK (version > 0),
    fingerprint bytea NOT NULL UNIQUE CHECK (length(fingerprint) = 32),
    created_at  timestamptz NOT NULL,
    retired_at  timestamptz
);
CREATE UNIQUE INDEX master_key_current ON wallet.master_key ((true)) WHERE retired_at IS NULL;
GRANT SELECT, INSERT ON wallet.master_key TO arbora_app;
GRANT UPDATE (retired_at) ON wallet.master_key TO arbora_app;

-- One wallet a person: the entropy of its twelve words under a key of its own, that key under the master key.
CREATE TABLE wallet.user_wallet (
    id           uuid PRIMARY KEY,
    -- In the order of their making; commits may come in another.
    number       integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    owner        uuid NOT NULL UNIQUE REFERENCES identity.account,
    address      bytea NOT NULL UNIQUE CHECK (length(address) = 20),
    entropy      bytea NOT NULL,
    data_key     bytea NOT NULL,
    key_version  integer NOT NULL REFERENCES wallet.master_key,
    -- Grows with everything that moves on it.
    version      bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    rewrapped_at timestamptz
);
CREATE INDEX user_wallet_key_version ON wallet.user_wallet (key_version, id);
GRANT SELECT, INSERT ON wallet.user_wallet TO arbora_app;
GRANT UPDATE (data_key, key_version, version, rewrapped_at) ON wallet.user_wallet TO arbora_app;

-- An address never changes, nor what its key is made of.
CREATE FUNCTION wallet.check_user_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.id <> OLD.id OR NEW.owner <> OLD.owner OR NEW.address <> OLD.address OR NEW.entropy <> OLD.entropy THEN
        RAISE EXCEPTION 'a wallet does not change';
    END IF;
    IF NEW.version < OLD.version OR NEW.key_version < OLD.key_version THEN
        RAISE EXCEPTION 'a wallet''s versions only grow';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER user_wallet_checked BEFORE UPDATE ON wallet.user_wallet FOR EACH ROW EXECUTE FUNCTION wallet.check_user_wallet();

-- What moves on a wallet: sent and swapped by its owner here, or received.
CREATE TABLE wallet.user_move (
    id              uuid PRIMARY KEY,
    owner           uuid NOT NULL REFERENCES wallet.user_wallet (owner),
    kind            text NOT NULL CHECK (kind IN ('send', 'swap', 'receive')),
    status          text NOT NULL CHECK (status IN ('queued', 'sent', 'mined', 'failed')),
    coin            text NOT NULL CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx')),
    wei             numeric(38, 0) NOT NULL CHECK (wei > 0),
    -- Who gets it, or who paid; none of a swap.
    counterparty    bytea CHECK (length(counterparty) = 20),
    coin_out        text CHECK (coin_out IN ('usdt', 'busd', 'bnb', 'pyx')),
    quoted          numeric(38, 0) CHECK (quoted > 0),
    minimum         numeric(38, 0) CHECK (minimum > 0),
    received        numeric(38, 0) CHECK (received > 0),
    slippage        smallint CHECK (slippage BETWEEN 1 AND 300),     -- hundredths of a percent
    deadline        timestamptz,
    -- The most that its transactions may cost, kept aside until they have ended; then what they did cost.
    gas_most        numeric(38, 0) NOT NULL DEFAULT 0 CHECK (gas_most >= 0),
    gas             numeric(38, 0) CHECK (gas >= 0),
    reason          text CHECK (reason IN ('reverted', 'slippage', 'expired', 'dropped', 'refused')),
    tx              bytea CHECK (length(tx) = 32),
    log             integer CHECK (log >= -1),                       -- −1: native coin
    block           bigint CHECK (block >= 0),
    block_hash      bytea CHECK (length(block_hash) = 32),
    -- The guard's line, and the case it opened.
    outbound        uuid,
    compliance_case uuid,
    usdt            bigint NOT NULL DEFAULT 0 CHECK (usdt >= 0),
    version         bigint NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    -- Deep enough in the chain, or taken back: it changes no more.
    ended_at        timestamptz,
    CHECK (kind = 'receive' OR outbound IS NOT NULL),
    CHECK (kind = 'swap' OR (counterparty IS NOT NULL AND coin_out IS NULL AND minimum IS NULL)),
    CHECK (kind <> 'swap' OR (coin_out IS NOT NULL AND coin_out <> coin AND quoted >= minimum AND slippage IS NOT NULL AND deadline IS NOT NULL)),
    CHECK (kind <> 'receive' OR (status = 'mined' AND tx IS NOT NULL AND log IS NOT NULL AND block IS NOT NULL AND block_hash IS NOT NULL)),
    CHECK (status <> 'mined' OR (tx IS NOT NULL AND block IS NOT NULL)),
    -- Never less than what was agreed.
    CHECK (received IS NULL OR received >= minimum)
) WITH (fillfactor = 80);
CREATE INDEX user_move_owner ON wallet.user_move (owner, created_at DESC, id);
CREATE INDEX user_move_open ON wallet.user_move (owner) WHERE status IN ('queued', 'sent');
CREATE INDEX user_move_block ON wallet.user_move (block) WHERE kind = 'receive';
CREATE UNIQUE INDEX user_move_received ON wallet.user_move (owner, tx, log) WHERE kind = 'receive';
-- What is received may leave the chain again before it is confirmed.
GRANT SELECT, INSERT, UPDATE, DELETE ON wallet.user_move TO arbora_app;

CREATE FUNCTION wallet.check_user_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.kind <> 'receive' THEN
            RAISE EXCEPTION 'what was ordered stays';
        END IF;
        RETURN OLD;
    END IF;
    IF NEW.owner <> OLD.owner OR NEW.kind <> OLD.kind OR NEW.coin <> OLD.coin OR NEW.wei <> OLD.wei
        OR NEW.counterparty IS DISTINCT FROM OLD.counterparty OR NEW.coin_out IS DISTINCT FROM OLD.coin_out
        OR NEW.minimum IS DISTINCT FROM OLD.minimum OR NEW.deadline IS DISTINCT FROM OLD.deadline THEN
        RAISE EXCEPTION 'what was ordered does not change';
    END IF;
    IF OLD.ended_at IS NOT NULL AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'what has ended stays so';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER user_move_checked BEFORE UPDATE OR DELETE ON wallet.user_move FOR EACH ROW EXECUTE FUNCTION wallet.check_user_move();

-- The transactions of a move, in their order. The signer signs what stands here and nothing else.
CREATE TABLE wallet.user_step (
    id         uuid PRIMARY KEY,
    move       uuid NOT NULL REFERENCES wallet.user_move,
    owner      uuid NOT NULL REFERENCES wallet.user_wallet (owner),
    position   smallint NOT NULL CHECK (position > 0),
    kind       text NOT NULL CHECK (kind IN ('send', 'approve', 'swap')),
    recipient  bytea NOT NULL CHECK (length(recipient) = 20),
    value      numeric(38, 0) NOT NULL CHECK (value >= 0),
    data       bytea NOT NULL,
    gas_limit  bigint NOT NULL CHECK (gas_limit > 0),
    price_most numeric(38, 0) NOT NULL CHECK (price_most > 0),
    -- Of (chain, owner, recipient, value, data, gas limit), made when the guard let it pass.
    digest     bytea NOT NULL CHECK (length(digest) = 32),
    usdt       bigint NOT NULL CHECK (usdt >= 0),
    -- Written by the signer: one nonce, another only once the chain has passed the first.
    nonce      bigint CHECK (nonce >= 0),
    signed_at  timestamptz,
    ended      boolean,                                              -- none: open; true: as it should
    gas        numeric(38, 0) CHECK (gas >= 0),
    created_at timestamptz NOT NULL,
    UNIQUE (move, position)
);
CREATE INDEX user_step_open ON wallet.user_step (owner, digest) WHERE ended IS NULL;
CREATE INDEX user_step_signed ON wallet.user_step (owner, signed_at);
GRANT SELECT, INSERT ON wallet.user_step TO arbora_app;
GRANT UPDATE (nonce, signed_at, ended, gas) ON wallet.user_step TO arbora_app;

-- When a phrase was shown.
CREATE TABLE wallet.phrase_shown (
    id    uuid PRIMARY KEY,
    owner uuid NOT NULL REFERENCES wallet.user_wallet (owner),
    at    timestamptz NOT NULL
);
CREATE INDEX phrase_shown_owner ON wallet.phrase_shown (owner, at);
GRANT SELECT, INSERT ON wallet.phrase_shown TO arbora_app;
