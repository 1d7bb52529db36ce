//! SQL of what accounts have in common.

use super::SharedKind;
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::ids::UserId;
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;

/// What the audit calls it.
pub const LOOKED: &str = "relations.looked";

/// A thing, by its kind and what is the same in every account that has it.
pub type Thing = (String, Vec<u8>);

/// A thing and one of the accounts that have it.
pub struct Held {
    pub kind: String,
    pub thing: Vec<u8>,
    pub accounts: i64,
    pub shown: Option<String>,
    /// Somebody's wallet sent there, or it is a wallet of ours.
    pub by_wallet: bool,
    pub person: UserId,
    pub username: String,
    pub full_name: String,
    pub status: String,
    pub at: OffsetDateTime,
}

/// Whether somebody looked since then: at a person, or at the list.
pub async fn noted(
    conn: &mut PgConnection,
    looker: UserId,
    subject: Option<UserId>,
    since: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM foundation.audit
               WHERE actor = $1 AND at > $3 AND action = $4 AND subject IS NOT DISTINCT FROM $2) AS "noted!""#,
        looker.0,
        subject.map(|subject| subject.0),
        since,
        LOOKED
    )
    .fetch_one(conn)
    .await?)
}

/// What a person's account has; of devices those that were used since then.
pub async fn things_of(
    conn: &mut PgConnection,
    person: UserId,
    since: OffsetDateTime,
) -> Result<Vec<Thing>, Error> {
    let rows = sqlx::query!(
        r#"SELECT DISTINCT kind AS "kind!", thing AS "thing!" FROM approvals.account_thing
           WHERE person = $1 AND (seen_at IS NULL OR seen_at > $2)"#,
        person.0,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.kind, row.thing)).collect())
}

/// Of these things those that several accounts have, each with its first twenty accounts and, if it has it, one that is asked about; the rows
/// of one thing together, its oldest account first. What is looked up by a key says so (LATERAL, OFFSET 0).
pub async fn held(
    conn: &mut PgConnection,
    things: &[Thing],
    since: OffsetDateTime,
    about: Option<UserId>,
) -> Result<Vec<Held>, Error> {
    let kinds: Vec<String> = things.iter().map(|(kind, _)| kind.clone()).collect();
    let keys: Vec<Vec<u8>> = things.iter().map(|(_, thing)| thing.clone()).collect();
    Ok(sqlx::query_as!(
        Held,
        r#"SELECT r.kind AS "kind!", r.thing AS "thing!", r.accounts AS "accounts!", r.shown, r.by_wallet AS "by_wallet!",
                  r.person AS "person!: UserId", a.username, a.full_name, a.status, r.at AS "at!"
           FROM (SELECT h.kind, h.thing, h.person, h.at, count(*) OVER w AS accounts, max(h.shown) OVER w AS shown,
                        bool_or(h.by_wallet) OVER w AS by_wallet,
                        row_number() OVER (PARTITION BY h.kind, h.thing ORDER BY h.at, h.person) AS nth
                 FROM (SELECT m.kind, m.thing, o.person, min(o.at) AS at, max(o.shown) AS shown, bool_or(o.by_wallet) AS by_wallet
                       FROM unnest($1::text[], $2::bytea[]) AS m(kind, thing)
                       CROSS JOIN LATERAL (
                           SELECT t.person, t.at, t.shown, t.by_wallet FROM approvals.account_thing t
                           WHERE t.kind = m.kind AND t.thing = m.thing AND (t.seen_at IS NULL OR t.seen_at > $3) OFFSET 0) o
                       GROUP BY m.kind, m.thing, o.person) h
                 WINDOW w AS (PARTITION BY h.kind, h.thing)) r
           JOIN identity.account a ON a.id = r.person
           WHERE r.accounts > 1 AND (r.nth <= 20 OR r.person = $4)
           ORDER BY r.kind, r.thing, r.at, r.person"#,
        &kinds,
        &keys,
        since,
        about.map(|about| about.0)
    )
    .fetch_all(conn)
    .await?)
}

/// A page of the things that several accounts have, the one that was shared last first, and how many there are.
pub async fn shared(
    conn: &mut PgConnection,
    kind: Option<SharedKind>,
    search: Option<&str>,
    paging: &Paging,
    since: OffsetDateTime,
) -> Result<(Vec<Thing>, i64), Error> {
    let of = |query: &mut QueryBuilder<Postgres>| {
        query
            .push(
                " FROM (SELECT h.kind, h.thing, count(*) AS accounts, (array_agg(h.at ORDER BY h.at))[2] AS shared_at,
                            CASE WHEN bool_or(h.by_wallet) THEN 'wallet' ELSE h.kind END AS named
                        FROM (SELECT t.kind, t.thing, t.person, min(t.at) AS at, bool_or(t.by_wallet) AS by_wallet
                              FROM approvals.account_thing t WHERE t.seen_at IS NULL OR t.seen_at > ",
            )
            .push_bind(since)
            .push(" GROUP BY t.kind, t.thing, t.person) h GROUP BY h.kind, h.thing HAVING count(*) > 1) g WHERE true");
        if let Some(kind) = kind {
            query.push(" AND g.named = ").push_bind(kind.as_str());
        }
        if let Some(search) = search {
            query.push(
                " AND EXISTS (SELECT FROM approvals.account_thing t JOIN identity.account a ON a.id = t.person
                      WHERE t.kind = g.kind AND t.thing = g.thing",
            );
            listing::any_like(query, &["a.username_key", "a.full_name"], search);
            query.push("))");
        }
    };
    let mut all = QueryBuilder::new("SELECT count(*)");
    of(&mut all);
    let total = listing::count(&mut *conn, all, paging).await?;
    let mut query = QueryBuilder::new("SELECT g.kind, g.thing");
    of(&mut query);
    query.push(" ORDER BY g.shared_at DESC, g.kind, g.thing");
    Ok((listing::rows(conn, query, paging).await?, total))
}
