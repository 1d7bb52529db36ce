-- What a person was shown and said yes to, word for word: which version, in which language, when, and for what (product.md §3, domain.md §4).
-- Never changed, never deleted.
CREATE TABLE identity.acceptance (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account  uuid NOT NULL REFERENCES identity.account,
    what     text NOT NULL CHECK (what IN ('terms', 'risk', 'age')),
    version  text NOT NULL,
    language text NOT NULL CHECK (language IN ('pt', 'en', 'es')),
    -- The licence, pool entry or payment that it was said for; none for the account itself.
    about    uuid,
    at       timestamptz NOT NULL
);
CREATE INDEX acceptance_account ON identity.acceptance (account, at);

REVOKE ALL ON identity.acceptance FROM arbora_app;
GRANT SELECT, INSERT ON identity.acceptance TO arbora_app;
