-- Identity: passkeys that wait for another password, and answers of authenticators that arrive out of order
-- (docs/decisions/0107-passkeys-put-aside.md, docs/rules/identity.md#passkeys).

-- Holds identity.passkey: a few rows a person, at most ten.
ALTER TABLE identity.passkey
    -- The account may be in other hands: it opens nothing, and stays a factor.
    ADD COLUMN aside_at   timestamptz CHECK (aside_at >= created_at),
    -- Another password was set since: as the second step after it the passkey is taken again, and lies aside no longer.
    ADD COLUMN returns_at timestamptz CHECK (returns_at >= aside_at),
    ADD CONSTRAINT passkey_returns CHECK (returns_at IS NULL OR aside_at IS NOT NULL);
GRANT UPDATE (aside_at, returns_at) ON identity.passkey TO arbora_app;

-- A count only grows, a doubt stays, what lies aside comes back after another password alone, whatever the server does.
CREATE OR REPLACE FUNCTION identity.passkey_goes_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.sign_count < OLD.sign_count THEN
        RAISE EXCEPTION 'a passkey counts forward' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_counts_forward';
    END IF;
    IF OLD.doubted_at IS NOT NULL AND (NEW.doubted_at IS DISTINCT FROM OLD.doubted_at OR NEW.last_used_at IS DISTINCT FROM OLD.last_used_at) THEN
        RAISE EXCEPTION 'a doubted passkey opens nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_doubted';
    END IF;
    IF OLD.aside_at IS NOT NULL AND (NEW.aside_at IS NULL AND OLD.returns_at IS NULL
                                     OR NEW.aside_at IS NOT NULL AND NEW.last_used_at IS DISTINCT FROM OLD.last_used_at) THEN
        RAISE EXCEPTION 'a passkey that lies aside opens nothing' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_aside';
    END IF;
    RETURN NEW;
END $$;

-- Which passkey answered a challenge, with which count, and what its count was before: two answers that overtake each other are told from a
-- copy by the count that stood when each was asked for.
-- Holds identity.passkey_challenge: what people were asked within a day.
ALTER TABLE identity.passkey_challenge
    ADD COLUMN passkey        uuid,
    ADD COLUMN counted_before bigint CHECK (counted_before BETWEEN 0 AND 4294967295),
    ADD COLUMN counted        bigint CHECK (counted BETWEEN 0 AND 4294967295),
    ADD CONSTRAINT passkey_challenge_counted CHECK (
        (passkey IS NULL) = (counted_before IS NULL) AND (passkey IS NULL) = (counted IS NULL) AND (passkey IS NULL OR used_at IS NOT NULL));
CREATE INDEX passkey_challenge_passkey ON identity.passkey_challenge (passkey, used_at) WHERE passkey IS NOT NULL;
GRANT UPDATE (passkey, counted_before, counted) ON identity.passkey_challenge TO arbora_app;

CREATE OR REPLACE FUNCTION identity.passkey_challenge_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.used_at IS NOT NULL AND NEW.used_at IS DISTINCT FROM OLD.used_at
       OR OLD.proof IS NOT NULL AND NEW.proof IS DISTINCT FROM OLD.proof
       OR OLD.spent_at IS NOT NULL AND NEW.spent_at IS DISTINCT FROM OLD.spent_at
       OR OLD.passkey IS NOT NULL AND (NEW.passkey, NEW.counted_before, NEW.counted) IS DISTINCT FROM (OLD.passkey, OLD.counted_before, OLD.counted) THEN
        RAISE EXCEPTION 'a challenge is answered once' USING ERRCODE = 'check_violation', CONSTRAINT = 'passkey_challenge_once';
    END IF;
    RETURN NEW;
END $$;
