-- Ledger: double entry, append-only (domain.md §2). What can be enforced here is enforced here: a fault in the server must
-- not be able to unbalance the books.
--
-- Amounts are whole numbers of a currency's smallest unit, up to 38 digits: enough for wei (10⁻¹⁸) beside 10⁻⁶ and centavos.
CREATE SCHEMA ledger;
GRANT USAGE ON SCHEMA ledger TO arbora_app;

-- The sign that an account of this name may have: 1 never below zero, -1 never above, 0 either; NULL: no such account.
CREATE FUNCTION ledger.account_bound(owner_kind text, name text, currency text) RETURNS smallint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (CASE
        WHEN owner_kind = 'user' THEN CASE
            WHEN currency = 'USDT' AND name IN ('available', 'held', 'bonus', 'sponsored') THEN 1
            WHEN currency = 'USDT' AND name = 'debt' THEN -1
            WHEN currency = 'PYX' AND name IN ('pyx', 'pyx_locked', 'pyx_held') THEN 1
            WHEN currency = 'USDT' AND name ~ '^pool_principal:[0-9a-f-]{36}$' THEN 1
        END
        WHEN owner_kind = 'licence' AND currency = 'USDT' THEN CASE
            WHEN name IN ('price', 'topup', 'allocated', 'yield') THEN 1
            WHEN name = 'loan' THEN -1
        END
        WHEN owner_kind = 'house' THEN CASE
            WHEN name ~ '^custody_chain:(usdt|busd|bnb|pyx)$' AND currency = upper(split_part(name, ':', 2)) || '_BSC' THEN -1
            WHEN name = 'custody_pix' AND currency = 'BRL' THEN -1
            WHEN name = 'custody_exchange' AND currency = 'USDT' THEN -1
            WHEN name = 'fx:brl' AND currency IN ('BRL', 'USDT') THEN 0
            WHEN name ~ '^fx:(usdt|busd|bnb)$' AND currency IN (upper(split_part(name, ':', 2)) || '_BSC', 'USDT') THEN 0
            WHEN name = 'fx:pyx' AND currency IN ('PYX_BSC', 'PYX', 'USDT') THEN 0
            WHEN name = 'pyx_supply' AND currency = 'PYX' THEN -1
            WHEN currency <> 'USDT' THEN NULL
            WHEN name IN ('licence_sales', 'deposit_fees', 'withdrawal_fees', 'loan_fees', 'network_fund', 'graduation_fund', 'presale') THEN 1
            WHEN name ~ '^pool_revenue:[0-9a-f-]{36}$' THEN 1
            WHEN name ~ '^trading:(simulated|paper|live)$' THEN 0
            WHEN name IN ('sponsorship', 'chain_losses', 'pix_losses') THEN 0
        END
    END)::smallint
$$;

-- An account's id is derived from what it names, so that it is known without a look-up and can exist only once.
CREATE FUNCTION ledger.account_id(owner_kind text, owner uuid, name text, currency text, stripe smallint) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(substring(sha256(convert_to(
        owner_kind || ':' || coalesce(owner::text, '-') || ':' || name || ':' || currency || ':' || stripe, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid
$$;

CREATE TABLE ledger.account (
    id         uuid PRIMARY KEY,
    version    bigint NOT NULL DEFAULT 0,           -- the number of postings
    bound      smallint NOT NULL,
    stripe     smallint NOT NULL DEFAULT 0,         -- busy house accounts are several rows
    owner_kind text NOT NULL,
    owner      uuid,
    name       text NOT NULL,
    currency   text NOT NULL,
    balance    numeric(38, 0) NOT NULL DEFAULT 0,
    CONSTRAINT account_never_below_zero CHECK (bound <> 1 OR balance >= 0),
    CONSTRAINT account_never_above_zero CHECK (bound <> -1 OR balance <= 0)
) WITH (fillfactor = 50);                           -- room for updates in place
CREATE INDEX account_owner ON ledger.account (owner) WHERE owner IS NOT NULL;
CREATE INDEX account_house ON ledger.account (name) WHERE owner IS NULL;

CREATE TABLE ledger.transfer (
    id               uuid PRIMARY KEY,
    at               timestamptz NOT NULL,
    business_day     date NOT NULL,
    settings_version integer NOT NULL,
    lines            smallint NOT NULL CHECK (lines >= 2),
    kind             text NOT NULL,
    key              text COLLATE "C" NOT NULL UNIQUE CHECK (length(key) BETWEEN 1 AND 200),
    hash             bytea NOT NULL,                -- of what was ordered: the same key with other content is refused
    cause_kind       text NOT NULL,
    cause            uuid NOT NULL,
    orderer          uuid,                          -- none: the system itself
    mode             text CHECK (mode IN ('simulated', 'paper', 'live')),
    reverses         uuid,
    reason           text CHECK (length(reason) <= 200),
    CONSTRAINT transfer_trading_has_a_mode CHECK ((kind = 'settlement') = (mode IS NOT NULL) OR kind = 'reversal'),
    CONSTRAINT transfer_reversal_names_one CHECK ((kind = 'reversal') = (reverses IS NOT NULL))
);
CREATE UNIQUE INDEX transfer_reversed_once ON ledger.transfer (reverses) WHERE reverses IS NOT NULL;
CREATE INDEX transfer_cause ON ledger.transfer (cause);
CREATE INDEX transfer_at ON ledger.transfer USING brin (at);

-- `version` is the account's version after this posting: (account, version) orders its history without a gap.
CREATE TABLE ledger.posting (
    version       bigint NOT NULL CHECK (version > 0),
    transfer      uuid NOT NULL,
    account       uuid NOT NULL,
    line          smallint NOT NULL,
    currency      text NOT NULL,
    amount        numeric(38, 0) NOT NULL CHECK (amount <> 0),
    balance_after numeric(38, 0) NOT NULL,
    PRIMARY KEY (transfer, line),
    CONSTRAINT posting_history UNIQUE (account, version)
);

-- Money set aside: it lies in a `held` account until the one resolution.
CREATE TABLE ledger.hold (
    id         uuid PRIMARY KEY,
    placed_by  uuid NOT NULL UNIQUE REFERENCES ledger.transfer,
    account    uuid NOT NULL REFERENCES ledger.account,      -- where it lies
    returns_to uuid NOT NULL REFERENCES ledger.account,      -- where what is not used goes back to
    amount     numeric(38, 0) NOT NULL CHECK (amount > 0),
    cause_kind text NOT NULL,
    cause      uuid NOT NULL,
    at         timestamptz NOT NULL,
    expires_at timestamptz
);
CREATE INDEX hold_cause ON ledger.hold (cause);
CREATE INDEX hold_account ON ledger.hold (account);
CREATE INDEX hold_expiry ON ledger.hold (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE ledger.hold_resolution (
    hold     uuid PRIMARY KEY REFERENCES ledger.hold,        -- a second resolution cannot be written
    transfer uuid NOT NULL UNIQUE REFERENCES ledger.transfer DEFERRABLE INITIALLY DEFERRED,
    outcome  text NOT NULL CHECK (outcome IN ('posted', 'voided', 'expired')),
    used     numeric(38, 0) NOT NULL CHECK (used >= 0),
    at       timestamptz NOT NULL,
    CHECK ((outcome = 'posted') = (used > 0))
);

GRANT SELECT, INSERT ON ledger.account, ledger.transfer, ledger.posting, ledger.hold, ledger.hold_resolution TO arbora_app;
GRANT UPDATE (balance, version) ON ledger.account TO arbora_app;

-- History is never changed, by nobody: the server's role lacks the right, and this refuses those who have it.
CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger.% is append-only', TG_TABLE_NAME USING ERRCODE = 'LG001';
END $$;
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['transfer', 'posting', 'hold', 'hold_resolution'] LOOP
        EXECUTE format('CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.%I FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change()', t);
    END LOOP;
END $$;
CREATE TRIGGER immutable BEFORE DELETE OR TRUNCATE ON ledger.account FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

-- A new account is empty, of a known name, with the sign rule of that name. Rare, so a row at a time.
CREATE FUNCTION ledger.check_new_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.balance <> 0 OR NEW.version <> 0
        OR NEW.bound IS DISTINCT FROM ledger.account_bound(NEW.owner_kind, NEW.name, NEW.currency)
        OR NEW.id IS DISTINCT FROM ledger.account_id(NEW.owner_kind, NEW.owner, NEW.name, NEW.currency, NEW.stripe)
        OR (NEW.owner_kind = 'house') <> (NEW.owner IS NULL)
        OR NEW.stripe NOT BETWEEN 0 AND 15
        OR (NEW.stripe <> 0 AND NOT (NEW.owner_kind = 'house' AND NEW.name ~ '^(trading:|fx:|deposit_fees$|withdrawal_fees$|loan_fees$)')) THEN
        RAISE EXCEPTION 'ledger: no such account: % % % %', NEW.owner_kind, NEW.name, NEW.currency, NEW.stripe USING ERRCODE = 'LG002';
    END IF;
    IF NEW.name IN ('trading:simulated', 'trading:paper') AND EXISTS (SELECT FROM foundation.world WHERE kind = 'production') THEN
        RAISE EXCEPTION 'ledger: in production only live operations are booked' USING ERRCODE = 'LG003';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER check_new BEFORE INSERT ON ledger.account FOR EACH ROW EXECUTE FUNCTION ledger.check_new_account();

-- The following checks run once per statement, over all its rows, after every part of it is in place: transfers, postings and
-- accounts are therefore written by one statement. Together with the append-only rule they also say what foreign keys would,
-- at a fraction of their price. Planner choices are fixed: a plan made while the tables were empty is kept for the life of a
-- connection, and compiling one costs more than running it.

-- An account moves forward only, from where it stood through its fresh postings to where the newest one says, without a gap;
-- nothing else about it ever changes. No yield without a booked operation behind it, and no trading account moves by
-- anything else.
CREATE FUNCTION ledger.check_account_moved() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_nestloop = off AS $$
DECLARE bad uuid;
BEGIN
    SELECT x.id INTO bad
    FROM (SELECT n.id, n.version AS stands_at, n.balance AS stands, n.currency AS kept_in,
                 p.version, p.currency, p.amount, p.balance_after,
                 lag(p.version, 1, o.version) OVER w AS version_before,
                 lag(p.balance_after, 1, o.balance) OVER w AS balance_before,
                 lead(p.version) OVER w IS NULL AS newest
          FROM moved n
          JOIN moved_from o ON o.id = n.id
          -- OFFSET 0 keeps this a look-up per account, whatever the planner thinks of the table.
          LEFT JOIN LATERAL (SELECT version, currency, amount, balance_after FROM ledger.posting
                             WHERE account = n.id AND version > o.version OFFSET 0) p ON true
          WINDOW w AS (PARTITION BY n.id ORDER BY p.version)) x
    WHERE x.version IS DISTINCT FROM x.version_before + 1
       OR x.balance_before + x.amount <> x.balance_after
       OR x.currency <> x.kept_in
       OR (x.newest AND (x.version <> x.stands_at OR x.balance_after <> x.stands))
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ledger: account % does not match its postings', bad USING ERRCODE = 'LG004';
    END IF;

    IF EXISTS (SELECT FROM moved WHERE name = 'yield' OR name LIKE 'trading:%') THEN
        SELECT p.transfer INTO bad
        FROM moved n
        JOIN moved_from o ON o.id = n.id
        CROSS JOIN LATERAL (SELECT transfer, amount FROM ledger.posting WHERE account = n.id AND version > o.version OFFSET 0) p
        CROSS JOIN LATERAL (SELECT kind, mode FROM ledger.transfer WHERE id = p.transfer OFFSET 0) t
        WHERE (n.name LIKE 'trading:%' OR (n.name = 'yield' AND p.amount > 0))
          AND NOT (t.kind = 'reversal'
                   OR (n.name = 'yield' AND t.kind IN ('settlement', 'lot_return'))
                   OR (n.name = 'trading:' || t.mode) IS TRUE)
        LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'ledger: transfer % books a trading result that no operation stands behind', bad USING ERRCODE = 'LG008';
        END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER moved AFTER UPDATE ON ledger.account REFERENCING OLD TABLE AS moved_from NEW TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_account_moved();
CREATE TRIGGER forward BEFORE UPDATE ON ledger.account
    FOR EACH ROW WHEN (NEW.version <= OLD.version) EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER fixed BEFORE UPDATE OF id, bound, stripe, owner_kind, owner, name, currency ON ledger.account
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();

-- Postings: their account now stands at the newest one (so the check above has seen them all), and those of a transfer are
-- complete and sum to zero in every currency.
CREATE FUNCTION ledger.check_postings() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE bad uuid;
BEGIN
    SELECT f.account INTO bad
    FROM (SELECT account, max(version) AS newest FROM fresh GROUP BY account) f
    LEFT JOIN ledger.account a ON a.id = f.account
    WHERE a.version IS DISTINCT FROM f.newest
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ledger: account % does not match its postings', bad USING ERRCODE = 'LG004';
    END IF;

    SELECT s.transfer INTO bad
    FROM (SELECT transfer, bool_and(total = 0) AS balanced, sum(lines) AS lines, min(first) AS first, max(last) AS last
          FROM (SELECT transfer, sum(amount) AS total, count(*) AS lines, min(line) AS first, max(line) AS last
                FROM fresh GROUP BY transfer, currency) c
          GROUP BY transfer) s
    LEFT JOIN ledger.transfer t ON t.id = s.transfer
    WHERE NOT s.balanced OR t.lines IS DISTINCT FROM s.lines OR s.first <> 0 OR s.last <> s.lines - 1
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ledger: transfer % is incomplete or does not sum to zero', bad USING ERRCODE = 'LG006';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_fresh AFTER INSERT ON ledger.posting REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_postings();

-- Transfers: each has its postings; in production trading results are live ones (domain.md §0).
CREATE FUNCTION ledger.check_transfers() RETURNS trigger LANGUAGE plpgsql
SET jit = off SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE bad uuid;
BEGIN
    SELECT f.id INTO bad
    FROM fresh f LEFT JOIN ledger.posting p ON p.transfer = f.id AND p.line = 0
    WHERE p.transfer IS NULL LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'ledger: transfer % has no postings', bad USING ERRCODE = 'LG007';
    END IF;
    IF EXISTS (SELECT FROM fresh WHERE mode IN ('simulated', 'paper'))
        AND EXISTS (SELECT FROM foundation.world WHERE kind = 'production') THEN
        RAISE EXCEPTION 'ledger: in production only live operations are booked' USING ERRCODE = 'LG003';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER check_fresh AFTER INSERT ON ledger.transfer REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_transfers();
