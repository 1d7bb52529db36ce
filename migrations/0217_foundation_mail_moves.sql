-- Foundation: a mail that waits (for its reader's morning, or behind others of its hour) goes to where its reader is when it leaves. Another e-mail takes
-- the waiting ones along, or drops them: with none, where nobody has shown to read at the other one or nobody is there any more. What is on its way
-- already stays. The lock is that of `put_mail`: what is being written there is waited for.
CREATE FUNCTION foundation.move_mail(whose uuid, from_where text, to_where text, moment timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    moved bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(from_where, 11));
    IF to_where IS NULL THEN
        DELETE FROM foundation.mail m
        WHERE m.recipient = from_where AND m.user_id = whose AND m.due_at > moment AND m.sent_at IS NULL AND m.parked_at IS NULL;
    ELSE
        UPDATE foundation.mail m SET recipient = to_where
        WHERE m.recipient = from_where AND m.user_id = whose AND m.due_at > moment AND m.sent_at IS NULL AND m.parked_at IS NULL;
    END IF;
    GET DIAGNOSTICS moved = ROW_COUNT;
    RETURN moved;
END $$;

-- As before, and of what waits the address is read once more, behind the lock: whoever read it before it changed writes to the one that stands, or
-- to nobody.
CREATE OR REPLACE FUNCTION foundation.put_mail(
    new_id uuid, to_whom text, whose uuid, of_template text, of_subject text, as_text text, as_html text, not_before timestamptz,
    moment timestamptz, since timestamptz, nth bigint, is_code boolean, is_way_in boolean, is_asked_for boolean)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    waits boolean := coalesce(not_before > moment, false);
    full_since timestamptz;
    due timestamptz := moment;
    goes_to text := to_whom;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended(to_whom, 11));
    IF waits THEN
        SELECT m.due_at INTO full_since FROM foundation.mail m
        WHERE m.recipient = to_whom AND m.held AND m.due_at > not_before - (moment - since)
        ORDER BY m.due_at DESC OFFSET nth - 1 LIMIT 1;
        due := greatest(not_before, full_since + (moment - since));
    ELSIF NOT is_code THEN
        SELECT m.due_at INTO full_since FROM foundation.mail m
        WHERE m.recipient = to_whom AND m.due_at > since AND (m.template = 'reset_password') = is_way_in AND m.counted AND NOT m.held
        ORDER BY m.due_at DESC OFFSET nth - 1 LIMIT 1;
        due := greatest(moment, full_since + (moment - since));
    END IF;
    IF due > moment THEN
        IF is_asked_for THEN
            RETURN due;
        END IF;
        SELECT CASE WHEN a.status <> 'closed' AND (a.email = to_whom OR a.email_confirmed_at IS NOT NULL) THEN a.email END
        INTO goes_to FROM identity.account a WHERE a.id = whose;
        IF NOT FOUND THEN
            goes_to := to_whom;
        END IF;
    END IF;
    IF goes_to IS NOT NULL THEN
        INSERT INTO foundation.mail (id, recipient, user_id, template, subject, text_body, html_body, created_at, due_at, counted, held)
        VALUES (new_id, goes_to, whose, of_template, of_subject, as_text, as_html, moment, due, NOT is_code, waits);
    END IF;
    RETURN due;
END $$;
