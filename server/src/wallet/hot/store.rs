//! SQL of the hot wallet's state.

use crate::{
    error::Error,
    wallet::chain::{
        Coin,
        stored::{coin, place},
    },
};
use alloy::primitives::Address;
use protocol::views::HotWalletView;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// What was last seen of it.
pub async fn view(db: impl PgExecutor<'_>) -> Result<Option<HotWalletView>, Error> {
    let row = sqlx::query!("SELECT view, version FROM wallet.hot_state")
        .fetch_optional(db)
        .await?;
    row.map(|r| {
        let view: HotWalletView = serde_json::from_value(r.view)?;
        Ok(HotWalletView {
            version: r.version,
            ..view
        })
    })
    .transpose()
}

/// Keeps what is seen now; its version, or none when nothing is new.
pub async fn save(
    conn: &mut PgConnection,
    seen: &HotWalletView,
    now: OffsetDateTime,
) -> Result<Option<i64>, Error> {
    let seen = serde_json::to_value(HotWalletView {
        version: 0,
        ..seen.clone()
    })?;
    Ok(sqlx::query_scalar!(
        "INSERT INTO wallet.hot_state AS s (view, checked_at) VALUES ($1, $2)
         ON CONFLICT (singleton) DO UPDATE SET view = $1, checked_at = $2, version = s.version + 1 WHERE s.view <> $1
         RETURNING version",
        seen,
        now
    )
    .fetch_optional(conn)
    .await?)
}

/// Whether surplus is on its way to the cold address.
pub async fn gathering(db: impl PgExecutor<'_>, hot: Address) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallet.outgoing WHERE sender = $1 AND cause_kind = 'cold'
               AND state IN ('queued', 'signed', 'sent', 'mined')) AS "is!""#,
        hot.as_slice()
    )
    .fetch_one(db)
    .await?)
}

/// Deposit addresses with coins that were paid to them and not gathered since, at most so many that a reading stays quick.
pub async fn unemptied(db: impl PgExecutor<'_>) -> Result<Vec<(Address, Coin)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT DISTINCT a.address, p.coin AS "coin!" FROM wallet.payment p JOIN wallet.deposit_address a ON a.number = p.address
           WHERE p.coin IS NOT NULL AND p.state = 'settled'
             AND NOT EXISTS (SELECT FROM wallet.sweep s WHERE s.address = p.address AND s.coin = p.coin AND s.kind = 'sweep'
                 AND s.state = 'done' AND s.created_at >= p.settled_at)
           LIMIT 500"#
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| Ok((place(&r.address)?, coin(&r.coin)?)))
        .collect()
}
