//! SQL of pictures.

use super::Picture;
use crate::error::Error;
use protocol::ids::FileId;
use sqlx::PgExecutor;

/// The pictures of those of these names who have one; of all, or of active people alone.
pub(super) async fn pictures(
    db: impl PgExecutor<'_>,
    keys: &[String],
    all: bool,
) -> Result<Vec<Picture>, Error> {
    Ok(sqlx::query_as!(
        Picture,
        r#"SELECT username, avatar AS "avatar!: FileId" FROM identity.account
           WHERE username_key = ANY($1) AND avatar IS NOT NULL AND NOT is_house
             AND ($2 OR (status = 'active' AND email_confirmed_at IS NOT NULL))
           ORDER BY username_key"#,
        keys,
        all
    )
    .fetch_all(db)
    .await?)
}
