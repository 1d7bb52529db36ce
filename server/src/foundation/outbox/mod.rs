//! Facts on their way out: numbered per stream in the transaction that made them, read back by the relay and by resuming clients.

mod store;

use super::transaction::Ending;
use crate::error::Error;
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::PgConnection;
use time::OffsetDateTime;

pub use store::{BEGINNING, Cursor, cursor_now, head, heads, poll, range};

/// Gives the facts their numbers and stores them. Call it last in a transaction: it locks the stream heads, in sorted order.
///
/// # Errors
/// Whatever the database refuses.
pub async fn append(
    conn: &mut PgConnection,
    facts: Vec<(StreamId, LiveEvent)>,
    at: OffsetDateTime,
) -> Result<Vec<Numbered>, Error> {
    let ending = Ending {
        facts,
        ..Ending::default()
    };
    ending.write(conn, at).await
}
