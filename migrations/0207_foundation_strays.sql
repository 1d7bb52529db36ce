-- Foundation: bytes that no row names are removed only once this very table has not known them for a day (docs/rules/foundation.md#files-of-nobody).
-- Another database, or one that was brought back from a backup, knows none of these: it has a day in which somebody sees that something is wrong.
CREATE TABLE foundation.stray (
    name    text PRIMARY KEY,
    seen_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, DELETE ON foundation.stray TO arbora_app;
