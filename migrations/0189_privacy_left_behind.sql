-- Privacy: what its owner leaves to the house when they close their account (docs/decisions/0094-nothing-comes-to-who-has-left.md,
-- docs/rules/privacy.md#closing): too little to be taken out, and bonuses of ranks that nobody has asked to be paid.

-- The sums that were named, of `available`, of free PYX and of ranks. They are what is there on the day, or the account is kept.
ALTER TABLE privacy.closing
    ADD COLUMN left_available bigint CHECK (left_available > 0),
    ADD COLUMN left_pyx       bigint CHECK (left_pyx > 0),
    ADD COLUMN left_ranks     bigint CHECK (left_ranks > 0);

-- An account of the house for what was left to it.
CREATE OR REPLACE FUNCTION ledger.account_bound(owner_kind text, name text, currency text) RETURNS smallint
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
            WHEN name = 'left_behind' AND currency = 'PYX' THEN 1
            WHEN currency <> 'USDT' THEN NULL
            WHEN name IN ('licence_sales', 'deposit_fees', 'withdrawal_fees', 'loan_fees', 'network_fund', 'graduation_fund', 'graduation_due', 'presale', 'left_behind') THEN 1
            WHEN name ~ '^pool_revenue:[0-9a-f-]{36}$' THEN 1
            WHEN name ~ '^trading:(simulated|paper|live)$' THEN 0
            WHEN name IN ('sponsorship', 'chain_losses', 'pix_losses') THEN 0
        END
    END)::smallint
$$;

-- A rank's bonus that its member gave up: its value stays in the fund, where it was.
ALTER TABLE affiliates.graduation
    ADD COLUMN given_up_at timestamptz,
    ADD CONSTRAINT graduation_given_up CHECK (given_up_at IS NULL OR (paid_at IS NULL AND payout IS NULL));
GRANT UPDATE (given_up_at) ON affiliates.graduation TO arbora_app;

CREATE OR REPLACE FUNCTION affiliates.check_graduation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.paid_at IS NOT NULL THEN
        RAISE EXCEPTION 'the bonus is paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'graduation_paid_once';
    END IF;
    IF OLD.given_up_at IS NOT NULL THEN
        RAISE EXCEPTION 'the bonus is given up' USING ERRCODE = 'check_violation', CONSTRAINT = 'graduation_given_up_once';
    END IF;
    IF OLD.payout IS NOT NULL AND NEW.payout IS NOT NULL AND NEW.payout <> OLD.payout THEN
        RAISE EXCEPTION 'the bonus is being paid' USING ERRCODE = 'check_violation', CONSTRAINT = 'graduation_one_payment';
    END IF;
    IF NEW.payout IS NULL AND OLD.payout IS NOT NULL AND NOT EXISTS (
        SELECT FROM wallet.graduation_bonus b WHERE b.id = OLD.payout AND b.graduation = NEW.id AND b.status = 'rejected') THEN
        RAISE EXCEPTION 'a payment that may still be made' USING ERRCODE = 'check_violation', CONSTRAINT = 'graduation_payment_ended';
    END IF;
    IF NEW.paid_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM wallet.graduation_bonus b WHERE b.id = NEW.payout AND b.graduation = NEW.id AND b.status = 'complete') THEN
        RAISE EXCEPTION 'a bonus paid by nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'graduation_paid_by';
    END IF;
    RETURN NEW;
END $$;
