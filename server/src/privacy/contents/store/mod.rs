//! SQL of what stands in a person's file: one snapshot, row by row.

mod sections;

pub use sections::ROOMS;

use crate::{error::Error, foundation::database};
use futures_util::{Stream, TryStreamExt};
use protocol::ids::{FileId, UserId};
use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use uuid::Uuid;

/// One state of the database, for as long as a file takes.
pub struct Look(Transaction<'static, Postgres>);

impl Look {
    /// None while another file is read, wherever that is: long reads of many people at once would take the connections of all lists.
    pub async fn open(pool: &PgPool) -> Result<Option<Self>, Error> {
        let mut tx = pool.begin().await?;
        sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .execute(&mut *tx)
            .await?;
        let alone: bool =
            sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(hashtextextended('privacy.export', 152))")
                .fetch_one(&mut *tx)
                .await?;
        if !alone {
            tx.rollback().await?;
            return Ok(None);
        }
        database::take_time(&mut tx).await?;
        Ok(Some(Self(tx)))
    }

    /// The rows of a part ([`ROOMS`]), each an object of JSON.
    pub fn rows(&mut self, sql: &str, person: UserId) -> impl Stream<Item = Result<String, Error>> + Unpin {
        let sql = format!("SELECT to_jsonb(part)::text FROM ({sql}) part");
        sqlx::query_scalar::<_, String>(AssertSqlSafe(sql))
            .bind(person.0)
            .fetch(&mut *self.0)
            .map_err(Error::from)
    }

    /// What they have uploaded themselves: their picture, proofs of their deposits, what they sent with tickets. What others sent is the others'.
    pub async fn files(&mut self, person: UserId) -> Result<Vec<FileId>, Error> {
        let ids = sqlx::query_scalar!(
            r#"SELECT f.id AS "id!: Uuid" FROM foundation.file f
               WHERE f.id IN (
                   SELECT a.avatar FROM identity.account a WHERE a.id = $1
                   UNION ALL
                   SELECT p.file FROM pix.deposit d JOIN pix.proof p ON p.deposit = d.id WHERE d.owner = $1
                   UNION ALL
                   SELECT m.attachment FROM support.ticket t JOIN support.message m ON m.ticket = t.id
                   WHERE t.owner = $1 AND t.deleted_at IS NULL AND m.author = $1 AND m.deleted_at IS NULL)
               ORDER BY f.created_at, f.id"#,
            person.0
        )
        .fetch_all(&mut *self.0)
        .await?;
        Ok(ids.into_iter().map(FileId).collect())
    }

    pub async fn close(self) -> Result<(), Error> {
        self.0.rollback().await?;
        Ok(())
    }
}
