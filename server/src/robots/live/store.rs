//! SQL of live operations, their orders and fills, and of the switch.

use super::{
    model::{LiveResidue, LiveResidues, LiveSwitchState},
    service::{Booked, Known, Operation, StoredLeg},
};
use crate::error::Error;
use actors::desk::{
    cohort::Share,
    cycles::Side,
    live::{Amount, Fate, Finished, Order, Trade},
    market::{Price, Quantity},
    port::LiveOrder,
};
use protocol::{
    ids::{LicenceId, OperationId, UserId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, PgExecutor, PgPool};
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

#[derive(Serialize, Deserialize)]
struct StoredShare {
    licence: Uuid,
    user: Uuid,
    amount: i64,
}

/// Freed reservations and begun operations come one after another: who frees sees what has begun.
pub async fn lock_reservations(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('robots.live', 29))")
        .execute(conn)
        .await?;
    Ok(())
}

/// What is reserved for an operation.
pub async fn reserved(
    conn: &mut PgConnection,
    operation: OperationId,
) -> Result<BTreeMap<LicenceId, Usdt>, Error> {
    let rows = sqlx::query!(
        "SELECT licence, amount FROM robots.reservation WHERE operation = $1",
        operation.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (LicenceId(r.licence), Usdt(r.amount)))
        .collect())
}

pub async fn insert(
    conn: &mut PgConnection,
    order: &LiveOrder,
    fence: i64,
    venue: &str,
    legs: &[StoredLeg],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let decided = OffsetDateTime::from_unix_timestamp_nanos(i128::from(order.decided_ms) * 1_000_000)
        .unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let shares: Vec<StoredShare> = order
        .shares
        .iter()
        .map(|s| StoredShare {
            licence: s.licence.0,
            user: s.user.0,
            amount: s.amount.0,
        })
        .collect();
    let size: Usdt = order.shares.iter().map(|s| s.amount).sum();
    sqlx::query!(
        "INSERT INTO robots.live_operation (id, fence, venue, route, edge_ppm, manual, decided_at, legs, shares, size, begun_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        order.operation.0,
        fence,
        venue,
        order.route,
        order.edge_ppm,
        order.manual,
        decided,
        serde_json::to_value(legs)?,
        serde_json::to_value(&shares)?,
        size.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Everything known of an operation, orders in their order.
pub async fn find(pool: &PgPool, id: OperationId) -> Result<Option<Operation>, Error> {
    let Some(row) = sqlx::query!(
        "SELECT venue, route, edge_ppm, manual, decided_at, legs, shares, size, rates, state, volume, fees, result
         FROM robots.live_operation WHERE id = $1",
        id.0
    )
    .fetch_optional(pool)
    .await?
    else {
        return Ok(None);
    };
    let legs: Vec<StoredLeg> = serde_json::from_value(row.legs)?;
    let shares: Vec<StoredShare> = serde_json::from_value(row.shares)?;
    let rates: BTreeMap<String, i64> = serde_json::from_value(row.rates)?;
    let done = match (row.volume, row.fees, row.result) {
        (Some(volume), Some(fees), Some(result)) => Some(Booked {
            volume: Usdt(volume),
            fees: Usdt(fees),
            result: Usdt(result),
        }),
        _ => None,
    };
    Ok(Some(Operation {
        id,
        route: row.route,
        edge_ppm: row.edge_ppm,
        manual: row.manual,
        decided_at: row.decided_at,
        legs,
        size: Usdt(row.size),
        rates: rates.into_iter().map(|(a, p)| (a, Price(p))).collect(),
        shares: shares
            .into_iter()
            .map(|s| Share {
                licence: LicenceId(s.licence),
                user: UserId(s.user),
                amount: Usdt(s.amount),
            })
            .collect(),
        done,
        orders: orders(pool, id).await?,
    }))
}

async fn orders(pool: &PgPool, id: OperationId) -> Result<Vec<Known>, Error> {
    let rows = sqlx::query!(
        "SELECT step, client_id, symbol, leg, side, amount, in_quote, price, sent_ms, state, small, closed_at
         FROM robots.live_order WHERE operation = $1 ORDER BY step",
        id.0
    )
    .fetch_all(pool)
    .await?;
    let fills = sqlx::query!(
        "SELECT step, trade, price, quantity, commission, commission_asset
         FROM robots.live_fill WHERE operation = $1 ORDER BY step, trade",
        id.0
    )
    .fetch_all(pool)
    .await?;
    let mut trades: BTreeMap<i16, Vec<Trade>> = BTreeMap::new();
    for fill in fills {
        trades.entry(fill.step).or_default().push(Trade {
            id: fill.trade,
            price: Price(fill.price),
            quantity: Quantity(fill.quantity),
            commission: Quantity(fill.commission),
            commission_asset: fill.commission_asset,
        });
    }
    let mut known = Vec::with_capacity(rows.len());
    for row in rows {
        let quantity = Quantity(row.amount);
        let order = Order {
            leg: usize::try_from(row.leg).unwrap_or(usize::MAX),
            side: if row.side == "buy" { Side::Buy } else { Side::Sell },
            amount: if row.in_quote {
                Amount::Quote(quantity)
            } else {
                Amount::Base(quantity)
            },
            price: row.price.map(Price),
        };
        let fate = match row.state.as_str() {
            "over" => Fate::Done(trades.remove(&row.step).unwrap_or_default()),
            "refused" => Fate::Refused { small: row.small },
            _ => Fate::Unknown,
        };
        known.push(Known {
            step: row.step,
            client_id: row.client_id,
            symbol: row.symbol,
            sent_ms: row.sent_ms,
            order,
            fate,
            closed_at: row.closed_at,
        });
    }
    Ok(known)
}

/// Operations that are not booked, oldest first.
pub async fn unfinished(pool: &PgPool) -> Result<Vec<OperationId>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM robots.live_operation WHERE state <> 'booked' ORDER BY begun_at, id"
    )
    .fetch_all(pool)
    .await?
    .into_iter()
    .map(OperationId)
    .collect())
}

pub async fn record(
    conn: &mut PgConnection,
    id: OperationId,
    known: &Known,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let (amount, in_quote) = match known.order.amount {
        Amount::Base(quantity) => (quantity, false),
        Amount::Quote(quantity) => (quantity, true),
    };
    sqlx::query!(
        "INSERT INTO robots.live_order (operation, step, client_id, symbol, leg, side, amount, in_quote, price, sent_ms, recorded_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        id.0,
        known.step,
        known.client_id,
        known.symbol,
        i16::try_from(known.order.leg).unwrap_or(i16::MAX),
        known.order.side.as_str(),
        amount.0,
        in_quote,
        known.order.price.map(|p| p.0),
        known.sent_ms,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks an order whose fate is open; false when it is over.
pub async fn lock_open(conn: &mut PgConnection, id: OperationId, step: i16) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT step FROM robots.live_order WHERE operation = $1 AND step = $2 AND state IN ('recorded', 'unknown') FOR UPDATE",
        id.0,
        step
    )
    .fetch_optional(conn)
    .await?
    .is_some())
}

pub async fn set_unknown(conn: &mut PgConnection, id: OperationId, step: i16) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.live_order SET state = 'unknown' WHERE operation = $1 AND step = $2 AND state = 'recorded'",
        id.0,
        step
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_refused(
    conn: &mut PgConnection,
    id: OperationId,
    step: i16,
    small: bool,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.live_order SET state = 'refused', small = $3, reason = $4, closed_at = $5 WHERE operation = $1 AND step = $2",
        id.0,
        step,
        small,
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_over(
    conn: &mut PgConnection,
    id: OperationId,
    known: &Known,
    venue_order: i64,
    trades: &[Trade],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let ids: Vec<i64> = trades.iter().map(|t| t.id).collect();
    let prices: Vec<i64> = trades.iter().map(|t| t.price.0).collect();
    let quantities: Vec<i64> = trades.iter().map(|t| t.quantity.0).collect();
    let commissions: Vec<i64> = trades.iter().map(|t| t.commission.0).collect();
    let assets: Vec<String> = trades.iter().map(|t| t.commission_asset.clone()).collect();
    sqlx::query!(
        "INSERT INTO robots.live_fill (symbol, trade, operation, step, price, quantity, commission, commission_asset)
         SELECT $1, trade, $2, $3, price, quantity, commission, asset
         FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::text[]) AS f(trade, price, quantity, commission, asset)",
        known.symbol,
        id.0,
        known.step,
        &ids,
        &prices,
        &quantities,
        &commissions,
        &assets
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE robots.live_order SET state = 'over', venue_order = $3, closed_at = $4 WHERE operation = $1 AND step = $2",
        id.0,
        known.step,
        venue_order,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps what an asset costs; the first word stays.
pub async fn put_rate(
    conn: &mut PgConnection,
    id: OperationId,
    asset: &str,
    price: Price,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.live_operation SET rates = jsonb_build_object($2::text, $3::bigint) || rates WHERE id = $1 AND state = 'working'",
        id.0,
        asset,
        price.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the trading of an operation; false when it has ended before.
pub async fn set_executed(
    conn: &mut PgConnection,
    id: OperationId,
    done: &Finished,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let ended = sqlx::query!(
        "UPDATE robots.live_operation SET state = 'executed', executed_at = $2, volume = $3, fees = $4, result = $5
         WHERE id = $1 AND state = 'working'",
        id.0,
        now,
        done.volume.0,
        done.fees.0,
        done.result.0
    )
    .execute(&mut *conn)
    .await?
    .rows_affected()
        == 1;
    if ended {
        let assets: Vec<String> = done.residues.keys().cloned().collect();
        let amounts: Vec<i64> = done.residues.values().map(|q| q.0).collect();
        sqlx::query!(
            "INSERT INTO robots.residue (operation, asset, amount, at)
             SELECT $1, asset, amount, $2 FROM unnest($3::text[], $4::bigint[]) AS r(asset, amount)",
            id.0,
            now,
            &assets,
            &amounts
        )
        .execute(conn)
        .await?;
    }
    Ok(ended)
}

/// Ties an operation to the batch that books it; false when it is not there to be booked with these figures.
pub async fn set_booked(
    conn: &mut PgConnection,
    id: OperationId,
    batch: Uuid,
    figures: Booked,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query!(
        "UPDATE robots.live_operation SET state = 'booked', batch = $2, booked_at = $3
         WHERE id = $1 AND state = 'executed' AND volume = $4 AND fees = $5 AND result = $6",
        id.0,
        batch,
        now,
        figures.volume.0,
        figures.fees.0,
        figures.result.0
    )
    .execute(conn)
    .await?
    .rows_affected()
        == 1)
}

/// Whether an operation was begun.
pub async fn is_begun(conn: &mut PgConnection, id: OperationId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM robots.live_operation WHERE id = $1) AS "begun!""#,
        id.0
    )
    .fetch_one(conn)
    .await?)
}

/// A request for live trading.
#[derive(Clone, Debug)]
pub struct Switch {
    pub id: Uuid,
    pub reason: String,
    pub asked_by: UserId,
    pub asked_name: String,
    pub asked_at: OffsetDateTime,
    pub confirmed_name: Option<String>,
    pub confirmed_at: Option<OffsetDateTime>,
    pub off_name: Option<String>,
    pub off_at: Option<OffsetDateTime>,
}

impl Switch {
    #[must_use]
    pub const fn state(&self) -> LiveSwitchState {
        match (self.off_at, self.confirmed_at) {
            (Some(_), _) => LiveSwitchState::Off,
            (None, None) => LiveSwitchState::Asked,
            (None, Some(_)) => LiveSwitchState::On,
        }
    }
}

/// One change of the switch at a time.
pub async fn lock_switch(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('robots.live_switch', 29))")
        .execute(conn)
        .await?;
    Ok(())
}

/// The newest requests.
pub async fn switches(db: impl PgExecutor<'_>, limit: i64) -> Result<Vec<Switch>, Error> {
    let rows = sqlx::query!(
        r#"SELECT s.id, s.reason, s.asked_by, a.username AS asked_name, s.asked_at, c.username AS "confirmed_name?",
                  s.confirmed_at, o.username AS "off_name?", s.off_at
           FROM robots.live_switch s JOIN identity.account a ON a.id = s.asked_by
           LEFT JOIN identity.account c ON c.id = s.confirmed_by LEFT JOIN identity.account o ON o.id = s.off_by
           ORDER BY s.asked_at DESC, s.id DESC LIMIT $1"#,
        limit
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Switch {
            id: r.id,
            reason: r.reason,
            asked_by: UserId(r.asked_by),
            asked_name: r.asked_name,
            asked_at: r.asked_at,
            confirmed_name: r.confirmed_name,
            confirmed_at: r.confirmed_at,
            off_name: r.off_name,
            off_at: r.off_at,
        })
        .collect())
}

pub async fn is_on(db: impl PgExecutor<'_>) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM robots.live_switch WHERE confirmed_by IS NOT NULL AND off_at IS NULL) AS "on!""#
    )
    .fetch_one(db)
    .await?)
}

pub async fn insert_switch(
    conn: &mut PgConnection,
    id: Uuid,
    reason: &str,
    digest: &[u8],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO robots.live_switch (id, reason, digest, asked_by, asked_at) VALUES ($1, $2, $3, $4, $5)",
        id,
        reason,
        digest,
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn confirm_switch(
    conn: &mut PgConnection,
    id: Uuid,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.live_switch SET confirmed_by = $2, confirmed_at = $3 WHERE id = $1",
        id,
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_switch(
    conn: &mut PgConnection,
    id: Uuid,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE robots.live_switch SET off_by = $2, off_at = $3 WHERE id = $1",
        id,
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Operations that were begun and are not booked.
pub struct Open {
    pub count: i64,
    /// Since when the oldest of them is.
    pub since: Option<OffsetDateTime>,
    pub capital: Usdt,
}

pub async fn open_operations(db: impl PgExecutor<'_>) -> Result<Open, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(begun_at) AS since, foundation.clamped(coalesce(sum(size), 0)) AS "capital!"
           FROM robots.live_operation WHERE state <> 'booked'"#
    )
    .fetch_one(db)
    .await?;
    Ok(Open {
        count: row.count,
        since: row.since,
        capital: Usdt(row.capital),
    })
}

/// What booked operations have left behind.
pub async fn residues(pool: &PgPool) -> Result<LiveResidues, Error> {
    // Of coins that cost next to nothing a sum may exceed what a single amount can hold: it stays a text.
    let rows = sqlx::query!(
        r#"SELECT r.asset, trim_scale(sum(r.amount) / 100000000)::text AS "amount!", count(*) AS "operations!", max(r.at) AS "last_at!"
           FROM robots.residue r JOIN robots.live_operation o ON o.id = r.operation
           WHERE o.state = 'booked' GROUP BY r.asset ORDER BY r.asset"#
    )
    .fetch_all(pool)
    .await?;
    let counts = sqlx::query!(
        r#"SELECT count(*) AS "booked!", count(*) FILTER (WHERE EXISTS (SELECT FROM robots.residue r WHERE r.operation = o.id)) AS "left!"
           FROM robots.live_operation o WHERE o.state = 'booked'"#
    )
    .fetch_one(pool)
    .await?;
    Ok(LiveResidues {
        assets: rows
            .into_iter()
            .map(|r| LiveResidue {
                asset: r.asset,
                amount: r.amount,
                operations: r.operations,
                last_at: r.last_at,
            })
            .collect(),
        operations: counts.left,
        booked: counts.booked,
    })
}
