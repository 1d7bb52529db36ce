//! Facts on their way out: numbered per stream in the transaction that made them, read back by the relay and by resuming clients.

mod store;

use crate::error::Error;
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::OffsetDateTime;

pub use store::{Cursor, cursor_now, head, heads, poll, range};

/// Gives the facts their numbers and stores them. Call it last in a transaction: it locks the stream heads, in sorted order.
///
/// # Errors
/// Whatever the database refuses.
pub async fn append(
    conn: &mut PgConnection,
    facts: Vec<(StreamId, LiveEvent)>,
    at: OffsetDateTime,
) -> Result<Vec<Numbered>, Error> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for (stream, _) in &facts {
        *counts.entry(stream.to_string()).or_default() += 1;
    }
    let heads = store::advance(conn, &counts).await?;
    let mut next: BTreeMap<String, (i32, i64)> = BTreeMap::new();
    for (stream, epoch, seq) in heads {
        let count = counts.get(&stream).copied().unwrap_or(0);
        next.insert(stream, (epoch, seq - count + 1));
    }
    let mut numbered = Vec::with_capacity(facts.len());
    for (stream, event) in facts {
        let Some((epoch, seq)) = next.get_mut(&stream.to_string()) else {
            return Err(Error::internal("a stream head was not returned"));
        };
        numbered.push(Numbered {
            stream,
            epoch: *epoch,
            seq: *seq,
            at,
            event,
        });
        *seq += 1;
    }
    store::insert(conn, &numbered).await?;
    Ok(numbered)
}
