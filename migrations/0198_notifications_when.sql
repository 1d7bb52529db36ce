-- Notifications: quiet hours, in which no mail leaves that can wait. They stand where the account is, as what is not mailed does: every mail reads
-- that row anyway. Minutes of the day by the person's own clock; over midnight where the first is the later.
ALTER TABLE identity.account
    ADD COLUMN quiet_from  smallint CHECK (quiet_from BETWEEN 0 AND 1439),
    ADD COLUMN quiet_until smallint CHECK (quiet_until BETWEEN 0 AND 1439),
    ADD CONSTRAINT account_quiet_hours CHECK ((quiet_from IS NULL) = (quiet_until IS NULL) AND quiet_from <> quiet_until);

-- What is not wanted is kept by the way on which it would come: on the screen, and pushed to a device.
ALTER TABLE notifications.quiet ADD COLUMN channel text NOT NULL DEFAULT 'toast' CHECK (channel IN ('toast', 'push'));
ALTER TABLE notifications.quiet DROP CONSTRAINT quiet_pkey;
ALTER TABLE notifications.quiet ADD PRIMARY KEY (owner, channel, topic);

-- A mail that waits for its reader's morning is counted among those that do, apart from all others: what is asked for at night has its place,
-- and the morning brings no more at once than any other hour.
ALTER TABLE foundation.mail ADD COLUMN held boolean NOT NULL DEFAULT false;

DROP FUNCTION foundation.put_mail(uuid, text, uuid, text, text, text, text, timestamptz, timestamptz, bigint, boolean, boolean, boolean);
CREATE FUNCTION foundation.put_mail(
    new_id uuid, to_whom text, whose uuid, of_template text, of_subject text, as_text text, as_html text, not_before timestamptz,
    moment timestamptz, since timestamptz, nth bigint, is_code boolean, is_way_in boolean, is_asked_for boolean)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
    waits boolean := coalesce(not_before > moment, false);
    full_since timestamptz;
    due timestamptz := moment;
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
    IF due = moment OR NOT is_asked_for THEN
        INSERT INTO foundation.mail (id, recipient, user_id, template, subject, text_body, html_body, created_at, due_at, counted, held)
        VALUES (new_id, to_whom, whose, of_template, of_subject, as_text, as_html, moment, due, NOT is_code, waits);
    END IF;
    RETURN due;
END $$;
