//! How orders go on and end.

use super::{Row, StepKind, lock, lock_wallet};
use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::chain::stored::{self, column},
};
use alloy::primitives::{Address, B256, U256};
use protocol::{
    ids::{UserId, WalletMoveId},
    views::{WalletMoveReason as Reason, WalletMoveStatus as Status},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// A step's kind and its move, both locked.
pub async fn lock_step(conn: &mut PgConnection, step: Uuid) -> Result<Option<(StepKind, Row)>, Error> {
    let found = sqlx::query!(
        "SELECT s.kind, s.move, s.owner FROM wallet.user_step s WHERE s.id = $1",
        step
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(found) = found else { return Ok(None) };
    lock_wallet(conn, UserId(found.owner)).await?;
    let kind = StepKind::read(&found.kind).ok_or_else(|| Error::internal("an unknown kind of step"))?;
    Ok(lock(conn, found.r#move).await?.map(|row| (kind, row)))
}

/// Ends a step; false when it had ended.
pub async fn end_step(conn: &mut PgConnection, step: Uuid, good: bool, gas: U256) -> Result<bool, Error> {
    let gas = column(gas)?;
    let done = sqlx::query!(
        "UPDATE wallet.user_step SET ended = $2, gas = $3 WHERE id = $1 AND ended IS NULL",
        step,
        good,
        gas as Amount
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What the ended steps of a move cost, and whether the exchange was allowed to take the coins.
pub async fn cost(conn: &mut PgConnection, id: WalletMoveId) -> Result<(U256, bool), Error> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(gas), 0) AS "gas!: Amount", coalesce(bool_and(ended IS NOT FALSE) FILTER (WHERE kind = 'approve'), true) AS "approved!"
           FROM wallet.user_step WHERE move = $1"#,
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok((stored::amount(row.gas)?, row.approved))
}

/// What a swap's order allowed: of which wallet, and the most that gas may cost.
pub struct Allowed {
    pub wallet: Address,
    pub price_most: u128,
    /// The place behind its last step.
    pub next: i16,
}

pub async fn allowed(conn: &mut PgConnection, id: WalletMoveId) -> Result<Option<Allowed>, Error> {
    let row = sqlx::query!(
        r#"SELECT w.address, max(s.price_most) AS "price_most!: Amount", max(s.position) + 1 AS "next!: i16",
               bool_or(s.kind = 'revoke') AS "revoked!"
           FROM wallet.user_step s JOIN wallet.user_wallet w ON w.owner = s.owner WHERE s.move = $1 GROUP BY w.address"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.filter(|r| !r.revoked)
        .map(|r| {
            Ok(Allowed {
                wallet: stored::place(&r.address)?,
                price_most: u128::try_from(r.price_most.0).unwrap_or(0),
                next: r.next,
            })
        })
        .transpose()
}

/// Whether a later swap has set the allowance anew that this step would take back.
pub async fn allowed_since(conn: &mut PgConnection, revoke: Uuid) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.user_step r JOIN wallet.user_step a ON a.owner = r.owner AND a.recipient = r.recipient
               WHERE r.id = $1 AND a.kind = 'approve' AND a.id > r.id AND a.ended IS NOT FALSE) AS "is!""#,
        revoke
    )
    .fetch_one(conn)
    .await?)
}

/// Open transactions of a move's other steps: id of the transaction and of its step.
pub async fn open_steps(conn: &mut PgConnection, id: WalletMoveId) -> Result<Vec<(Uuid, Uuid)>, Error> {
    let rows = sqlx::query!(
        "SELECT o.id, s.id AS step FROM wallet.user_step s
         JOIN wallet.outgoing o ON o.cause = s.id AND o.cause_kind IN ('wallet_send', 'wallet_approve', 'wallet_swap', 'wallet_revoke')
         WHERE s.move = $1 AND s.ended IS NULL AND o.state NOT IN ('done', 'failed', 'dropped') ORDER BY s.position",
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.id, r.step)).collect())
}

/// The living transaction of a step.
pub async fn carried_by(conn: &mut PgConnection, step: Uuid) -> Result<Option<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM wallet.outgoing WHERE cause = $1 AND cause_kind = 'wallet_revoke' AND state NOT IN ('done', 'failed', 'dropped')",
        step
    )
    .fetch_optional(conn)
    .await?)
}

/// The transaction of a step as the sender has it: its state, its hash in a block or the newest, its block, its success.
pub struct Carried {
    pub mined: bool,
    pub success: bool,
    pub tx: Option<B256>,
    pub block: Option<u64>,
}

pub async fn carried(conn: &mut PgConnection, step: Uuid) -> Result<Option<Carried>, Error> {
    let row = sqlx::query!(
        r#"SELECT o.state = 'mined' AS "mined!", o.success, o.block,
               coalesce(o.tx, (SELECT a.tx FROM wallet.outgoing_attempt a WHERE a.outgoing = o.id ORDER BY a.signed_at DESC, a.gas_price DESC LIMIT 1)) AS tx
           FROM wallet.outgoing o
           WHERE o.cause = $1 AND o.cause_kind IN ('wallet_send', 'wallet_approve', 'wallet_swap', 'wallet_revoke') ORDER BY o.created_at DESC LIMIT 1"#,
        step
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Carried {
            mined: r.mined,
            success: r.success.unwrap_or(false),
            tx: r.tx.as_deref().map(stored::hash).transpose()?,
            block: r.block.and_then(|b| u64::try_from(b).ok()),
        })
    })
    .transpose()
}

/// Where a move stands.
pub struct Place {
    pub status: Status,
    pub reason: Option<Reason>,
    pub tx: Option<B256>,
    pub block: Option<u64>,
    pub gas: Option<U256>,
    pub received: Option<U256>,
    /// It changes no more.
    pub ended: bool,
}

impl Place {
    /// On its way.
    pub const fn sent(tx: Option<B256>) -> Self {
        Self {
            status: Status::Sent,
            reason: None,
            tx,
            block: None,
            gas: None,
            received: None,
            ended: false,
        }
    }

    /// Nothing comes of it any more.
    pub const fn failed(reason: Reason, gas: U256) -> Self {
        Self {
            status: Status::Failed,
            reason: Some(reason),
            tx: None,
            block: None,
            gas: Some(gas),
            received: None,
            ended: true,
        }
    }
}

pub async fn place(
    conn: &mut PgConnection,
    id: WalletMoveId,
    place: &Place,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let gas = place.gas.map(column).transpose()?;
    let received = place.received.map(column).transpose()?;
    sqlx::query!(
        "UPDATE wallet.user_move SET status = $2, reason = $3, tx = coalesce($4, tx), block = $5, gas = coalesce($6, gas), received = $7,
             version = version + 1, updated_at = $8, ended_at = CASE WHEN $9 THEN $8::timestamptz ELSE NULL END
         WHERE id = $1 AND ended_at IS NULL",
        id.0,
        place.status.as_str(),
        place.reason.map(|r| r.as_str()),
        place.tx.as_ref().map(|t| t.as_slice()),
        place.block.and_then(|b| i64::try_from(b).ok()),
        gas as Option<Amount>,
        received as Option<Amount>,
        now,
        place.ended
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Adds what an approval of a swap cost to a move that has ended already.
pub async fn add_gas(
    conn: &mut PgConnection,
    id: WalletMoveId,
    gas: U256,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let gas = column(gas)?;
    sqlx::query!(
        "UPDATE wallet.user_move SET gas = $2, version = version + 1, updated_at = $3 WHERE id = $1",
        id.0,
        gas as Amount,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
