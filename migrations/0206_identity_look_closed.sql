-- Identity: who closes the account ends the looks at it (docs/rules/identity.md#looking).
ALTER TABLE identity.look DROP CONSTRAINT look_ended_how_check;
ALTER TABLE identity.look ADD CONSTRAINT look_ended_how_check
    CHECK (ended_how IN ('looker', 'replaced', 'time', 'signed_out', 'right', 'frozen', 'closed'));

CREATE OR REPLACE FUNCTION identity.look_over(look identity.look, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN look.ended_at IS NOT NULL THEN look.ended_how
        WHEN look.until <= at THEN 'time'
        WHEN NOT EXISTS (SELECT FROM identity.session s WHERE s.id = look.session AND s.account = look.looker
                         AND s.ended_at IS NULL AND s.expires_at > at) THEN 'signed_out'
        WHEN EXISTS (SELECT FROM identity.account a WHERE a.id = look.subject AND a.frozen_at >= look.began_at) THEN 'frozen'
        WHEN EXISTS (SELECT FROM identity.account a WHERE a.id = look.subject AND a.status = 'closed') THEN 'closed'
        WHEN NOT identity.may_look(look.looker, look.subject, at) THEN 'right'
    END
$$;
