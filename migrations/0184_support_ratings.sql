-- Support: how its customer found a ticket solved. One word on each, said once and never changed, so that it may only be added.
CREATE TABLE support.rating (
    ticket     uuid PRIMARY KEY REFERENCES support.ticket,
    -- None: its customer did not want to say, and is asked no more.
    score      smallint CHECK (score BETWEEN 1 AND 5),
    comment    text CHECK (length(comment) BETWEEN 1 AND 500 AND btrim(comment) <> ''),
    -- Whose work it was: who had the ticket then, or who of staff answered last.
    agent      uuid NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT rating_comment_of_a_score CHECK (comment IS NULL OR score IS NOT NULL)
);
CREATE INDEX rating_given ON support.rating (created_at) WHERE score IS NOT NULL;
GRANT SELECT, INSERT ON support.rating TO arbora_app;

-- Only of what staff answered and what is closed, and nobody is rated by themselves. The ticket's row is locked by who writes.
CREATE FUNCTION support.check_rating() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM support.ticket t
                   WHERE t.id = NEW.ticket AND t.status = 'closed' AND t.first_answered_at IS NOT NULL AND t.owner <> NEW.agent) THEN
        RAISE EXCEPTION 'a rating of a ticket that is not asked about' USING ERRCODE = 'check_violation', CONSTRAINT = 'rating_asked';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER rating_checked BEFORE INSERT ON support.rating FOR EACH ROW EXECUTE FUNCTION support.check_rating();
CREATE FUNCTION support.refuse_change_of_rating() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'support.% is append-only', TG_TABLE_NAME;
END $$;
CREATE TRIGGER immutable BEFORE UPDATE OR DELETE OR TRUNCATE ON support.rating
    FOR EACH STATEMENT EXECUTE FUNCTION support.refuse_change_of_rating();

-- The tickets that are about a thing, asked for whenever it changes.
CREATE INDEX ticket_about ON support.ticket (about_kind, about_id) WHERE about_id IS NOT NULL AND deleted_at IS NULL;
