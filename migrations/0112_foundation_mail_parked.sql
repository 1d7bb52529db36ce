-- Foundation: mail that can never be sent is parked with its reason and no longer tried.
ALTER TABLE foundation.mail
    ADD COLUMN parked_at timestamptz,
    ADD COLUMN parked_for text CHECK (length(parked_for) <= 200),
    ADD CONSTRAINT mail_parked_for_a_reason CHECK ((parked_at IS NULL) = (parked_for IS NULL)),
    ADD CONSTRAINT mail_parked_was_not_sent CHECK (parked_at IS NULL OR sent_at IS NULL);
