-- Approvals: PIX keys on lists in the form of the directory, as what leaves is compared with them (docs/rules/approvals.md#destinations).
-- They stood as they were typed: marks and all, one key several times, and texts that are no key. Of one key the entry stays that may be
-- used first; what is no key let nothing out and goes.

CREATE FUNCTION pg_temp.check_digit(body text, highest integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    weight integer := 1;
    total integer := 0;
BEGIN
    FOR i IN REVERSE length(body)..1 LOOP
        weight := CASE WHEN weight = highest THEN 2 ELSE weight + 1 END;
        total := total + weight * (ascii(substr(body, i, 1)) - 48);
    END LOOP;
    RETURN CASE WHEN total % 11 < 2 THEN '0' ELSE (11 - total % 11)::text END;
END $$;

-- The body with both its check digits: the second one covers the first.
CREATE FUNCTION pg_temp.checked(body text, highest integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    body := body || pg_temp.check_digit(body, highest);
    RETURN body || pg_temp.check_digit(body, highest);
END $$;

CREATE FUNCTION pg_temp.pix_key(typed text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    bare text := upper(translate(typed, './- ' || chr(160), ''));
    phone text := translate(typed, '()-. ' || chr(160), '');
    mail text := lower(btrim(typed));
BEGIN
    IF bare ~ '^[0-9]{11}$' AND bare !~ '^(.)\1*$' AND bare = pg_temp.checked(left(bare, 9), 11) THEN
        RETURN bare;
    END IF;
    IF bare ~ '^[0-9A-Z]{12}[0-9]{2}$' AND left(bare, 12) !~ '^(.)\1*$' AND bare = pg_temp.checked(left(bare, 12), 9) THEN
        RETURN bare;
    END IF;
    IF length(mail) <= 77
        AND mail ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$' THEN
        RETURN mail;
    END IF;
    IF mail ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' AND mail ~ '[1-9a-f]' THEN
        RETURN mail;
    END IF;
    -- Without its country: of an area that there is, and without the marks of a CPF.
    IF phone !~ '^(\+|.{12})' AND (phone !~ '^(1[1-9]|2[12478]|3[1234578]|4[1-9]|5[1345]|6[1-9]|7[134579]|8[1-9]|9[1-9])'
        OR regexp_replace(btrim(typed), '[0-9]', '', 'g') = '..-') THEN
        RETURN NULL;
    END IF;
    phone := CASE
        WHEN phone LIKE '+55%' THEN substr(phone, 4)
        WHEN phone LIKE '55%' AND length(phone) >= 12 THEN substr(phone, 3)
        ELSE phone
    END;
    RETURN CASE WHEN phone ~ '^[1-9][1-9](9[0-9]{8}|[2-5][0-9]{7})$' THEN '+55' || phone END;
END $$;

CREATE TEMP TABLE one_form ON COMMIT DROP AS
    SELECT id, key, row_number() OVER (PARTITION BY user_id, key ORDER BY usable_at, created_at, id) AS place
    FROM (SELECT id, user_id, usable_at, created_at, pg_temp.pix_key(destination) AS key
          FROM approvals.whitelist WHERE kind = 'pix' AND removed_at IS NULL) AS read;

UPDATE approvals.whitelist w SET removed_at = now() FROM one_form f WHERE f.id = w.id AND (f.key IS NULL OR f.place > 1);
UPDATE approvals.whitelist w SET destination = f.key FROM one_form f WHERE f.id = w.id AND f.place = 1 AND f.key <> w.destination;

DROP FUNCTION pg_temp.pix_key(text);
DROP FUNCTION pg_temp.checked(text, integer);
DROP FUNCTION pg_temp.check_digit(text, integer);
