-- What warns of an account's safety leaves at once and takes no other mail's place, as codes do: each mail keeps whether it counts among its
-- recipient's. `is_code` of the function says "not counted", whatever the mail is.
ALTER TABLE foundation.mail ADD COLUMN counted boolean NOT NULL DEFAULT true;
UPDATE foundation.mail SET counted = false WHERE template IN ('sign_in_code', 'security_code');

CREATE OR REPLACE FUNCTION foundation.put_mail(
    new_id uuid, to_whom text, whose uuid, of_template text, of_subject text, as_text text, as_html text, moment timestamptz, since timestamptz,
    nth bigint, is_code boolean, is_way_in boolean, is_asked_for boolean)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    full_since timestamptz;
    due timestamptz := moment;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(to_whom, 11));
    IF NOT is_code THEN
        SELECT m.due_at INTO full_since FROM foundation.mail m
        WHERE m.recipient = to_whom AND m.due_at > since AND (m.template = 'reset_password') = is_way_in AND m.counted
        ORDER BY m.due_at DESC OFFSET nth - 1 LIMIT 1;
        due := greatest(moment, full_since + (moment - since));
    END IF;
    IF due = moment OR NOT is_asked_for THEN
        INSERT INTO foundation.mail (id, recipient, user_id, template, subject, text_body, html_body, created_at, due_at, counted)
        VALUES (new_id, to_whom, whose, of_template, of_subject, as_text, as_html, moment, due, NOT is_code);
    END IF;
    RETURN due;
END $$;
