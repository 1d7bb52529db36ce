//! SQL of orders and trades.

use crate::{
    error::Error,
    foundation::http::Paging,
    identity::caller::Scope,
    presale::{
        rules::reference::{Anchors, Day},
        store::Span,
    },
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

/// The book as an order finds it.
pub struct Entered {
    pub rounds: Vec<Span>,
    /// The days of the reference, the latest first.
    pub days: Vec<Day>,
    /// Of the person who orders.
    pub open_orders: i64,
}

/// Takes the book's lock and reads what is asked of it behind that: the reference's days from one on, with the one before it. None for a
/// session that may not trade, and then nothing is locked.
pub async fn enter(
    conn: &mut PgConnection,
    session: SessionId,
    user: UserId,
    first: Date,
) -> Result<Option<Entered>, Error> {
    let row = sqlx::query!(
        r#"SELECT opened AS "opened!", starts, ends, prices, days, bases, levels, open_orders FROM presale.enter_book($1, $2, $3)"#,
        session.0,
        user.0,
        first
    )
    .fetch_one(conn)
    .await?;
    if !row.opened {
        return Ok(None);
    }
    let (starts, ends) = (row.starts.unwrap_or_default(), row.ends.unwrap_or_default());
    let spans = starts.into_iter().zip(ends).zip(row.prices.unwrap_or_default());
    let (days, bases) = (row.days.unwrap_or_default(), row.bases.unwrap_or_default());
    let levels = days.into_iter().zip(bases).zip(row.levels.unwrap_or_default());
    Ok(Some(Entered {
        rounds: spans
            .map(|((starts_at, ends_at), price)| Span {
                starts_at,
                ends_at,
                price: Usdt(price),
            })
            .collect(),
        days: levels
            .map(|((day, base), price)| Day {
                day,
                base: Usdt(base),
                price: Usdt(price),
            })
            .collect(),
        open_orders: row.open_orders.unwrap_or(0),
    }))
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

/// What became of a waiting order.
pub struct Change {
    pub id: Uuid,
    pub filled: Pyx,
    pub total: Usdt,
    pub status: PyxOrderStatus,
    pub end: Option<PyxOrderEnd>,
    pub hold: Option<HoldId>,
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

/// Where the reference is now, with what it was counted by.
#[derive(Clone, Copy)]
pub struct Moved {
    pub day: Day,
    pub parts: i64,
    pub settings_version: i32,
}

/// All that an order does to the book, or those who end orders: written at once.
#[derive(Default)]
pub struct Record {
    pub placed: Option<NewOrder>,
    pub changes: Vec<Change>,
    pub trades: Vec<NewTrade>,
    pub reference: Option<Moved>,
}

/// Writes it under the book's lock, where trades are counted without a gap; the orders as they are now, the one that was placed first.
pub async fn record(
    conn: &mut PgConnection,
    record: &Record,
    now: OffsetDateTime,
) -> Result<Vec<Order>, Error> {
    let (placed, changes, trades) = (&record.placed, &record.changes, &record.trades);
    let reference = record.reference.as_ref();
    let of = |f: fn(&NewTrade) -> i64| trades.iter().map(f).collect::<Vec<i64>>();
    let ids = |f: fn(&NewTrade) -> Uuid| trades.iter().map(f).collect::<Vec<Uuid>>();
    let sides: Vec<&str> = trades.iter().map(|t| t.side.as_str()).collect();
    let placed_of = |f: fn(&NewOrder) -> i64| placed.iter().map(f).collect::<Vec<i64>>();
    let placed_ids: Vec<Uuid> = placed.iter().map(|p| p.id.0).collect();
    let placed_users: Vec<Uuid> = placed.iter().map(|p| p.user.0).collect();
    let placed_sides: Vec<&str> = placed.iter().map(|p| p.side.as_str()).collect();
    let placed_statuses: Vec<&str> = placed.iter().map(|p| p.status.as_str()).collect();
    let placed_ends: Vec<Option<&str>> = placed.iter().map(|p| p.end.map(PyxOrderEnd::as_str)).collect();
    let placed_holds: Vec<Option<Uuid>> = placed.iter().map(|p| p.hold.map(|h| h.0)).collect();
    let placed_versions: Vec<i32> = placed.iter().map(|p| p.settings_version).collect();
    let changed_ids: Vec<Uuid> = changes.iter().map(|c| c.id).collect();
    let changed_filled: Vec<i64> = changes.iter().map(|c| c.filled.0).collect();
    let changed_totals: Vec<i64> = changes.iter().map(|c| c.total.0).collect();
    let changed_statuses: Vec<&str> = changes.iter().map(|c| c.status.as_str()).collect();
    let changed_ends: Vec<Option<&str>> = changes.iter().map(|c| c.end.map(PyxOrderEnd::as_str)).collect();
    let changed_holds: Vec<Option<Uuid>> = changes.iter().map(|c| c.hold.map(|h| h.0)).collect();
    Ok(sqlx::query_as!(
        Order,
        r#"WITH placed AS (
               INSERT INTO presale.trade_order (id, user_id, side, price, quantity, filled, total, status, ended, hold, settings_version,
                   created_at, updated_at)
               SELECT n.*, $1::timestamptz, $1::timestamptz
               FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::text[],
                           $11::uuid[], $12::int[]) AS n(id, user_id, side, price, quantity, filled, total, status, ended, hold, version)
               RETURNING id, user_id, side, price, quantity, filled, total, status, ended, hold, version, created_at, updated_at
           ), changed AS (
               UPDATE presale.trade_order o SET filled = n.filled, total = n.total, status = n.status, ended = n.ended, hold = n.hold,
                   version = o.version + 1, updated_at = $1
               FROM unnest($13::uuid[], $14::bigint[], $15::bigint[], $16::text[], $17::text[], $18::uuid[])
                    AS n(id, filled, total, status, ended, hold)
               WHERE o.id = n.id
               RETURNING o.id, o.user_id, o.side, o.price, o.quantity, o.filled, o.total, o.status, o.ended, o.hold, o.version, o.created_at,
                   o.updated_at
           ), traded AS (
               INSERT INTO presale.trade (id, number, buy_order, sell_order, buyer, seller, side, price, quantity, cost, reference, lowest,
                   highest, buyer_lost, seller_lost, ledger_transfer, at)
               SELECT n.id, (SELECT coalesce(max(t.number), 0) FROM presale.trade t) + n.place, n.buy_order, n.sell_order, n.buyer, n.seller,
                   n.side, n.price, n.quantity, n.cost, n.reference, n.lowest, n.highest, n.buyer_lost, n.seller_lost, n.transfer, $1
               FROM unnest($19::uuid[], $20::uuid[], $21::uuid[], $22::uuid[], $23::uuid[], $24::text[], $25::bigint[], $26::bigint[],
                           $27::bigint[], $28::bigint[], $29::bigint[], $30::bigint[], $31::bigint[], $32::bigint[], $33::uuid[])
                    WITH ORDINALITY AS n(id, buy_order, sell_order, buyer, seller, side, price, quantity, cost, reference, lowest, highest,
                        buyer_lost, seller_lost, transfer, place)
           ), reference AS (
               INSERT INTO presale.reference (day, base, price, part, settings_version, updated_at)
               SELECT $34::date, $35::bigint, $36::bigint, $37::bigint, $38::int, $1 WHERE $34 IS NOT NULL
               ON CONFLICT (day) DO UPDATE SET price = EXCLUDED.price, part = EXCLUDED.part, settings_version = EXCLUDED.settings_version,
                   updated_at = EXCLUDED.updated_at
           )
           SELECT id AS "id!", user_id AS "user_id!", side AS "side!", price AS "price!", quantity AS "quantity!", filled AS "filled!",
                  total AS "total!", status AS "status!", ended, hold, version AS "version!", created_at AS "created_at!",
                  updated_at AS "updated_at!"
           FROM placed UNION ALL SELECT * FROM changed"#,
        now,
        &placed_ids,
        &placed_users,
        &placed_sides as &[&str],
        &placed_of(|p| p.price.0),
        &placed_of(|p| p.quantity.0),
        &placed_of(|p| p.filled.0),
        &placed_of(|p| p.total.0),
        &placed_statuses as &[&str],
        &placed_ends as &[Option<&str>],
        &placed_holds as &[Option<Uuid>],
        &placed_versions,
        &changed_ids,
        &changed_filled,
        &changed_totals,
        &changed_statuses as &[&str],
        &changed_ends as &[Option<&str>],
        &changed_holds as &[Option<Uuid>],
        &ids(|t| t.id.0),
        &ids(|t| t.buy_order),
        &ids(|t| t.sell_order),
        &ids(|t| t.buyer.0),
        &ids(|t| t.seller.0),
        &sides as &[&str],
        &of(|t| t.price.0),
        &of(|t| t.quantity.0),
        &of(|t| t.cost.0),
        &of(|t| t.anchors.reference.0),
        &of(|t| t.anchors.lowest.0),
        &of(|t| t.anchors.highest.0),
        &of(|t| t.buyer_lost.0),
        &of(|t| t.seller_lost.0),
        &ids(|t| t.transfer.0),
        reference.map(|r| r.day.day),
        reference.map(|r| r.day.base.0),
        reference.map(|r| r.day.price.0),
        reference.map(|r| r.parts),
        reference.map(|r| r.settings_version)
    )
    .fetch_all(conn)
    .await?)
}

/// What one person bought from another since a moment.
#[derive(Clone, Copy, Debug)]
pub struct Dealt {
    pub buyer: UserId,
    pub seller: UserId,
    pub trades: i64,
    /// What each lost to the other against the anchors.
    pub buyer_lost: Usdt,
    pub seller_lost: Usdt,
    /// Of trades with a reference: those before compliance was asked have none.
    pub cost: Usdt,
    pub quantity: Pyx,
}

pub async fn dealt(conn: &mut PgConnection, since: OffsetDateTime) -> Result<Vec<Dealt>, Error> {
    let rows = sqlx::query!(
        r#"SELECT buyer, seller, count(*) AS "trades!", foundation.clamped(sum(buyer_lost)) AS "buyer_lost!",
                  foundation.clamped(sum(seller_lost)) AS "seller_lost!",
                  foundation.clamped(coalesce(sum(cost) FILTER (WHERE reference IS NOT NULL), 0)) AS "cost!",
                  foundation.clamped(coalesce(sum(quantity) FILTER (WHERE reference IS NOT NULL), 0)) AS "quantity!"
           FROM presale.trade WHERE at > $1 GROUP BY buyer, seller"#,
        since
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Dealt {
            buyer: UserId(r.buyer),
            seller: UserId(r.seller),
            trades: r.trades,
            buyer_lost: Usdt(r.buyer_lost),
            seller_lost: Usdt(r.seller_lost),
            cost: Usdt(r.cost),
            quantity: Pyx(r.quantity),
        })
        .collect())
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
    as_of: Option<OffsetDateTime>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<PyxTradeView>, i64), Error> {
    let total = sqlx::query_scalar!(
        r#"SELECT COALESCE(max(number), 0) AS "n!" FROM presale.trade WHERE $1::timestamptz IS NULL OR at <= $1"#,
        as_of
    )
    .fetch_one(pool)
    .await?;
    let rows = sqlx::query!(
        "SELECT number, price, quantity, side, at FROM presale.trade WHERE number > $1 AND number <= $2 ORDER BY number DESC LIMIT $3 OFFSET $4",
        after,
        total,
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
