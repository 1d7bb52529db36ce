-- Presale: the book PYX/USDT, open after the rounds (domain.md §10).

-- Prices are USDT of 10⁻⁶ for a whole PYX in steps of 0.0001, quantities PYX of 10⁻⁶ in lots of 0.01: what a trade costs is exact.
CREATE TABLE presale.trade_order (
    id               uuid PRIMARY KEY,
    -- Given under the book's lock: of one price, the earlier comes first.
    seq              bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    user_id          uuid NOT NULL REFERENCES identity.account,
    side             text NOT NULL CHECK (side IN ('buy', 'sell')),
    price            bigint NOT NULL CHECK (price > 0 AND price % 100 = 0),
    quantity         bigint NOT NULL CHECK (quantity > 0 AND quantity % 10000 = 0),
    filled           bigint NOT NULL DEFAULT 0 CHECK (filled % 10000 = 0),
    total            bigint NOT NULL DEFAULT 0 CHECK (total >= 0),     -- USDT of what was filled
    status           text NOT NULL CHECK (status IN ('open', 'filled', 'cancelled')),
    ended            text CHECK (ended IN ('owner', 'self_trade', 'limit', 'reversal', 'debt')),
    hold             uuid UNIQUE,                                      -- what the unfilled part sets aside
    settings_version integer NOT NULL,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT order_filled CHECK (filled BETWEEN 0 AND quantity AND (status = 'filled') = (filled = quantity)),
    CONSTRAINT order_held CHECK ((status = 'open') = (hold IS NOT NULL)),
    CONSTRAINT order_ended CHECK ((status = 'cancelled') = (ended IS NOT NULL))
);
CREATE INDEX trade_order_bids ON presale.trade_order (price DESC, seq) WHERE status = 'open' AND side = 'buy';
CREATE INDEX trade_order_asks ON presale.trade_order (price, seq) WHERE status = 'open' AND side = 'sell';
CREATE INDEX trade_order_user ON presale.trade_order (user_id, created_at DESC);
CREATE INDEX trade_order_open ON presale.trade_order (user_id) WHERE status = 'open';
GRANT SELECT, INSERT ON presale.trade_order TO arbora_app;
GRANT UPDATE (filled, total, status, ended, hold, version, updated_at) ON presale.trade_order TO arbora_app;

-- What has ended stays as it ended; what was filled stays filled.
CREATE FUNCTION presale.check_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status <> 'open' OR NEW.filled < OLD.filled OR NEW.total < OLD.total THEN
        RAISE EXCEPTION 'the order has ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'order_done';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER order_checked BEFORE UPDATE ON presale.trade_order FOR EACH ROW EXECUTE FUNCTION presale.check_order();

CREATE TABLE presale.trade (
    id              uuid PRIMARY KEY,
    number          bigint NOT NULL UNIQUE CHECK (number > 0),         -- counts from 1 without a gap
    buy_order       uuid NOT NULL REFERENCES presale.trade_order,
    sell_order      uuid NOT NULL REFERENCES presale.trade_order,
    buyer           uuid NOT NULL,
    seller          uuid NOT NULL,
    side            text NOT NULL CHECK (side IN ('buy', 'sell')),     -- of the order that came later
    price           bigint NOT NULL CHECK (price > 0 AND price % 100 = 0),
    quantity        bigint NOT NULL CHECK (quantity > 0 AND quantity % 10000 = 0),
    cost            bigint NOT NULL CHECK (cost > 0),
    ledger_transfer uuid NOT NULL UNIQUE,
    at              timestamptz NOT NULL,
    CONSTRAINT trade_exact CHECK (cost::numeric * 1000000 = price::numeric * quantity),
    CONSTRAINT trade_between_two CHECK (buyer <> seller)
);
CREATE INDEX trade_at ON presale.trade (at DESC);
GRANT SELECT, INSERT ON presale.trade TO arbora_app;
