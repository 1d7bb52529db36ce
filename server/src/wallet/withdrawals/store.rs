//! SQL of withdrawals over the chain.

use crate::{
    error::Error,
    foundation::{business_day, http::Paging, listing},
    identity::{caller::Scope, roles},
    ledger::amount::Amount,
    wallet::{
        chain::{Coin, address, wei},
        deposits::store::column,
        sender::OutgoingId,
    },
};
use alloy::primitives::{Address, B256, U256};
use protocol::{
    ids::{ChainWithdrawalId, HoldId, OutboundId, TransferId, UserId},
    money::Usdt,
    views::{ChainOffer, ChainWithdrawalStatus as Status, ChainWithdrawalView},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

fn amount(stored: Amount) -> Result<U256, Error> {
    wei::read(stored.0).ok_or_else(|| Error::internal("a negative amount on the chain"))
}

fn place(stored: &[u8]) -> Result<Address, Error> {
    Address::try_from(stored).map_err(|_| Error::internal("an address of another length"))
}

fn coin(stored: &str) -> Result<Coin, Error> {
    stored.parse().map_err(|()| Error::internal("an unknown coin"))
}

fn status(stored: &str) -> Result<Status, Error> {
    stored
        .parse()
        .map_err(|()| Error::internal("a withdrawal of an unknown status"))
}

pub struct NewWithdrawal {
    pub id: ChainWithdrawalId,
    pub owner: UserId,
    pub coin: Coin,
    pub address: Address,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub wei: U256,
    pub rate: Usdt,
    pub hold: HoldId,
    /// Of a PYX withdrawal the fee's own; `hold` holds the PYX.
    pub fee_hold: Option<HoldId>,
    pub outbound: Option<OutboundId>,
    pub settings_version: i32,
    pub review: bool,
    pub approvals_needed: i16,
    pub link: [u8; 32],
    pub expires_at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, new: &NewWithdrawal, now: OffsetDateTime) -> Result<(), Error> {
    let wei = column(new.wei)?;
    sqlx::query!(
        "INSERT INTO wallet.withdrawal (id, owner, coin, address, usdt, fee, net, wei, rate, hold, outbound, settings_version, review,
             status, approvals_needed, link, created_at, waiting_since, expires_at, fee_hold)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'awaiting_email', $14, $15, $16, $16, $17, $18)",
        new.id.0,
        new.owner.0,
        new.coin.as_str(),
        new.address.as_slice(),
        new.value.0,
        new.fee.0,
        new.net.0,
        wei as Amount,
        new.rate.0,
        new.hold.0,
        new.outbound.map(|o| o.0),
        new.settings_version,
        new.review,
        new.approvals_needed,
        new.link.as_slice(),
        now,
        new.expires_at,
        new.fee_hold.map(|h| h.0)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A withdrawal as its row stands, locked.
#[derive(Clone, Debug)]
pub struct Locked {
    pub id: ChainWithdrawalId,
    pub owner: UserId,
    pub coin: Coin,
    pub address: Address,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub wei: U256,
    pub rate: Usdt,
    pub offer: Option<(U256, Usdt)>,
    pub hold: HoldId,
    pub fee_hold: Option<HoldId>,
    pub outbound: Option<OutboundId>,
    pub status: Status,
    pub digest: Option<Vec<u8>>,
    pub link: Option<Vec<u8>>,
    pub outgoing: Option<OutgoingId>,
    pub expires_at: OffsetDateTime,
}

pub async fn lock(
    conn: &mut PgConnection,
    scope: Scope,
    id: ChainWithdrawalId,
) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        r#"SELECT id, owner, coin, address, usdt, fee, net, wei AS "wei: Amount", rate, offer_wei AS "offer_wei: Amount", offer_rate, hold,
               fee_hold, outbound, status, digest, link, outgoing, expires_at
           FROM wallet.withdrawal WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE"#,
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Locked {
            id: r.id.into(),
            owner: r.owner.into(),
            coin: coin(&r.coin)?,
            address: place(&r.address)?,
            value: Usdt(r.usdt),
            fee: Usdt(r.fee),
            net: Usdt(r.net),
            wei: amount(r.wei)?,
            rate: Usdt(r.rate),
            offer: r
                .offer_wei
                .zip(r.offer_rate)
                .map(|(wei, rate)| Ok::<_, Error>((amount(wei)?, Usdt(rate))))
                .transpose()?,
            hold: r.hold.into(),
            fee_hold: r.fee_hold.map(HoldId::from),
            outbound: r.outbound.map(OutboundId::from),
            status: status(&r.status)?,
            digest: r.digest,
            link: r.link,
            outgoing: r.outgoing.map(OutgoingId),
            expires_at: r.expires_at,
        })
    })
    .transpose()
}

/// How long a reference that was higher still says what a PYX is worth.
const PYX_LOOKS_BACK: Duration = Duration::days(7);

/// What a PYX is worth: the last trade's price, or the highest that the book's reference was of late where that is higher, so that neither
/// a trade at the bottom of the band nor a reference that was pushed down makes what leaves look smaller; before any trade the price of
/// the round which began last.
pub async fn pyx_price(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Option<Usdt>, Error> {
    let price = sqlx::query_scalar!(
        r#"SELECT greatest((SELECT price FROM presale.reference ORDER BY day DESC LIMIT 1),
               (SELECT max(greatest(base, price)) FROM presale.reference WHERE day > $2),
               coalesce((SELECT price FROM presale.trade ORDER BY number DESC LIMIT 1),
                   (SELECT price FROM presale.round WHERE status = 'agreed' AND starts_at <= $1 ORDER BY starts_at DESC LIMIT 1))) AS price"#,
        now,
        business_day::of(now) - PYX_LOOKS_BACK
    )
    .fetch_one(conn)
    .await?;
    Ok(price.map(Usdt))
}

/// The withdrawal that a link's hash stands for.
pub async fn by_link(
    db: impl PgExecutor<'_>,
    owner: UserId,
    link: &[u8; 32],
) -> Result<Option<ChainWithdrawalId>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM wallet.withdrawal WHERE link = $1 AND owner = $2",
        link.as_slice(),
        owner.0
    )
    .fetch_optional(db)
    .await?
    .map(ChainWithdrawalId::from))
}

/// A fresh link; the one before it is good for nothing.
pub async fn set_link(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    link: &[u8; 32],
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET link = $2, expires_at = $3, version = version + 1 WHERE id = $1",
        id.0,
        link.as_slice(),
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Its user followed the link: into the approvers' queue.
pub async fn confirm(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    now: OffsetDateTime,
    expires_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET status = 'pending', link = NULL, waiting_since = $2, expires_at = $3, version = version + 1 WHERE id = $1",
        id.0,
        now,
        expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_status(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    status: Status,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET status = $2, reason = $3, decided_at = CASE WHEN $2 IN ('approved', 'rejected', 'canceled', 'expired')
             THEN $4 ELSE decided_at END, waiting_since = CASE WHEN $2 IN ('approved', 'failed') THEN $4 ELSE waiting_since END,
             link = NULL, offer_wei = NULL, offer_rate = NULL, version = version + 1 WHERE id = $1",
        id.0,
        status.as_str(),
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The rate moved: what was approved so far is void, its user is asked.
pub async fn offer(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    wei: U256,
    rate: Usdt,
) -> Result<(), Error> {
    let wei = column(wei)?;
    sqlx::query!(
        "UPDATE wallet.withdrawal SET status = 'awaiting_confirmation', offer_wei = $2, offer_rate = $3, approvals = 0, digest = NULL,
             version = version + 1 WHERE id = $1",
        id.0,
        wei as Amount,
        rate.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Its user takes the offer: back into the queue.
pub async fn take_offer(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET status = 'pending', wei = offer_wei, rate = offer_rate, offer_wei = NULL, offer_rate = NULL,
             waiting_since = $2, version = version + 1 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_approvals(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    digest: &[u8; 32],
    approvals: i16,
    needed: i16,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET digest = $2, approvals = $3, approvals_needed = $4, version = version + 1 WHERE id = $1",
        id.0,
        digest.as_slice(),
        approvals,
        needed
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_outgoing(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    outgoing: Option<OutgoingId>,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET outgoing = $2, version = version + 1 WHERE id = $1",
        id.0,
        outgoing.map(|o| o.0)
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Something about its transaction changed.
pub async fn touch(conn: &mut PgConnection, id: ChainWithdrawalId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn complete(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    transfer: TransferId,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.withdrawal SET status = 'complete', transfer = $2, version = version + 1 WHERE id = $1",
        id.0,
        transfer.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Approved ones that no transaction of this sender carries yet, oldest first.
pub async fn unqueued(
    db: impl PgExecutor<'_>,
    hot: Address,
    count: i64,
) -> Result<Vec<ChainWithdrawalId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT w.id FROM wallet.withdrawal w LEFT JOIN wallet.outgoing o ON o.id = w.outgoing
         WHERE w.status = 'approved' AND (o.id IS NULL OR o.state IN ('dropped', 'failed') OR (o.state = 'queued' AND o.sender <> $1))
         ORDER BY w.decided_at, w.id LIMIT $2",
        hot.as_slice(),
        count
    )
    .fetch_all(db)
    .await?;
    Ok(ids.into_iter().map(ChainWithdrawalId::from).collect())
}

/// Whether an address is one of the deposit addresses, and how many of these there are.
pub async fn deposit_address(conn: &mut PgConnection, address: Address) -> Result<(bool, u32), Error> {
    let row = sqlx::query!(
        r#"SELECT EXISTS (SELECT FROM wallet.deposit_address WHERE address = $1) AS "is!",
                  coalesce((SELECT max(number) + 1 FROM wallet.deposit_address), 0) AS "count!""#,
        address.as_slice()
    )
    .fetch_one(conn)
    .await?;
    Ok((row.is, u32::try_from(row.count).unwrap_or(0)))
}

/// Whether all approvals that are needed are there for exactly this: the database's own word.
pub async fn approved(
    conn: &mut PgConnection,
    id: ChainWithdrawalId,
    digest: &[u8; 32],
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT approvals.is_approved('crypto_withdrawal', $1, $2) AS "is!""#,
        id.0,
        digest.as_slice()
    )
    .fetch_one(conn)
    .await?)
}

/// Undecided ones past their time, locked.
pub async fn overdue(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    max: i64,
) -> Result<Vec<ChainWithdrawalId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM wallet.withdrawal WHERE status IN ('awaiting_email', 'pending', 'awaiting_confirmation') AND expires_at <= $1
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED",
        now,
        max
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(ChainWithdrawalId::from).collect())
}

/// What a person has asked for and not got, and of which nothing can be on the chain: oldest first, locked.
pub async fn unsent(conn: &mut PgConnection, owner: UserId) -> Result<Vec<ChainWithdrawalId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM wallet.withdrawal WHERE owner = $1 AND status IN ('awaiting_email', 'pending', 'awaiting_confirmation', 'approved', 'failed')
         ORDER BY created_at, id FOR UPDATE",
        owner.0
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(ChainWithdrawalId::from).collect())
}

/// A line of `wallet.withdrawal_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    id: Uuid,
    owner: Uuid,
    coin: String,
    address: Vec<u8>,
    usdt: i64,
    fee: i64,
    net: i64,
    wei: Amount,
    rate: i64,
    offer_wei: Option<Amount>,
    offer_rate: Option<i64>,
    pub review: bool,
    status: String,
    reason: Option<String>,
    approvals: i16,
    approvals_needed: i16,
    version: i64,
    created_at: OffsetDateTime,
    waiting_since: OffsetDateTime,
    expires_at: OffsetDateTime,
    decided_at: Option<OffsetDateTime>,
    username: String,
    pub full_name: String,
    pub email: String,
    pub member_since: OffsetDateTime,
    block: Option<i64>,
    completed_at: Option<OffsetDateTime>,
    sent_at: Option<OffsetDateTime>,
    tx: Option<Vec<u8>>,
    pub paid_before: i64,
    pub address_known: bool,
    pub address_shared: bool,
    pub day_before: i64,
}

impl Shown {
    pub fn view(&self) -> Result<ChainWithdrawalView, Error> {
        let status = status(&self.status)?;
        let offer = self
            .offer_wei
            .zip(self.offer_rate)
            .map(|(wei, rate)| {
                Ok::<_, Error>(ChainOffer {
                    amount: amount(wei)?.to_string(),
                    rate: Usdt(rate),
                })
            })
            .transpose()?;
        let transaction = self
            .tx
            .as_deref()
            .map(|tx| B256::try_from(tx).map_err(|_| Error::internal("a hash of another length")))
            .transpose()?;
        Ok(ChainWithdrawalView {
            id: self.id.into(),
            user: self.owner.into(),
            username: self.username.clone(),
            coin: coin(&self.coin)?,
            address: address::write(place(&self.address)?),
            value: Usdt(self.usdt),
            fee: Usdt(self.fee),
            net: Usdt(self.net),
            amount: amount(self.wei)?.to_string(),
            rate: Usdt(self.rate),
            status,
            reason: self.reason.clone(),
            offer,
            transaction: transaction.map(|tx| tx.to_string()),
            block: self.block,
            approvals: self.approvals,
            approvals_needed: self.approvals_needed,
            waiting_since: self.waiting_since,
            expires_at: self.expires_at,
            decided_at: self.decided_at,
            sent_at: self.sent_at,
            completed_at: self.completed_at.filter(|_| status == Status::Complete),
            created_at: self.created_at,
            version: self.version,
        })
    }
}

/// What a list is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub coin: Option<Coin>,
    /// One customer's, for staff.
    pub owner: Option<UserId>,
    pub search: Option<String>,
    /// Name of a role that the customer holds; for staff.
    pub function: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(owner) = scope.owner() {
        query.push(" AND owner = ").push_bind(owner);
    }
    if let (Some(owner), Scope::Staff(_)) = (filter.owner, scope) {
        query.push(" AND owner = ").push_bind(owner.0);
    }
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    if let Some(coin) = filter.coin {
        query.push(" AND coin = ").push_bind(coin.as_str());
    }
    if let (Some(role), Scope::Staff(_)) = (&filter.function, scope) {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    let Some(search) = &filter.search else { return };
    let people: &[&'static str] = match scope {
        Scope::Staff(_) => &["username", "full_name", "email"],
        _ => &[],
    };
    listing::any_like(query, people, search);
    let digits = search.trim_start_matches("0x");
    if !digits.is_empty()
        && digits.len() % 2 == 0
        && let Ok(bytes) = hex::decode(digits)
    {
        query.push(" OR address = ").push_bind(bytes.clone());
        query.push(" OR tx = ").push_bind(bytes);
    }
    query.push(")");
}

/// A page of withdrawals and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    listing::page(conn, "wallet.withdrawal_shown", paging, sort, |query| {
        restrict(query, scope, filter)
    })
    .await
}

pub async fn shown(
    conn: &mut PgConnection,
    scope: Scope,
    id: ChainWithdrawalId,
) -> Result<Option<Shown>, Error> {
    listing::find(conn, "wallet.withdrawal_shown", id.0, |query| {
        restrict(query, scope, &Filter::default());
    })
    .await
}

/// Length of the staff's queue (to decide, to send, to give back) and since when its oldest waits.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(waiting_since) AS oldest FROM wallet.withdrawal WHERE status IN ('pending', 'failed')"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.pending, row.oldest))
}

/// Changes of the queue one after another, so that the length that each reports is the length at its commit.
pub async fn lock_queue(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('crypto-withdrawals', 8))")
        .execute(conn)
        .await?;
    Ok(())
}
