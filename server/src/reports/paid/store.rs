//! SQL of what a person was paid.

use crate::error::Error;
use protocol::{ids::UserId, money::Usdt, views::Mode};
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};

/// What was booked for a person's robots: gains less losses.
pub async fn robots(
    conn: &mut PgConnection,
    user: UserId,
    mode: Mode,
    from: Date,
    to: Date,
) -> Result<Usdt, Error> {
    let net = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(d.gain - d.loss), 0)) AS "net!"
           FROM licences.licence l JOIN robots.day_result d ON d.licence = l.id AND d.mode = $2 AND d.day BETWEEN $3 AND $4
           WHERE l.owner = $1"#,
        user.0,
        mode.as_str(),
        from,
        to
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(net))
}

/// Shares of pools that were paid.
pub async fn pools(conn: &mut PgConnection, user: UserId, since: OffsetDateTime) -> Result<Usdt, Error> {
    let paid = sqlx::query_scalar!(
        r#"SELECT foundation.clamped(coalesce(sum(s.value), 0)) AS "paid!"
           FROM pools.entry e JOIN pools.share s ON s.entry = e.id AND s.paid_at >= $2 WHERE e.owner = $1"#,
        user.0,
        since
    )
    .fetch_one(conn)
    .await?;
    Ok(Usdt(paid))
}

pub struct Bonuses {
    pub all: Usdt,
    pub residual: Usdt,
}

/// Bonuses that were paid and not taken back, with those of ranks.
pub async fn bonuses(conn: &mut PgConnection, user: UserId, from: Date, to: Date) -> Result<Bonuses, Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(coalesce(sum(b.paid - b.returned), 0)
                      + (SELECT coalesce(sum(g.amount), 0) FROM affiliates.graduation g
                         WHERE g.member = $1 AND g.paid_at IS NOT NULL AND g.business_day BETWEEN $2 AND $3)) AS "all!",
                  foundation.clamped(coalesce(sum(b.paid - b.returned) FILTER (WHERE b.kind = 'residual'), 0)) AS "residual!"
           FROM affiliates.bonus b WHERE b.receiver = $1 AND b.business_day BETWEEN $2 AND $3"#,
        user.0,
        from,
        to
    )
    .fetch_one(conn)
    .await?;
    Ok(Bonuses {
        all: Usdt(row.all),
        residual: Usdt(row.residual),
    })
}
