-- The audit as staff search it (docs/rules/reports.md#audit): newest first within a period, of a person, a category or an action, and by an
-- id that stands in an entry. The order is that of the moments: numbers are given before the commit, and by them an old period would be
-- looked for from the newest entry down.

-- The ids that an entry's details name: uuids, hashes, addresses; whatever is one long word. In small letters: some are written in both.
CREATE FUNCTION foundation.named_in(details jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT COALESCE(array_agg(DISTINCT lower(v #>> '{}')), '{}'::text[])
    FROM jsonb_path_query(details, 'strict $.**') AS t(v)
    WHERE jsonb_typeof(v) = 'string' AND v #>> '{}' ~ '^[0-9A-Za-z-]{20,100}$'
$$;

CREATE INDEX audit_at ON foundation.audit (at DESC, id DESC);
CREATE INDEX audit_of_actor ON foundation.audit (actor, at DESC, id DESC);
CREATE INDEX audit_of_subject ON foundation.audit (subject, at DESC, id DESC);
CREATE INDEX audit_of_category ON foundation.audit (category, at DESC, id DESC);
CREATE INDEX audit_of_action ON foundation.audit (action, at DESC, id DESC);
-- Written at once: entries put aside would be sorted in by whichever deed fills the space for them, and make it wait.
CREATE INDEX audit_named ON foundation.audit USING gin (foundation.named_in(details)) WITH (fastupdate = off);

-- What these say as well, in the order of numbers.
DROP INDEX foundation.audit_actor, foundation.audit_subject, foundation.audit_category, foundation.audit_action;
