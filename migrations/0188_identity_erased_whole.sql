-- Identity: what stayed of people whose closed accounts are erased (docs/decisions/0094-nothing-comes-to-who-has-left.md, docs/rules/privacy.md#closing).

-- The names that nobody gets again: by a key that is not in the database, and of the day alone. Digests without one, which who has a list of names
-- turns back into names, get theirs with the next hourly run. The server asks for both before it makes an account; a trigger could not know the key.
DROP TRIGGER account_username_retired ON identity.account;
DROP FUNCTION identity.skip_retired_username();
ALTER TABLE identity.retired_username ALTER COLUMN retired_at TYPE date USING (retired_at AT TIME ZONE 'America/Sao_Paulo')::date;
ALTER TABLE identity.retired_username RENAME COLUMN retired_at TO retired_on;
ALTER TABLE identity.retired_username ADD COLUMN keyed boolean NOT NULL DEFAULT false;
CREATE INDEX retired_username_bare ON identity.retired_username (digest) WHERE NOT keyed;
GRANT UPDATE (digest, keyed) ON identity.retired_username TO arbora_app;

-- By whom a person was paid for, and whose document it is: fingerprints of names and numbers. They go with the account.
GRANT DELETE ON approvals.payer TO arbora_app;

-- What a person's own wallet is made of: nobody opens it for them any more. Its address, which is public, and what moved there stay.
ALTER TABLE wallet.user_wallet
    ADD COLUMN erased_at timestamptz,
    ADD CONSTRAINT user_wallet_erased CHECK (erased_at IS NULL OR (length(entropy) = 0 AND length(data_key) = 0));
GRANT UPDATE (entropy, erased_at) ON wallet.user_wallet TO arbora_app;

CREATE OR REPLACE FUNCTION wallet.check_user_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL THEN
        IF NOT EXISTS (SELECT FROM identity.account WHERE id = NEW.owner AND erased_at IS NOT NULL) THEN
            RAISE EXCEPTION 'a wallet is erased with its owner''s account alone';
        END IF;
    ELSIF NEW.entropy <> OLD.entropy OR NEW.erased_at IS DISTINCT FROM OLD.erased_at THEN
        RAISE EXCEPTION 'a wallet does not change';
    END IF;
    IF NEW.id <> OLD.id OR NEW.owner <> OLD.owner OR NEW.address <> OLD.address THEN
        RAISE EXCEPTION 'a wallet does not change';
    END IF;
    IF NEW.version < OLD.version OR NEW.key_version < OLD.key_version THEN
        RAISE EXCEPTION 'a wallet''s versions only grow';
    END IF;
    RETURN NEW;
END $$;

-- Why its owner left, in their words. What staff last said of the account's status stays beside it.
ALTER TABLE identity.account
    ADD COLUMN closing_reason text CHECK (length(closing_reason) BETWEEN 1 AND 500),
    ADD CONSTRAINT account_closing_reason CHECK (closing_reason IS NULL OR closed_at IS NOT NULL);
UPDATE identity.account SET closing_reason = status_reason, status_reason = NULL WHERE closed_at IS NOT NULL AND erased_at IS NULL;
