-- Doubles: what was merged into a ticket that is deleted since stands alone again, closed as it was. For good otherwise, as before.
CREATE OR REPLACE FUNCTION support.check_merging() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.merged_into IS NOT NULL AND NEW.merged_into IS DISTINCT FROM OLD.merged_into
        AND NOT (NEW.merged_into IS NULL
                 AND EXISTS (SELECT FROM support.ticket t WHERE t.id = OLD.merged_into AND t.deleted_at IS NOT NULL)) THEN
        RAISE EXCEPTION 'what was merged stays so' USING ERRCODE = 'check_violation', CONSTRAINT = 'ticket_merged_for_good';
    END IF;
    IF OLD.merged_into IS NULL AND NEW.merged_into IS NOT NULL AND NOT EXISTS (
        SELECT FROM support.ticket t
        WHERE t.id = NEW.merged_into AND t.owner = NEW.owner AND t.status = 'open' AND t.merged_into IS NULL AND t.deleted_at IS NULL) THEN
        RAISE EXCEPTION 'a ticket is merged into an open one of the same person' USING ERRCODE = 'check_violation', CONSTRAINT = 'ticket_merged_of_one';
    END IF;
    RETURN NEW;
END $$;

-- What was deleted before this.
UPDATE support.ticket d SET merged_into = NULL, merged_at = NULL, version = d.version + 1
FROM support.ticket t WHERE d.merged_into = t.id AND t.deleted_at IS NOT NULL AND d.deleted_at IS NULL;
UPDATE support.ticket t SET doubles = left_over.count, version = t.version + 1
FROM (SELECT o.id, (SELECT count(*) FROM support.ticket d WHERE d.merged_into = o.id AND d.deleted_at IS NULL)::integer AS count
      FROM support.ticket o WHERE o.doubles > 0 AND o.deleted_at IS NULL) left_over
WHERE t.id = left_over.id AND t.doubles <> left_over.count;

-- What a person has written so far, beside one ticket. It holds the person's writing until the transaction ends, and reads after that: one statement of the
-- server's, so that a message of who has not confirmed an address asks no more often than another may.
CREATE FUNCTION support.written(person uuid, beside uuid, since timestamptz, nth bigint)
RETURNS TABLE (other_open bigint, oldest_counted timestamptz) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(person::text, 13));
    RETURN QUERY SELECT
        (SELECT count(*) FROM support.ticket t
         WHERE t.owner = person AND t.status = 'open' AND t.deleted_at IS NULL AND t.id IS DISTINCT FROM beside),
        (SELECT m.created_at FROM support.ticket t JOIN support.message m ON m.ticket = t.id
         WHERE t.owner = person AND m.author = person AND m.created_at > since
         ORDER BY m.created_at DESC OFFSET nth LIMIT 1);
END $$;
