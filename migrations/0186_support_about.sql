-- Support: the tickets that are about a thing, asked for whenever it changes.
CREATE INDEX ticket_about ON support.ticket (about_kind, about_id) WHERE about_id IS NOT NULL AND deleted_at IS NULL;
