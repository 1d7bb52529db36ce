-- Approvals: what accounts are known by, for staff who look whether several are one person's (docs/decisions/0101-shared-things-for-staff.md).

-- Who else sent to an address is read from the index alone.
DROP INDEX wallet.withdrawal_address;
CREATE INDEX withdrawal_address ON wallet.withdrawal (address, owner, created_at);
DROP INDEX pix.withdrawal_key;
CREATE INDEX withdrawal_key ON pix.withdrawal (key_mac, owner, created_at);
CREATE INDEX user_move_destination ON wallet.user_move (counterparty, owner, created_at) WHERE kind = 'send';

-- Each thing that an account has, or sends to, by the digest or the bytes that are the same in every account. What relates two for the rules
-- (a device, a document, a payer) is what `approvals.shared_things` says; where money is sent to is for staff's eyes alone. `seen_at` only of
-- what is forgotten, `shown` only what is masked already. A wallet of ours and what is sent from one are addresses like those of withdrawals.
CREATE VIEW approvals.account_thing (kind, thing, person, at, seen_at, shown, by_wallet) AS
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
    SELECT 'address'::text, u.address, u.owner, u.created_at, NULL::timestamptz, NULL::text, true FROM wallet.user_wallet u;
GRANT SELECT ON approvals.account_thing TO arbora_app;
