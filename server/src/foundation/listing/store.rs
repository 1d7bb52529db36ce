//! SQL that lists share. View, sort key and columns are written in the stores that call; only values come from outside.

use crate::{
    error::Error,
    foundation::{http::Paging, text},
};
use sqlx::{FromRow, PgConnection, Postgres, QueryBuilder, postgres::PgRow};
use time::OffsetDateTime;
use uuid::Uuid;

/// A page of a view's rows and how many there are in all. `restrict` begins with the WHERE; equal rows are told apart by `id`.
///
/// # Errors
/// Whatever the database refuses.
pub async fn page<Row>(
    conn: &mut PgConnection,
    view: &'static str,
    paging: &Paging,
    sort: &'static str,
    restrict: impl Fn(&mut QueryBuilder<Postgres>),
) -> Result<(Vec<Row>, i64), Error>
where
    Row: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let mut count = QueryBuilder::new(format!("SELECT count(*) FROM {view}"));
    restrict(&mut count);
    let total: i64 = count.build_query_scalar().fetch_one(&mut *conn).await?;
    let mut query = QueryBuilder::new(format!("SELECT * FROM {view}"));
    restrict(&mut query);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(
        " ORDER BY {sort} {direction} NULLS LAST, id {direction} LIMIT "
    ));
    query
        .push_bind(paging.limit)
        .push(" OFFSET ")
        .push_bind(paging.offset);
    Ok((query.build_query_as().fetch_all(conn).await?, total))
}

/// One row of a view by its id, restricted alike.
///
/// # Errors
/// Whatever the database refuses.
pub async fn find<Row>(
    conn: &mut PgConnection,
    view: &'static str,
    id: Uuid,
    restrict: impl Fn(&mut QueryBuilder<Postgres>),
) -> Result<Option<Row>, Error>
where
    Row: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let mut query = QueryBuilder::new(format!("SELECT * FROM {view}"));
    restrict(&mut query);
    query.push(" AND id = ").push_bind(id);
    Ok(query.build_query_as().fetch_optional(conn).await?)
}

/// The days that were asked for: from the first instant up to, not including, the last.
pub fn between(
    query: &mut QueryBuilder<Postgres>,
    column: &'static str,
    from: Option<OffsetDateTime>,
    until: Option<OffsetDateTime>,
) {
    if let Some(from) = from {
        query.push(format!(" AND {column} >= ")).push_bind(from);
    }
    if let Some(until) = until {
        query.push(format!(" AND {column} < ")).push_bind(until);
    }
}

/// Opens a bracket of alternatives, `(false OR … `, each column holding the searched text; the caller may add some and closes it.
pub fn any_like(query: &mut QueryBuilder<Postgres>, columns: &[&'static str], search: &str) {
    let pattern = format!("%{}%", text::like_literal(search));
    query.push(" AND (false");
    for column in columns {
        query
            .push(format!(" OR {column} ILIKE "))
            .push_bind(pattern.clone());
    }
}
