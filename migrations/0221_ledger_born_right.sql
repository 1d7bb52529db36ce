-- Ledger: an account that is what it says it is comes into being without a call of the function that refuses others: a fifth of what a new account
-- cost, and a closing may bring a hundred thousand. The condition is the function's own, and wider: whatever it might refuse it still looks at. Who
-- gives the function another reason to refuse writes it here too.
DROP TRIGGER check_new ON ledger.account;
CREATE TRIGGER check_new BEFORE INSERT ON ledger.account FOR EACH ROW
    WHEN (NEW.balance <> 0 OR NEW.version <> 0
          OR NEW.bound IS DISTINCT FROM ledger.account_bound(NEW.owner_kind, NEW.name, NEW.currency)
          OR NEW.id IS DISTINCT FROM ledger.account_id(NEW.owner_kind, NEW.owner, NEW.name, NEW.currency, NEW.stripe)
          OR (NEW.owner_kind = 'house') <> (NEW.owner IS NULL)
          OR NEW.stripe NOT BETWEEN 0 AND 15
          OR NEW.stripe <> 0
          OR NEW.name IN ('trading:simulated', 'trading:paper'))
    EXECUTE FUNCTION ledger.check_new_account();
