-- Presale: PYX sold in rounds of a fixed price, freed day by day after the round (domain.md §10).
CREATE SCHEMA presale;
GRANT USAGE ON SCHEMA presale TO arbora_app;

-- Prices are USDT of 10⁻⁶ for a whole PYX, quantities PYX of 10⁻⁶.
CREATE TABLE presale.round (
    id           uuid PRIMARY KEY,
    number       integer GENERATED ALWAYS AS IDENTITY UNIQUE,
    price        bigint NOT NULL CHECK (price > 0),
    supply       bigint NOT NULL CHECK (supply > 0),
    cap          bigint NOT NULL CHECK (cap > 0),       -- the most of one person
    starts_at    timestamptz NOT NULL,
    ends_at      timestamptz NOT NULL,
    cliff_days   integer NOT NULL CHECK (cliff_days BETWEEN 0 AND 1825),
    vesting_days integer NOT NULL CHECK (vesting_days BETWEEN 1 AND 3650),
    revision     integer NOT NULL DEFAULT 1,            -- counts the terms that were proposed
    -- SHA-256 of all terms and the revision: what the two persons agree to.
    digest       bytea NOT NULL CHECK (length(digest) = 32),
    status       text NOT NULL DEFAULT 'proposed' CHECK (status IN ('proposed', 'agreed', 'withdrawn')),
    sold         bigint NOT NULL DEFAULT 0,
    raised       bigint NOT NULL DEFAULT 0 CHECK (raised >= 0),
    proposed_by  uuid NOT NULL REFERENCES identity.account,
    agreed_by    uuid REFERENCES identity.account,
    version      bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    CONSTRAINT round_in_time CHECK (ends_at > starts_at),
    CONSTRAINT round_cap CHECK (cap <= supply),
    CONSTRAINT round_never_oversold CHECK (sold BETWEEN 0 AND supply),
    CONSTRAINT round_sold_agreed CHECK (sold = 0 OR status = 'agreed'),
    CONSTRAINT round_agreed_by CHECK ((status = 'agreed') = (agreed_by IS NOT NULL)),
    CONSTRAINT round_cap_known UNIQUE (id, cap),
    -- One price at a time.
    CONSTRAINT round_overlap EXCLUDE USING gist (tstzrange(starts_at, ends_at) WITH &&) WHERE (status = 'agreed')
);
CREATE INDEX round_start ON presale.round (starts_at DESC);
GRANT SELECT, INSERT, UPDATE ON presale.round TO arbora_app;

-- A round sells only with the agreement of two persons on these very terms, and its terms stand once it has begun.
CREATE FUNCTION presale.check_round() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.status = 'agreed' AND NOT approvals.is_approved('money_settings', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'a round needs two persons' USING ERRCODE = 'check_violation', CONSTRAINT = 'round_approved';
    END IF;
    IF TG_OP = 'UPDATE' AND OLD.status = 'agreed' AND OLD.starts_at <= NEW.updated_at
        AND (NEW.price, NEW.supply, NEW.cap, NEW.starts_at, NEW.ends_at, NEW.cliff_days, NEW.vesting_days, NEW.digest, NEW.status)
            IS DISTINCT FROM
            (OLD.price, OLD.supply, OLD.cap, OLD.starts_at, OLD.ends_at, OLD.cliff_days, OLD.vesting_days, OLD.digest, OLD.status) THEN
        RAISE EXCEPTION 'the round has begun' USING ERRCODE = 'check_violation', CONSTRAINT = 'round_begun';
    END IF;
    IF TG_OP = 'UPDATE' AND (NEW.sold < OLD.sold OR NEW.raised < OLD.raised) THEN
        RAISE EXCEPTION 'what was sold stays sold' USING ERRCODE = 'check_violation', CONSTRAINT = 'round_sold_back';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER round_checked BEFORE INSERT OR UPDATE ON presale.round FOR EACH ROW EXECUTE FUNCTION presale.check_round();

-- What one person bought in a round in all, and how much of it is free.
CREATE TABLE presale.share (
    round   uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES identity.account,
    cap     bigint NOT NULL,
    bought  bigint NOT NULL CHECK (bought > 0),
    paid    bigint NOT NULL CHECK (paid > 0),
    claimed bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (round, user_id),
    FOREIGN KEY (round, cap) REFERENCES presale.round (id, cap),
    CONSTRAINT share_cap CHECK (bought <= cap),
    CONSTRAINT share_claimed CHECK (claimed BETWEEN 0 AND bought)
);
CREATE INDEX share_user ON presale.share (user_id);
GRANT SELECT, INSERT, UPDATE ON presale.share TO arbora_app;

CREATE TABLE presale.purchase (
    id               uuid PRIMARY KEY,
    round            uuid NOT NULL REFERENCES presale.round,
    user_id          uuid NOT NULL REFERENCES identity.account,
    usdt             bigint NOT NULL CHECK (usdt > 0),
    pyx              bigint NOT NULL CHECK (pyx > 0),
    ledger_transfer  uuid NOT NULL UNIQUE,
    settings_version integer NOT NULL,
    at               timestamptz NOT NULL
);
CREATE INDEX purchase_user ON presale.purchase (user_id, at DESC);
CREATE INDEX purchase_round ON presale.purchase (round);
GRANT SELECT, INSERT ON presale.purchase TO arbora_app;

-- What a person freed on a day: once a day, all that was due by then.
CREATE TABLE presale.claim (
    user_id         uuid NOT NULL REFERENCES identity.account,
    day             date NOT NULL,
    pyx             bigint NOT NULL CHECK (pyx > 0),
    ledger_transfer uuid NOT NULL UNIQUE,
    at              timestamptz NOT NULL,
    PRIMARY KEY (user_id, day)
);
GRANT SELECT, INSERT ON presale.claim TO arbora_app;
