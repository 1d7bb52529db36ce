-- Support: a customer's doubles. One ticket is merged into another and keeps its messages; where it was merged into shows them among its own.
ALTER TABLE support.ticket
    ADD COLUMN merged_into uuid REFERENCES support.ticket,
    ADD COLUMN merged_at   timestamptz,
    -- How many were merged into it: lists and conversations know without counting.
    ADD COLUMN doubles     integer NOT NULL DEFAULT 0 CHECK (doubles BETWEEN 0 AND 10),
    ADD CONSTRAINT ticket_merged_whole CHECK ((merged_into IS NULL) = (merged_at IS NULL)),
    ADD CONSTRAINT ticket_merged_elsewhere CHECK (merged_into <> id),
    -- It is over, waits for nobody, and has none of its own: there are no chains.
    ADD CONSTRAINT ticket_merged_is_over CHECK (merged_into IS NULL OR (status = 'closed' AND waiting_since IS NULL AND doubles = 0));
CREATE INDEX ticket_merged ON support.ticket (merged_into, merged_at) WHERE merged_into IS NOT NULL;

-- For good, and only into an open ticket of the same person that was merged into none itself. Both rows are locked by who writes.
CREATE FUNCTION support.check_merging() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into THEN
        RAISE EXCEPTION 'what was merged stays so' USING ERRCODE = 'check_violation', CONSTRAINT = 'ticket_merged_for_good';
    END IF;
    IF OLD.merged_into IS NULL AND NEW.merged_into IS NOT NULL AND NOT EXISTS (
        SELECT FROM support.ticket t
        WHERE t.id = NEW.merged_into AND t.owner = NEW.owner AND t.status = 'open' AND t.merged_into IS NULL AND t.deleted_at IS NULL) THEN
        RAISE EXCEPTION 'a ticket is merged into an open one of the same person' USING ERRCODE = 'check_violation', CONSTRAINT = 'ticket_merged_of_one';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER merging_checked BEFORE UPDATE OF merged_into ON support.ticket FOR EACH ROW EXECUTE FUNCTION support.check_merging();
-- Of a double nobody is asked how it was solved.
CREATE OR REPLACE FUNCTION support.check_rating() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM support.ticket t
                   WHERE t.id = NEW.ticket AND t.status = 'closed' AND t.first_answered_at IS NOT NULL AND t.merged_into IS NULL AND t.owner <> NEW.agent) THEN
        RAISE EXCEPTION 'a rating of a ticket that is not asked about' USING ERRCODE = 'check_violation', CONSTRAINT = 'rating_asked';
    END IF;
    RETURN NEW;
END $$;
