//! SQL of the audit as staff read it.

use super::AuditRow;
use crate::{
    error::Error,
    foundation::{audit::Category, http::Paging, listing},
};
use protocol::{ids::UserId, views::StaffPerson};
use sqlx::{FromRow, PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// What a search names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// An entry, by its number.
    Entry(i64),
    /// A person or a thing, by its id in small letters: as long as one word can be an id (`foundation.named_in`).
    Id(String),
    /// Nothing that an entry could bear.
    Nothing,
}

impl Named {
    pub fn read(text: &str) -> Self {
        let text = text.trim().trim_start_matches('#');
        if let Ok(number) = text.parse() {
            return Self::Entry(number);
        }
        let fits =
            (20..=100).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if fits {
            Self::Id(text.to_ascii_lowercase())
        } else {
            Self::Nothing
        }
    }
}

/// Which entries are asked for.
#[derive(Debug, Default)]
pub struct Filter {
    /// Who did it or whom it was done to.
    pub of: Option<UserId>,
    pub actor: Option<Uuid>,
    pub subject: Option<Uuid>,
    pub category: Option<Category>,
    pub action: Option<String>,
    pub named: Option<Named>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

#[derive(FromRow)]
struct Row {
    id: i64,
    at: OffsetDateTime,
    actor: Option<Uuid>,
    actor_username: Option<String>,
    actor_name: Option<String>,
    about: Option<Uuid>,
    subject: Option<Uuid>,
    subject_username: Option<String>,
    subject_name: Option<String>,
    category: String,
    action: String,
    details: serde_json::Value,
}

fn person(id: Option<Uuid>, username: Option<String>, full_name: Option<String>) -> Option<StaffPerson> {
    Some(StaffPerson {
        id: UserId(id?),
        username: username?,
        full_name: full_name?,
    })
}

impl From<Row> for AuditRow {
    fn from(r: Row) -> Self {
        Self {
            id: r.id,
            actor: person(r.actor, r.actor_username, r.actor_name),
            subject: person(r.subject, r.subject_username, r.subject_name),
            about: r.about,
            category: r.category,
            action: r.action,
            details: r.details,
            created_at: r.at,
        }
    }
}

const ENTRY: &str = "SELECT l.id, l.at, l.category, l.action, l.details, l.subject AS about,
                a.id AS actor, a.username AS actor_username, a.full_name AS actor_name,
                s.id AS subject, s.username AS subject_username, s.full_name AS subject_name
         FROM foundation.audit l LEFT JOIN identity.account a ON a.id = l.actor LEFT JOIN identity.account s ON s.id = l.subject";

fn names(query: &mut QueryBuilder<Postgres>, named: &Named) {
    match named {
        Named::Entry(number) => {
            query.push(" AND l.id = ").push_bind(*number);
        }
        Named::Id(id) => {
            // Looked up first, by its index: nobody knows beforehand how few entries bear an id, and where many are expected, a page of them
            // would be looked for from the newest entry down, which reads the whole audit.
            query
                .push(
                    " AND (l.id = ANY (ARRAY(SELECT n.id FROM foundation.audit n WHERE foundation.named_in(n.details) @> ARRAY[",
                )
                .push_bind(id.clone())
                .push("]))");
            if let Ok(id) = Uuid::parse_str(id) {
                query
                    .push(" OR l.actor = ")
                    .push_bind(id)
                    .push(" OR l.subject = ")
                    .push_bind(id);
            }
            query.push(")");
        }
        Named::Nothing => {
            query.push(" AND false");
        }
    }
}

/// Entries, and how many there are. `sort` is a column of the list's closed set.
pub async fn entries(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<AuditRow>, i64), Error> {
    let restrict = |query: &mut QueryBuilder<Postgres>| {
        query.push(" WHERE true");
        if let Some(user) = filter.of {
            query
                .push(" AND (l.actor = ")
                .push_bind(user.0)
                .push(" OR l.subject = ")
                .push_bind(user.0)
                .push(")");
        }
        if let Some(actor) = filter.actor {
            query.push(" AND l.actor = ").push_bind(actor);
        }
        if let Some(subject) = filter.subject {
            query.push(" AND l.subject = ").push_bind(subject);
        }
        if let Some(category) = filter.category {
            query.push(" AND l.category = ").push_bind(category.as_str());
        }
        if let Some(action) = &filter.action {
            query.push(" AND l.action = ").push_bind(action.clone());
        }
        if let Some(named) = &filter.named {
            names(query, named);
        }
        listing::between(query, "l.at", filter.from, filter.until);
        listing::there(query, "l.at", paging);
    };
    let mut all = QueryBuilder::new("SELECT count(*) FROM foundation.audit l");
    restrict(&mut all);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(ENTRY);
    restrict(&mut query);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, l.id {direction}"));
    let rows: Vec<Row> = listing::rows(pool, query, paging).await?;
    Ok((rows.into_iter().map(AuditRow::from).collect(), total))
}

/// One entry.
pub async fn entry(pool: &PgPool, id: i64) -> Result<Option<AuditRow>, Error> {
    let mut query = QueryBuilder::<Postgres>::new(ENTRY);
    query.push(" WHERE l.id = ").push_bind(id);
    let row: Option<Row> = query.build_query_as().fetch_optional(pool).await?;
    Ok(row.map(AuditRow::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_a_number_or_an_id() {
        let id = "0190a000-0000-7000-8000-00000000abcd";
        for (typed, named) in [
            ("42", Named::Entry(42)),
            (" #42 ", Named::Entry(42)),
            (id, Named::Id(id.to_owned())),
            ("0190A000-0000-7000-8000-00000000ABCD", Named::Id(id.to_owned())),
            (
                "E1234567820261124120000000000001",
                Named::Id("e1234567820261124120000000000001".to_owned()),
            ),
            ("ana", Named::Nothing),
            ("a reason of more than twenty letters", Named::Nothing),
            ("", Named::Nothing),
        ] {
            assert_eq!(Named::read(typed), named, "{typed}");
        }
    }
}
