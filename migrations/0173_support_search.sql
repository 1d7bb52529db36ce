-- Messages are found by their words, in whichever of the three languages they were written: each word by the stem that each language gives it, without
-- accents, as all that is searched.
CREATE FUNCTION support.words(given text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_tsvector('portuguese', w) || to_tsvector('spanish', w) || to_tsvector('english', w) FROM (SELECT foundation.folded(given) AS w) f
$$;
-- All of the words asked for, as one of the languages takes them; nothing in them is an operator.
CREATE FUNCTION support.asked(given text) RETURNS tsquery LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT plainto_tsquery('portuguese', w) || plainto_tsquery('spanish', w) || plainto_tsquery('english', w) FROM (SELECT foundation.folded(given) AS w) f
$$;
ALTER TABLE support.message ADD COLUMN words tsvector
    GENERATED ALWAYS AS (CASE WHEN deleted_at IS NULL THEN support.words(body) END) STORED;
CREATE INDEX message_words ON support.message USING gin (words);
