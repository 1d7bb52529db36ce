//! SQL of what staff do with people's accounts.

use super::notes::StaffNote;
use crate::{
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::ids::{SessionId, StaffNoteId, UserId};
use sqlx::{FromRow, PgConnection, PgPool, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// What an account had that was switched on or off.
pub struct Switched {
    /// Sessions that live.
    pub living: Vec<SessionId>,
    /// Its owner waits for its closing.
    pub closing: bool,
}

/// The living sessions of who it is about; none when it is so already.
pub async fn set_status(
    conn: &mut PgConnection,
    id: UserId,
    status: &str,
    reason: &str,
    by: UserId,
    now: OffsetDateTime,
) -> Result<Option<Switched>, Error> {
    let rows = sqlx::query!(
        r#"WITH put AS (UPDATE identity.account
               SET status = $2, status_reason = $3, status_by = $4, status_at = $5, version = version + 1, updated_at = $5
               WHERE id = $1 AND NOT is_house AND status <> $2 RETURNING id)
           SELECT s.id AS "id?: SessionId",
                  EXISTS (SELECT FROM privacy.closing c WHERE c.owner = put.id AND c.state = 'waiting') AS "closing!"
           FROM put LEFT JOIN identity.session s ON s.account = put.id AND s.ended_at IS NULL"#,
        id.0,
        status,
        reason,
        by.0,
        now
    )
    .fetch_all(conn)
    .await?;
    let closing = rows.first().map(|row| row.closing);
    Ok(closing.map(|closing| Switched {
        living: rows.into_iter().filter_map(|row| row.id).collect(),
        closing,
    }))
}

/// Another address, to be confirmed, and the end of the password: whoever knows it has not shown that they read there. A taken one violates
/// `account_email_key_key`.
pub async fn set_email(
    conn: &mut PgConnection,
    id: UserId,
    email: &str,
    email_key: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE identity.account SET email = $2, email_key = $3, email_confirmed_at = NULL,
             password_ended_at = CASE WHEN password_hash IS NULL THEN NULL ELSE $4::timestamptz END, version = version + 1, updated_at = $4
         WHERE id = $1",
        id.0,
        email,
        email_key,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Why the account is as it is.
pub async fn status_reason(db: &PgPool, id: UserId) -> Result<Option<String>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT status_reason FROM identity.account WHERE id = $1", id.0)
            .fetch_optional(db)
            .await?
            .flatten(),
    )
}

pub async fn insert_note(
    conn: &mut PgConnection,
    id: StaffNoteId,
    account: UserId,
    author: UserId,
    text: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.staff_note (id, account, author, text, at) VALUES ($1, $2, $3, $4, $5)",
        id.0,
        account.0,
        author.0,
        text,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

#[derive(FromRow)]
struct NoteRow {
    id: Uuid,
    author: Uuid,
    username: String,
    full_name: String,
    text: String,
    at: OffsetDateTime,
}

/// Notes about a person, newest first, and how many there are.
pub async fn notes(pool: &PgPool, account: UserId, paging: &Paging) -> Result<(Vec<StaffNote>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM identity.staff_note WHERE account = ");
    all.push_bind(account.0);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT n.id, n.author, a.username, a.full_name, n.text, n.at
         FROM identity.staff_note n JOIN identity.account a ON a.id = n.author WHERE n.account = ",
    );
    query.push_bind(account.0).push(" ORDER BY n.at DESC, n.id DESC");
    let rows: Vec<NoteRow> = listing::rows(pool, query, paging).await?;
    let rows = rows.into_iter().map(|r| StaffNote {
        id: StaffNoteId(r.id),
        author: protocol::views::StaffPerson {
            id: UserId(r.author),
            username: r.username,
            full_name: r.full_name,
        },
        text: r.text,
        created_at: r.at,
    });
    Ok((rows.collect(), total))
}
