//! SQL of transfers between members.

use crate::{
    approvals::service::Standing,
    error::{Error, violates},
    foundation::{http::Paging, listing, text},
    identity::caller::Scope,
};
use protocol::{
    ids::{CaseId, HoldId, MemberTransferId, OutboundId, TransferId, UserId},
    money::Usdt,
    views::{MemberTransferStatus as Status, MemberTransferView, TransferParty},
};
use sqlx::{FromRow, PgConnection, PgPool, Postgres, QueryBuilder, Row as _};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

pub struct NewTransfer {
    pub id: MemberTransferId,
    pub sender: UserId,
    pub receiver: UserId,
    pub value: Usdt,
    pub fee: Usdt,
    pub status: Status,
    pub outbound: OutboundId,
    pub case: Option<CaseId>,
    pub hold: Option<HoldId>,
    pub digest: [u8; 32],
    pub booked: Option<TransferId>,
    pub needed: i16,
    pub settings_version: i32,
}

/// Writes a transfer and answers with it as it is shown.
/// None when the receiver has closed their account meanwhile: the transaction is lost then.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewTransfer,
    now: OffsetDateTime,
) -> Result<Option<Row>, Error> {
    let mut query = QueryBuilder::new(
        "WITH t AS (INSERT INTO transfers.transfer (id, sender, receiver, usdt, fee, status, outbound, compliance_case, hold, digest,
             ledger_transfer, approvals_needed, settings_version, created_at, updated_at) VALUES (",
    );
    let mut values = query.separated(", ");
    values.push_bind(new.id.0);
    values.push_bind(new.sender.0);
    values.push_bind(new.receiver.0);
    values.push_bind(new.value.0);
    values.push_bind(new.fee.0);
    values.push_bind(new.status.as_str());
    values.push_bind(new.outbound.0);
    values.push_bind(new.case.map(|c| c.0));
    values.push_bind(new.hold.map(|h| h.0));
    values.push_bind(new.digest.to_vec());
    values.push_bind(new.booked.map(|b| b.0));
    values.push_bind(new.needed);
    values.push_bind(new.settings_version);
    values.push_bind(now);
    values.push_bind(now);
    query
        .push(") RETURNING *) ")
        .push(COLUMNS)
        .push(" FROM t")
        .push(BESIDE);
    match query.build_query_as().fetch_one(conn).await {
        Ok(row) => Ok(Some(row)),
        Err(error) if violates(&error, "transfer_receiver_open") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A transfer that is about to be decided on.
pub struct Locked {
    pub id: MemberTransferId,
    pub sender: UserId,
    pub receiver: UserId,
    pub receiver_name: String,
    pub value: Usdt,
    pub fee: Usdt,
    pub status: Status,
    pub outbound: OutboundId,
    pub case: Option<CaseId>,
    pub hold: HoldId,
    pub settings_version: i32,
}

fn status(text: &str) -> Result<Status, Error> {
    text.parse()
        .map_err(|()| Error::internal("a transfer of an unknown status"))
}

pub async fn lock(conn: &mut PgConnection, id: MemberTransferId) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        "SELECT t.sender, t.receiver, r.username, t.usdt, t.fee, t.status, t.outbound, t.compliance_case, t.hold, t.settings_version
         FROM transfers.transfer t JOIN identity.account r ON r.id = t.receiver
         WHERE t.id = $1 FOR UPDATE OF t",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Locked {
            id,
            sender: UserId(r.sender),
            receiver: UserId(r.receiver),
            receiver_name: r.username,
            value: Usdt(r.usdt),
            fee: Usdt(r.fee),
            status: status(&r.status)?,
            outbound: OutboundId(r.outbound),
            case: r.compliance_case.map(CaseId),
            // One without a hold was complete from the beginning: nobody decides on it.
            hold: HoldId(r.hold.unwrap_or_default()),
            settings_version: r.settings_version,
        })
    })
    .transpose()
}

/// How far it is approved; complete with the booking that carried it out.
pub async fn approve(
    conn: &mut PgConnection,
    id: MemberTransferId,
    standing: Standing,
    booked: Option<TransferId>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE transfers.transfer SET approvals = $2, approvals_needed = $3, status = CASE WHEN $4::uuid IS NULL THEN status ELSE 'complete' END,
             ledger_transfer = $4, version = version + 1, updated_at = $5
         WHERE id = $1",
        id.0,
        standing.approvals,
        standing.needed,
        booked.map(|b| b.0),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A word was taken back: how many stand.
pub async fn count_words(conn: &mut PgConnection, id: MemberTransferId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE transfers.transfer SET approvals = approvals.words('transfer', id, digest), version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// It ends without having gone, for a reason.
pub async fn end(
    conn: &mut PgConnection,
    id: MemberTransferId,
    status: Status,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE transfers.transfer SET status = $2, reason = $3, version = version + 1, updated_at = $4 WHERE id = $1",
        id.0,
        status.as_str(),
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a person sent and somebody still looks at: oldest first.
pub async fn unsent(conn: &mut PgConnection, sender: UserId) -> Result<Vec<MemberTransferId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM transfers.transfer WHERE sender = $1 AND status = 'pending' ORDER BY created_at, id FOR UPDATE",
        sender.0
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(MemberTransferId).collect())
}

/// How many wait for a person, and since when the oldest.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(created_at) AS oldest FROM transfers.transfer WHERE status = 'pending'"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.pending, row.oldest))
}

/// A transfer with both sides' names.
#[derive(Clone, Debug, FromRow)]
pub struct Row {
    pub id: Uuid,
    pub sender: Uuid,
    pub sender_name: String,
    pub receiver: Uuid,
    pub receiver_name: String,
    pub usdt: i64,
    pub fee: i64,
    pub status: String,
    pub reason: Option<String>,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub case_id: Option<Uuid>,
    pub reasons: Option<Vec<String>>,
    pub version: i64,
    pub created_at: OffsetDateTime,
}

impl Row {
    pub fn view(&self) -> Result<MemberTransferView, Error> {
        Ok(MemberTransferView {
            id: MemberTransferId(self.id),
            origin: TransferParty {
                id: UserId(self.sender),
                username: self.sender_name.clone(),
            },
            destination: TransferParty {
                id: UserId(self.receiver),
                username: self.receiver_name.clone(),
            },
            value: Usdt(self.usdt),
            fee: Usdt(self.fee),
            status: status(&self.status)?,
            reason: self.reason.clone(),
            created_at: self.created_at,
            version: self.version,
        })
    }
}

const COLUMNS: &str = "SELECT t.id, t.sender, s.username AS sender_name, t.receiver, r.username AS receiver_name, t.usdt, t.fee, t.status,
        t.reason, t.approvals, t.approvals_needed, c.id AS case_id, c.reasons, t.version, t.created_at";
const BESIDE: &str =
    " JOIN identity.account s ON s.id = t.sender JOIN identity.account r ON r.id = t.receiver
    LEFT JOIN approvals.compliance_case c ON c.id = t.compliance_case";

fn shown_rows() -> QueryBuilder<Postgres> {
    let mut query = QueryBuilder::new(COLUMNS);
    query.push(" FROM transfers.transfer t").push(BESIDE);
    query
}

/// The length of the queue, which is held from there on: changes of it follow one another, so that the length that each reports is the
/// length at its commit.
const LENGTH: &str = "foundation.queue_length('transfers', 'transfers.transfer', $$status = 'pending'$$)";

/// A transfer as it is told, and the length of its queue.
pub async fn told(conn: &mut PgConnection, id: MemberTransferId) -> Result<Option<(Row, i64)>, Error> {
    let mut query = QueryBuilder::<Postgres>::new(COLUMNS);
    query.push(format!(
        ", {LENGTH} AS queue_length FROM transfers.transfer t{BESIDE} WHERE t.id = "
    ));
    let row = query.push_bind(id.0).build().fetch_optional(conn).await?;
    row.map(|row| Ok((Row::from_row(&row)?, row.try_get("queue_length")?)))
        .transpose()
}

pub async fn queue_length(conn: &mut PgConnection) -> Result<i64, Error> {
    let mut query = QueryBuilder::<Postgres>::new("SELECT ");
    Ok(query.push(LENGTH).build_query_scalar().fetch_one(conn).await?)
}

/// What a list is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// A part of a username: of the other side in one's own list, of either in staff's.
    pub search: Option<String>,
    pub status: Option<Status>,
    /// A role of the other side, or of either.
    pub function: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(own) = scope.owner() {
        // What is still looked at, or was turned down, is the sender's alone.
        query
            .push(" AND (t.sender = ")
            .push_bind(own)
            .push(" OR (t.receiver = ")
            .push_bind(own)
            .push(" AND t.status = 'complete'))");
    }
    if let Some(status) = filter.status {
        query.push(" AND t.status = ").push_bind(status.as_str());
    }
    if let Some(from) = filter.from {
        query.push(" AND t.created_at >= ").push_bind(from);
    }
    if let Some(until) = filter.until {
        query.push(" AND t.created_at < ").push_bind(until);
    }
    if let Some(search) = &filter.search {
        let pattern = text::searched(search);
        for (name, side) in [
            (" AND ((s.username_key LIKE ", "t.sender"),
            (" OR (r.username_key LIKE ", "t.receiver"),
        ] {
            query.push(name).push_bind(pattern.clone());
            if let Some(own) = scope.owner() {
                query.push(format!(" AND {side} <> ")).push_bind(own);
            }
            query.push(")");
        }
        query.push(")");
    }
    if let Some(role) = &filter.function {
        query.push(" AND EXISTS (SELECT FROM identity.account_role ar JOIN identity.role ro ON ro.id = ar.role WHERE ro.name = ");
        query
            .push_bind(role.clone())
            .push(" AND ar.account IN (t.sender, t.receiver)");
        if let Some(own) = scope.owner() {
            query.push(" AND ar.account <> ").push_bind(own);
        }
        query.push(")");
    }
}

/// A page and how many there are in all.
pub async fn list(
    pool: &PgPool,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Row>, i64), Error> {
    let mut all = QueryBuilder::new(
        "SELECT count(*) FROM transfers.transfer t JOIN identity.account s ON s.id = t.sender JOIN identity.account r ON r.id = t.receiver",
    );
    restrict(&mut all, scope, filter);
    listing::there(&mut all, "t.created_at", paging);
    let total = listing::count(pool, all, paging).await?;
    let mut query = shown_rows();
    restrict(&mut query, scope, filter);
    listing::there(&mut query, "t.created_at", paging);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, t.id {direction}"));
    Ok((listing::rows(pool, query, paging).await?, total))
}

/// A day's transfers that arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    pub day: Date,
    pub count: i64,
    pub value: Usdt,
}

/// Sums over all rows of a filter; only what arrived is added up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Totals {
    pub count: i64,
    pub value: Usdt,
    pub fees: Usdt,
    pub pending: i64,
    pub days: Vec<Day>,
}

/// The most days of a chart.
const DAYS: i64 = 92;

pub async fn totals(pool: &PgPool, scope: Scope, filter: &Filter) -> Result<Totals, Error> {
    const FROM: &str = " FROM transfers.transfer t JOIN identity.account s ON s.id = t.sender JOIN identity.account r ON r.id = t.receiver";
    let mut sums = QueryBuilder::new(
        "SELECT count(*) FILTER (WHERE t.status = 'complete'), foundation.clamped(COALESCE(sum(t.usdt) FILTER (WHERE t.status = 'complete'), 0)),
             foundation.clamped(COALESCE(sum(t.fee) FILTER (WHERE t.status = 'complete'), 0)), count(*) FILTER (WHERE t.status = 'pending')",
    );
    sums.push(FROM);
    restrict(&mut sums, scope, filter);
    let (count, value, fees, pending): (i64, i64, i64, i64) = sums.build_query_as().fetch_one(pool).await?;
    let mut days = QueryBuilder::new(
        "SELECT (t.created_at AT TIME ZONE 'America/Sao_Paulo')::date AS day, count(*), foundation.clamped(sum(t.usdt))",
    );
    days.push(FROM);
    restrict(&mut days, scope, filter);
    days.push(" AND t.status = 'complete' GROUP BY day ORDER BY day DESC LIMIT ")
        .push_bind(DAYS);
    let days: Vec<(Date, i64, i64)> = days.build_query_as().fetch_all(pool).await?;
    Ok(Totals {
        count,
        value: Usdt(value),
        fees: Usdt(fees),
        pending,
        days: days
            .into_iter()
            .rev()
            .map(|(day, count, value)| Day {
                day,
                count,
                value: Usdt(value),
            })
            .collect(),
    })
}
