-- Foundation: what people search by and what the same payer's name is, without accents, width and capitals: "joao" finds "João", and a bank
-- that writes "JOAO DA SILVA" names the payer that another writes "João da Silva" (docs/rules/foundation.md#one-form).
CREATE FUNCTION foundation.folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT replace(lower(regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]', '', 'g')), 'ς', 'σ')
$$;

CREATE OR REPLACE FUNCTION identity.words(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(foundation.folded(given), '[^[:alnum:]]+', ' ', 'g'))
$$;
REINDEX INDEX identity.account_found_by;

-- Who paid in, by the folded name; what stood by the name as it was written stays and meets nobody any more.
INSERT INTO approvals.payer (payer, user_id, at)
SELECT sha256(convert_to(foundation.folded(c.payer_name), 'UTF8')), d.owner, min(c.at)
FROM pix.claim c JOIN pix.deposit d ON d.id = c.deposit
WHERE d.status = 'approved'
GROUP BY 1, 2
ON CONFLICT DO NOTHING;
