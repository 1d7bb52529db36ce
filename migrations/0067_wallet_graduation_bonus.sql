-- The payment of a rank's bonus: a payout like a withdrawal, whose money comes from the house's fund and goes to the member's own wallet.
CREATE TABLE wallet.graduation_bonus (
    id               uuid PRIMARY KEY,
    graduation       uuid NOT NULL REFERENCES affiliates.graduation,
    owner            uuid NOT NULL REFERENCES identity.account,
    address          bytea NOT NULL CHECK (length(address) = 20),
    usdt             bigint NOT NULL CHECK (usdt > 0),
    fee              bigint NOT NULL DEFAULT 0 CHECK (fee = 0),
    net              bigint NOT NULL,
    -- What the wallet receives, exact: a coin for a USDT of the books.
    wei              numeric(38, 0) NOT NULL,
    rate             bigint NOT NULL CHECK (rate = 1000000),
    -- All kinds of payouts have them; here nobody is asked anything.
    offer_wei        numeric(38, 0) CHECK (offer_wei IS NULL),
    offer_rate       bigint CHECK (offer_rate IS NULL),
    settings_version integer NOT NULL,
    review           boolean NOT NULL DEFAULT false,
    status           text NOT NULL CHECK (status IN ('pending', 'approved', 'sent', 'complete', 'rejected')),
    reason           text CHECK (length(reason) <= 500),
    approvals        smallint NOT NULL DEFAULT 0,
    approvals_needed smallint NOT NULL DEFAULT 1,
    digest           bytea,
    outgoing         uuid REFERENCES wallet.outgoing,
    -- Its posting in the books, with the fact that it is complete.
    transfer         uuid UNIQUE,
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    waiting_since    timestamptz NOT NULL,
    expires_at       timestamptz NOT NULL,
    decided_at       timestamptz,
    CHECK (net = usdt AND wei = usdt::numeric * 1000000000000),
    CHECK ((status = 'complete') = (transfer IS NOT NULL)),
    CHECK (status NOT IN ('sent', 'complete') OR outgoing IS NOT NULL)
) WITH (fillfactor = 80);
-- However often it is pressed, and by whom: a rank's bonus has one payment that is under way, or was made.
CREATE UNIQUE INDEX graduation_bonus_once ON wallet.graduation_bonus (graduation) WHERE status <> 'rejected';
CREATE INDEX graduation_bonus_of ON wallet.graduation_bonus (graduation, created_at DESC);
CREATE INDEX graduation_bonus_queue ON wallet.graduation_bonus (waiting_since, id) WHERE status IN ('pending', 'approved', 'sent');
GRANT SELECT, INSERT, UPDATE ON wallet.graduation_bonus TO arbora_app;

CREATE FUNCTION wallet.check_graduation_bonus() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    carried text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'pending' OR NOT EXISTS (
            SELECT FROM affiliates.graduation g WHERE g.id = NEW.graduation AND g.member = NEW.owner AND g.amount = NEW.usdt AND g.paid_at IS NULL) THEN
            RAISE EXCEPTION 'a payment of another bonus';
        END IF;
        IF NOT EXISTS (SELECT FROM wallet.user_wallet w WHERE w.owner = NEW.owner AND w.address = NEW.address) THEN
            RAISE EXCEPTION 'a payment to another wallet';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.owner <> OLD.owner OR NEW.graduation <> OLD.graduation OR NEW.address <> OLD.address OR NEW.usdt <> OLD.usdt OR NEW.wei <> OLD.wei THEN
        RAISE EXCEPTION 'what was asked for does not change';
    END IF;
    IF NEW.status = OLD.status THEN
        IF OLD.status <> 'pending' AND NEW.digest IS DISTINCT FROM OLD.digest THEN
            RAISE EXCEPTION 'what was approved does not change';
        END IF;
        RETURN NEW;
    END IF;
    IF NOT (CASE OLD.status
        WHEN 'pending' THEN NEW.status IN ('approved', 'rejected')
        WHEN 'approved' THEN NEW.status IN ('sent', 'rejected')
        WHEN 'sent' THEN NEW.status IN ('approved', 'complete', 'rejected')
        ELSE false END) THEN
        RAISE EXCEPTION 'the payment of a bonus does not go from % to %', OLD.status, NEW.status;
    END IF;
    SELECT state INTO carried FROM wallet.outgoing WHERE id = NEW.outgoing;
    IF NEW.status = 'approved' AND (NEW.digest IS NULL OR NOT approvals.is_approved('graduation_bonus', NEW.id, NEW.digest)) THEN
        RAISE EXCEPTION 'a payment without its approvals';
    END IF;
    IF (NEW.status = 'sent' AND carried NOT IN ('signed', 'sent', 'mined'))
       OR (NEW.status = 'complete' AND carried <> 'done')
       -- It ends unpaid only where nothing of it can still leave; a signed one only by the chain's word.
       OR (NEW.status = 'rejected' AND coalesce(carried, 'dropped') NOT IN ('dropped', 'failed'))
       OR (OLD.status = 'sent' AND NEW.status = 'rejected' AND carried <> 'failed')
       OR (OLD.status = 'sent' AND NEW.status = 'approved' AND carried <> 'queued') THEN
        RAISE EXCEPTION 'a payment % whose transaction is %', NEW.status, carried;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER graduation_bonus_checked BEFORE INSERT OR UPDATE ON wallet.graduation_bonus
    FOR EACH ROW EXECUTE FUNCTION wallet.check_graduation_bonus();

ALTER TABLE wallet.outgoing DROP CONSTRAINT outgoing_cause_kind_check;
ALTER TABLE wallet.outgoing ADD CONSTRAINT outgoing_cause_kind_check
    CHECK (cause_kind IN ('withdrawal', 'graduation_bonus', 'wallet_send', 'wallet_approve', 'wallet_swap', 'wallet_revoke', 'cold'));
DO $$
DECLARE unnamed text;
BEGIN
    SELECT conname INTO STRICT unnamed FROM pg_constraint WHERE conrelid = 'wallet.outgoing'::regclass AND contype = 'c'
        AND pg_get_constraintdef(oid) LIKE '%(key = ''hot''::text)%cause_kind%';
    EXECUTE format('ALTER TABLE wallet.outgoing DROP CONSTRAINT %I', unnamed);
END $$;
ALTER TABLE wallet.outgoing ADD CONSTRAINT outgoing_hot_causes
    CHECK ((key = 'hot') = (cause_kind IN ('withdrawal', 'graduation_bonus', 'cold')));

-- A transaction of the hot wallet carries what was approved, to whom it was approved, once.
CREATE FUNCTION wallet.check_graduation_outgoing() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM wallet.graduation_bonus b WHERE b.id = NEW.cause AND b.status = 'approved' AND NEW.coin = 'usdt'
        AND b.address = NEW.beneficiary AND b.wei = NEW.amount AND approvals.is_approved('graduation_bonus', b.id, b.digest)) THEN
        RAISE EXCEPTION 'a transaction for what was not approved';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER outgoing_graduation_checked BEFORE INSERT ON wallet.outgoing
    FOR EACH ROW WHEN (NEW.cause_kind = 'graduation_bonus') EXECUTE FUNCTION wallet.check_graduation_outgoing();

-- A payment with what its screens show of it. The chain's refusal has a word of its own.
CREATE VIEW wallet.graduation_bonus_shown AS
SELECT b.*, a.username, a.full_name, a.email, a.created_at AS member_since, g.rank,
       CASE WHEN b.status = 'rejected' AND o.state = 'failed' THEN 'failed' ELSE b.status END AS shown_status,
       o.block, o.ended_at AS completed_at, o.signed_at AS sent_at,
       coalesce(o.tx, (SELECT t.tx FROM wallet.outgoing_attempt t WHERE t.outgoing = o.id ORDER BY t.signed_at DESC LIMIT 1)) AS tx,
       0::bigint AS paid_before, 0::bigint AS day_before
FROM wallet.graduation_bonus b
JOIN identity.account a ON a.id = b.owner
JOIN affiliates.graduation g ON g.id = b.graduation
LEFT JOIN wallet.outgoing o ON o.id = b.outgoing;
GRANT SELECT ON wallet.graduation_bonus_shown TO arbora_app;
