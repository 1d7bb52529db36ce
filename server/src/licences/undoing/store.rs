//! SQL of what bore a loss that is given back.

use crate::error::Error;
use protocol::{
    ids::{BatchId, LicenceId},
    money::Usdt,
};
use sqlx::PgConnection;

/// Lots that bore a loss.
pub struct Bore {
    /// How much of it is on record as theirs; of [`give_back`], how much they were given.
    pub known: Usdt,
    /// The licence's owner has closed their account.
    pub gone: bool,
}

/// How much of a licence's loss of a batch is on record as some lot's. What is on record stays so. The licence is locked.
pub async fn lots_that_lost(
    conn: &mut PgConnection,
    batch: BatchId,
    licence: LicenceId,
    loss: Usdt,
) -> Result<Bore, Error> {
    Ok(sqlx::query_as!(
        Bore,
        r#"SELECT foundation.clamped(coalesce(sum(p.amount), 0)) AS "known!: Usdt",
                  coalesce((SELECT a.status = 'closed' FROM licences.licence l JOIN identity.account a ON a.id = l.owner WHERE l.id = $2), false)
                      AS "gone!"
           FROM licences.lots_that_lost($1, $2, $3) p"#,
        batch.0,
        licence.0,
        loss.0
    )
    .fetch_one(conn)
    .await?)
}

/// Gives lots back what they had lost with a batch, but nothing to those of who has left. The licence is locked.
pub async fn give_back(
    conn: &mut PgConnection,
    batch: BatchId,
    licence: LicenceId,
    loss: Usdt,
) -> Result<Bore, Error> {
    Ok(sqlx::query_as!(
        Bore,
        r#"WITH owner AS MATERIALIZED (
               SELECT a.status = 'closed' AS gone FROM licences.licence l JOIN identity.account a ON a.id = l.owner WHERE l.id = $2),
           given AS (
               UPDATE licences.lot l SET amount = l.amount + p.amount FROM licences.lots_that_lost($1, $2, $3) p, owner
               WHERE l.id = p.lot AND NOT owner.gone RETURNING p.amount)
           SELECT foundation.clamped(coalesce((SELECT sum(amount) FROM given), 0)) AS "known!: Usdt", gone AS "gone!" FROM owner"#,
        batch.0,
        licence.0,
        loss.0
    )
    .fetch_one(conn)
    .await?)
}
