//! SQL of the streams of facts.

use crate::error::Error;
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::PgExecutor;
use time::OffsetDateTime;

/// Where a relay has read to: (transaction id, event id), in commit-safe order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub xid: i64,
    pub id: i64,
}

struct Row {
    id: i64,
    xid: i64,
    stream: String,
    epoch: i32,
    seq: i64,
    payload: serde_json::Value,
    at: OffsetDateTime,
}

impl Row {
    /// A row that this binary cannot read was written by another version: it is left out, loudly, and a client resets.
    fn numbered(self) -> Option<Numbered> {
        let stream = self.stream.parse::<StreamId>().ok();
        let event = serde_json::from_value::<LiveEvent>(self.payload);
        match (stream, event) {
            (Some(stream), Ok(event)) => Some(Numbered {
                stream,
                epoch: self.epoch,
                seq: self.seq,
                at: self.at,
                event,
            }),
            _ => {
                tracing::error!(stream = %self.stream, seq = self.seq, "unreadable fact");
                None
            }
        }
    }
}

/// The place of a stream before its first fact.
pub const BEGINNING: (i32, i64) = (1, 0);

/// A stream's present place: (epoch, last number).
pub async fn head(db: impl PgExecutor<'_>, stream: StreamId) -> Result<(i32, i64), Error> {
    let row = sqlx::query!(
        "SELECT epoch, seq FROM foundation.stream_head WHERE stream = $1",
        stream.to_string()
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or(BEGINNING, |r| (r.epoch, r.seq)))
}

/// Present places of several streams at once; streams without a fact are absent.
pub async fn heads(db: impl PgExecutor<'_>, streams: &[String]) -> Result<Vec<(String, i32, i64)>, Error> {
    let rows = sqlx::query!(
        "SELECT stream, epoch, seq FROM foundation.stream_head WHERE stream = ANY($1)",
        streams
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.stream, r.epoch, r.seq)).collect())
}

/// Facts `from..` of a stream in order, at most `max`.
pub async fn range(
    db: impl PgExecutor<'_>,
    stream: StreamId,
    epoch: i32,
    from: i64,
    max: i64,
) -> Result<Vec<Numbered>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id as "id!", xid::text::bigint AS "xid!", stream, epoch, seq, payload, at FROM foundation.event
           WHERE stream = $1 AND epoch = $2 AND seq >= $3 ORDER BY seq LIMIT $4"#,
        stream.to_string(),
        epoch,
        from,
        max
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().filter_map(Row::numbered).collect())
}

/// The place behind every transaction that has ended: where a relay that starts now begins to read.
pub async fn cursor_now(db: impl PgExecutor<'_>) -> Result<Cursor, Error> {
    let xid =
        sqlx::query_scalar!(r#"SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "xid!""#)
            .fetch_one(db)
            .await?;
    Ok(Cursor { xid, id: 0 })
}

/// Facts of ended transactions behind the cursor. Sequences are not in commit order, so only rows below the oldest running
/// transaction are taken, ordered by (xid, id).
pub async fn poll(
    db: impl PgExecutor<'_>,
    after: Cursor,
    max: i64,
) -> Result<(Vec<Numbered>, Cursor), Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id as "id!", xid::text::bigint AS "xid!", stream, epoch, seq, payload, at FROM foundation.event
           WHERE (xid, id) > ($1::text::xid8, $2) AND xid < pg_snapshot_xmin(pg_current_snapshot())
           ORDER BY xid, id LIMIT $3"#,
        after.xid.to_string(),
        after.id,
        max
    )
    .fetch_all(db)
    .await?;
    let cursor = rows.last().map_or(after, |r| Cursor { xid: r.xid, id: r.id });
    Ok((rows.into_iter().filter_map(Row::numbered).collect(), cursor))
}
