-- Live trading (domain.md §5): orders at a real venue are rows before the venue hears of them. Prices are 10⁻¹⁰, quantities 10⁻⁸,
-- money micro-USDT.

-- Whether real orders go out: asked for by one person, switched on by a second one, switched off by any.
CREATE TABLE robots.live_switch (
    id           uuid PRIMARY KEY,
    reason       text NOT NULL CHECK (length(btrim(reason)) BETWEEN 1 AND 500),
    digest       bytea NOT NULL CHECK (length(digest) = 32),
    asked_by     uuid NOT NULL REFERENCES identity.account,
    asked_at     timestamptz NOT NULL,
    confirmed_by uuid REFERENCES identity.account,
    confirmed_at timestamptz,
    off_by       uuid REFERENCES identity.account,
    off_at       timestamptz,
    CONSTRAINT live_switch_second_person CHECK (confirmed_by <> asked_by),
    CHECK ((confirmed_by IS NULL) = (confirmed_at IS NULL)),
    CHECK ((off_by IS NULL) = (off_at IS NULL))
);
-- One that is asked for or on.
CREATE UNIQUE INDEX live_switch_open ON robots.live_switch ((true)) WHERE off_at IS NULL;
CREATE INDEX live_switch_history ON robots.live_switch (asked_at DESC, id DESC);
GRANT SELECT, INSERT ON robots.live_switch TO arbora_app;
GRANT UPDATE (confirmed_by, confirmed_at, off_by, off_at) ON robots.live_switch TO arbora_app;

CREATE FUNCTION robots.check_live_switch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM foundation.world WHERE kind = 'production') THEN
        RAISE EXCEPTION 'only production trades for real' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_world';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.confirmed_by IS NOT NULL OR NEW.off_by IS NOT NULL THEN
            RAISE EXCEPTION 'asked for before it is on' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_switch_order';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.off_at IS NOT NULL
        OR (OLD.confirmed_by IS NOT NULL AND (NEW.confirmed_by, NEW.confirmed_at) IS DISTINCT FROM (OLD.confirmed_by, OLD.confirmed_at)) THEN
        RAISE EXCEPTION 'what was switched stays written' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_switch_order';
    END IF;
    IF OLD.confirmed_by IS NULL AND NEW.confirmed_by IS NOT NULL AND NOT approvals.is_approved('live_trading', NEW.id, NEW.digest) THEN
        RAISE EXCEPTION 'live trading needs two approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_switch_approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER live_switch_checked BEFORE INSERT OR UPDATE ON robots.live_switch FOR EACH ROW EXECUTE FUNCTION robots.check_live_switch();

-- An operation that goes to the venue; written with its first thought, before any order.
CREATE TABLE robots.live_operation (
    id          uuid PRIMARY KEY,
    -- The lease of the desk that began it; a later one may end it.
    fence       bigint NOT NULL,
    venue       text NOT NULL,
    route       text NOT NULL,
    edge_ppm    bigint NOT NULL,
    manual      boolean NOT NULL,
    decided_at  timestamptz NOT NULL,
    -- Base, quote, side, price and the venue's rules of each leg.
    legs        jsonb NOT NULL CHECK (jsonb_typeof(legs) = 'array' AND jsonb_array_length(legs) = 3),
    -- Licence, owner and amount of each reservation.
    shares      jsonb NOT NULL CHECK (jsonb_typeof(shares) = 'array' AND jsonb_array_length(shares) > 0),
    size        bigint NOT NULL CHECK (size > 0),
    -- What commissions in other coins were valued at.
    rates       jsonb NOT NULL DEFAULT '{}',
    state       text NOT NULL DEFAULT 'working' CHECK (state IN ('working', 'executed', 'booked')),
    begun_at    timestamptz NOT NULL,
    executed_at timestamptz,
    volume      bigint CHECK (volume BETWEEN 0 AND size),
    fees        bigint CHECK (fees >= 0),
    result      bigint,
    batch       uuid REFERENCES robots.batch,
    booked_at   timestamptz,
    CHECK ((state = 'working') = (executed_at IS NULL)),
    CHECK ((executed_at IS NULL) = (volume IS NULL) AND (volume IS NULL) = (fees IS NULL) AND (fees IS NULL) = (result IS NULL)),
    CHECK ((state = 'booked') = (batch IS NOT NULL) AND (batch IS NULL) = (booked_at IS NULL))
) WITH (fillfactor = 70);
CREATE INDEX live_operation_open ON robots.live_operation (begun_at) WHERE state <> 'booked';
GRANT SELECT, INSERT ON robots.live_operation TO arbora_app;
GRANT UPDATE (rates, state, executed_at, volume, fees, result, batch, booked_at) ON robots.live_operation TO arbora_app;

CREATE TABLE robots.live_order (
    operation   uuid NOT NULL REFERENCES robots.live_operation,
    step        smallint NOT NULL CHECK (step BETWEEN 0 AND 4095),
    -- What the venue knows the order by: follows from operation and step.
    client_id   text NOT NULL UNIQUE CHECK (client_id ~ '^[0-9a-z-]{1,36}$'),
    symbol      text NOT NULL,
    leg         smallint NOT NULL CHECK (leg BETWEEN 0 AND 2),
    side        text NOT NULL CHECK (side IN ('buy', 'sell')),
    amount      bigint NOT NULL CHECK (amount > 0),
    -- The amount is one of the quote asset: a purchase at market.
    in_quote    boolean NOT NULL,
    -- None: at market.
    price       bigint CHECK (price > 0),
    -- The time it is signed with, on the venue's clock: the venue takes it no later than a little after that.
    sent_ms     bigint NOT NULL,
    -- `recorded`: about to be sent or just sent; `unknown`: sent, the answer was lost.
    state       text NOT NULL DEFAULT 'recorded' CHECK (state IN ('recorded', 'unknown', 'over', 'refused')),
    small       boolean NOT NULL DEFAULT false,
    reason      text CHECK (length(reason) <= 200),
    venue_order bigint,
    recorded_at timestamptz NOT NULL,
    closed_at   timestamptz,
    PRIMARY KEY (operation, step),
    CHECK ((state IN ('over', 'refused')) = (closed_at IS NOT NULL)),
    CHECK ((state = 'over') = (venue_order IS NOT NULL)),
    CHECK (NOT in_quote OR price IS NULL)
) WITH (fillfactor = 70);
-- One order of an operation at a time: no second one while the first one's fate is open.
CREATE UNIQUE INDEX live_order_open ON robots.live_order (operation) WHERE state IN ('recorded', 'unknown');
-- Each leg's own order once; what brings back may be tried again.
CREATE UNIQUE INDEX live_order_leg ON robots.live_order (operation, leg) WHERE price IS NOT NULL;
GRANT SELECT, INSERT ON robots.live_order TO arbora_app;
GRANT UPDATE (state, small, reason, venue_order, closed_at) ON robots.live_order TO arbora_app;

-- The venue's trades, each once whatever is asked how often.
CREATE TABLE robots.live_fill (
    symbol           text NOT NULL,
    trade            bigint NOT NULL,
    operation        uuid NOT NULL,
    step             smallint NOT NULL,
    price            bigint NOT NULL CHECK (price > 0),
    quantity         bigint NOT NULL CHECK (quantity > 0),
    commission       bigint NOT NULL CHECK (commission >= 0),
    commission_asset text NOT NULL,
    PRIMARY KEY (symbol, trade),
    FOREIGN KEY (operation, step) REFERENCES robots.live_order
);
CREATE INDEX live_fill_order ON robots.live_fill (operation, step, trade);
GRANT SELECT, INSERT ON robots.live_fill TO arbora_app;

-- What stayed behind at the venue at no value: the house's.
CREATE TABLE robots.residue (
    operation uuid NOT NULL REFERENCES robots.live_operation,
    asset     text NOT NULL,
    amount    bigint NOT NULL CHECK (amount > 0),
    at        timestamptz NOT NULL,
    PRIMARY KEY (operation, asset)
);
GRANT SELECT, INSERT ON robots.residue TO arbora_app;

CREATE FUNCTION robots.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what a venue did is append-only';
END $$;
DO $$
DECLARE t text;
BEGIN
    FOREACH t IN ARRAY ARRAY['live_fill', 'residue'] LOOP
        EXECUTE format('CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON robots.%I FOR EACH STATEMENT EXECUTE FUNCTION robots.refuse_change()', t);
    END LOOP;
    FOREACH t IN ARRAY ARRAY['live_switch', 'live_operation', 'live_order'] LOOP
        EXECUTE format('CREATE TRIGGER immutable BEFORE DELETE OR TRUNCATE ON robots.%I FOR EACH STATEMENT EXECUTE FUNCTION robots.refuse_change()', t);
    END LOOP;
END $$;

-- Begun only in production and while two persons have it switched on; from then on it only moves forward.
CREATE FUNCTION robots.check_live_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NOT EXISTS (SELECT FROM foundation.world WHERE kind = 'production') THEN
            RAISE EXCEPTION 'only production trades for real' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_world';
        END IF;
        IF NOT EXISTS (SELECT FROM robots.live_switch WHERE confirmed_by IS NOT NULL AND off_at IS NULL) THEN
            RAISE EXCEPTION 'live trading is off' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_off';
        END IF;
        IF NEW.state <> 'working' THEN
            RAISE EXCEPTION 'an operation begins at its beginning' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_operation_order';
        END IF;
        RETURN NEW;
    END IF;
    IF (OLD.state, NEW.state) NOT IN (('working', 'working'), ('working', 'executed'), ('executed', 'booked'))
        OR (OLD.state = 'executed' AND (NEW.rates, NEW.executed_at, NEW.volume, NEW.fees, NEW.result)
            IS DISTINCT FROM (OLD.rates, OLD.executed_at, OLD.volume, OLD.fees, OLD.result)) THEN
        RAISE EXCEPTION 'a live operation only moves forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_operation_order';
    END IF;
    IF NEW.state = 'executed' AND EXISTS (SELECT FROM robots.live_order WHERE operation = NEW.id AND state IN ('recorded', 'unknown')) THEN
        RAISE EXCEPTION 'an order is still open' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_operation_order';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER live_operation_checked BEFORE INSERT OR UPDATE ON robots.live_operation
    FOR EACH ROW EXECUTE FUNCTION robots.check_live_operation();

-- Orders and fills belong to an operation in work; an order that is over stays as it is.
CREATE FUNCTION robots.check_live_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.state IN ('over', 'refused') THEN
        RAISE EXCEPTION 'the order is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_order_over';
    END IF;
    IF TG_OP = 'INSERT' AND NOT EXISTS (SELECT FROM robots.live_operation WHERE id = NEW.operation AND state = 'working') THEN
        RAISE EXCEPTION 'the operation is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_order_over';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER live_order_checked BEFORE INSERT OR UPDATE ON robots.live_order FOR EACH ROW EXECUTE FUNCTION robots.check_live_order();

CREATE FUNCTION robots.check_live_fill() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM robots.live_order WHERE operation = NEW.operation AND step = NEW.step AND symbol = NEW.symbol
                   AND state IN ('recorded', 'unknown')) THEN
        RAISE EXCEPTION 'the order is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'live_order_over';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER live_fill_checked BEFORE INSERT ON robots.live_fill FOR EACH ROW EXECUTE FUNCTION robots.check_live_fill();

-- No live operation is booked without the venue's own trades, nor with other figures than theirs (domain.md §0).
CREATE FUNCTION robots.check_operation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM robots.live_operation l
        WHERE l.id = NEW.id AND l.state = 'booked' AND l.batch = NEW.batch
            AND (l.volume, l.fees, l.result) = (NEW.volume, NEW.fees, NEW.result)
            AND EXISTS (SELECT FROM robots.live_fill f WHERE f.operation = l.id)) THEN
        RAISE EXCEPTION 'a live operation needs the fills of its venue' USING ERRCODE = 'check_violation', CONSTRAINT = 'operation_live_fills';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER operation_checked BEFORE INSERT ON robots.operation FOR EACH ROW WHEN (NEW.mode = 'live')
    EXECUTE FUNCTION robots.check_operation();

-- What the venue's account holds against what customers have at work and have earned there. Written every hour; yield leaves a
-- licence in production only while the newest one is fresh and enough (domain.md §0).
CREATE TABLE licences.reconciliation (
    at     timestamptz NOT NULL,
    held   bigint NOT NULL CHECK (held >= 0),
    booked bigint NOT NULL CHECK (booked >= 0)
);
CREATE INDEX reconciliation_newest ON licences.reconciliation (at DESC);
GRANT SELECT, INSERT ON licences.reconciliation TO arbora_app;
CREATE FUNCTION licences.refuse_reconciliation_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'reconciliations are append-only';
END $$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON licences.reconciliation
    FOR EACH STATEMENT EXECUTE FUNCTION licences.refuse_reconciliation_change();
