-- Presale: orders in the book beside the guard of outgoing money. What a trade loses against the reference counts as money that
-- leaves; the reference is stored and moves only so far a day; trading is opened once per session; who shares a document is known.

-- An order that its owner's whitelist or limits no longer let stand.
ALTER TABLE presale.trade_order DROP CONSTRAINT trade_order_ended_check;
ALTER TABLE presale.trade_order ADD CONSTRAINT trade_order_ended_check
    CHECK (ended IN ('owner', 'self_trade', 'limit', 'reversal', 'debt', 'guarded'));

-- The reference of the moment, and what the side on whose worse side of it the price lay lost, rounded up. Trades from before have none.
ALTER TABLE presale.trade ADD COLUMN reference bigint CHECK (reference > 0);
ALTER TABLE presale.trade ADD COLUMN lost bigint NOT NULL DEFAULT 0 CHECK (lost >= 0);
ALTER TABLE presale.trade ADD CONSTRAINT trade_lost CHECK (reference IS NULL
    OR (lost::numeric * 1000000 >= abs(price - reference)::numeric * quantity
        AND (lost - 1)::numeric * 1000000 < abs(price - reference)::numeric * quantity));
CREATE INDEX trade_pair ON presale.trade (buyer, seller, at);

-- The reference: a row per business day with an order. `base` is where the day before left it, or the last round's price.
CREATE TABLE presale.reference (
    day              date PRIMARY KEY,
    base             bigint NOT NULL CHECK (base > 0),
    price            bigint NOT NULL CHECK (price > 0),
    -- The most that it moves from `base`, in parts per million.
    part             bigint NOT NULL CHECK (part BETWEEN 0 AND 1000000),
    settings_version integer NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT reference_moved CHECK (abs(price - base)::numeric * 1000000 <= base::numeric * part)
);
GRANT SELECT, INSERT ON presale.reference TO arbora_app;
GRANT UPDATE (price, part, settings_version, updated_at) ON presale.reference TO arbora_app;

-- A day begins where the one before ended, and no day is written into the past.
CREATE FUNCTION presale.check_reference() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    latest presale.reference;
BEGIN
    SELECT * INTO latest FROM presale.reference ORDER BY day DESC LIMIT 1;
    IF latest.day > NEW.day THEN
        RAISE EXCEPTION 'the reference of a day that is over' USING ERRCODE = 'check_violation', CONSTRAINT = 'reference_day';
    END IF;
    IF TG_OP = 'INSERT' AND latest.day < NEW.day AND NEW.base <> latest.price THEN
        RAISE EXCEPTION 'a day begins where the one before ended' USING ERRCODE = 'check_violation', CONSTRAINT = 'reference_base';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reference_checked BEFORE INSERT OR UPDATE ON presale.reference FOR EACH ROW EXECUTE FUNCTION presale.check_reference();

-- Sessions that gave their code: they trade without another.
CREATE TABLE presale.trading_session (
    session   uuid PRIMARY KEY REFERENCES identity.session ON DELETE CASCADE,
    opened_at timestamptz NOT NULL
);
GRANT SELECT, INSERT ON presale.trading_session TO arbora_app;

-- Whose document: keyed fingerprints, so that one person in several accounts is seen.
CREATE TABLE approvals.document (
    document bytea NOT NULL CHECK (length(document) = 32),
    user_id  uuid NOT NULL REFERENCES identity.account,
    at       timestamptz NOT NULL,
    PRIMARY KEY (document, user_id)
);
CREATE INDEX document_user ON approvals.document (user_id);
GRANT SELECT, INSERT, DELETE ON approvals.document TO arbora_app;
INSERT INTO approvals.document (document, user_id, at) SELECT mac, account, created_at FROM pix.holder;
