//! SQL of words in the messages of one ticket. Notes of staff are no messages.

use crate::{
    error::Error,
    support::{model::FoundLine, rules},
};
use protocol::ids::{TicketId, UserId};
use sqlx::PgExecutor;

/// The newest messages before a number that have all of the words.
pub async fn found(
    db: impl PgExecutor<'_>,
    ticket: TicketId,
    search: &str,
    before: i64,
    most: i64,
) -> Result<Vec<FoundLine>, Error> {
    let rows = sqlx::query!(
        r#"SELECT m.number, m.body, m.author AS "author: UserId", a.full_name AS author_name, m.created_at
           FROM support.message m JOIN identity.account a ON a.id = m.author
           WHERE m.ticket = $1 AND m.words @@ support.asked($2) AND m.number < $3 ORDER BY m.number DESC LIMIT $4"#,
        ticket.0,
        search,
        before,
        most
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| FoundLine {
            number: row.number,
            text: rules::excerpt(&row.body, search),
            author: row.author,
            author_name: row.author_name,
            created_at: row.created_at,
        })
        .collect())
}

/// How many messages of a ticket have all of the words.
pub async fn found_in_all(db: impl PgExecutor<'_>, ticket: TicketId, search: &str) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "found!" FROM support.message WHERE ticket = $1 AND words @@ support.asked($2)"#,
        ticket.0,
        search
    )
    .fetch_one(db)
    .await?)
}
