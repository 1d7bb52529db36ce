//! The calls whose statements are counted, and those that need no count.

use server::{
    identity::gate::{Access, Limit},
    routes::ROUTES,
};
use std::collections::BTreeSet;

/// What a route's calls are called in the table of the documentation, and how often each asks.
type Line = (&'static str, &'static [(&'static str, usize)]);

/// By method and path, as the routes stand in their table.
pub const LINES: &[Line] = &[
    (
        "PATCH /admin/user/{id}/edit",
        &[
            ("account switched off", 11),
            ("account of who decides switched off, asked for", 14),
        ],
    ),
    (
        "PATCH /roles/{userId}/add-role",
        &[("role given", 10), ("role that decides asked for", 13)],
    ),
    (
        "POST /roles/{userId}/remove-role",
        &[("role taken", 10), ("role that decides asked back", 12)],
    ),
    (
        "POST /admin/grants/{id}/approve",
        &[
            ("role that decides given by the second person", 15),
            ("role that decides taken by the second person", 15),
            ("account of who decides switched off by the second person", 15),
        ],
    ),
    (
        "POST /admin/grants/{id}/reject",
        &[
            ("role that decides refused", 9),
            ("role that decides taken back by who asked", 9),
        ],
    ),
    ("POST /admin/freezes", &[("decisions frozen", 7)]),
    (
        "POST /admin/freezes/{id}/lift",
        &[
            ("freeze lifted, the first of two", 9),
            ("freeze lifted, the second of two", 9),
        ],
    ),
    (
        "POST /admin/graduation/pay-bonus",
        &[
            ("rank's bonus paid by one person", 14),
            ("rank's bonus paid, the first of two", 14),
            ("rank's bonus paid, the second of two", 14),
        ],
    ),
    (
        "POST /admin/graduation/reject-bonus",
        &[("rank's bonus rejected", 12)],
    ),
    ("POST /bonus/withdraw", &[("bonus withdrawn", 8)]),
    (
        "PATCH /admin/compliance/cases",
        &[
            ("case cleared", 6),
            ("case cleared, the first of two", 7),
            ("case cleared, the second of two", 6),
            ("case not cleared", 4),
        ],
    ),
    (
        "POST /admin/outbound-pauses",
        &[
            ("money paused", 6),
            ("money of one person paused", 7),
            ("desk paused", 6),
            ("registrations paused", 6),
        ],
    ),
    (
        "POST /admin/outbound-pauses/{id}/lift",
        &[
            ("pause of money lifted, the first of two", 6),
            ("pause of money lifted, the second of two", 7),
            ("pause of one person's money lifted, the first of two", 6),
            ("pause of one person's money lifted, the second of two", 7),
            ("pause of the desk lifted, the first of two", 6),
            ("pause of the desk lifted, the second of two", 7),
            ("pause of registrations lifted, the first of two", 6),
            ("pause of registrations lifted, the second of two", 7),
        ],
    ),
    (
        "POST /licences/buy",
        &[("licence bought, the first", 15), ("licence bought", 13)],
    ),
    ("POST /licences/topup", &[("top-up", 10)]),
    ("POST /licences/reinvest", &[("reinvestment", 10)]),
    ("POST /licences/cancel", &[("licence canceled", 12)]),
    ("POST /licences/capital-withdraw", &[("capital withdrawn", 10)]),
    ("POST /licences/loan", &[("loan", 10)]),
    ("POST /licences/loan-repay", &[("loan repaid", 11)]),
    (
        "POST /admin/licences/{id}/manual-key",
        &[("manual key taken away", 6), ("manual key given back", 6)],
    ),
    (
        "POST /trader/allocate-value-in-trading",
        &[("allocation that makes the sale final", 14), ("allocation", 13)],
    ),
    (
        "POST /trader/relocate-value",
        &[
            ("relocation to the top-up", 8),
            ("relocation to another licence", 15),
        ],
    ),
    ("POST /trader/robot-withdraw", &[("yield withdrawn", 8)]),
    ("POST /trader/manual", &[("operation ordered by its owner", 14)]),
    (
        "POST /trader/manual/{id}/cancel",
        &[("operation taken back by its owner", 3)],
    ),
    (
        "POST /admin/robots/{robotId}/operations/{operationId}/reverse",
        &[
            ("robot's gain taken back, the first of two", 9),
            ("robot's gain taken back, the second of two", 14),
            ("robot's loss taken back, the first of two", 10),
            ("robot's loss taken back, the second of two", 15),
        ],
    ),
    ("POST /admin/trading/live", &[("live trading asked for", 10)]),
    (
        "POST /admin/trading/live/confirm",
        &[("live trading switched on by the second person", 10)],
    ),
    (
        "POST /admin/trading/live/off",
        &[
            ("live trading switched off", 8),
            ("live trading no longer asked for", 8),
        ],
    ),
    (
        "POST /deposit-pix",
        &[("PIX deposit opened, the first", 8), ("PIX deposit opened", 8)],
    ),
    (
        "POST /deposit-pix/{id}/proof",
        &[
            ("PIX deposit's proof, the first", 10),
            ("PIX deposit's proof", 10),
        ],
    ),
    ("POST /deposit-pix/{id}/cancel", &[("PIX deposit canceled", 5)]),
    (
        "PATCH /admin/deposits-pix-approve-reject",
        &[
            ("PIX deposit approved, the first", 15),
            ("PIX deposit approved", 15),
            ("PIX deposit rejected", 9),
            ("PIX deposit approved, the first of two", 11),
            ("PIX deposit approved, the second of two", 15),
        ],
    ),
    (
        "POST /admin/deposits-pix/{id}/reverse",
        &[
            ("PIX deposit taken back", 15),
            ("PIX deposit taken back, the first of two", 11),
            ("PIX deposit taken back, the second of two", 15),
        ],
    ),
    (
        "DELETE /admin/pix/holder/{userId}",
        &[("document taken off a customer", 6)],
    ),
    ("POST /withdraw-pix/quote", &[("PIX withdrawal quoted", 5)]),
    ("POST /withdraw-pix", &[("PIX withdrawal asked for", 15)]),
    (
        "POST /withdraw-pix/{id}/cancel",
        &[("PIX withdrawal canceled", 10)],
    ),
    (
        "POST /withdraw-pix/{id}/requote",
        &[("PIX withdrawal at the new rate", 6)],
    ),
    (
        "PATCH /admin/withdraw-pix-approve-reject",
        &[
            ("PIX withdrawal approved", 10),
            ("PIX withdrawal approved, the first of two", 10),
            ("PIX withdrawal approved, the second of two", 10),
            ("PIX withdrawal approved and paid", 15),
            ("PIX withdrawal rejected", 13),
            ("PIX withdrawal rejected by the bank", 14),
            ("PIX withdrawal not paid, said by who saw its key", 14),
            ("PIX withdrawal not paid, the first of two", 8),
            ("PIX withdrawal not paid, the second of two", 15),
            ("PIX withdrawal whose rate moved", 9),
        ],
    ),
    (
        "POST /admin/withdraw-pix/{id}/key",
        &[("PIX withdrawal's key shown", 6)],
    ),
    (
        "POST /admin/withdraw-pix/{id}/paid",
        &[("PIX withdrawal paid", 12)],
    ),
    (
        "POST /admin/withdraw-pix/{id}/receipt",
        &[("PIX withdrawal paid, its receipt", 15)],
    ),
    (
        "POST /transfer",
        &[
            ("transfer between members, the first", 13),
            ("transfer between members", 13),
        ],
    ),
    (
        "PATCH /admin/transfers-approve-reject",
        &[
            ("transfer that waited approved", 14),
            ("transfer that waited approved, the first of two", 9),
            ("transfer that waited approved, the second of two", 14),
            ("transfer that waited rejected", 13),
        ],
    ),
    (
        "POST /admin/declared-holdings",
        &[("holding declared", 11), ("holding declared that waits", 8)],
    ),
    (
        "PATCH /admin/declared-holdings/approve-reject",
        &[
            ("declared holding approved by the second person", 11),
            ("declared holding rejected", 7),
        ],
    ),
    ("POST /pools/join", &[("pool joined", 10)]),
    ("POST /admin/pools", &[("pool opened", 5)]),
    ("PATCH /admin/pools/{id}", &[("pool changed", 7)]),
    ("POST /admin/pools/{id}/revenue", &[("pool revenue entered", 13)]),
    (
        "PATCH /admin/pools/revenue-approve-reject",
        &[
            ("pool revenue approved by the second person", 13),
            ("pool revenue rejected", 9),
        ],
    ),
    (
        "POST /admin/balance-manager/add-remove-balance",
        &[
            ("sponsorship", 10),
            ("sponsorship in a licence", 14),
            ("sponsorship that waits", 8),
        ],
    ),
    (
        "PATCH /admin/balance-manager/approve-reject",
        &[
            ("sponsorship approved by the second person", 9),
            ("sponsorship in a licence approved by the second person", 13),
            ("sponsorship taken back by the second person", 10),
            ("sponsorship in a licence taken back by the second person", 15),
            ("sponsorship rejected", 6),
        ],
    ),
    ("POST /trader/create-deposit-intent", &[("deposit intent", 13)]),
    ("POST /deposit", &[("crypto deposit asked for", 10)]),
    ("POST /deposit/cancel", &[("deposit intent canceled", 6)]),
    (
        "PATCH /admin/crypto-deposits-approve-reject",
        &[
            ("crypto deposit approved", 14),
            ("crypto deposit approved, the first of two", 11),
            ("crypto deposit approved, the second of two", 14),
            ("crypto deposit rejected", 11),
        ],
    ),
    (
        "POST /web3/transferToken/quote",
        &[("send from one's own wallet quoted", 2)],
    ),
    (
        "POST /web3/transferToken",
        &[("coins sent from one's own wallet", 15)],
    ),
    (
        "POST /web3/swapTokens/quote",
        &[("swap in one's own wallet quoted", 2)],
    ),
    (
        "POST /web3/swapTokens",
        &[("coins swapped in one's own wallet", 15)],
    ),
    ("POST /withdraw/quote", &[("crypto withdrawal quoted", 5)]),
    ("POST /withdraw", &[("crypto withdrawal asked for", 12)]),
    ("POST /withdraw/confirm", &[("crypto withdrawal confirmed", 6)]),
    (
        "POST /withdraw/resend",
        &[("crypto withdrawal's link mailed again", 7)],
    ),
    ("POST /withdraw/cancel", &[("crypto withdrawal canceled", 10)]),
    (
        "POST /withdraw/requote",
        &[("crypto withdrawal at the new rate", 6)],
    ),
    (
        "PATCH /admin/crypto-withdrawal-approve-reject",
        &[
            ("crypto withdrawal approved", 10),
            ("crypto withdrawal approved, the first of two", 10),
            ("crypto withdrawal approved, the second of two", 10),
            ("crypto withdrawal rejected", 13),
            ("crypto withdrawal rejected, approved before", 13),
            ("crypto withdrawal rejected, failed before", 13),
            ("crypto withdrawal sent once more", 8),
            ("crypto withdrawal whose rate moved", 9),
        ],
    ),
    (
        "POST /admin/hot-wallet/resume",
        &[
            ("hot wallet goes on, the first of two", 12),
            ("hot wallet goes on, the second of two", 14),
        ],
    ),
    (
        "POST /presale/buy",
        &[("PYX bought, the first", 13), ("PYX bought", 13)],
    ),
    ("POST /presale/claim", &[("PYX claimed", 12)]),
    (
        "POST /orders",
        &[
            ("PYX order that waits", 10),
            ("PYX order that trades", 15),
            ("PYX order that trades with three", 15),
            ("PYX order that waits, worse than the anchors", 10),
            ("PYX order to buy that loses", 15),
            ("PYX order to buy by which the other loses", 15),
            ("PYX order to sell that loses", 15),
            ("PYX order to sell by which the other loses", 15),
        ],
    ),
    ("POST /orders/{id}/cancel", &[("PYX order canceled", 10)]),
    ("POST /admin/presale/rounds", &[("round of PYX proposed", 6)]),
    ("PATCH /admin/presale/rounds/{id}", &[("round of PYX changed", 6)]),
    (
        "POST /admin/presale/rounds/{id}/agree",
        &[("round of PYX agreed to", 6)],
    ),
    (
        "POST /admin/presale/rounds/{id}/withdraw",
        &[("round of PYX withdrawn", 4)],
    ),
    (
        "POST /admin/approvals/take-back",
        &[
            ("word taken back: rank's bonus", 8),
            ("word taken back: held bonus", 6),
            ("word taken back: role that decides", 5),
            ("word taken back: freeze", 6),
            ("word taken back: pause", 4),
            ("word taken back: robot's result", 5),
            ("word taken back: live trading", 5),
            ("word taken back: PIX deposit", 8),
            ("word taken back: credit of a PIX deposit", 8),
            ("word taken back: PIX withdrawal", 6),
            ("word taken back: unpaid PIX withdrawal", 5),
            ("word taken back: transfer", 6),
            ("word taken back: declared holding", 6),
            ("word taken back: pool revenue", 7),
            ("word taken back: sponsorship", 5),
            ("word taken back: crypto deposit", 9),
            ("word taken back: crypto withdrawal", 6),
            ("word taken back: hot wallet", 8),
            ("word taken back: round of PYX", 6),
            ("word taken back: setting", 5),
        ],
    ),
    (
        "POST /admin/settings",
        &[("setting changed", 10), ("setting about money proposed", 10)],
    ),
    (
        "POST /admin/settings/changes/{id}/agree",
        &[
            ("setting about money agreed to", 12),
            ("plan agreed to", 11),
            ("change of a plan agreed to", 14),
        ],
    ),
    (
        "POST /admin/settings/changes/{id}/withdraw",
        &[
            ("setting about money withdrawn", 9),
            ("setting about money withdrawn, agreed to before", 11),
        ],
    ),
    ("POST /admin/plans", &[("plan proposed", 10)]),
    ("PATCH /admin/plans/{id}", &[("change of a plan proposed", 11)]),
    ("POST /support/open-ticket", &[("ticket opened", 4)]),
    (
        "POST /support/ticket-response",
        &[
            ("message of staff that takes the ticket", 4),
            ("message of staff", 4),
            ("message of a customer", 4),
            ("message that opens a ticket again", 4),
            ("message of somebody without a confirmed address", 5),
        ],
    ),
    (
        "POST /support/upload-image/{ticketId}",
        &[
            ("picture at the message that opened the ticket", 9),
            ("picture at a message", 8),
            ("PDF at a message", 8),
        ],
    ),
    (
        "PATCH /support/edit-ticket-message",
        &[("newest message corrected", 5), ("older message corrected", 4)],
    ),
    ("POST /support/email-send", &[("mail about a ticket", 7)]),
];

/// Over the socket, which has no route.
pub const READ: (&str, usize) = ("message marked as read, over the socket", 5);

/// What a message may ask.
pub const OF_A_MESSAGE: usize = 5;

/// What a file at a message may ask: whether it may come, before its bytes do, how much its sender has sent, and its own row come on top.
pub const OF_A_FILE: usize = 9;
/// What a mail about a ticket may ask: its reader, its place in the post and what its writer may cause come on top.
pub const OF_A_LETTER: usize = 7;

/// What a money call or a decision may ask.
const GOAL: usize = 15;

/// Calls for money's limit, or for those who decide, that neither move money nor decide about it or about who decides.
const NEITHER: &[(&str, &str)] = &[
    ("POST /admin/notices", "a notice"),
    ("DELETE /admin/user/{id}/sessions", "a person signs in again"),
    ("POST /admin/user/{id}/look", "changes nothing of anybody's"),
    ("DELETE /admin/user/{id}/look", "changes nothing of anybody's"),
    ("POST /admin/pix/statements", "compares a file, line by line"),
    ("POST /dev/faucet", "coins of the local chain alone, in a demo"),
    ("POST /admin/ledger/verify", "looks at all books"),
    ("POST /admin/settings/preview", "stores nothing"),
    ("POST /admin/content", "a lesson"),
    ("PATCH /admin/content/{id}", "a lesson"),
    ("DELETE /admin/content/{id}", "a lesson"),
    ("POST /admin/content/{id}/file", "a lesson's file"),
    ("DELETE /admin/content/{id}/file", "a lesson's file"),
    ("POST /admin/content/{id}/cover", "a lesson's picture"),
    ("DELETE /admin/content/{id}/cover", "a lesson's picture"),
];

#[test]
fn every_call_that_moves_money_or_decides_is_counted() {
    let counted: BTreeSet<&str> = LINES.iter().map(|(route, _)| *route).collect();
    let neither: BTreeSet<&str> = NEITHER.iter().map(|(route, _)| *route).collect();
    let names: Vec<&str> = LINES
        .iter()
        .flat_map(|(_, calls)| *calls)
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(
        names.iter().collect::<BTreeSet<_>>().len(),
        names.len(),
        "a name for each"
    );
    assert_eq!(counted.len(), LINES.len(), "a route once");
    let (mut all, mut wanted) = (BTreeSet::new(), BTreeSet::new());
    for route in ROUTES.iter().filter(|route| route.method != "GET") {
        let line = format!("{} {}", route.method, route.path);
        let decides = route.access == Access::Permission(protocol::Permission::AdminPermissions);
        if decides || matches!(route.limit, Limit::Money) {
            wanted.insert(line.clone());
        }
        all.insert(line);
    }
    let unknown: Vec<_> = counted.iter().filter(|route| !all.contains(**route)).collect();
    assert!(unknown.is_empty(), "no such routes: {unknown:?}");
    let strays: Vec<_> = neither
        .iter()
        .filter(|route| !wanted.contains(**route) || counted.contains(**route))
        .collect();
    assert!(strays.is_empty(), "they need no reason: {strays:?}");
    let missing: Vec<_> = wanted
        .iter()
        .filter(|route| !counted.contains(route.as_str()) && !neither.contains(route.as_str()))
        .collect();
    assert!(missing.is_empty(), "nobody counts what they ask: {missing:#?}");
}

#[test]
fn no_call_asks_more_than_the_goal() {
    let calls = LINES.iter().flat_map(|(_, calls)| *calls);
    let above: Vec<&str> = calls
        .filter(|(_, times)| *times > GOAL)
        .map(|(name, _)| *name)
        .collect();
    assert!(above.is_empty(), "{above:?}");
    assert!(READ.1 <= OF_A_MESSAGE);
}
