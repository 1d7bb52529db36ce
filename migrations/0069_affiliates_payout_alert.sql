-- Affiliates: since when bonuses are above the ceiling that staff set; no time while they are not. One row.
CREATE TABLE affiliates.payout_alert (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    since timestamptz
);
INSERT INTO affiliates.payout_alert DEFAULT VALUES;
GRANT SELECT ON affiliates.payout_alert TO arbora_app;
GRANT UPDATE (since) ON affiliates.payout_alert TO arbora_app;
CREATE TRIGGER kept BEFORE DELETE OR TRUNCATE ON affiliates.payout_alert
    FOR EACH STATEMENT EXECUTE FUNCTION affiliates.refuse_change();
