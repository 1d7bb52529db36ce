-- Wallet: PYX leaves the books for the chain (domain.md §10): whole, with a fee of its own from `available`.

-- Of a PYX withdrawal `net` is what the PYX were worth when they were asked for, at `rate`; `hold` holds the PYX, `fee_hold` the fee.
ALTER TABLE wallet.withdrawal DROP CONSTRAINT withdrawal_coin_check;
ALTER TABLE wallet.withdrawal ADD CONSTRAINT withdrawal_coin_check CHECK (coin IN ('usdt', 'busd', 'bnb', 'pyx'));
ALTER TABLE wallet.withdrawal ADD COLUMN fee_hold uuid UNIQUE;
ALTER TABLE wallet.withdrawal ADD CONSTRAINT withdrawal_fee_held CHECK ((fee_hold IS NOT NULL) = (coin = 'pyx' AND fee > 0));
-- The books count PYX in millionths: nothing smaller leaves. At least one leaves.
ALTER TABLE wallet.withdrawal ADD CONSTRAINT withdrawal_whole_pyx
    CHECK (coin <> 'pyx' OR (wei % 1000000000000 = 0 AND wei >= 1000000000000000000));

CREATE FUNCTION wallet.check_fee_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what was agreed with the customer does not change';
END $$;
CREATE TRIGGER withdrawal_fee_hold BEFORE UPDATE OF fee_hold ON wallet.withdrawal FOR EACH ROW
    WHEN (NEW.fee_hold IS DISTINCT FROM OLD.fee_hold) EXECUTE FUNCTION wallet.check_fee_hold();
