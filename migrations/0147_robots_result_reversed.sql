-- Robots: a wrong result is taken back by two persons (docs/rules/desk.md#results-taken-back). What the books did to one robot with one settlement
-- is undone whole: all its shares of that settlement at once.

ALTER TABLE approvals.decision DROP CONSTRAINT decision_kind_check;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_kind_check CHECK (kind IN ('pix_deposit', 'pix_withdrawal', 'crypto_withdrawal',
    'crypto_deposit', 'sponsorship', 'graduation_bonus', 'pool_revenue', 'declared_holdings', 'money_settings', 'live_trading',
    'admin_grant', 'transfer', 'outbound_pause', 'pause_lift', 'pix_reversal', 'pix_payment', 'pix_key', 'pix_holder', 'payout_retry',
    'held_bonus', 'hot_wallet', 'manual_key', 'result_reversal'));
ALTER TABLE approvals.decision DROP CONSTRAINT decision_always_two;
ALTER TABLE approvals.decision ADD CONSTRAINT decision_always_two CHECK (verdict = 'reject' OR needed = 2
    OR kind NOT IN ('pool_revenue', 'money_settings', 'live_trading', 'pause_lift', 'hot_wallet', 'result_reversal'));

-- What is asked to be taken back: written with the first word, once; it waits until a second one is there, however often a first falls.
CREATE TABLE robots.reversal (
    id       uuid PRIMARY KEY,
    batch    uuid NOT NULL REFERENCES robots.batch,
    licence  uuid NOT NULL,
    owner    uuid NOT NULL,
    asked_at timestamptz NOT NULL,
    UNIQUE (batch, licence)
);
-- A share that was taken back. The share itself stays: what sums shares leaves these out.
CREATE TABLE robots.share_reversal (
    operation uuid NOT NULL,
    licence   uuid NOT NULL,
    reversal  uuid NOT NULL REFERENCES robots.reversal,
    transfer  uuid NOT NULL,
    reason    text NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
    at        timestamptz NOT NULL,
    PRIMARY KEY (operation, licence),
    FOREIGN KEY (operation, licence) REFERENCES robots.share (operation, licence)
);
CREATE INDEX share_reversal_whole ON robots.share_reversal (reversal);
GRANT SELECT, INSERT ON robots.reversal, robots.share_reversal TO arbora_app;
-- Only to lock it: a change is refused.
GRANT UPDATE (asked_at) ON robots.reversal TO arbora_app;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON robots.reversal FOR EACH STATEMENT EXECUTE FUNCTION robots.refuse_change_of_history();
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON robots.share_reversal FOR EACH STATEMENT EXECUTE FUNCTION robots.refuse_change_of_history();

-- Only what two have agreed to, of that robot and settlement, with the transfer that undid it.
CREATE FUNCTION robots.check_reversal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT approvals.is_decided('result_reversal', NEW.reversal) THEN
        RAISE EXCEPTION 'a result taken back without its approvals' USING ERRCODE = 'check_violation', CONSTRAINT = 'result_reversal_approved';
    END IF;
    IF NOT EXISTS (SELECT FROM robots.reversal r JOIN robots.operation o ON o.batch = r.batch
                   JOIN ledger.transfer t ON t.id = NEW.transfer AND t.part = r.licence
                   WHERE r.id = NEW.reversal AND r.licence = NEW.licence AND o.id = NEW.operation) THEN
        RAISE EXCEPTION 'a share that was not taken back' USING ERRCODE = 'check_violation', CONSTRAINT = 'result_reversal_booked';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER reversal_checked BEFORE INSERT ON robots.share_reversal FOR EACH ROW EXECUTE FUNCTION robots.check_reversal();

-- A day of a robot whose every result was taken back is no day of it.
GRANT DELETE ON robots.day_result, robots.day_route TO arbora_app;

-- Which lots bore a loss, where there were several to bear it: what is given back goes where it came from. Of a licence with one lot that is
-- known without it.
CREATE TABLE licences.lot_loss (
    batch   uuid NOT NULL,
    licence uuid NOT NULL,
    lot     uuid NOT NULL,
    amount  bigint NOT NULL CHECK (amount > 0),
    PRIMARY KEY (batch, licence, lot)
);
GRANT SELECT, INSERT ON licences.lot_loss TO arbora_app;
CREATE FUNCTION licences.refuse_change_of_losses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'licences.lot_loss is append-only';
END $$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON licences.lot_loss FOR EACH STATEMENT EXECUTE FUNCTION licences.refuse_change_of_losses();

-- One open loan a licence: a debt only shrinks, a new one begins at nothing. It grows again, by the same loan and within what was taken, when a
-- gain that repaid of it is taken back.
DROP TRIGGER one_loan ON licences.licence;
CREATE TRIGGER one_loan BEFORE UPDATE OF loan ON licences.licence
    FOR EACH ROW WHEN (OLD.loan < 0 AND NEW.loan < OLD.loan
        AND (NEW.loan_at IS DISTINCT FROM OLD.loan_at OR NEW.loan_taken <> OLD.loan_taken OR -NEW.loan > NEW.loan_taken))
    EXECUTE FUNCTION licences.check_loan();
