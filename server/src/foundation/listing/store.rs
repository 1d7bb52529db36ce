//! SQL that lists share: counted, paged, or read piece by piece from a cursor. View, sort key and columns are written in the stores
//! that call; only values come from outside.

use super::{DayTotal, DaysReport};
use crate::{
    error::Error,
    foundation::{business_day::ZONE, database, http::Paging, mail::address, text},
};
use protocol::money::Usdt;
use sqlx::{
    AssertSqlSafe, Execute, FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder, Transaction,
    postgres::PgRow,
};
use time::{Date, OffsetDateTime};
use tokio::sync::Mutex;
use uuid::Uuid;

/// A list that is read whole: one snapshot, its count, and a cursor that stands where the last piece ended.
pub struct Cursor(Mutex<Open>);

struct Open {
    /// Until it is closed.
    tx: Option<Transaction<'static, Postgres>>,
    total: Option<i64>,
    declared: bool,
}

impl Open {
    fn tx(&mut self) -> Result<&mut PgConnection, Error> {
        self.tx
            .as_deref_mut()
            .ok_or_else(|| Error::internal("a list is read after its end"))
    }
}

impl Cursor {
    /// Its person may have another file from here on; dropping it comes to the same, a moment later.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub(super) async fn close(&self) -> Result<(), Error> {
        if let Some(tx) = self.0.lock().await.tx.take() {
            tx.rollback().await?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cursor")
    }
}

/// A snapshot for one person's file; none while another file of this person is read.
pub(super) async fn open(pool: &PgPool, person: Uuid) -> Result<Option<Cursor>, Error> {
    let mut tx = pool.begin().await?;
    sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(&mut *tx)
        .await?;
    database::take_time(&mut tx).await?;
    let free: bool = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 45))")
        .bind(person.to_string())
        .fetch_one(&mut *tx)
        .await?;
    Ok(free.then(|| {
        Cursor(Mutex::new(Open {
            tx: Some(tx),
            total: None,
            declared: false,
        }))
    }))
}

/// How many rows there are in all: of a file counted once, in its own snapshot.
///
/// # Errors
/// Whatever the database refuses.
pub async fn count(
    db: impl PgExecutor<'_>,
    mut query: QueryBuilder<Postgres>,
    paging: &Paging,
) -> Result<i64, Error> {
    let Some(cursor) = &paging.file else {
        return Ok(query.build_query_scalar().fetch_one(db).await?);
    };
    let mut open = cursor.0.lock().await;
    if let Some(total) = open.total {
        return Ok(total);
    }
    let total = query.build_query_scalar().fetch_one(open.tx()?).await?;
    open.total = Some(total);
    Ok(total)
}

/// The rows that a paging asks for of a query with its order: its page, or the next piece of its file. The order tells all rows apart.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rows<Row>(
    db: impl PgExecutor<'_>,
    mut query: QueryBuilder<Postgres>,
    paging: &Paging,
) -> Result<Vec<Row>, Error>
where
    Row: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    let Some(cursor) = &paging.file else {
        query
            .push(" LIMIT ")
            .push_bind(paging.limit)
            .push(" OFFSET ")
            .push_bind(paging.offset);
        return Ok(query.build_query_as().fetch_all(db).await?);
    };
    let mut open = cursor.0.lock().await;
    if !open.declared {
        let mut list = query.build();
        let arguments = list
            .take_arguments()
            .map_err(sqlx::Error::Encode)?
            .unwrap_or_default();
        let declare = format!("DECLARE list NO SCROLL CURSOR FOR {}", list.sql().as_str());
        sqlx::query_with(AssertSqlSafe(declare), arguments)
            .persistent(false)
            .execute(open.tx()?)
            .await?;
        open.declared = true;
    }
    let fetch = format!("FETCH FORWARD {} FROM list", paging.limit);
    // Not kept prepared: the next file's rows are of another shape.
    Ok(sqlx::query_as(AssertSqlSafe(fetch))
        .persistent(false)
        .fetch_all(open.tx()?)
        .await?)
}

/// A page of a view's rows and how many there are in all. `restrict` begins with the WHERE; equal rows are told apart by `id`, and
/// `created_at` says when they came.
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
    let restrict = |query: &mut QueryBuilder<Postgres>| {
        restrict(query);
        there(query, "created_at", paging);
    };
    let mut all = QueryBuilder::new(format!("SELECT count(*) FROM {view}"));
    restrict(&mut all);
    let total = count(&mut *conn, all, paging).await?;
    let mut query = QueryBuilder::new(format!("SELECT * FROM {view}"));
    restrict(&mut query);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction} NULLS LAST, id {direction}"));
    Ok((rows(conn, query, paging).await?, total))
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

/// The column that says on which day a row came.
#[derive(Clone, Copy, Debug)]
pub enum Came {
    /// A moment: the day of São Paulo in which it lies.
    At(&'static str),
    /// A business day.
    On(&'static str),
}

/// What is added up of a list's rows.
#[derive(Clone, Copy, Debug)]
pub struct Summed {
    /// The view, or a query in brackets with its name.
    pub of: &'static str,
    pub came: Came,
    /// Its column of the amount, in the smallest unit.
    pub amount: &'static str,
    /// Which of its rows count: a constant that implies a partial index's condition.
    pub counted: &'static str,
}

#[derive(FromRow)]
struct DayRow {
    day: Date,
    count: i64,
    total: i64,
    all_count: i64,
    all_total: i64,
}

/// The sums of what counts, of all and by the day on which it came. `restrict` begins with the WHERE.
///
/// # Errors
/// Whatever the database refuses.
pub async fn by_day(
    conn: &mut PgConnection,
    summed: Summed,
    restrict: impl FnOnce(&mut QueryBuilder<Postgres>),
) -> Result<DaysReport, Error> {
    let Summed {
        of,
        came,
        amount,
        counted,
    } = summed;
    let mut query = QueryBuilder::new("SELECT ");
    match came {
        Came::At(column) => query
            .push(format!("({column} AT TIME ZONE "))
            .push_bind(ZONE)
            .push(")::date"),
        Came::On(column) => query.push(column),
    };
    query.push(format!(
        " AS day, count(*) AS count, foundation.clamped(sum({amount})) AS total,
         foundation.clamped(sum(count(*)) OVER ()) AS all_count, foundation.clamped(sum(sum({amount})) OVER ()) AS all_total FROM {of}"
    ));
    restrict(&mut query);
    query.push(format!(" AND {counted} GROUP BY 1 ORDER BY 1 DESC LIMIT 400"));
    let mut rows: Vec<DayRow> = query.build_query_as().fetch_all(conn).await?;
    rows.reverse();
    let (count, total) = rows.first().map_or((0, 0), |any| (any.all_count, any.all_total));
    Ok(DaysReport {
        count,
        total: Usdt(total),
        days: rows
            .into_iter()
            .map(|row| DayTotal {
                day: row.day.to_string(),
                count: row.count,
                total: Usdt(row.total),
            })
            .collect(),
    })
}

/// Only what was there at the moment that was asked for: `came` is the column of when a row came.
pub fn there(query: &mut QueryBuilder<Postgres>, came: &'static str, paging: &Paging) {
    if let Some(as_of) = paging.as_of {
        query.push(format!(" AND {came} <= ")).push_bind(as_of);
    }
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

/// Opens a bracket of alternatives, `(false OR … `, each column holding the searched text, however it is spelled; the caller may add some and closes it.
pub fn any_like(query: &mut QueryBuilder<Postgres>, columns: &[&'static str], search: &str) {
    let pattern = text::searched(&address::searched(search));
    query.push(" AND (false");
    for column in columns {
        query
            .push(format!(" OR foundation.folded({column}) LIKE "))
            .push_bind(pattern.clone());
    }
}
