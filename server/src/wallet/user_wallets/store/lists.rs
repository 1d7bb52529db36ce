//! Lists of what moved, and when words were shown.

use super::{COLUMNS, FROM, Row};
use crate::{
    error::Error,
    foundation::{http::Paging, listing, text},
    wallet::chain::{Coin, address},
};
use protocol::{
    ids::UserId,
    views::{WalletMoveKind as Kind, WalletMoveStatus as Status},
};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// Which lines of a wallet.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub kind: Option<Kind>,
    pub status: Option<Status>,
    pub coin: Option<Coin>,
    /// An address or a hash, whole or in part.
    pub search: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn filtered(query: &mut QueryBuilder<Postgres>, owner: UserId, filter: &Filter) {
    query.push(" WHERE owner = ").push_bind(owner.0);
    if let Some(kind) = filter.kind {
        query.push(" AND kind = ").push_bind(kind.as_str());
    }
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    if let Some(coin) = filter.coin {
        query.push(" AND (coin = ").push_bind(coin.as_str());
        query.push(" OR coin_out = ").push_bind(coin.as_str()).push(")");
    }
    if let Some(search) = &filter.search {
        let pattern = format!("%{}%", text::like_literal(&address::digits(search)));
        query
            .push(" AND (encode(tx, 'hex') LIKE ")
            .push_bind(pattern.clone());
        query
            .push(" OR encode(counterparty, 'hex') LIKE ")
            .push_bind(pattern)
            .push(")");
    }
    if let Some(from) = filter.from {
        query.push(" AND created_at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" AND created_at < ").push_bind(until);
    }
}

/// One's own lines, those under way first, and how many there are.
pub async fn list(
    db: &sqlx::PgPool,
    owner: UserId,
    filter: &Filter,
    paging: &Paging,
) -> Result<(Vec<Row>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM wallet.user_move");
    filtered(&mut all, owner, filter);
    let total = listing::count(db, all, paging).await?;
    let mut query = QueryBuilder::new(COLUMNS);
    query.push(FROM);
    filtered(&mut query, owner, filter);
    let way = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(
        " ORDER BY (status IN ('queued', 'sent')) DESC, created_at {way}, id {way}"
    ));
    Ok((listing::rows(db, query, paging).await?, total))
}

/// When the words were shown lately, newest first.
pub async fn shown_since(
    conn: &mut PgConnection,
    owner: UserId,
    since: OffsetDateTime,
) -> Result<Vec<OffsetDateTime>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT at FROM wallet.phrase_shown WHERE owner = $1 AND at > $2 ORDER BY at DESC",
        owner.0,
        since
    )
    .fetch_all(conn)
    .await?)
}

pub async fn note_shown(conn: &mut PgConnection, owner: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.phrase_shown (id, owner, at) VALUES ($1, $2, $3)",
        Uuid::now_v7(),
        owner.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
