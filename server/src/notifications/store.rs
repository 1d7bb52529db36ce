//! SQL of the inboxes and of the cursor over the facts.

pub mod digests;

use super::{
    rules::{Line, codes_of, group, values},
    service::{NotificationView, Shown},
};
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::{LiveEvent, StreamId, ids::NotificationId, ids::UserId, live_event::Numbered, money::Usdt};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// Where the reading stands: (transaction id, event id).
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub xid: i64,
    pub event: i64,
}

/// Takes the cursor for this transaction; none while another node reads.
pub async fn take_cursor(conn: &mut PgConnection) -> Result<Option<Place>, Error> {
    Ok(sqlx::query_as!(
        Place,
        "SELECT xid, event FROM notifications.cursor FOR UPDATE SKIP LOCKED"
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn move_cursor(conn: &mut PgConnection, to: Place) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.cursor SET xid = $1, event = $2",
        to.xid,
        to.event
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether there may be something to read, without taking anything.
pub async fn behind(pool: &PgPool, kinds: &[String]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM foundation.event e, notifications.cursor c
           WHERE (e.xid, e.id) > (c.xid::text::xid8, c.event) AND e.kind = ANY($1)) AS "is!""#,
        kinds
    )
    .fetch_one(pool)
    .await?)
}

/// The next facts of these kinds, of ended transactions only, and where the reading stands after them. When all were read, the
/// place jumps behind the facts of other kinds as well.
pub async fn next_facts(
    conn: &mut PgConnection,
    after: Place,
    kinds: &[String],
    max: i64,
) -> Result<(Vec<Numbered>, Place), Error> {
    let horizon =
        sqlx::query_scalar!(r#"SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "xid!""#)
            .fetch_one(&mut *conn)
            .await?;
    let rows = sqlx::query!(
        r#"SELECT id, xid::text::bigint AS "xid!", stream, epoch, seq, payload, at FROM foundation.event
           WHERE (xid, id) > ($1::text::xid8, $2) AND xid < $3::text::xid8 AND kind = ANY($4) ORDER BY xid, id LIMIT $5"#,
        after.xid.to_string(),
        after.event,
        horizon.to_string(),
        kinds,
        max
    )
    .fetch_all(conn)
    .await?;
    let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) >= max;
    let place = match rows.last() {
        Some(last) if full => Place {
            xid: last.xid,
            event: last.id,
        },
        _ => Place {
            xid: (horizon - 1).max(after.xid),
            event: i64::MAX,
        },
    };
    let mut facts = Vec::with_capacity(rows.len());
    for row in rows {
        match (
            row.stream.parse::<StreamId>(),
            serde_json::from_value::<LiveEvent>(row.payload),
        ) {
            (Ok(stream), Ok(event)) => facts.push(Numbered {
                stream,
                epoch: row.epoch,
                seq: row.seq,
                at: row.at,
                event,
            }),
            // Written by another version: not news that this one could tell.
            _ => tracing::error!(stream = %row.stream, seq = row.seq, "unreadable fact"),
        }
    }
    Ok((facts, place))
}

/// Remembers a thing's state; returns the one before, or `None` at first sight. An older version changes nothing and comes back
/// as the state that it has.
pub async fn advance(
    conn: &mut PgConnection,
    subject: Uuid,
    state: &str,
    version: i64,
) -> Result<Advance, Error> {
    let before = sqlx::query!(
        "SELECT state, version FROM notifications.seen WHERE subject = $1 FOR UPDATE",
        subject
    )
    .fetch_optional(&mut *conn)
    .await?;
    if before.as_ref().is_some_and(|b| b.version >= version) {
        return Ok(Advance::Stale);
    }
    sqlx::query!(
        "INSERT INTO notifications.seen (subject, state, version) VALUES ($1, $2, $3)
         ON CONFLICT (subject) DO UPDATE SET state = EXCLUDED.state, version = EXCLUDED.version",
        subject,
        state,
        version
    )
    .execute(conn)
    .await?;
    Ok(Advance::From(before.map(|b| b.state)))
}

/// What a state came after.
pub enum Advance {
    /// A newer one has been seen.
    Stale,
    From(Option<String>),
}

/// What is not wanted: (channel, group).
pub async fn quiet(db: impl PgExecutor<'_>, owner: UserId) -> Result<Vec<(String, String)>, Error> {
    let rows = sqlx::query!(
        "SELECT channel, topic FROM notifications.quiet WHERE owner = $1",
        owner.0
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|row| (row.channel, row.topic)).collect())
}

pub async fn set_quiet(
    conn: &mut PgConnection,
    owner: UserId,
    channel: &str,
    topic: &str,
    quiet: bool,
) -> Result<(), Error> {
    if quiet {
        sqlx::query!(
            "INSERT INTO notifications.quiet (owner, channel, topic) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            owner.0,
            channel,
            topic
        )
        .execute(conn)
        .await?;
    } else {
        sqlx::query!(
            "DELETE FROM notifications.quiet WHERE owner = $1 AND channel = $2 AND topic = $3",
            owner.0,
            channel,
            topic
        )
        .execute(conn)
        .await?;
    }
    Ok(())
}

/// A line as it stands, and whether its reader wants no toast of it.
pub struct Stored {
    pub view: NotificationView,
    pub quiet: bool,
}

/// Stores a line for a fact; none when the fact has made one before.
pub async fn insert(
    conn: &mut PgConnection,
    line: &Line,
    fact: &Numbered,
    at: OffsetDateTime,
) -> Result<Option<Stored>, Error> {
    let id = NotificationId::fresh();
    let quiet = sqlx::query_scalar!(
        r#"INSERT INTO notifications.line (id, owner, code, params, amount, about, stream, epoch, seq, at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (stream, epoch, seq) DO NOTHING
           RETURNING EXISTS (SELECT FROM notifications.quiet q WHERE q.owner = $2 AND q.channel = 'toast' AND q.topic = $11) AS "quiet!""#,
        id.0,
        line.owner.0,
        line.code,
        line.params,
        line.amount.map(|a| a.0),
        line.about,
        fact.stream.to_string(),
        fact.epoch,
        fact.seq,
        at,
        group(line.code).as_str()
    )
    .fetch_optional(conn)
    .await?;
    Ok(quiet.map(|quiet| Stored {
        view: NotificationView {
            id,
            code: line.code.to_owned(),
            group: group(line.code),
            params: values(line.params.clone(), line.amount),
            amount: line.amount,
            at,
            read: false,
        },
        quiet,
    }))
}

/// An unread line of the same kind about the same thing takes the newer fact in: (id, how many it stands for).
pub async fn merge(
    conn: &mut PgConnection,
    line: &Line,
    fact: &Numbered,
    at: OffsetDateTime,
) -> Result<Option<Stored>, Error> {
    let row = sqlx::query!(
        r#"UPDATE notifications.line SET at = $4, epoch = $5, seq = $6,
               params = $7::jsonb || jsonb_build_object('count', COALESCE((params ->> 'count')::int, 1) + 1)
           WHERE id = (SELECT id FROM notifications.line
                       WHERE owner = $1 AND about = $2 AND code = $3 AND read_at IS NULL AND stream = $8
                       ORDER BY at DESC LIMIT 1)
           RETURNING id AS "id: NotificationId", params,
               EXISTS (SELECT FROM notifications.quiet q WHERE q.owner = $1 AND q.channel = 'toast' AND q.topic = $9) AS "quiet!""#,
        line.owner.0,
        line.about,
        line.code,
        at,
        fact.epoch,
        fact.seq,
        line.params,
        fact.stream.to_string(),
        group(line.code).as_str()
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Stored {
        view: NotificationView {
            id: r.id,
            code: line.code.to_owned(),
            group: group(line.code),
            params: values(r.params, line.amount),
            amount: line.amount,
            at,
            read: false,
        },
        quiet: r.quiet,
    }))
}

/// The owner has seen the thing: its lines are read.
pub async fn seen(
    conn: &mut PgConnection,
    owner: UserId,
    about: Uuid,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.line SET read_at = $3 WHERE owner = $1 AND about = $2 AND read_at IS NULL",
        owner.0,
        about,
        at
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(FromRow)]
struct Listed {
    id: Uuid,
    code: String,
    params: serde_json::Value,
    amount: Option<i64>,
    at: OffsetDateTime,
    read: bool,
}

pub async fn page(
    pool: &PgPool,
    owner: UserId,
    shown: Shown,
    paging: &Paging,
) -> Result<(Vec<NotificationView>, i64), Error> {
    let codes = shown.group.map(codes_of);
    let restrict = |query: &mut QueryBuilder<Postgres>| {
        query
            .push(" FROM notifications.line WHERE owner = ")
            .push_bind(owner.0);
        if let Some(codes) = &codes {
            query.push(" AND code = ANY(").push_bind(codes.clone()).push(")");
        }
        if let Some(unread) = shown.unread {
            query.push(if unread {
                " AND read_at IS NULL"
            } else {
                " AND read_at IS NOT NULL"
            });
        }
        listing::there(query, "at", paging);
    };
    let mut all = QueryBuilder::new("SELECT count(*)");
    restrict(&mut all);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new("SELECT id, code, params, amount, at, read_at IS NOT NULL AS read");
    restrict(&mut query);
    query.push(" ORDER BY at DESC, id DESC");
    let rows: Vec<Listed> = listing::rows(pool, query, paging).await?;
    let lines = rows
        .into_iter()
        .map(|r| {
            let amount = r.amount.map(Usdt);
            NotificationView {
                id: NotificationId(r.id),
                group: group(&r.code),
                code: r.code,
                params: values(r.params, amount),
                amount,
                at: r.at,
                read: r.read,
            }
        })
        .collect();
    Ok((lines, total))
}

pub async fn unread(db: impl PgExecutor<'_>, owner: UserId) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM notifications.line WHERE owner = $1 AND read_at IS NULL"#,
        owner.0
    )
    .fetch_one(db)
    .await?)
}

/// Marks the named lines of one's own as read; all of them without names.
pub async fn read(
    pool: &PgPool,
    owner: UserId,
    ids: Option<&[Uuid]>,
    at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.line SET read_at = $3 WHERE owner = $1 AND read_at IS NULL AND ($2::uuid[] IS NULL OR id = ANY($2))",
        owner.0,
        ids,
        at
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Remembers that a queue is old; false when that was told already.
pub async fn note_old(
    conn: &mut PgConnection,
    queue: &str,
    since: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO notifications.old_queue (queue, since, told_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        queue,
        since,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn caught_up(conn: &mut PgConnection, queue: &str) -> Result<(), Error> {
    sqlx::query!("DELETE FROM notifications.old_queue WHERE queue = $1", queue)
        .execute(conn)
        .await?;
    Ok(())
}

/// Begins a burst; false while one is under way.
pub async fn begin_burst(
    conn: &mut PgConnection,
    owner: UserId,
    id: Uuid,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO notifications.burst (owner, id, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        owner.0,
        id,
        since
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Since when a burst is under way that nobody was mailed about, its row held until the transaction ends.
pub async fn burst(
    conn: &mut PgConnection,
    owner: UserId,
    id: Uuid,
) -> Result<Option<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT since FROM notifications.burst WHERE owner = $1 AND id = $2 AND mailed_at IS NULL FOR UPDATE",
        owner.0,
        id
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn burst_mailed(conn: &mut PgConnection, owner: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE notifications.burst SET mailed_at = $2 WHERE owner = $1",
        owner.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Their bursts are over, mailed or not. Nodes that have the same people take the rows in one order.
pub async fn end_bursts(db: impl PgExecutor<'_>, owners: &[UserId]) -> Result<(), Error> {
    let owners: Vec<Uuid> = owners.iter().map(|owner| owner.0).collect();
    sqlx::query!(
        "WITH held AS MATERIALIZED (SELECT owner FROM notifications.burst WHERE owner = ANY($1) ORDER BY owner FOR UPDATE)
         DELETE FROM notifications.burst b USING held WHERE b.owner = held.owner",
        &owners
    )
    .execute(db)
    .await?;
    Ok(())
}

/// How many lines of each code somebody was told since then and has not read.
pub async fn unread_since(
    conn: &mut PgConnection,
    owner: UserId,
    since: OffsetDateTime,
) -> Result<Vec<(String, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT code, count(*) AS "count!" FROM notifications.line
           WHERE owner = $1 AND read_at IS NULL AND at >= $2 GROUP BY code ORDER BY code"#,
        owner.0,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.code, row.count)).collect())
}
