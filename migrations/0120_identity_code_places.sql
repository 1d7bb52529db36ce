-- Wrong codes belong to where they were typed: a session, a device, an address. Rank of a device among those that the account has known
-- longest; NULL for one that it does not know.
CREATE FUNCTION identity.long_known(of_account uuid, hash bytea, most bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN (SELECT (SELECT count(*) FROM identity.device o
                    WHERE o.account = of_account AND o.known AND (o.created_at, o.token_hash) < (d.created_at, d.token_hash)) < most
            FROM identity.device d WHERE d.account = of_account AND d.token_hash = hash AND d.known);
END $$;

-- A reset forgets all wrong codes of its account, wherever they were typed.
CREATE INDEX failure_beginning ON identity.failure (scope text_pattern_ops);

-- Codes for signing in that a known device asked for: an hour's count of its own.
ALTER TABLE identity.code ADD COLUMN device text;

-- As before, in several counts at once; a mailed code is good in the session that asked for it alone, so that no other session uses up its tries.
DROP FUNCTION identity.try_code(text, timestamptz, bigint, timestamptz, uuid, text, bytea, smallint);
CREATE FUNCTION identity.try_code(
    scopes text[], sinces timestamptz[], nths bigint[], moment timestamptz, of_account uuid, of_session uuid, of_purpose text, of_binding bytea,
    most_of_code smallint)
RETURNS TABLE (count bigint, newest timestamptz, nth timestamptz, id bigint, code uuid, mac bytea) LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. cardinality(scopes) LOOP
        PERFORM pg_advisory_xact_lock(hashtextextended(scopes[i], 12));
    END LOOP;
    UPDATE identity.code c SET attempts = c.attempts + 1
    WHERE c.id = (SELECT o.id FROM identity.code o
                  WHERE o.account = of_account AND o.session IS NOT DISTINCT FROM of_session AND o.purpose = of_purpose AND o.binding = of_binding
                    AND o.used_at IS NULL AND o.expires_at > moment
                  ORDER BY o.created_at DESC, o.id DESC LIMIT 1)
      AND c.attempts < most_of_code
    RETURNING c.id, c.mac INTO code, mac;
    RETURN QUERY SELECT t.count, t.newest, t.nth, t.id, code, mac FROM identity.tries(scopes, sinces, nths, moment, true) t;
END $$;
