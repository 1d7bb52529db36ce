//! SQL of orders and trades.

use crate::{
    error::Error,
    foundation::http::Paging,
    identity::caller::Scope,
    presale::rules::reference::{Anchors, Day, Traded},
};
use protocol::{
    ids::{HoldId, PyxOrderId, PyxTradeId, SessionId, TransferId, UserId},
    money::{Pyx, Usdt},
    pyx::{PyxBook, PyxLevel, PyxOrderEnd, PyxOrderStatus, PyxOrderView, PyxSide, PyxTradeView},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// One change of the book at a time.
pub async fn lock_book(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('presale.book', 26))")
        .execute(conn)
        .await?;
    Ok(())
}

/// An order as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct Order {
    pub id: Uuid,
    pub user_id: Uuid,
    pub side: String,
    pub price: i64,
    pub quantity: i64,
    pub filled: i64,
    pub total: i64,
    pub status: String,
    pub ended: Option<String>,
    pub hold: Option<Uuid>,
    pub version: i64,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

fn word<T: std::str::FromStr<Err = ()>>(text: &str) -> Result<T, Error> {
    text.parse()
        .map_err(|()| Error::internal("an order with an unknown word"))
}

impl Order {
    pub fn side(&self) -> Result<PyxSide, Error> {
        word(&self.side)
    }

    #[must_use]
    pub const fn owner(&self) -> UserId {
        UserId(self.user_id)
    }

    #[must_use]
    pub const fn rest(&self) -> Pyx {
        Pyx(self.quantity - self.filled)
    }

    pub fn view(&self) -> Result<PyxOrderView, Error> {
        Ok(PyxOrderView {
            id: PyxOrderId(self.id),
            side: self.side()?,
            price: Usdt(self.price),
            quantity: Pyx(self.quantity),
            filled: Pyx(self.filled),
            total: Usdt(self.total),
            status: word::<PyxOrderStatus>(&self.status)?,
            end: self.ended.as_deref().map(word::<PyxOrderEnd>).transpose()?,
            created_at: self.created_at,
            updated_at: self.updated_at,
            version: self.version,
        })
    }
}

/// The orders that an incoming one of this side and price meets first: best price, then earliest. Without those of some people, and
/// without some orders.
pub async fn crossing(
    conn: &mut PgConnection,
    side: PyxSide,
    price: Usdt,
    without: (&[Uuid], &[Uuid]),
    most: i64,
) -> Result<Vec<Order>, Error> {
    let (people, orders) = without;
    let rows = match side {
        PyxSide::Buy => {
            sqlx::query_as!(
                Order,
                "SELECT id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
                 FROM presale.trade_order WHERE status = 'open' AND side = 'sell' AND price <= $1 AND user_id <> ALL($3) AND id <> ALL($4)
                 ORDER BY price, seq LIMIT $2",
                price.0,
                most,
                people,
                orders
            )
            .fetch_all(conn)
            .await?
        }
        PyxSide::Sell => {
            sqlx::query_as!(
                Order,
                "SELECT id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
                 FROM presale.trade_order WHERE status = 'open' AND side = 'buy' AND price >= $1 AND user_id <> ALL($3) AND id <> ALL($4)
                 ORDER BY price DESC, seq LIMIT $2",
                price.0,
                most,
                people,
                orders
            )
            .fetch_all(conn)
            .await?
        }
    };
    Ok(rows)
}

pub async fn open_orders(conn: &mut PgConnection, user: UserId) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM presale.trade_order WHERE user_id = $1 AND status = 'open'"#,
        user.0
    )
    .fetch_one(conn)
    .await?)
}

/// An order with all that became of it in the moment of its coming.
pub struct NewOrder {
    pub id: PyxOrderId,
    pub user: UserId,
    pub side: PyxSide,
    pub price: Usdt,
    pub quantity: Pyx,
    pub filled: Pyx,
    pub total: Usdt,
    pub status: PyxOrderStatus,
    pub end: Option<PyxOrderEnd>,
    pub hold: Option<HoldId>,
    pub settings_version: i32,
}

pub async fn insert(conn: &mut PgConnection, new: &NewOrder, now: OffsetDateTime) -> Result<Order, Error> {
    Ok(sqlx::query_as!(
        Order,
        "INSERT INTO presale.trade_order (id, user_id, side, price, quantity, filled, total, status, ended, hold, settings_version, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
         RETURNING id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at",
        new.id.0,
        new.user.0,
        new.side.as_str(),
        new.price.0,
        new.quantity.0,
        new.filled.0,
        new.total.0,
        new.status.as_str(),
        new.end.map(PyxOrderEnd::as_str),
        new.hold.map(|h| h.0),
        new.settings_version,
        now
    )
    .fetch_one(conn)
    .await?)
}

/// What became of a waiting order.
pub struct Change {
    pub filled: Pyx,
    pub total: Usdt,
    pub status: PyxOrderStatus,
    pub end: Option<PyxOrderEnd>,
    pub hold: Option<HoldId>,
}

pub async fn change(
    conn: &mut PgConnection,
    id: Uuid,
    change: &Change,
    now: OffsetDateTime,
) -> Result<Order, Error> {
    Ok(sqlx::query_as!(
        Order,
        "UPDATE presale.trade_order SET filled = $2, total = $3, status = $4, ended = $5, hold = $6, version = version + 1, updated_at = $7
         WHERE id = $1
         RETURNING id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at",
        id,
        change.filled.0,
        change.total.0,
        change.status.as_str(),
        change.end.map(PyxOrderEnd::as_str),
        change.hold.map(|h| h.0),
        now
    )
    .fetch_one(conn)
    .await?)
}

pub async fn find(conn: &mut PgConnection, scope: Scope, id: PyxOrderId) -> Result<Option<Order>, Error> {
    Ok(sqlx::query_as!(
        Order,
        "SELECT id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
         FROM presale.trade_order WHERE id = $1 AND ($2::uuid IS NULL OR user_id = $2) FOR UPDATE",
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?)
}

/// A person's open orders on the worse side of the anchors for them.
pub async fn open_unfair(
    conn: &mut PgConnection,
    user: UserId,
    anchors: Anchors,
) -> Result<Vec<Order>, Error> {
    Ok(sqlx::query_as!(
        Order,
        "SELECT id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
         FROM presale.trade_order WHERE user_id = $1 AND status = 'open'
             AND CASE side WHEN 'buy' THEN price > $2 ELSE price < $3 END ORDER BY seq FOR UPDATE",
        user.0,
        anchors.held_to(PyxSide::Buy).0,
        anchors.held_to(PyxSide::Sell).0
    )
    .fetch_all(conn)
    .await?)
}

/// A person's open orders to buy.
pub async fn open_buys(conn: &mut PgConnection, user: UserId) -> Result<Vec<Order>, Error> {
    Ok(sqlx::query_as!(
        Order,
        "SELECT id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
         FROM presale.trade_order WHERE user_id = $1 AND status = 'open' AND side = 'buy' ORDER BY seq FOR UPDATE",
        user.0
    )
    .fetch_all(conn)
    .await?)
}

pub struct NewTrade {
    pub id: PyxTradeId,
    pub buy_order: Uuid,
    pub sell_order: Uuid,
    pub buyer: UserId,
    pub seller: UserId,
    pub side: PyxSide,
    pub price: Usdt,
    pub quantity: Pyx,
    pub cost: Usdt,
    /// What its price is compared with, and what each side lost by it.
    pub anchors: Anchors,
    pub buyer_lost: Usdt,
    pub seller_lost: Usdt,
    pub transfer: TransferId,
}

/// Under the book's lock: trades are counted without a gap.
pub async fn insert_trade(conn: &mut PgConnection, new: &NewTrade, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO presale.trade (id, number, buy_order, sell_order, buyer, seller, side, price, quantity, cost, reference, lowest, highest, buyer_lost,
             seller_lost, ledger_transfer, at)
         VALUES ($1, (SELECT COALESCE(max(number), 0) + 1 FROM presale.trade), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
        new.id.0,
        new.buy_order,
        new.sell_order,
        new.buyer.0,
        new.seller.0,
        new.side.as_str(),
        new.price.0,
        new.quantity.0,
        new.cost.0,
        new.anchors.reference.0,
        new.anchors.lowest.0,
        new.anchors.highest.0,
        new.buyer_lost.0,
        new.seller_lost.0,
        new.transfer.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What two people traded with each other since then.
#[derive(Clone, Copy, Debug, Default)]
pub struct Between {
    pub trades: i64,
    /// What each lost to the other against the anchors.
    pub one_lost: Usdt,
    pub other_lost: Usdt,
}

pub async fn between(
    conn: &mut PgConnection,
    one: UserId,
    other: UserId,
    since: OffsetDateTime,
) -> Result<Between, Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "trades!",
                  foundation.clamped(COALESCE(sum(CASE buyer WHEN $1 THEN buyer_lost ELSE seller_lost END), 0)) AS "one!",
                  foundation.clamped(COALESCE(sum(CASE buyer WHEN $2 THEN buyer_lost ELSE seller_lost END), 0)) AS "other!"
           FROM presale.trade
           WHERE at > $3 AND ((buyer = $1 AND seller = $2) OR (buyer = $2 AND seller = $1))"#,
        one.0,
        other.0,
        since
    )
    .fetch_one(conn)
    .await?;
    Ok(Between {
        trades: row.trades,
        one_lost: Usdt(row.one),
        other_lost: Usdt(row.other),
    })
}

/// The days of the reference, the latest first: from one on, and the one before it.
pub async fn reference_days(db: impl PgExecutor<'_>, first: Date) -> Result<Vec<Day>, Error> {
    let rows = sqlx::query!(
        "SELECT day, base, price FROM presale.reference
         WHERE day >= COALESCE((SELECT max(day) FROM presale.reference WHERE day < $1), $1) ORDER BY day DESC",
        first
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Day {
            day: r.day,
            base: Usdt(r.base),
            price: Usdt(r.price),
        })
        .collect())
}

pub async fn put_reference(
    conn: &mut PgConnection,
    reference: Day,
    parts: i64,
    settings_version: i32,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO presale.reference (day, base, price, part, settings_version, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (day) DO UPDATE SET price = EXCLUDED.price, part = EXCLUDED.part, settings_version = EXCLUDED.settings_version,
             updated_at = EXCLUDED.updated_at",
        reference.day,
        reference.base.0,
        reference.price.0,
        parts,
        settings_version,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a session gave its code for trading.
pub async fn is_opened(conn: &mut PgConnection, session: SessionId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM presale.trading_session WHERE session = $1) AS "opened!""#,
        session.0
    )
    .fetch_one(conn)
    .await?)
}

pub async fn open_session(
    conn: &mut PgConnection,
    session: SessionId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO presale.trading_session (session, opened_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        session.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What people bought from each other since then. Trades without a reference are from before compliance was asked.
pub async fn traded(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Traded>, Error> {
    let rows = sqlx::query!(
        r#"SELECT buyer, seller, foundation.clamped(sum(cost)) AS "cost!", foundation.clamped(sum(quantity)) AS "quantity!"
           FROM presale.trade WHERE at > $1 AND reference IS NOT NULL GROUP BY buyer, seller"#,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Traded {
            buyer: UserId(r.buyer),
            seller: UserId(r.seller),
            cost: Usdt(r.cost),
            quantity: Pyx(r.quantity),
        })
        .collect())
}

/// Other sessions of a person give their code anew.
pub async fn close_other_sessions(
    conn: &mut PgConnection,
    owner: UserId,
    session: SessionId,
) -> Result<(), Error> {
    sqlx::query!(
        "DELETE FROM presale.trading_session t USING identity.session s WHERE s.id = t.session AND s.account = $1 AND s.id <> $2",
        owner.0,
        session.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What trades say of the price.
#[derive(Clone, Copy, Debug, Default)]
pub struct Volume {
    pub quantity: i64,
    pub last: Option<i64>,
    /// The first price since then.
    pub first: Option<i64>,
}

pub async fn volume(db: impl PgExecutor<'_>, since: OffsetDateTime) -> Result<Volume, Error> {
    Ok(sqlx::query_as!(
        Volume,
        r#"SELECT foundation.clamped(COALESCE(sum(quantity), 0)) AS "quantity!",
                  (SELECT price FROM presale.trade ORDER BY number DESC LIMIT 1) AS last,
                  (SELECT price FROM presale.trade WHERE at > $1 ORDER BY number LIMIT 1) AS first
           FROM presale.trade WHERE at > $1"#,
        since
    )
    .fetch_one(db)
    .await?)
}

/// The best prices of both sides with what waits there.
pub async fn depth(pool: &PgPool, levels: i64) -> Result<PyxBook, Error> {
    let level = |(price, quantity): (i64, i64)| PyxLevel {
        price: Usdt(price),
        quantity: Pyx(quantity),
    };
    let bids = sqlx::query!(
        r#"SELECT price, foundation.clamped(sum(quantity - filled)) AS "quantity!" FROM presale.trade_order
           WHERE status = 'open' AND side = 'buy' GROUP BY price ORDER BY price DESC LIMIT $1"#,
        levels
    )
    .fetch_all(pool)
    .await?;
    let asks = sqlx::query!(
        r#"SELECT price, foundation.clamped(sum(quantity - filled)) AS "quantity!" FROM presale.trade_order
           WHERE status = 'open' AND side = 'sell' GROUP BY price ORDER BY price LIMIT $1"#,
        levels
    )
    .fetch_all(pool)
    .await?;
    let trades = sqlx::query_scalar!(r#"SELECT COALESCE(max(number), 0) AS "n!" FROM presale.trade"#)
        .fetch_one(pool)
        .await?;
    Ok(PyxBook {
        bids: bids.into_iter().map(|r| level((r.price, r.quantity))).collect(),
        asks: asks.into_iter().map(|r| level((r.price, r.quantity))).collect(),
        trades,
    })
}

/// Trades, the latest first, and how many there are; only those after a number when one is given.
pub async fn trades(
    pool: &PgPool,
    after: i64,
    limit: i64,
    offset: i64,
) -> Result<(Vec<PyxTradeView>, i64), Error> {
    let total = sqlx::query_scalar!(r#"SELECT COALESCE(max(number), 0) AS "n!" FROM presale.trade"#)
        .fetch_one(pool)
        .await?;
    let rows = sqlx::query!(
        "SELECT number, price, quantity, side, at FROM presale.trade WHERE number > $1 ORDER BY number DESC LIMIT $2 OFFSET $3",
        after,
        limit,
        offset
    )
    .fetch_all(pool)
    .await?;
    let rows = rows
        .into_iter()
        .map(|r| {
            Ok(PyxTradeView {
                number: r.number,
                price: Usdt(r.price),
                quantity: Pyx(r.quantity),
                side: word(&r.side)?,
                at: r.at,
            })
        })
        .collect::<Result<_, Error>>()?;
    Ok((rows, total))
}

/// The trades of an hour.
#[derive(Clone, Debug)]
pub struct Candle {
    pub at: OffsetDateTime,
    pub open: i64,
    pub high: i64,
    pub low: i64,
    pub close: i64,
    pub quantity: i64,
}

pub async fn candles(pool: &PgPool, since: OffsetDateTime) -> Result<Vec<Candle>, Error> {
    Ok(sqlx::query_as!(
        Candle,
        r#"SELECT date_trunc('hour', at) AS "at!", (array_agg(price ORDER BY number))[1] AS "open!", max(price) AS "high!", min(price) AS "low!",
                  (array_agg(price ORDER BY number DESC))[1] AS "close!", foundation.clamped(sum(quantity)) AS "quantity!"
           FROM presale.trade WHERE at > $1 GROUP BY 1 ORDER BY 1"#,
        since
    )
    .fetch_all(pool)
    .await?)
}

/// What a list of orders is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<PyxOrderStatus>,
    pub side: Option<PyxSide>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(own) = scope.owner() {
        query.push(" AND user_id = ").push_bind(own);
    }
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    if let Some(side) = filter.side {
        query.push(" AND side = ").push_bind(side.as_str());
    }
    crate::foundation::listing::between(query, "created_at", filter.from, filter.until);
}

/// A page of orders and how many there are in all.
pub async fn list(
    pool: &PgPool,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Order>, i64), Error> {
    let mut conn = pool.acquire().await?;
    crate::foundation::listing::page(&mut conn, "presale.trade_order", paging, sort, |query| {
        restrict(query, scope, filter);
    })
    .await
}
