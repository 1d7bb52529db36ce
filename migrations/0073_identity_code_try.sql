-- A try at a mailed code: written down among the wrong ones of its count, whose earlier ones it follows one by one, and counted on the newest
-- open code before anybody compares. One that comes too early is not committed: neither counts then.
CREATE FUNCTION identity.try_code(
    scope text, since timestamptz, most_tries bigint, moment timestamptz, of_account uuid, of_purpose text, of_binding bytea, most_of_code smallint)
RETURNS TABLE (count bigint, newest timestamptz, nth timestamptz, id bigint, code uuid, mac bytea) LANGUAGE plpgsql AS $$
BEGIN
    SELECT t.count, t.newest, t.nth, t.id INTO count, newest, nth, id
    FROM identity.tries(ARRAY[scope], ARRAY[since], ARRAY[most_tries], moment, true) t;
    UPDATE identity.code c SET attempts = c.attempts + 1
    WHERE c.id = (SELECT o.id FROM identity.code o
                  WHERE o.account = of_account AND o.purpose = of_purpose AND o.binding = of_binding AND o.used_at IS NULL AND o.expires_at > moment
                  ORDER BY o.created_at DESC, o.id DESC LIMIT 1)
      AND c.attempts < most_of_code
    RETURNING c.id, c.mac INTO code, mac;
    RETURN NEXT;
END $$;
