//! SQL of payouts. A kind keeps its rows in a table of its room's; what all have is said here once, of the table that the kind names.

use super::{
    kind::{Kind, New, Payout},
    lists::Filter,
    rules::State,
};
use crate::{
    approvals::{foresight::Waits, rules::Kind as Decided, service::Standing},
    error::Error,
    foundation::{
        http::Paging,
        listing::{self, Came, DaysReport, Summed},
    },
    identity::{caller::Scope, roles},
};
use protocol::{ids::UserId, money::Usdt};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Postgres, QueryBuilder, Row, postgres::PgRow};
use std::{future::Future, str::FromStr};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// A kind's table: its names, and which of its rows are found without their id. Those conditions are constants that imply a partial
/// index's: a queue is counted with every change.
///
/// Columns that every such table has: `id owner status reason rate offer_rate approvals approvals_needed digest waiting_since
/// expires_at decided_at created_at version`, the amount's and `offer_` before it; its view has those of [`Line`].
pub struct Table {
    pub rows: &'static str,
    pub shown: &'static str,
    /// The column of what the destination receives.
    pub amount: &'static str,
    /// Waits for its owner or for those who decide, until `expires_at`.
    pub undecided: &'static str,
    /// Asked for and not got, and certainly not paid.
    pub unsent: &'static str,
    /// Waits for a person.
    pub waiting: &'static str,
    /// Has left.
    pub paid: &'static str,
    /// Its wait begins anew in these states.
    pub waits_anew: &'static [State],
    /// What ends with every change of state, after a comma.
    pub ends: &'static str,
    /// What ends with the approvals that a moved rate makes void, after a comma.
    pub voids: &'static str,
    /// What its owner finds it by, and who decides beside names.
    pub searched: &'static [&'static str],
}

/// How a kind's rows are kept.
pub trait Rows: Kind {
    const TABLE: Table;
    /// A line of its view.
    type Shown: for<'r> sqlx::FromRow<'r, PgRow> + AsRef<Line> + Send + Sync + Unpin;

    fn insert(
        conn: &mut PgConnection,
        new: &New<'_, Self>,
        now: OffsetDateTime,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    fn lock(
        conn: &mut PgConnection,
        scope: Scope,
        id: Self::Id,
    ) -> impl Future<Output = Result<Option<Payout<Self>>, Error>> + Send;

    fn push_amount(query: &mut QueryBuilder<Postgres>, amount: Self::Amount) -> Result<(), Error>;

    fn push_rate(query: &mut QueryBuilder<Postgres>, rate: Self::Rate);

    /// What an approver's word changes, after a comma.
    fn push_word(_: &mut QueryBuilder<Postgres>, _: &Self::Word) {}

    /// What a list is restricted to beside.
    fn narrow(query: &mut QueryBuilder<Postgres>, narrow: &Self::Narrow);

    /// More alternatives of a search.
    fn push_search(_: &mut QueryBuilder<Postgres>, _: &str) {}
}

/// What every kind's view shows of a payout.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Line {
    pub id: Uuid,
    pub owner: Uuid,
    pub usdt: i64,
    pub fee: i64,
    pub net: i64,
    pub rate: i64,
    pub offer_rate: Option<i64>,
    pub review: bool,
    pub status: String,
    pub reason: Option<String>,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub version: i64,
    pub created_at: OffsetDateTime,
    pub waiting_since: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    pub decided_at: Option<OffsetDateTime>,
    pub username: String,
    pub full_name: String,
    pub email: String,
    pub member_since: OffsetDateTime,
    /// Payouts that this owner got before.
    pub paid_before: i64,
    /// Others that this owner asked for within the day before it.
    pub day_before: i64,
}

/// How long an account is new.
const NEW: Duration = Duration::days(3);
/// So many others within a day are many.
const MANY: i64 = 2;

impl Line {
    /// Its status in the kind's own words.
    ///
    /// # Errors
    /// `service.internal` for a word that is none of them.
    pub fn status<S: FromStr>(&self) -> Result<S, Error> {
        self.status
            .parse()
            .map_err(|_| Error::internal("a withdrawal of an unknown status"))
    }

    /// Nothing was ever paid to this owner.
    #[must_use]
    pub const fn is_first(&self) -> bool {
        self.paid_before == 0
    }

    /// The account was new at the request.
    #[must_use]
    pub fn is_of_new_account(&self) -> bool {
        self.created_at - self.member_since < NEW
    }

    /// One of many within a day.
    #[must_use]
    pub const fn is_of_many(&self) -> bool {
        self.day_before >= MANY
    }

    /// Two persons must approve.
    #[must_use]
    pub const fn is_large(&self) -> bool {
        self.approvals_needed > 1
    }

    /// What nobody has approved of yet.
    #[must_use]
    pub fn waits(&self) -> Option<Waits> {
        let open = self.approvals == 0 && self.status == State::Pending.as_str();
        open.then_some(Waits {
            id: self.id,
            customer: UserId(self.owner),
            usdt: Usdt(self.usdt),
        })
    }
}

/// Begins a change of one row: what is set follows.
fn update<K: Rows>() -> QueryBuilder<Postgres> {
    QueryBuilder::new(format!("UPDATE {} SET version = version + 1, ", K::TABLE.rows))
}

async fn done<K: Rows>(
    conn: &mut PgConnection,
    mut query: QueryBuilder<Postgres>,
    id: K::Id,
) -> Result<(), Error> {
    let id: Uuid = id.into();
    query.push(" WHERE id = ").push_bind(id);
    query.build().execute(conn).await?;
    Ok(())
}

fn push_state<K: Rows>(
    query: &mut QueryBuilder<Postgres>,
    state: State,
    reason: Option<&str>,
    now: OffsetDateTime,
) {
    let table = &K::TABLE;
    query.push("status = ").push_bind(state.as_str());
    query.push(", reason = ").push_bind(reason.map(str::to_owned));
    if state.is_decision() {
        query.push(", decided_at = ").push_bind(now);
    }
    if table.waits_anew.contains(&state) {
        query.push(", waiting_since = ").push_bind(now);
    }
    let ends = table.ends;
    query.push(format!(
        ", offer_{} = NULL, offer_rate = NULL{ends}",
        table.amount
    ));
}

pub async fn set_state<K: Rows>(
    conn: &mut PgConnection,
    id: K::Id,
    state: State,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let mut query = update::<K>();
    push_state::<K>(&mut query, state, reason, now);
    done::<K>(conn, query, id).await
}

/// One more approval; with the last one it is approved.
pub async fn approve<K: Rows>(
    conn: &mut PgConnection,
    id: K::Id,
    digest: &[u8; 32],
    standing: Standing,
    word: &K::Word,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let mut query = update::<K>();
    query.push("digest = ").push_bind(digest.to_vec());
    query.push(", approvals = ").push_bind(standing.approvals);
    query.push(", approvals_needed = ").push_bind(standing.needed);
    K::push_word(&mut query, word);
    if standing.is_complete() {
        query.push(", ");
        push_state::<K>(&mut query, State::Approved, None, now);
    }
    done::<K>(conn, query, id).await
}

/// A word was taken back: how many stand.
pub async fn count_words<K: Rows>(conn: &mut PgConnection, id: K::Id, decided: Decided) -> Result<(), Error> {
    let mut query = update::<K>();
    query
        .push("approvals = approvals.words(")
        .push_bind(decided.as_str())
        .push(", id, digest)");
    done::<K>(conn, query, id).await
}

/// The rate moved: what was approved so far is void, its owner is asked.
pub async fn offer<K: Rows>(
    conn: &mut PgConnection,
    id: K::Id,
    amount: K::Amount,
    rate: K::Rate,
) -> Result<(), Error> {
    let table = &K::TABLE;
    let mut query = update::<K>();
    query
        .push("status = ")
        .push_bind(State::AwaitingConfirmation.as_str());
    query.push(format!(", offer_{} = ", table.amount));
    K::push_amount(&mut query, amount)?;
    query.push(", offer_rate = ");
    K::push_rate(&mut query, rate);
    query.push(", approvals = 0, digest = NULL").push(table.voids);
    done::<K>(conn, query, id).await
}

/// Its owner takes the offer: back into the queue.
pub async fn take_offer<K: Rows>(
    conn: &mut PgConnection,
    id: K::Id,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let amount = K::TABLE.amount;
    let mut query = update::<K>();
    query.push("status = ").push_bind(State::Pending.as_str());
    query.push(format!(
        ", {amount} = offer_{amount}, rate = offer_rate, offer_{amount} = NULL, offer_rate = NULL, waiting_since = "
    ));
    query.push_bind(now);
    done::<K>(conn, query, id).await
}

/// The oldest undecided one past its time, locked.
pub async fn overdue<K: Rows>(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Option<K::Id>, Error> {
    let Table { rows, undecided, .. } = K::TABLE;
    let sql = format!(
        "SELECT id FROM {rows} WHERE {undecided} AND expires_at <= $1 ORDER BY expires_at LIMIT 1 FOR UPDATE SKIP LOCKED"
    );
    let id: Option<Uuid> = sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(now)
        .fetch_optional(conn)
        .await?;
    Ok(id.map(K::Id::from))
}

/// What a person has asked for and not got: oldest first, locked.
pub async fn unsent<K: Rows>(conn: &mut PgConnection, owner: UserId) -> Result<Vec<K::Id>, Error> {
    let Table { rows, unsent, .. } = K::TABLE;
    let sql =
        format!("SELECT id FROM {rows} WHERE owner = $1 AND {unsent} ORDER BY created_at, id FOR UPDATE");
    let ids: Vec<Uuid> = sqlx::query_scalar(AssertSqlSafe(sql))
        .bind(owner.0)
        .fetch_all(conn)
        .await?;
    Ok(ids.into_iter().map(K::Id::from).collect())
}

/// Length of the queue of those who decide, and since when its oldest waits.
pub async fn queue<K: Rows>(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let Table { rows, waiting, .. } = K::TABLE;
    let sql = format!("SELECT count(*), min(waiting_since) FROM {rows} WHERE {waiting}");
    Ok(sqlx::query_as(AssertSqlSafe(sql)).fetch_one(conn).await?)
}

fn restrict<K: Rows>(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter<K>) {
    query.push(" WHERE true");
    let staff = matches!(scope, Scope::Staff(_));
    if let Some(owner) = scope.owner() {
        query.push(" AND owner = ").push_bind(owner);
    }
    if let (Some(owner), true) = (filter.owner, staff) {
        query.push(" AND owner = ").push_bind(owner.0);
    }
    if let Some(state) = filter.state {
        query.push(" AND status = ").push_bind(state.as_str());
    }
    K::narrow(query, &filter.narrow);
    if let Some(role) = &filter.function {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    let Some(search) = &filter.search else { return };
    let people: &[&'static str] = if staff {
        &["username", "full_name", "email"]
    } else {
        &[]
    };
    listing::any_like(query, &[K::TABLE.searched, people].concat(), search);
    K::push_search(query, search);
    query.push(")");
}

/// A page of payouts and how many there are in all.
pub async fn list<K: Rows>(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter<K>,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<K::Shown>, i64), Error> {
    listing::page(conn, K::TABLE.shown, paging, sort, |query| {
        restrict(query, scope, filter);
    })
    .await
}

pub async fn shown<K: Rows>(
    conn: &mut PgConnection,
    scope: Scope,
    id: K::Id,
) -> Result<Option<K::Shown>, Error> {
    listing::find(conn, K::TABLE.shown, id.into(), |query| {
        restrict(query, scope, &Filter::<K>::default());
    })
    .await
}

/// What has left of those that a list shows, fees taken off.
pub async fn paid<K: Rows>(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter<K>,
) -> Result<DaysReport, Error> {
    let left = Summed {
        of: K::TABLE.shown,
        came: Came::At("created_at"),
        amount: "net",
        counted: K::TABLE.paid,
    };
    listing::by_day(conn, left, |query| restrict(query, scope, filter)).await
}

/// A payout as it is told, and the length of its queue, which is held from here on: changes of it follow one another, so that the length
/// that each reports is the length at its commit.
pub async fn told<K: Rows>(conn: &mut PgConnection, id: K::Id) -> Result<Option<(K::Shown, i64)>, Error> {
    let Table {
        rows, shown, waiting, ..
    } = K::TABLE;
    let sql = format!(
        "SELECT s.*, foundation.queue_length($2, $3, $4) AS queue_length FROM {shown} s WHERE s.id = $1"
    );
    let id: Uuid = id.into();
    let row = sqlx::query(AssertSqlSafe(sql))
        .bind(id)
        .bind(K::QUEUE.as_str())
        .bind(rows)
        .bind(waiting)
        .fetch_optional(conn)
        .await?;
    row.map(|row| Ok((K::Shown::from_row(&row)?, row.try_get("queue_length")?)))
        .transpose()
}
