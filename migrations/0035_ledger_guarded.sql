-- That an account only moves forward was asked before each row, which makes the database lock the row a second time. The checks after
-- the statement ask it as well: a move needs the posting that follows where the account stood, and the account stands at its newest.
DROP TRIGGER forward ON ledger.account;
