//! The book PYX/USDT, open while no round sells, once one has ended.
//!
//! Invariants: one lock for the whole book; what an open order may cost is held; a trade is booked in the transaction in which the orders
//! met, against the waiting order's hold; the book never crosses itself but between two who are kept apart.
//!
//! A trade away from the reference hands value to the other side, so orders stand under the guard of outgoing money (2026-11-23):
//! - A session's first order gives a security code (`presale.trading_session`); no other session is opened by it. Who
//!   loosens a protection of theirs in one session closes their others.
//! - The anchors are the reference and where it began each of the last seven business days. A buyer is held to the lowest of them, a seller
//!   to the highest: whoever trades moves the reference, so a thief would move it first and then have the stolen session trade fairly at
//!   it. What nobody traded stays an anchor; before any order all are the last round's price.
//! - While its owner's whitelist or a limit of theirs is on, an order is at its anchor or better. Switching one on ends the others in the
//!   same transaction; one that the anchors have left behind ends when somebody would meet it, and so does one worse than its anchor
//!   whose owner is held, paused or in debt by then: what a thief left in the book stops with the owner's freeze.
//! - What a trade loses against its side's anchor, rounded up and never set off by gains, counts in its loser's limits; between the anchors
//!   both sides lose. An incoming order whose trades would pass them is refused as a whole; a waiting one ends when a meeting would. Before
//!   that it counts with what the person lost by trades of 24 hours to everybody (2026-11-26).
//! - The compliance port is asked about each pair before they meet. Two who may not pass each other by: the incoming order goes on to the
//!   next, and neither ends. It may then wait across the other's price; anybody else takes either at its own price, so nobody pays more
//!   for it. Ending one of them would tell a thief whom the rules know, and would let anyone end another's orders.
//! - The reference follows the average price of 24 hours once enough people traded enough, by so much a business day from where the day
//!   before left it, and is stored at the end of each order; one that trades nothing moves nothing ([`super::rules::reference`]). Neither
//!   a pair nor a person counts for more than a third of the least volume, so it takes three pairs of six people at least. They were
//!   unrelated when they met; trades from before the port was asked do not count.
//! - So a price that moves binds late: after a rise of a week a bound member still buys at the week's lowest opening only. Money that a
//!   member has bound waits rather than leaves.
//!
//! An incoming order is decided in memory under the book's lock and written in sets, however many it meets (2026-11-24,
//! docs/decisions/0063-many-are-met-at-once.md).
//!
//! Whoever orders is asked about (hold, pause, debt, time out) behind the book's lock: what stops a person while their order waits for it
//! stops that order (2026-11-24).
//!
//! Locks: the book's, then of the limits of those who are asked (sorted, batch by batch: whoever holds several has the book's), then the
//! ledger's accounts.

mod matching;
pub mod routes;
pub mod service;
mod settle;
pub mod shown;
pub(super) mod store;
