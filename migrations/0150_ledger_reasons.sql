-- A reason is kept whole wherever it stands: at most 500 characters (docs/rules/foundation.md), in the books as in the decision that they follow.

ALTER TABLE ledger.transfer DROP CONSTRAINT transfer_reason_check;
ALTER TABLE ledger.transfer ADD CONSTRAINT transfer_reason_check CHECK (length(reason) <= 500);
ALTER TABLE robots.share_reversal DROP CONSTRAINT share_reversal_reason_check;
ALTER TABLE robots.share_reversal ADD CONSTRAINT share_reversal_reason_check CHECK (length(reason) BETWEEN 1 AND 500);
