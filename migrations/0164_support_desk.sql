-- Support: who has taken a ticket, and when staff first answered it. One holder by construction; both are staff's alone and stand in no view
-- of a customer.
ALTER TABLE support.ticket
    ADD COLUMN taken_by          uuid,
    ADD COLUMN taken_at          timestamptz,
    ADD COLUMN first_answered_at timestamptz,
    ADD CONSTRAINT ticket_taken_whole CHECK ((taken_by IS NULL) = (taken_at IS NULL)),
    -- On their own ticket staff are customers.
    ADD CONSTRAINT ticket_taken_by_another CHECK (taken_by <> owner);

-- What was mailed about a ticket is no answer to it.
UPDATE support.ticket t SET first_answered_at = (
    SELECT min(m.created_at) FROM support.message m WHERE m.ticket = t.id AND m.side = 'staff' AND m.mailed_to IS NULL);

-- All tickets by waiting, in both directions: those who wait first, then the freshest conversations. A closed ticket waits for nobody.
CREATE INDEX ticket_waits_longest ON support.ticket
    ((CASE WHEN status = 'open' THEN waiting_since END) ASC NULLS LAST, last_message_at DESC, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX ticket_waits_shortest ON support.ticket
    ((CASE WHEN status = 'open' THEN waiting_since END) DESC NULLS LAST, last_message_at DESC, number DESC) WHERE deleted_at IS NULL;
-- Lists put tickets of one moment by their number: an index without it sorts anew.
DROP INDEX support.ticket_created, support.ticket_recent;
CREATE INDEX ticket_created ON support.ticket (created_at, number) WHERE deleted_at IS NULL;
CREATE INDEX ticket_recent ON support.ticket (last_message_at, number) WHERE deleted_at IS NULL;
CREATE INDEX ticket_taken ON support.ticket (taken_by, created_at) WHERE deleted_at IS NULL AND taken_by IS NOT NULL;
CREATE INDEX ticket_closed ON support.ticket (closed_at) WHERE deleted_at IS NULL AND closed_at IS NOT NULL;
