-- Approvals: destinations on people's lists are things that accounts are known by too (docs/decisions/0101-shared-things-for-staff.md).
-- Holds approvals.whitelist: two indexes are built; it has a row for each destination that somebody listed.

-- Who else lists a place is read from the index alone. Of a list both are kept in one form, an address as its lower-case text.
CREATE INDEX whitelist_address ON approvals.whitelist
    ((CASE WHEN kind = 'chain' AND destination ~ '^0x[0-9a-f]{40}$' THEN decode(substr(destination, 3), 'hex') END), user_id, created_at)
    WHERE removed_at IS NULL;
CREATE INDEX whitelist_key ON approvals.whitelist
    ((CASE WHEN kind = 'pix' THEN sha256(replace(destination, '\', '\\')::bytea) END), user_id, created_at)
    WHERE removed_at IS NULL;

-- As before, and what stands on a list: an address like those of withdrawals, a PIX key by a digest of its own, since of withdrawals a keyed one is
-- kept that no list has. CASE keeps what is no address away from being read as one.
CREATE OR REPLACE VIEW approvals.account_thing (kind, thing, person, at, seen_at, shown, by_wallet) AS
    SELECT 'device'::text, d.token_hash, d.account, d.created_at, d.seen_at, d.label, false FROM identity.device d
    UNION ALL
    SELECT 'document'::text, d.document, d.user_id, d.at, NULL::timestamptz, h.masked, false
    FROM approvals.document d LEFT JOIN pix.holder h ON h.account = d.user_id
    UNION ALL
    SELECT 'payer'::text, p.payer, p.user_id, p.at, NULL::timestamptz, NULL::text, false FROM approvals.payer p
    UNION ALL
    SELECT 'pix_key'::text, w.key_mac, w.owner, w.created_at, NULL::timestamptz, w.key_masked, false FROM pix.withdrawal w
    UNION ALL
    SELECT 'address'::text, w.address, w.owner, w.created_at, NULL::timestamptz, NULL::text, false FROM wallet.withdrawal w
    UNION ALL
    SELECT 'address'::text, m.counterparty, m.owner, m.created_at, NULL::timestamptz, NULL::text, true FROM wallet.user_move m WHERE m.kind = 'send'
    UNION ALL
    SELECT 'address'::text, u.address, u.owner, u.created_at, NULL::timestamptz, NULL::text, true FROM wallet.user_wallet u
    UNION ALL
    SELECT 'address'::text, CASE WHEN l.kind = 'chain' AND l.destination ~ '^0x[0-9a-f]{40}$' THEN decode(substr(l.destination, 3), 'hex') END,
           l.user_id, l.created_at, NULL::timestamptz, NULL::text, false
    FROM approvals.whitelist l
    WHERE l.removed_at IS NULL AND l.kind = 'chain' AND l.destination ~ '^0x[0-9a-f]{40}$'
    UNION ALL
    SELECT 'pix_key'::text, CASE WHEN l.kind = 'pix' THEN sha256(replace(l.destination, '\', '\\')::bytea) END,
           l.user_id, l.created_at, NULL::timestamptz, NULL::text, false
    FROM approvals.whitelist l
    WHERE l.removed_at IS NULL AND l.kind = 'pix';
