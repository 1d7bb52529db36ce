//! What happened to a person's money, in the person's words: one line for one event, whatever the books needed for it (docs/rules/reports.md#activity).
//!
//! An event is what belongs to one thing: a withdrawal with what was set aside for it, an order of the book with its trades, a day of the
//! robots. Its amount is what the [total](super::figures) gained or lost by it, so that the period's opening and its events are its closing;
//! what only went from one own account to another has none, and says what it moved. The ledger's own lines are the [statement](super::statement).

mod pdf;
pub mod routes;
pub mod rules;
mod store;

use super::statement::{self, Sums};
use crate::{
    error::Error,
    foundation::{context::Context, http::Paging},
};
use protocol::{
    ids::{TransferId, UserId},
    money::{Pyx, Usdt},
    views::Mode,
};
use rules::{EventKind, EventState, Group};
use serde::Serialize;
use time::{Date, OffsetDateTime};

/// The most events of a file.
const CSV_EVENTS: i64 = 50_000;
const PDF_EVENTS: i64 = 5_000;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub user: UserId,
    pub first: Date,
    pub last: Date,
    /// All when none.
    pub groups: Vec<Group>,
    pub as_of: Option<OffsetDateTime>,
}

impl Asked {
    /// Whether a file says the total at its first and its last line: the events of some groups alone do not lead from one to the other.
    #[must_use]
    pub const fn edges(&self) -> bool {
        self.groups.is_empty()
    }
}

/// Something that happened to a person's money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActivityEvent {
    /// The same for as long as it is the same event.
    #[serde(rename = "_id")]
    pub id: String,
    /// When it last moved something in the period.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub kind: EventKind,
    /// Where it stands now.
    pub state: EventState,
    /// What the total gained or lost by it in the period.
    pub amount: Usdt,
    /// Of what changed nothing in the total, or is not told by it: what went from one own account to another.
    pub moved: Option<Usdt>,
    /// What it changed of the PYX in the books.
    pub pyx: Option<Pyx>,
    /// The licence's number, where it is about one.
    pub licence: Option<i32>,
    /// The other member's username.
    pub counterparty: Option<String>,
    /// Of trading results.
    pub mode: Option<Mode>,
    /// How many movements of the ledger it is.
    pub movements: i64,
    /// The newest of them, of a day's results the last alone; `GET /statement/{transfer}` tells each.
    pub transfers: Vec<TransferId>,
}

/// The period in sums, and a page of its events, newest first unless asked otherwise, with how many there are. One snapshot.
///
/// # Errors
/// Whatever the database refuses.
pub async fn read(
    context: &Context,
    asked: &Asked,
    paging: &Paging,
) -> Result<(Sums, Vec<ActivityEvent>, i64), Error> {
    let period = statement::bounds(asked.first, asked.last, asked.as_of);
    let mut tx = context.db.snapshot().await?;
    let sums = statement::edges(tx.conn(), asked.user, period).await?;
    let (rows, total) = store::events(tx.conn(), asked, period, paging).await?;
    tx.rollback().await?;
    let events = rows
        .into_iter()
        .map(ActivityEvent::try_from)
        .collect::<Result<_, _>>()?;
    Ok((sums, events, total))
}
