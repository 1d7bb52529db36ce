-- Licences: loans on free capital (domain.md §4). The debt itself is the ledger's `loan` account, copied to `licence.loan`.
ALTER TABLE licences.licence
    ADD COLUMN loan_taken   bigint NOT NULL DEFAULT 0 CHECK (loan_taken >= 0),  -- as granted: of the open loan, or of the last one
    ADD COLUMN loan_at      timestamptz,
    -- The robot stands still because its capital no longer backed the loan.
    ADD COLUMN loan_stopped boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT licence_loan_within_what_was_taken CHECK (-loan <= loan_taken),
    ADD CONSTRAINT licence_loan_has_a_date CHECK (loan = 0 OR loan_at IS NOT NULL),
    ADD CONSTRAINT licence_stopped_is_paused CHECK (NOT loan_stopped OR paused),
    ADD CONSTRAINT licence_cancelled_owes_nothing CHECK (state <> 'cancelled' OR loan = 0);

-- One open loan a licence: a debt only shrinks, a new one begins at nothing.
CREATE FUNCTION licences.check_loan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'licence % has an open loan', NEW.id USING ERRCODE = 'check_violation', CONSTRAINT = 'licence_one_loan';
END $$;
CREATE TRIGGER one_loan BEFORE UPDATE OF loan ON licences.licence
    FOR EACH ROW WHEN (OLD.loan < 0 AND NEW.loan < OLD.loan) EXECUTE FUNCTION licences.check_loan();
