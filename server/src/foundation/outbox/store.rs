//! SQL of the streams of facts.

use crate::error::Error;
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::{PgConnection, PgExecutor};
use std::collections::BTreeMap;
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

/// Moves the heads forward by the given counts, in the map's order; returns (stream, epoch, last seq).
pub async fn advance(
    conn: &mut PgConnection,
    counts: &BTreeMap<String, i64>,
) -> Result<Vec<(String, i32, i64)>, Error> {
    let streams: Vec<String> = counts.keys().cloned().collect();
    let by: Vec<i64> = counts.values().copied().collect();
    let rows = sqlx::query!(
        r#"INSERT INTO foundation.stream_head AS h (stream, seq)
           SELECT s, n FROM unnest($1::text[], $2::bigint[]) AS t(s, n) ORDER BY s COLLATE "C"
           ON CONFLICT (stream) DO UPDATE SET seq = h.seq + EXCLUDED.seq
           RETURNING stream, epoch, seq"#,
        &streams,
        &by
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.stream, r.epoch, r.seq)).collect())
}

pub async fn insert(conn: &mut PgConnection, facts: &[Numbered]) -> Result<(), Error> {
    let mut streams = Vec::with_capacity(facts.len());
    let mut epochs = Vec::with_capacity(facts.len());
    let mut seqs = Vec::with_capacity(facts.len());
    let mut kinds = Vec::with_capacity(facts.len());
    let mut payloads = Vec::with_capacity(facts.len());
    let mut ats = Vec::with_capacity(facts.len());
    for fact in facts {
        streams.push(fact.stream.to_string());
        epochs.push(fact.epoch);
        seqs.push(fact.seq);
        kinds.push(fact.event.kind().to_owned());
        payloads.push(serde_json::to_string(&fact.event)?);
        ats.push(fact.at);
    }
    sqlx::query!(
        "INSERT INTO foundation.event (stream, epoch, seq, kind, payload, at)
         SELECT stream, epoch, seq, kind, payload::json, at
         FROM unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::text[], $6::timestamptz[])
              AS f(stream, epoch, seq, kind, payload, at)",
        &streams,
        &epochs,
        &seqs,
        &kinds,
        &payloads,
        &ats
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A stream's present place: (epoch, last number); (1, 0) before its first fact.
pub async fn head(db: impl PgExecutor<'_>, stream: StreamId) -> Result<(i32, i64), Error> {
    let row = sqlx::query!(
        "SELECT epoch, seq FROM foundation.stream_head WHERE stream = $1",
        stream.to_string()
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map_or((1, 0), |r| (r.epoch, r.seq)))
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
