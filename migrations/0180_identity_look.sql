-- Identity: staff look at an account as its owner sees it, in a session of their own (docs/decisions/0085-looking-as-somebody.md).
CREATE TABLE identity.look (
    id        uuid PRIMARY KEY,
    looker    uuid NOT NULL REFERENCES identity.account,
    session   uuid NOT NULL,
    subject   uuid NOT NULL REFERENCES identity.account,
    -- The looker's role by which they may, as it was called then.
    role      text NOT NULL,
    reason    text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    began_at  timestamptz NOT NULL,
    until     timestamptz NOT NULL,
    ended_at  timestamptz,
    ended_how text CHECK (ended_how IN ('looker', 'replaced', 'time', 'signed_out', 'right', 'frozen')),
    CONSTRAINT look_short CHECK (until > began_at AND until <= began_at + interval '15 minutes'),
    CONSTRAINT look_other CHECK (looker <> subject),
    CONSTRAINT look_ended CHECK ((ended_at IS NULL) = (ended_how IS NULL) AND ended_at >= began_at)
);
-- One stands per session.
CREATE UNIQUE INDEX look_standing ON identity.look (session) WHERE ended_at IS NULL;
CREATE INDEX look_subject ON identity.look (subject, began_at DESC);
CREATE INDEX look_over ON identity.look (ended_at);
GRANT SELECT, INSERT, DELETE ON identity.look TO arbora_app;
-- Never lengthened: only its end is written later.
GRANT UPDATE (ended_at, ended_how) ON identity.look TO arbora_app;

-- How often which call was asked: said when the look ends.
CREATE TABLE identity.look_call (
    look  uuid NOT NULL REFERENCES identity.look ON DELETE CASCADE,
    route text NOT NULL,
    times bigint NOT NULL CHECK (times > 0),
    PRIMARY KEY (look, route)
);
GRANT SELECT, INSERT ON identity.look_call TO arbora_app;
GRANT UPDATE (times) ON identity.look_call TO arbora_app;

-- Whether one person may look at another now: the rules for whoever changes an account, and a word that counts.
CREATE FUNCTION identity.may_look(one uuid, other uuid, at timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT one <> other
       AND EXISTS (SELECT FROM identity.account a WHERE a.id = one AND a.status = 'active' AND a.email_confirmed_at IS NOT NULL)
       AND 'admin_permissions' = ANY (held.mine) AND held.mine @> held.theirs
       AND NOT approvals.in_line(one, other)
       AND NOT approvals.is_frozen(one)
       AND EXISTS (SELECT FROM approvals.admin_grant g WHERE g.account = one AND g.ended_at IS NULL AND g.counts_at <= at)
    FROM (SELECT ARRAY(SELECT unnest(r.permissions) FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
                       WHERE ar.account = one) AS mine,
                 ARRAY(SELECT unnest(r.permissions) FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
                       WHERE ar.account = other) AS theirs) held
$$;
GRANT EXECUTE ON FUNCTION identity.may_look(uuid, uuid, timestamptz) TO arbora_app;

-- Why a look is over; NULL while it stands. Asked with every call that it makes.
CREATE FUNCTION identity.look_over(look identity.look, at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN look.ended_at IS NOT NULL THEN look.ended_how
        WHEN look.until <= at THEN 'time'
        WHEN NOT EXISTS (SELECT FROM identity.session s WHERE s.id = look.session AND s.account = look.looker
                         AND s.ended_at IS NULL AND s.expires_at > at) THEN 'signed_out'
        WHEN EXISTS (SELECT FROM identity.account a WHERE a.id = look.subject AND a.frozen_at >= look.began_at) THEN 'frozen'
        WHEN NOT identity.may_look(look.looker, look.subject, at) THEN 'right'
    END
$$;
GRANT EXECUTE ON FUNCTION identity.look_over(identity.look, timestamptz) TO arbora_app;
