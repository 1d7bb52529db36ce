-- Presale: what a trade loses is counted from slow anchors, not from the reference of the moment: for the buyer from the lowest, for the
-- seller from the highest of the reference and of where the last business days began. So both sides of one trade may lose.

-- The anchors of the moment, and what each side lost by them, rounded up. Trades from before have the reference for both.
ALTER TABLE presale.trade ADD COLUMN lowest bigint;
ALTER TABLE presale.trade ADD COLUMN highest bigint;
ALTER TABLE presale.trade ADD COLUMN buyer_lost bigint NOT NULL DEFAULT 0;
ALTER TABLE presale.trade ADD COLUMN seller_lost bigint NOT NULL DEFAULT 0;
UPDATE presale.trade SET lowest = reference, highest = reference,
    buyer_lost = CASE WHEN price > reference THEN lost ELSE 0 END,
    seller_lost = CASE WHEN price < reference THEN lost ELSE 0 END
    WHERE reference IS NOT NULL;
ALTER TABLE presale.trade DROP CONSTRAINT trade_lost;
ALTER TABLE presale.trade DROP COLUMN lost;
ALTER TABLE presale.trade ADD CONSTRAINT trade_anchors CHECK (CASE WHEN reference IS NULL
    THEN lowest IS NULL AND highest IS NULL AND buyer_lost = 0 AND seller_lost = 0
    ELSE lowest IS NOT NULL AND highest IS NOT NULL AND lowest > 0 AND reference BETWEEN lowest AND highest END);
ALTER TABLE presale.trade ADD CONSTRAINT trade_buyer_lost CHECK (buyer_lost >= 0 AND (lowest IS NULL
    OR (buyer_lost::numeric * 1000000 >= greatest(price - lowest, 0)::numeric * quantity
        AND (buyer_lost - 1)::numeric * 1000000 < greatest(price - lowest, 0)::numeric * quantity)));
ALTER TABLE presale.trade ADD CONSTRAINT trade_seller_lost CHECK (seller_lost >= 0 AND (highest IS NULL
    OR (seller_lost::numeric * 1000000 >= greatest(highest - price, 0)::numeric * quantity
        AND (seller_lost - 1)::numeric * 1000000 < greatest(highest - price, 0)::numeric * quantity)));
