//! SQL of the places where people are found elsewhere.

use crate::error::Error;
use protocol::ids::UserId;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

pub struct Row {
    pub account: UserId,
    pub network: String,
    pub place: String,
}

pub async fn social(db: impl PgExecutor<'_>, people: &[UserId]) -> Result<Vec<Row>, Error> {
    let ids: Vec<Uuid> = people.iter().map(|user| user.0).collect();
    Ok(sqlx::query_as!(
        Row,
        r#"SELECT account AS "account: UserId", network, place FROM identity.social WHERE account = ANY($1)"#,
        &ids
    )
    .fetch_all(db)
    .await?)
}

/// These and no others.
pub async fn put_social(
    conn: &mut PgConnection,
    user: UserId,
    networks: &[String],
    places: &[String],
) -> Result<(), Error> {
    sqlx::query!("DELETE FROM identity.social WHERE account = $1", user.0)
        .execute(&mut *conn)
        .await?;
    sqlx::query!(
        "INSERT INTO identity.social (account, network, place)
         SELECT $1, network, place FROM unnest($2::text[], $3::text[]) AS s(network, place)",
        user.0,
        networks,
        places
    )
    .execute(conn)
    .await?;
    Ok(())
}
