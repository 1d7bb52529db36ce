-- Support: the desk's list by how tickets stand, by what they are about and by how soon they were first answered. Each order is read from an
-- index, however many tickets there are; who was not answered yet comes behind in both directions, so that order has two.
-- Holds support.ticket: four indexes are built.
CREATE INDEX ticket_by_status ON support.ticket (status, created_at, number) WHERE deleted_at IS NULL;
CREATE INDEX ticket_by_category ON support.ticket (category, created_at, number) WHERE deleted_at IS NULL;
CREATE INDEX ticket_answered_soonest ON support.ticket
    ((first_answered_at - created_at) ASC NULLS LAST, created_at DESC, number DESC) WHERE deleted_at IS NULL;
CREATE INDEX ticket_answered_latest ON support.ticket
    ((first_answered_at - created_at) DESC NULLS LAST, created_at DESC, number DESC) WHERE deleted_at IS NULL;
