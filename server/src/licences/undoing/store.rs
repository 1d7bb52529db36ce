//! SQL of what bore a loss that is given back.

use crate::error::Error;
use protocol::{
    ids::{BatchId, LicenceId},
    money::Usdt,
};
use sqlx::PgConnection;

/// How much of a licence's loss of a batch is on record as some lot's. What is on record stays so.
pub async fn lots_that_lost(
    conn: &mut PgConnection,
    batch: BatchId,
    licence: LicenceId,
    loss: Usdt,
) -> Result<Usdt, Error> {
    let known = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(amount), 0)) AS "known!" FROM licences.lots_that_lost($1, $2, $3)"#,
        batch.0,
        licence.0,
        loss.0
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(known))
}

/// Gives lots back what they had lost with a batch; how much that was.
pub async fn give_back(
    conn: &mut PgConnection,
    batch: BatchId,
    licence: LicenceId,
    loss: Usdt,
) -> Result<Usdt, Error> {
    let given = sqlx::query_scalar!(
        r#"UPDATE licences.lot l SET amount = l.amount + p.amount FROM licences.lots_that_lost($1, $2, $3) p WHERE l.id = p.lot
           RETURNING p.amount AS "amount!""#,
        batch.0,
        licence.0,
        loss.0
    )
    .fetch_all(conn)
    .await?;
    Ok(given.into_iter().map(Usdt).sum())
}
