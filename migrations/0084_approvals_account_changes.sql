-- Approvals: who decides is changed by two persons, not only in their roles: switched on or off, given another e-mail, freed of a
-- lost second factor. A second factor of anybody is taken off by two.
ALTER TABLE approvals.grant_request
    DROP CONSTRAINT grant_request_action_check,
    DROP CONSTRAINT grant_request_roles_check,
    ADD COLUMN before text CHECK (length(before) <= 254),
    ADD COLUMN after  text CHECK (length(after) <= 254),
    ADD COLUMN why    text CHECK (length(why) <= 500),
    ADD CONSTRAINT grant_request_action_check CHECK (action IN ('add', 'remove', 'activate', 'deactivate', 'email', 'factor')),
    ADD CONSTRAINT grant_request_roles_check CHECK (CASE WHEN action IN ('add', 'remove')
        THEN cardinality(roles) BETWEEN 1 AND 50 AND before IS NULL AND after IS NULL
        ELSE cardinality(roles) = 0 AND before IS NOT NULL AND after IS NOT NULL END);

-- Who decides is switched off and on by two: the request for exactly that, approved.
CREATE OR REPLACE FUNCTION approvals.check_admin_status() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT approvals.is_owner()
        AND EXISTS (SELECT FROM identity.account_role ar WHERE ar.account = NEW.id AND approvals.is_admin_role(ar.role))
        AND NOT EXISTS (
            SELECT FROM approvals.grant_request r
            WHERE r.account = NEW.id AND r.status = 'waiting' AND r.after = NEW.status
                AND r.action = CASE NEW.status WHEN 'active' THEN 'activate' ELSE 'deactivate' END
                AND approvals.is_approved('admin_grant', r.id, r.digest)) THEN
        RAISE EXCEPTION 'two persons give and take this permission' USING ERRCODE = 'check_violation', CONSTRAINT = 'grant_approved';
    END IF;
    RETURN NEW;
END $$;
