//! SQL of lists of tickets: one's own, and staff's, which tells what only staff know as well.

use super::{TicketRow, desk::DeskRow};
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
    identity::caller::Scope,
    support::{
        model::{FoundMessage, StaffTicket},
        rules,
    },
};
use protocol::{
    ids::{TicketId, UserId},
    views::{TicketCategory, TicketStatus, TicketView},
};
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// By who has taken them.
#[derive(Clone, Copy, Debug)]
pub enum Taken {
    By(UserId),
    Nobody,
    Somebody,
}

/// What a list of tickets is narrowed to.
#[derive(Debug, Default)]
pub struct Filter {
    pub category: Option<TicketCategory>,
    pub status: Option<TicketStatus>,
    pub waiting: Option<bool>,
    pub search: Option<String>,
    pub owner: Option<UserId>,
    pub taken: Option<Taken>,
    /// Only those opened by then.
    pub opened_until: Option<OffsetDateTime>,
}

const ROW: &str = "SELECT t.id, t.number, t.owner, a.full_name AS owner_name, t.subject, t.category, t.status, t.last_number, t.last_message,
                t.read_by_customer, t.read_by_staff, t.waiting_since, t.last_message_at, t.created_at, t.closed_at,
                t.status = 'closed' AND t.first_answered_at IS NOT NULL AND r.ticket IS NULL AND t.merged_into IS NULL AS asks_rating,
                t.merged_into, g.number AS merged_number, t.doubles, false AS deleted, t.version";
/// The order by waiting, as its indexes have it. A closed ticket waits for nobody.
const WAITS: &str = "CASE WHEN t.status = 'open' THEN t.waiting_since END";

fn narrow(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" FROM support.ticket t JOIN identity.account a ON a.id = t.owner");
    query.push(
        " LEFT JOIN identity.account h ON h.id = t.taken_by LEFT JOIN support.rating r ON r.ticket = t.id",
    );
    query.push(" LEFT JOIN support.ticket g ON g.id = t.merged_into WHERE t.deleted_at IS NULL");
    if let Some(owner) = scope.owner() {
        query.push(" AND t.owner = ").push_bind(owner);
    }
    if let Some(owner) = filter.owner {
        query.push(" AND t.owner = ").push_bind(owner.0);
    }
    if let Some(category) = filter.category {
        query.push(" AND t.category = ").push_bind(category.as_str());
    }
    if let Some(status) = filter.status {
        query.push(" AND t.status = ").push_bind(status.as_str());
    }
    if let Some(waiting) = filter.waiting {
        query.push(if waiting {
            " AND t.status = 'open' AND t.waiting_since IS NOT NULL"
        } else {
            " AND NOT (t.status = 'open' AND t.waiting_since IS NOT NULL)"
        });
    }
    match filter.taken {
        None => {}
        Some(Taken::By(user)) => {
            query.push(" AND t.taken_by = ").push_bind(user.0);
        }
        Some(Taken::Nobody) => {
            query.push(" AND t.taken_by IS NULL");
        }
        Some(Taken::Somebody) => {
            query.push(" AND t.taken_by IS NOT NULL");
        }
    }
    if let Some(until) = filter.opened_until {
        query.push(" AND t.created_at <= ").push_bind(until);
    }
    if let Some(search) = &filter.search {
        let columns = ["t.subject", "a.full_name", "a.username", "t.number::text"];
        listing::any_like(query, &columns, search);
        // One's own tickets are few, and each is looked at; of all of them the words' index leads to those that have them.
        query.push(if scope.owner().is_some() {
            " OR EXISTS (SELECT FROM support.message m WHERE m.ticket = t.id AND m.words @@ support.asked("
        } else {
            " OR t.id IN (SELECT m.ticket FROM support.message m WHERE m.words @@ support.asked("
        });
        query.push_bind(search.clone()).push(")))");
    }
}

/// How long the first answer took, as its indexes have it.
const FIRST_ANSWER: &str = "(t.first_answered_at - t.created_at)";

/// `sort` is one of the route's closed set. By waiting, descending is who waits longest first; whoever does not wait comes behind, the freshest
/// conversations first, in both directions. So does who was not answered yet behind those who were, the newest first.
fn put_in_order(query: &mut QueryBuilder<Postgres>, sort: &str, descending: bool) {
    let direction = if descending { "DESC" } else { "ASC" };
    match sort {
        "waiting_since" => {
            let since = if descending { "ASC" } else { "DESC" };
            query.push(format!(
                " ORDER BY {WAITS} {since} NULLS LAST, t.last_message_at DESC, t.number DESC"
            ))
        }
        "first_answer" => query.push(format!(
            " ORDER BY {FIRST_ANSWER} {direction} NULLS LAST, t.created_at DESC, t.number DESC"
        )),
        "status" => query.push(format!(
            " ORDER BY t.status {direction}, t.created_at {direction}, t.number {direction}"
        )),
        "category" => query.push(format!(
            " ORDER BY t.category {direction}, t.created_at {direction}, t.number {direction}"
        )),
        // By the folded name, which the database keeps at each ticket: that of the account has no index that leads to tickets.
        "customer" => query.push(format!(
            " ORDER BY t.owner_key {direction}, t.created_at {direction}, t.number {direction}"
        )),
        "last_message_at" => query.push(format!(
            " ORDER BY t.last_message_at {direction}, t.number {direction}"
        )),
        _ => query.push(format!(
            " ORDER BY t.created_at {direction}, t.number {direction}"
        )),
    };
}

async fn page<Row>(
    pool: &PgPool,
    scope: Scope,
    filter: &Filter,
    sort: &str,
    paging: &Paging,
    columns: &str,
) -> Result<(Vec<Row>, i64), Error>
where
    Row: for<'r> FromRow<'r, sqlx::postgres::PgRow> + Send + Unpin,
{
    let mut all = QueryBuilder::new("SELECT count(*)");
    narrow(&mut all, scope, filter);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(format!("{ROW}{columns}"));
    narrow(&mut query, scope, filter);
    put_in_order(&mut query, sort, paging.descending);
    Ok((listing::rows(pool, query, paging).await?, total))
}

/// A page of tickets as their customer sees them, and how many there are in all.
pub async fn list(
    pool: &PgPool,
    scope: Scope,
    filter: &Filter,
    sort: &str,
    paging: &Paging,
) -> Result<(Vec<TicketView>, i64), Error> {
    let (rows, total) = page::<TicketRow>(pool, scope, filter, sort, paging, "").await?;
    Ok((rows.into_iter().map(TicketView::from).collect(), total))
}

#[derive(FromRow)]
struct StaffRow {
    #[sqlx(flatten)]
    ticket: TicketRow,
    taken_by: Option<UserId>,
    taken_name: Option<String>,
    taken_at: Option<OffsetDateTime>,
    first_answered_at: Option<OffsetDateTime>,
    notes: i32,
    rating: Option<i16>,
}

impl From<StaffRow> for StaffTicket {
    fn from(r: StaffRow) -> Self {
        let id: TicketId = r.ticket.id;
        let version = r.ticket.version;
        Self {
            ticket: r.ticket.into(),
            desk: DeskRow {
                id,
                taken_by: r.taken_by,
                taken_name: r.taken_name,
                taken_at: r.taken_at,
                first_answered_at: r.first_answered_at,
                notes: r.notes,
                rating: r.rating,
                version,
            }
            .into(),
            found: None,
        }
    }
}

/// A page of all tickets with what staff alone know of them, and how many there are in all.
pub async fn staff_list(
    pool: &PgPool,
    scope: Scope,
    filter: &Filter,
    sort: &str,
    paging: &Paging,
) -> Result<(Vec<StaffTicket>, i64), Error> {
    let columns = ", t.taken_by, h.full_name AS taken_name, t.taken_at, t.first_answered_at, t.notes, r.score AS rating";
    let (rows, total) = page::<StaffRow>(pool, scope, filter, sort, paging, columns).await?;
    let mut tickets: Vec<StaffTicket> = rows.into_iter().map(StaffTicket::from).collect();
    if let Some(search) = filter.search.as_deref().filter(|_| !tickets.is_empty()) {
        let mut found = found(pool, &tickets, search).await?;
        for ticket in &mut tickets {
            ticket.found = found.remove(&ticket.ticket.id);
        }
    }
    Ok((tickets, total))
}

/// The newest message of each of these tickets that has the words.
async fn found(
    pool: &PgPool,
    tickets: &[StaffTicket],
    search: &str,
) -> Result<HashMap<TicketId, FoundMessage>, Error> {
    let ids: Vec<Uuid> = tickets.iter().map(|t| t.ticket.id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT DISTINCT ON (ticket) ticket AS "ticket: TicketId", number, body FROM support.message
           WHERE ticket = ANY($1) AND words @@ support.asked($2) ORDER BY ticket, number DESC"#,
        &ids,
        search
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let message = FoundMessage {
                number: r.number,
                text: rules::excerpt(&r.body, search),
            };
            (r.ticket, message)
        })
        .collect())
}
