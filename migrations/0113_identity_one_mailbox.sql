-- Identity: mail addresses with their domain in ASCII, as name servers have it (docs/rules/identity.md#mail-addresses). An address whose
-- mailbox another account has in its other spelling stays as it is: no mail ever reached it, and staff give it another.

CREATE FUNCTION pg_temp.adapted(delta integer, points integer, is_first boolean) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    k integer := 0;
BEGIN
    delta := CASE WHEN is_first THEN delta / 700 ELSE delta / 2 END;
    delta := delta + delta / points;
    WHILE delta > 455 LOOP
        delta := delta / 35;
        k := k + 36;
    END LOOP;
    RETURN k + 36 * delta / (delta + 38);
END $$;

-- A label in Punycode (RFC 3492).
CREATE FUNCTION pg_temp.ascii_label(label text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
    points integer[] := ARRAY(SELECT ascii(c) FROM unnest(string_to_array(label, NULL)) WITH ORDINALITY AS t(c, place) ORDER BY place);
    basic text := regexp_replace(label, '[^\x01-\x7f]', '', 'g');
    written text := basic || CASE WHEN basic = '' THEN '' ELSE '-' END;
    done integer := length(basic);
    n integer := 128;
    delta integer := 0;
    bias integer := 72;
    least_left integer;
    point integer;
    q integer;
    k integer;
    t integer;
BEGIN
    IF label = basic THEN
        RETURN label;
    END IF;
    WHILE done < cardinality(points) LOOP
        SELECT min(p) INTO least_left FROM unnest(points) AS p WHERE p >= n;
        delta := delta + (least_left - n) * (done + 1);
        n := least_left;
        FOREACH point IN ARRAY points LOOP
            IF point < n THEN
                delta := delta + 1;
            ELSIF point = n THEN
                q := delta;
                k := 36;
                LOOP
                    t := least(greatest(k - bias, 1), 26);
                    EXIT WHEN q < t;
                    written := written || substr(digits, t + (q - t) % (36 - t) + 1, 1);
                    q := (q - t) / (36 - t);
                    k := k + 36;
                END LOOP;
                written := written || substr(digits, q + 1, 1);
                bias := pg_temp.adapted(delta, done + 1, done = length(basic));
                delta := 0;
                done := done + 1;
            END IF;
        END LOOP;
        delta := delta + 1;
        n := n + 1;
    END LOOP;
    RETURN 'xn--' || written;
END $$;

CREATE FUNCTION pg_temp.ascii_domain(domain text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(pg_temp.ascii_label(label), '.' ORDER BY place)
    FROM unnest(string_to_array(translate(lower(normalize(domain, NFKC)), '。．｡', '...'), '.')) WITH ORDINALITY AS t(label, place)
$$;

CREATE FUNCTION pg_temp.local_part(address text) RETURNS text LANGUAGE sql AS $$
    SELECT regexp_replace(address, '@[^@]*$', '')
$$;
CREATE FUNCTION pg_temp.host(address text) RETURNS text LANGUAGE sql AS $$
    SELECT pg_temp.ascii_domain(regexp_replace(address, '^.*@', ''))
$$;

CREATE TEMP TABLE one_mailbox ON COMMIT DROP AS
    SELECT id, pg_temp.local_part(email) || '@' || pg_temp.host(email) AS email, key,
           row_number() OVER (PARTITION BY key ORDER BY created_at, id) AS place
    FROM (SELECT id, email, created_at, pg_temp.local_part(email_key) || '@' || pg_temp.host(email_key) AS key
          FROM identity.account WHERE email ~ '@[^@]*[^\x01-\x7f][^@]*$') AS read;

UPDATE identity.account a SET email = m.email, email_key = m.key
FROM one_mailbox m
WHERE m.id = a.id AND m.place = 1 AND NOT EXISTS (SELECT FROM identity.account o WHERE o.email_key = m.key AND o.id <> a.id);

-- Requests for another e-mail that are under way ask anew.
DELETE FROM identity.email_change WHERE changed_at IS NULL AND email ~ '@[^@]*[^\x01-\x7f][^@]*$';

DROP FUNCTION pg_temp.host(text);
DROP FUNCTION pg_temp.local_part(text);
DROP FUNCTION pg_temp.ascii_domain(text);
DROP FUNCTION pg_temp.ascii_label(text);
DROP FUNCTION pg_temp.adapted(integer, integer, boolean);
