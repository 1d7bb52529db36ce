-- Foundation: whose the shelves of the files are (docs/rules/foundation.md#whose-the-shelves-are). A mark lies on them; here stands what this database has written
-- on it, the newest first. A copy of this database lacks what was written since, and this one lacks what the copy writes: each tells the other's mark from its own.
CREATE TABLE foundation.shelves (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The cluster and the database that wrote it. A copy brings the row along, and is another place.
    place text NOT NULL,
    marks uuid[] NOT NULL CHECK (cardinality(marks) > 0)
);
GRANT SELECT, INSERT, UPDATE ON foundation.shelves TO arbora_app;

-- Where we are: the same for every connection of a database, and for those that follow it and take its place; another for one that was restored or copied.
CREATE FUNCTION foundation.place() RETURNS text
LANGUAGE sql STABLE AS $$
    SELECT c.system_identifier::text || '.' || d.oid::text
    FROM pg_control_system() c, pg_database d WHERE d.datname = current_database()
$$;
GRANT EXECUTE ON FUNCTION foundation.place() TO arbora_app;

-- Too many at once are held; somebody has seen these and lets them go.
ALTER TABLE foundation.stray ADD COLUMN released_at timestamptz;
GRANT UPDATE (released_at) ON foundation.stray TO arbora_app;
