//! What of each room stands in the file: its parts by name, each with the query that gives its rows to the person `$1`.
//!
//! A part names its columns, so that a new one is a decision; of other people it has the username under which they met, and nothing of a
//! person's secrets: no password, key, phrase, code or digest.

/// Room by room, as their files are called.
pub const ROOMS: &[(&str, &[(&str, &str)])] = &[
    ("account", ACCOUNT),
    ("money", MONEY),
    ("licences", LICENCES),
    ("network", NETWORK),
    ("exchange", EXCHANGE),
    ("wallet", WALLET),
    ("messages", MESSAGES),
];

const ACCOUNT: &[(&str, &str)] = &[
    (
        "account",
        "SELECT a.id, a.email, a.username, a.full_name, a.mobile_number, a.birth_date, a.locale, a.time_zone, a.status, a.created_at,
                a.email_confirmed_at, a.terms_accepted_at, a.terms_version, a.risk_accepted_at, a.adult_declared_at,
                a.two_factor_email, a.totp_secret IS NOT NULL AS two_factor_app, a.quiet_mail,
                make_interval(mins => a.quiet_from)::text AS quiet_from, make_interval(mins => a.quiet_until)::text AS quiet_until,
                (SELECT array_agg(r.name ORDER BY r.name) FROM identity.account_role g JOIN identity.role r ON r.id = g.role
                 WHERE g.account = a.id) AS roles
         FROM identity.account a WHERE a.id = $1",
    ),
    (
        "address",
        "SELECT country, state, city, street, number, complement, district, postal_code, updated_at FROM identity.address WHERE account = $1",
    ),
    (
        "document",
        "SELECT kind, masked, created_at FROM pix.holder WHERE account = $1",
    ),
    (
        "social",
        "SELECT network, place FROM identity.social WHERE account = $1 ORDER BY network",
    ),
    (
        "google",
        "SELECT email, linked_at FROM identity.google_account WHERE account = $1",
    ),
    (
        "passkeys",
        "SELECT name, transports, backed_up, created_at, last_used_at, doubted_at, aside_at FROM identity.passkey WHERE account = $1 ORDER BY created_at, id",
    ),
    (
        "former_addresses",
        "SELECT email, changed_at FROM identity.former_address WHERE account = $1 ORDER BY id",
    ),
    (
        "acceptances",
        "SELECT x.what, x.version, x.language, x.at FROM identity.acceptance x JOIN identity.account a ON a.id = x.account
         WHERE x.account = $1 AND x.at >= COALESCE(a.acceptances_from, '-infinity') ORDER BY x.at, x.id",
    ),
    (
        "devices",
        "SELECT label, known, created_at, seen_at FROM identity.device WHERE account = $1 ORDER BY created_at",
    ),
    (
        "sessions",
        "SELECT device, address, method, created_at, seen_at, expires_at, ended_at, end_reason FROM identity.session WHERE account = $1 ORDER BY created_at",
    ),
    (
        "looks_by_staff",
        // Who of the house it was stands on the account's screen and in the mail about it.
        "SELECT role, reason, began_at, until, ended_at, ended_how FROM identity.look WHERE subject = $1 ORDER BY began_at, id",
    ),
    (
        "own_limits",
        "SELECT kind, privacy.amount(usdt, 6) AS usdt, privacy.amount(next_usdt, 6) AS next_usdt, next_at, updated_at
         FROM approvals.own_limit WHERE user_id = $1 ORDER BY kind",
    ),
    (
        "time_out",
        "SELECT since, until FROM approvals.self_exclusion WHERE user_id = $1",
    ),
    (
        "closings",
        "SELECT state, reason, asked_at, due_at, ended_at, privacy.amount(left_available, 6) AS left_available,
                privacy.amount(left_pyx, 6) AS left_pyx, privacy.amount(left_ranks, 6) AS left_ranks
         FROM privacy.closing WHERE owner = $1 ORDER BY asked_at, id",
    ),
    (
        "saved_destinations",
        "SELECT kind, shown, label, created_at, usable_at, removed_at FROM approvals.whitelist WHERE user_id = $1 ORDER BY created_at, id",
    ),
    (
        "quiet_notices",
        "SELECT topic, channel FROM notifications.quiet WHERE owner = $1 ORDER BY topic, channel",
    ),
    (
        "wanted_notices",
        "SELECT topic FROM notifications.wanted WHERE owner = $1 ORDER BY topic",
    ),
    (
        // Without the address and the keys: who has them speaks to the browser's service in its name.
        "push_devices",
        "SELECT name, split_part(endpoint, '/', 3) AS service, since, last_sent_at FROM notifications.push_device
         WHERE owner = $1 ORDER BY since, id",
    ),
    (
        "daily_digest",
        "SELECT told_at, next_at FROM notifications.digest WHERE owner = $1",
    ),
    (
        "log",
        // What others did is here when it is about signing in or one's particulars, which its owner is told of anyway. What staff say of
        // somebody to each other, and what compliance looks at, is not; decisions about money stand with the money.
        "SELECT at, category, action, actor IS NOT DISTINCT FROM $1 AS by_yourself FROM foundation.audit
         WHERE subject = $1 AND (actor = $1 OR category IN ('auth', 'profile')) ORDER BY id",
    ),
];

const MONEY: &[(&str, &str)] = &[
    (
        "balances",
        "SELECT a.name AS account, l.number AS licence, a.currency, privacy.amount(a.balance, 6) AS balance
         FROM (SELECT $1::uuid AS id, NULL::int AS number UNION ALL SELECT id, number FROM licences.licence WHERE owner = $1) l
         JOIN ledger.account a ON a.owner = l.id ORDER BY l.number NULLS FIRST, a.name",
    ),
    (
        "movements",
        // Settlements are told by day, below: they have a posting a second.
        "WITH own AS (
             SELECT a.id, a.name, a.currency, l.number, a.name NOT IN ('allocated', 'yield', 'loan') AS quiet
             FROM (SELECT $1::uuid AS id, NULL::int AS number UNION ALL SELECT id, number FROM licences.licence WHERE owner = $1) l
             JOIN ledger.account a ON a.owner = l.id),
         moved AS MATERIALIZED (
             SELECT DISTINCT p.transfer AS id FROM own JOIN ledger.posting p ON p.account = own.id WHERE own.quiet)
         SELECT t.at, t.kind, own.name AS account, own.number AS licence, own.currency, privacy.amount(p.amount, 6) AS amount, t.id AS transfer
         FROM moved JOIN ledger.transfer t USING (id) JOIN ledger.posting p ON p.transfer = t.id JOIN own ON own.id = p.account
         WHERE t.kind <> 'settlement' ORDER BY t.at, t.id, p.line",
    ),
    (
        "results_by_day",
        "SELECT day, mode, privacy.amount(net, 6) AS net, settlements FROM robots.day_settled WHERE owner = $1 ORDER BY day, mode",
    ),
    (
        "deposits_by_pix",
        "SELECT d.id, d.created_at, d.status, d.reason, privacy.amount(d.usdt, 6) AS usdt, privacy.amount(d.brl, 2) AS brl,
                privacy.amount(d.rate, 4) AS rate, d.txid, d.decided_at, d.reversed_at,
                c.end_to_end_id, privacy.amount(c.brl, 2) AS received_brl, privacy.amount(c.usdt, 6) AS credited
         FROM pix.deposit d LEFT JOIN pix.credit c ON c.deposit = d.id WHERE d.owner = $1 ORDER BY d.created_at, d.id",
    ),
    (
        "withdrawals_by_pix",
        "SELECT w.id, w.created_at, w.status, w.reason, w.key_kind, w.key_masked, privacy.amount(w.usdt, 6) AS usdt, privacy.amount(w.fee, 6) AS fee,
                privacy.amount(w.brl, 2) AS brl, privacy.amount(w.rate, 4) AS rate, w.decided_at, w.paid_at, p.end_to_end_id
         FROM pix.withdrawal w LEFT JOIN pix.payment p ON p.withdrawal = w.id WHERE w.owner = $1 ORDER BY w.created_at, w.id",
    ),
    (
        "deposits_by_chain",
        "SELECT d.id, d.created_at, d.status, d.reason, d.product, d.coin, '0x' || encode(a.address, 'hex') AS address,
                privacy.amount(d.value, 6) AS usdt, privacy.amount(d.received, 18) AS received, privacy.amount(d.credited, 6) AS credited,
                privacy.amount(d.fee, 6) AS fee, '0x' || encode(d.tx, 'hex') AS hash, d.decided_at, d.reversed_at
         FROM wallet.deposit d JOIN wallet.deposit_address a ON a.number = d.address WHERE d.owner = $1 ORDER BY d.created_at, d.id",
    ),
    (
        "withdrawals_by_chain",
        "SELECT id, created_at, status, reason, coin, '0x' || encode(address, 'hex') AS address, privacy.amount(usdt, 6) AS usdt,
                privacy.amount(fee, 6) AS fee, privacy.amount(wei, 18) AS amount, decided_at
         FROM wallet.withdrawal WHERE owner = $1 ORDER BY created_at, id",
    ),
    (
        "transfers",
        "SELECT s.id, s.created_at, s.status, s.reason, CASE WHEN s.sender = $1 THEN 'sent' ELSE 'received' END AS direction,
                o.username AS other, privacy.amount(s.usdt, 6) AS usdt, CASE WHEN s.sender = $1 THEN privacy.amount(s.fee, 6) END AS fee
         FROM (SELECT * FROM transfers.transfer WHERE sender = $1 UNION ALL SELECT * FROM transfers.transfer WHERE receiver = $1) s
         JOIN identity.account o ON o.id = CASE WHEN s.sender = $1 THEN s.receiver ELSE s.sender END
         WHERE s.sender = $1 OR s.status = 'complete' ORDER BY s.created_at, s.id",
    ),
    (
        "sponsorship",
        // What staff only thought of is theirs.
        "SELECT created_at, operation, privacy.amount(usdt, 6) AS usdt, ended_at FROM sponsorship.request
         WHERE user_id = $1 AND status = 'complete' ORDER BY created_at, id",
    ),
];

const LICENCES: &[(&str, &str)] = &[
    (
        "licences",
        "SELECT id, number, privacy.amount(value, 6) AS value, is_high_risk, source, state, paid_at, final_at, ended_at,
                privacy.amount(topup, 6) AS topup, privacy.amount(allocated, 6) AS allocated, privacy.amount(yield, 6) AS yield,
                privacy.amount(loan, 6) AS loan, privacy.amount(gains, 6) AS gains, privacy.amount(losses, 6) AS losses, paused, manual_key,
                privacy.amount(goal_ppm, 4) AS goal_percent, operations
         FROM licences.licence WHERE owner = $1 ORDER BY number",
    ),
    (
        "capital",
        "SELECT l.number AS licence, privacy.amount(o.amount, 6) AS amount, o.origin, o.created_at, o.free_at
         FROM licences.licence l JOIN licences.lot o ON o.licence = l.id WHERE l.owner = $1 ORDER BY l.number, o.created_at, o.id",
    ),
    (
        "robots_by_day",
        "SELECT l.number AS licence, r.day, r.mode, privacy.amount(r.gain, 6) AS gain, privacy.amount(r.loss, 6) AS loss,
                privacy.amount(r.fees, 6) AS fees, r.operations
         FROM licences.licence l JOIN robots.day_result r ON r.licence = l.id WHERE l.owner = $1 ORDER BY r.day, l.number, r.mode",
    ),
    (
        "manual_orders",
        "SELECT l.number AS licence, o.asked_at, o.route, o.state, o.reason, o.closed_at, o.mode, privacy.amount(o.volume, 6) AS volume,
                privacy.amount(o.result, 6) AS result, o.unwound
         FROM licences.licence l JOIN robots.manual_order o ON o.licence = l.id WHERE l.owner = $1 ORDER BY o.asked_at, o.id",
    ),
    (
        "copying",
        "SELECT l.number AS licence, f.since, f.state, f.ended_at, privacy.amount(f.maximum_loss, 6) AS maximum_loss, privacy.amount(f.net, 6) AS net
         FROM robots.following f JOIN licences.licence l ON l.id = f.follower WHERE f.owner = $1 ORDER BY f.since, f.id",
    ),
    (
        "being_copied",
        "SELECT l.number AS licence, d.open, d.opened_at, d.closed_at
         FROM robots.leader d JOIN licences.licence l ON l.id = d.licence WHERE d.owner = $1 ORDER BY l.number",
    ),
    (
        "pools",
        "SELECT p.name AS pool, privacy.amount(e.value, 6) AS value, e.term_days, e.source, e.joined_at, e.first_day, e.last_day, e.ended_at,
                privacy.amount(e.received, 6) AS received
         FROM pools.entry e JOIN pools.pool p ON p.id = e.pool WHERE e.owner = $1 ORDER BY e.joined_at, e.id",
    ),
    (
        "pool_shares",
        "SELECT p.name AS pool, s.days, privacy.amount(s.value, 6) AS value, s.paid_at
         FROM pools.entry e JOIN pools.pool p ON p.id = e.pool JOIN pools.share s ON s.entry = e.id WHERE e.owner = $1 ORDER BY s.paid_at, s.revenue",
    ),
];

const NETWORK: &[(&str, &str)] = &[
    (
        "place",
        "SELECT m.registered_at, m.confirmed_at, m.placed_at, m.leg, m.selected_leg, s.username AS sponsor
         FROM affiliates.member m LEFT JOIN identity.account s ON s.id = m.sponsor WHERE m.id = $1",
    ),
    (
        "direct_referrals",
        "SELECT a.username, m.registered_at FROM affiliates.member m JOIN identity.account a ON a.id = m.id WHERE m.sponsor = $1 ORDER BY m.registered_at, m.id",
    ),
    (
        "bonuses",
        "SELECT b.booked_at, b.business_day, b.kind, b.level, a.username AS source, privacy.amount(b.gross, 6) AS gross,
                privacy.amount(b.paid, 6) AS paid, privacy.amount(b.waiting, 6) AS waiting, privacy.amount(b.lost, 6) AS lost, b.lost_reason,
                privacy.amount(b.returned, 6) AS returned, b.paid_at
         FROM affiliates.bonus b LEFT JOIN identity.account a ON a.id = b.source WHERE b.receiver = $1 ORDER BY b.booked_at, b.id",
    ),
    (
        "ranks",
        "SELECT rank, privacy.amount(amount, 6) AS bonus, reached_at, paid_at, given_up_at, payment_hash FROM affiliates.graduation WHERE member = $1 ORDER BY rank",
    ),
];

const EXCHANGE: &[(&str, &str)] = &[
    (
        "purchases",
        "SELECT at, privacy.amount(usdt, 6) AS usdt, privacy.amount(pyx, 6) AS pyx FROM presale.purchase WHERE user_id = $1 ORDER BY at, id",
    ),
    (
        "released",
        "SELECT day, privacy.amount(pyx, 6) AS pyx, at FROM presale.claim WHERE user_id = $1 ORDER BY day",
    ),
    (
        "orders",
        "SELECT created_at, side, status, ended, privacy.amount(price, 6) AS price, privacy.amount(quantity, 6) AS quantity,
                privacy.amount(filled, 6) AS filled, privacy.amount(total, 6) AS total, updated_at
         FROM presale.trade_order WHERE user_id = $1 ORDER BY created_at, id",
    ),
];

const WALLET: &[(&str, &str)] = &[
    (
        "wallet",
        "SELECT '0x' || encode(address, 'hex') AS address, created_at FROM wallet.user_wallet WHERE owner = $1",
    ),
    (
        "moves",
        "SELECT created_at, kind, status, reason, coin, privacy.amount(wei, 18) AS amount, '0x' || encode(counterparty, 'hex') AS other_address,
                coin_out, privacy.amount(received, 18) AS received, '0x' || encode(tx, 'hex') AS hash, ended_at
         FROM wallet.user_move WHERE owner = $1 ORDER BY created_at, id",
    ),
    (
        "deposit_addresses",
        "SELECT '0x' || encode(address, 'hex') AS address, created_at FROM wallet.deposit_address WHERE owner = $1 ORDER BY number",
    ),
];

const MESSAGES: &[(&str, &str)] = &[
    (
        "tickets",
        "SELECT number, subject, category, status, created_at, closed_at FROM support.ticket WHERE owner = $1 AND deleted_at IS NULL ORDER BY number",
    ),
    (
        "ticket_messages",
        "SELECT t.number AS ticket, m.number, m.side, m.body, m.attachment_name, m.created_at, m.edited_at
         FROM support.ticket t JOIN support.message m ON m.ticket = t.id
         WHERE t.owner = $1 AND t.deleted_at IS NULL AND m.deleted_at IS NULL ORDER BY t.number, m.number",
    ),
    (
        "ticket_ratings",
        "SELECT t.number AS ticket, r.score, r.comment, r.created_at FROM support.ticket t JOIN support.rating r ON r.ticket = t.id
         WHERE t.owner = $1 AND t.deleted_at IS NULL ORDER BY t.number",
    ),
    (
        "notifications",
        "SELECT at, code, privacy.amount(amount, 6) AS usdt, read_at FROM notifications.line WHERE owner = $1 ORDER BY at, id",
    ),
    (
        "lessons",
        "SELECT i.title, p.seconds, p.done_at, p.updated_at FROM content.progress p JOIN content.item i ON i.id = p.item
         WHERE p.person = $1 ORDER BY p.updated_at, p.item",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_part_is_of_one_person_and_has_a_name_of_its_own() {
        let mut rooms = BTreeSet::new();
        for (room, parts) in ROOMS {
            assert!(rooms.insert(room), "{room}");
            let mut names = BTreeSet::new();
            for (name, sql) in *parts {
                assert!(names.insert(name), "{room}: {name}");
                assert!(sql.contains("$1"), "{room}: {name}");
                for secret in [
                    "password_hash",
                    "sealed",
                    "entropy",
                    "token_hash",
                    "_mac",
                    "data_key",
                ] {
                    assert!(!sql.contains(secret), "{room}: {name}: {secret}");
                }
            }
        }
    }
}
