-- Identity: what a person tells of themself beside name and address: birth date, time zone, places elsewhere where their own network finds them;
-- and the kinds of mail that they do not want.
ALTER TABLE identity.account
    ADD COLUMN birth_date date CHECK (birth_date >= '1900-01-01'),
    ADD COLUMN time_zone  text CHECK (length(time_zone) BETWEEN 1 AND 64),
    ADD COLUMN quiet_mail text[] NOT NULL DEFAULT '{}' CHECK (cardinality(quiet_mail) <= 20);

CREATE TABLE identity.social (
    account uuid NOT NULL REFERENCES identity.account,
    network text NOT NULL CHECK (network IN ('instagram', 'telegram', 'whatsapp', 'facebook', 'youtube', 'x', 'linkedin')),
    place   text NOT NULL CHECK (length(place) BETWEEN 1 AND 100),
    PRIMARY KEY (account, network)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON identity.social TO arbora_app;
