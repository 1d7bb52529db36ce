-- Identity: people as staff list, find and change them.

-- Who switched an account on or off, and when; the reason stands there already.
ALTER TABLE identity.account
    ADD COLUMN status_by uuid REFERENCES identity.account,
    ADD COLUMN status_at timestamptz;

-- What staff write down about a person: never changed, never shown to the person.
CREATE TABLE identity.staff_note (
    id      uuid PRIMARY KEY,
    account uuid NOT NULL REFERENCES identity.account,
    author  uuid NOT NULL REFERENCES identity.account,
    text    text NOT NULL CHECK (length(btrim(text)) BETWEEN 1 AND 2000),
    at      timestamptz NOT NULL
);
CREATE INDEX staff_note_account ON identity.staff_note (account, at DESC);
GRANT SELECT, INSERT ON identity.staff_note TO arbora_app;

-- People are found by the beginning of any word of their name, username or e-mail. One function cuts what is stored and what is
-- typed into words, so that both are cut alike.
CREATE FUNCTION identity.words(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(lower(given), '[^[:alnum:]]+', ' ', 'g'))
$$;
CREATE FUNCTION identity.found_by(full_name text, username text, email text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array_to_tsvector(array_remove(string_to_array(identity.words(full_name || ' ' || username || ' ' || email), ' '), ''))
$$;
CREATE FUNCTION identity.searched(typed text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT string_agg(quote_literal(word) || ':*', ' & ')::tsquery
    FROM unnest(array_remove(string_to_array(identity.words(typed), ' '), '')) AS word
$$;
CREATE INDEX account_found_by ON identity.account USING gin (identity.found_by(full_name, username, email));
CREATE INDEX account_status ON identity.account (status, created_at DESC);
CREATE INDEX account_role_role ON identity.account_role (role);

-- The last sign-in of a person, ended sessions included.
CREATE INDEX session_begun ON identity.session (account, created_at DESC);
