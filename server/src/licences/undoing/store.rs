//! SQL of what bore a loss that is given back.

use crate::error::Error;
use protocol::{
    ids::{LicenceId, LotId},
    money::Usdt,
};
use sqlx::PgConnection;
use uuid::Uuid;

/// Which lots of a licence bore its loss of a batch. Where nothing was written down it had one lot then; none when that cannot be told.
pub async fn lots_that_lost(
    conn: &mut PgConnection,
    batch: Uuid,
    licence: LicenceId,
    loss: Usdt,
) -> Result<Option<Vec<(LotId, Usdt)>>, Error> {
    let rows = sqlx::query!(
        "SELECT lot, amount FROM licences.lot_loss WHERE batch = $1 AND licence = $2",
        batch,
        licence.0
    )
    .fetch_all(&mut *conn)
    .await?;
    if !rows.is_empty() {
        let parts: Vec<(LotId, Usdt)> = rows.iter().map(|r| (LotId(r.lot), Usdt(r.amount))).collect();
        let written: Usdt = parts.iter().map(|(_, amount)| *amount).sum();
        return Ok((written == loss).then_some(parts));
    }
    // Both ids begin with their moment: what came later is greater.
    let then = sqlx::query_scalar!(
        "SELECT id FROM licences.lot WHERE licence = $1 AND id < $2 LIMIT 2",
        licence.0,
        batch
    )
    .fetch_all(conn)
    .await?;
    Ok(match then.as_slice() {
        [only] => Some(vec![(LotId(*only), loss)]),
        _ => None,
    })
}

/// Gives lots back what they had lost.
pub async fn give_back(conn: &mut PgConnection, parts: &[(LotId, Usdt)]) -> Result<(), Error> {
    let lots: Vec<Uuid> = parts.iter().map(|(lot, _)| lot.0).collect();
    let amounts: Vec<i64> = parts.iter().map(|(_, amount)| amount.0).collect();
    sqlx::query!(
        "UPDATE licences.lot l SET amount = l.amount + p.amount FROM unnest($1::uuid[], $2::bigint[]) AS p(lot, amount) WHERE l.id = p.lot",
        &lots,
        &amounts
    )
    .execute(conn)
    .await?;
    Ok(())
}
