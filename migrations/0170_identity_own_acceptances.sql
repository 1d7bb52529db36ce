-- From when on the acceptances of an account are its owner's. What a stranger accepted, who had typed an address that was not theirs, stays
-- written (docs/rules/identity.md#google) and is nobody's of that account.
ALTER TABLE identity.account ADD COLUMN acceptances_from timestamptz;

UPDATE identity.account a SET acceptances_from = c.at
FROM (SELECT subject, max(at) AS at FROM foundation.audit WHERE action = 'auth.google_cleared' GROUP BY subject) c
WHERE c.subject = a.id;
