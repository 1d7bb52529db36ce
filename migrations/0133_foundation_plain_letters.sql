-- Foundation: letters that no normal form takes apart are compared as people type them who do not have them: "lukasz" finds "Łukasz", and
-- a payer whose bank writes "SOREN" is the one whose bank writes "Søren" (docs/rules/foundation.md#one-form).
CREATE OR REPLACE FUNCTION foundation.folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT translate(replace(replace(replace(replace(
        lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g')),
        'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
        'łøđðıȷħŧŋĸəɛɔɖɗɓƙƴɨʉƶƀς', 'loddijhtnkeeoddbkyiuzbσ')
$$;
REINDEX INDEX identity.account_found_by;

-- Who paid in, by the name as it is folded now; what stood by another form meets nobody any more.
INSERT INTO approvals.payer (payer, user_id, at)
SELECT sha256(convert_to(foundation.folded(regexp_replace(btrim(c.payer_name), '\s+', ' ', 'g')), 'UTF8')), d.owner, min(c.at)
FROM pix.claim c JOIN pix.deposit d ON d.id = c.deposit
WHERE d.status = 'approved'
GROUP BY 1, 2
ON CONFLICT DO NOTHING;
