//! SQL of deposits over the chain: addresses, deposits, what their screens show.

use super::rules;
use crate::{
    error::Error,
    foundation::{
        http::Paging,
        listing::{self, Came, DaysReport, Summed},
        settings::Settings,
    },
    identity::{caller::Scope, roles},
    ledger::amount::Amount,
    wallet::chain::{
        Coin, address,
        stored::{amount, column, place},
        wei,
    },
};
use alloy::primitives::{Address, B256, U256};
use protocol::{
    ids::{ChainDepositId, UserId},
    money::Usdt,
    views::{ChainDepositStatus as Status, ChainDepositView, DepositOutcome, DepositProduct, PendingCause},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use std::str::FromStr;
use time::OffsetDateTime;
use uuid::Uuid;

fn word<T: FromStr>(text: &str) -> Result<T, Error> {
    text.parse()
        .map_err(|_| Error::internal(format!("an unknown word in a deposit: {text}")))
}

/// A deposit as its row stands, locked.
#[derive(Clone, Debug)]
pub struct Deposit {
    pub id: ChainDepositId,
    pub owner: UserId,
    /// Number of its address.
    pub address: i32,
    pub parent: Option<ChainDepositId>,
    pub product: DepositProduct,
    pub coin: Option<Coin>,
    pub contract: Option<Address>,
    pub plan: Option<Uuid>,
    pub is_high_risk: bool,
    pub value: Option<Usdt>,
    pub due: Option<U256>,
    pub expires_at: Option<OffsetDateTime>,
    pub status: Status,
    pub outcome: Option<DepositOutcome>,
    pub pending_cause: Option<PendingCause>,
    pub received: U256,
    pub seen: U256,
    pub seen_block: Option<u64>,
    pub tx: Option<B256>,
    pub rate: Option<Usdt>,
    pub credited: Option<Usdt>,
    pub fee: Option<Usdt>,
    pub transfer: Option<Uuid>,
    pub hold: Option<Uuid>,
    /// What was opened with it: a licence, or an entry of a pool.
    pub licence: Option<Uuid>,
    pub reason: Option<String>,
    pub refund: Option<B256>,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub digest: Option<Vec<u8>>,
    pub reversed_at: Option<OffsetDateTime>,
    pub settings_version: i32,
    pub version: i64,
    pub created_at: OffsetDateTime,
    pub waiting_since: Option<OffsetDateTime>,
    pub decided_at: Option<OffsetDateTime>,
}

impl Deposit {
    /// A fresh one that nobody has paid to yet.
    pub fn new(
        owner: UserId,
        address: i32,
        product: DepositProduct,
        status: Status,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id: ChainDepositId::fresh(),
            owner,
            address,
            parent: None,
            product,
            coin: None,
            contract: None,
            plan: None,
            is_high_risk: false,
            value: None,
            due: None,
            expires_at: None,
            status,
            outcome: None,
            pending_cause: None,
            received: U256::ZERO,
            seen: U256::ZERO,
            seen_block: None,
            tx: None,
            rate: None,
            credited: None,
            fee: None,
            transfer: None,
            hold: None,
            licence: None,
            reason: None,
            refund: None,
            approvals: 0,
            approvals_needed: 1,
            digest: None,
            reversed_at: None,
            settings_version: 0,
            version: 1,
            created_at: now,
            waiting_since: None,
            decided_at: None,
        }
    }
}

/// A line of `wallet.deposit`.
#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    owner: Uuid,
    address: i32,
    parent: Option<Uuid>,
    product: String,
    coin: Option<String>,
    contract: Option<Vec<u8>>,
    plan: Option<Uuid>,
    is_high_risk: bool,
    value: Option<i64>,
    due: Option<Amount>,
    expires_at: Option<OffsetDateTime>,
    status: String,
    outcome: Option<String>,
    pending_cause: Option<String>,
    received: Amount,
    seen: Amount,
    seen_block: Option<i64>,
    tx: Option<Vec<u8>>,
    rate: Option<i64>,
    credited: Option<i64>,
    fee: Option<i64>,
    transfer: Option<Uuid>,
    hold: Option<Uuid>,
    licence: Option<Uuid>,
    reason: Option<String>,
    refund: Option<Vec<u8>>,
    approvals: i16,
    approvals_needed: i16,
    digest: Option<Vec<u8>>,
    reversed_at: Option<OffsetDateTime>,
    settings_version: i32,
    version: i64,
    created_at: OffsetDateTime,
    waiting_since: Option<OffsetDateTime>,
    decided_at: Option<OffsetDateTime>,
}

fn hash(bytes: Option<Vec<u8>>) -> Option<B256> {
    bytes.and_then(|b| B256::try_from(b.as_slice()).ok())
}

impl TryFrom<Row> for Deposit {
    type Error = Error;

    fn try_from(r: Row) -> Result<Self, Error> {
        Ok(Self {
            id: r.id.into(),
            owner: r.owner.into(),
            address: r.address,
            parent: r.parent.map(Into::into),
            product: word(&r.product)?,
            coin: r.coin.as_deref().map(word).transpose()?,
            contract: r.contract.and_then(|c| Address::try_from(c.as_slice()).ok()),
            plan: r.plan,
            is_high_risk: r.is_high_risk,
            value: r.value.map(Usdt),
            due: r.due.map(amount).transpose()?,
            expires_at: r.expires_at,
            status: word(&r.status)?,
            outcome: r.outcome.as_deref().map(word).transpose()?,
            pending_cause: r.pending_cause.as_deref().map(word).transpose()?,
            received: amount(r.received)?,
            seen: amount(r.seen)?,
            seen_block: r.seen_block.and_then(|b| u64::try_from(b).ok()),
            tx: hash(r.tx),
            rate: r.rate.map(Usdt),
            credited: r.credited.map(Usdt),
            fee: r.fee.map(Usdt),
            transfer: r.transfer,
            hold: r.hold,
            licence: r.licence,
            reason: r.reason,
            refund: hash(r.refund),
            approvals: r.approvals,
            approvals_needed: r.approvals_needed,
            digest: r.digest,
            reversed_at: r.reversed_at,
            settings_version: r.settings_version,
            version: r.version,
            created_at: r.created_at,
            waiting_since: r.waiting_since,
            decided_at: r.decided_at,
        })
    }
}

/// A line of `wallet.deposit_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    #[sqlx(flatten)]
    row: Row,
    pub username: String,
    pub full_name: String,
    pub email: String,
    pub member_since: OffsetDateTime,
    on_chain: Vec<u8>,
    pub credited_before: i64,
}

impl Shown {
    pub fn id(&self) -> Uuid {
        self.row.id
    }

    /// `scanned`: how far the watcher has read; `needed`: confirmations; `settings`: those of now.
    pub fn view(self, scanned: u64, needed: u64, settings: &Settings) -> Result<ChainDepositView, Error> {
        let on_chain = place(&self.on_chain)?;
        let d = Deposit::try_from(self.row)?;
        let price = rules::price(d.value, d.due.and_then(wei::usdt), settings);
        let settled = d.transfer.is_some() || d.pending_cause.is_some();
        let confirmations = match d.seen_block {
            _ if settled => u32::try_from(needed).unwrap_or(u32::MAX),
            Some(block) => rules::confirmations(scanned, block, needed),
            None => 0,
        };
        Ok(ChainDepositView {
            id: d.id,
            user: d.owner,
            username: self.username,
            product: d.product,
            coin: d.coin,
            contract: d.contract.map(address::write),
            address: address::write(on_chain),
            plan: d.plan.map(Into::into),
            is_high_risk: d.is_high_risk,
            value: d.value,
            due: d.due.map(|w| w.to_string()),
            received: d.received.to_string(),
            seen: d.seen.to_string(),
            expires_at: d.expires_at,
            status: d.status,
            outcome: d.outcome,
            pending_cause: d.pending_cause,
            transaction: d.tx.map(|t| t.to_string()),
            confirmations,
            confirmations_needed: u32::try_from(needed).unwrap_or(u32::MAX),
            rate: d.rate,
            credited: d.credited,
            fee: d.fee,
            price: d.transfer.is_none().then_some(price),
            licence: d
                .licence
                .filter(|_| d.product == DepositProduct::License)
                .map(Into::into),
            reason: d.reason,
            refund: d.refund.map(|t| t.to_string()),
            reversed: d.reversed_at.is_some(),
            approvals: d.approvals,
            approvals_needed: d.approvals_needed,
            waiting_since: d.waiting_since,
            created_at: d.created_at,
            version: d.version,
        })
    }
}

/// What a list is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub product: Option<DepositProduct>,
    pub coin: Option<Coin>,
    pub owner: Option<UserId>,
    pub search: Option<String>,
    /// Name of a role that the customer holds.
    pub function: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(owner) = scope.owner().or(filter.owner.map(|o| o.0)) {
        query.push(" AND owner = ").push_bind(owner);
    }
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    if let Some(product) = filter.product {
        query.push(" AND product = ").push_bind(product.as_str());
    }
    if let Some(coin) = filter.coin {
        query.push(" AND coin = ").push_bind(coin.as_str());
    }
    if let Some(role) = &filter.function {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    let Some(search) = &filter.search else { return };
    let people: &[&'static str] = match scope {
        Scope::Staff(_) => &["username", "full_name", "email"],
        _ => &[],
    };
    listing::any_like(query, people, search);
    let digits = address::digits(search);
    if digits.len().is_multiple_of(2)
        && let Ok(bytes) = hex::decode(digits)
    {
        query.push(" OR on_chain = ").push_bind(bytes.clone());
        query.push(" OR tx = ").push_bind(bytes);
    }
    query.push(")");
}

/// A page of deposits and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    listing::page(conn, "wallet.deposit_shown", paging, sort, |query| {
        restrict(query, scope, filter)
    })
    .await
}

/// What was credited; what a reorganisation took back is not counted.
const CREDITED: Summed = Summed {
    of: "wallet.deposit_shown",
    came: Came::At("created_at"),
    amount: "credited",
    counted: "credited > 0 AND reversed_at IS NULL",
};

pub async fn credited(conn: &mut PgConnection, scope: Scope, filter: &Filter) -> Result<DaysReport, Error> {
    listing::by_day(conn, CREDITED, |query| restrict(query, scope, filter)).await
}

pub async fn shown(
    conn: &mut PgConnection,
    scope: Scope,
    id: ChainDepositId,
) -> Result<Option<Shown>, Error> {
    listing::find(conn, "wallet.deposit_shown", id.0, |query| {
        restrict(query, scope, &Filter::default());
    })
    .await
}

/// Open intents of one's own for exactly this.
pub async fn open_like(
    conn: &mut PgConnection,
    owner: UserId,
    product: DepositProduct,
    plan: Uuid,
    value: Usdt,
) -> Result<Option<Shown>, Error> {
    let mut query = QueryBuilder::new("SELECT * FROM wallet.deposit_shown WHERE owner = ");
    query
        .push_bind(owner.0)
        .push(" AND product = ")
        .push_bind(product.as_str())
        .push(" AND plan = ")
        .push_bind(plan)
        .push(" AND value = ")
        .push_bind(value.0)
        .push(" AND status IN ('waiting_for_buyer_funds', 'pending') AND expires_at IS NOT NULL ORDER BY created_at DESC LIMIT 1");
    Ok(query.build_query_as().fetch_optional(conn).await?)
}

async fn locked(conn: &mut PgConnection, mut query: QueryBuilder<Postgres>) -> Result<Vec<Deposit>, Error> {
    query.push(" FOR UPDATE");
    let rows: Vec<Row> = query.build_query_as().fetch_all(conn).await?;
    rows.into_iter().map(Deposit::try_from).collect()
}

pub async fn lock(
    conn: &mut PgConnection,
    scope: Scope,
    id: ChainDepositId,
) -> Result<Option<Deposit>, Error> {
    let mut query = QueryBuilder::new("SELECT * FROM wallet.deposit WHERE id = ");
    query.push_bind(id.0);
    if let Some(owner) = scope.owner() {
        query.push(" AND owner = ").push_bind(owner);
    }
    Ok(locked(conn, query).await?.pop())
}

/// Every deposit of an address, oldest first, locked.
pub async fn lock_address(conn: &mut PgConnection, number: i32) -> Result<Vec<Deposit>, Error> {
    let mut query = QueryBuilder::new("SELECT * FROM wallet.deposit WHERE address = ");
    query.push_bind(number).push(" ORDER BY created_at, id");
    locked(conn, query).await
}

/// Intents that had ended at this moment of the chain, locked.
pub async fn lock_ended(conn: &mut PgConnection, before: OffsetDateTime) -> Result<Vec<Deposit>, Error> {
    let mut query = QueryBuilder::new(
        "SELECT * FROM wallet.deposit WHERE status IN ('waiting_for_buyer_funds', 'pending') AND expires_at < ",
    );
    query.push_bind(before).push(" ORDER BY id LIMIT 100");
    locked(conn, query).await
}

/// Stores a deposit, fresh or changed.
pub async fn save(conn: &mut PgConnection, d: &Deposit) -> Result<(), Error> {
    let received = column(d.received)?;
    let seen = column(d.seen)?;
    let due = d.due.map(column).transpose()?;
    sqlx::query!(
        "INSERT INTO wallet.deposit AS d (id, owner, address, parent, product, coin, contract, plan, is_high_risk, value, due, expires_at,
             status, outcome, pending_cause, received, seen, seen_block, tx, rate, credited, fee, transfer, hold, licence, reason, refund,
             approvals, approvals_needed, digest, reversed_at, settings_version, version, created_at, waiting_since, decided_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
             $27, $28, $29, $30, $31, $32, $33, $34, $35, $36)
         ON CONFLICT (id) DO UPDATE SET coin = EXCLUDED.coin, status = EXCLUDED.status, outcome = EXCLUDED.outcome,
             pending_cause = EXCLUDED.pending_cause, received = EXCLUDED.received, seen = EXCLUDED.seen, seen_block = EXCLUDED.seen_block,
             tx = EXCLUDED.tx, rate = EXCLUDED.rate, credited = EXCLUDED.credited, fee = EXCLUDED.fee, transfer = EXCLUDED.transfer,
             hold = EXCLUDED.hold, licence = EXCLUDED.licence, reason = EXCLUDED.reason, refund = EXCLUDED.refund,
             approvals = EXCLUDED.approvals, approvals_needed = EXCLUDED.approvals_needed, digest = EXCLUDED.digest,
             reversed_at = EXCLUDED.reversed_at, waiting_since = EXCLUDED.waiting_since, decided_at = EXCLUDED.decided_at,
             version = d.version + 1",
        d.id.0,
        d.owner.0,
        d.address,
        d.parent.map(|p| p.0),
        d.product.as_str(),
        d.coin.map(Coin::as_str),
        d.contract.as_ref().map(|c| c.as_slice()),
        d.plan,
        d.is_high_risk,
        d.value.map(|v| v.0),
        due as Option<Amount>,
        d.expires_at,
        d.status.as_str(),
        d.outcome.map(DepositOutcome::as_str),
        d.pending_cause.map(PendingCause::as_str),
        received as Amount,
        seen as Amount,
        d.seen_block.and_then(|b| i64::try_from(b).ok()),
        d.tx.as_ref().map(|t| t.as_slice()),
        d.rate.map(|r| r.0),
        d.credited.map(|c| c.0),
        d.fee.map(|f| f.0),
        d.transfer,
        d.hold,
        d.licence,
        d.reason.as_deref(),
        d.refund.as_ref().map(|t| t.as_slice()),
        d.approvals,
        d.approvals_needed,
        d.digest.as_deref(),
        d.reversed_at,
        d.settings_version,
        d.version,
        d.created_at,
        d.waiting_since,
        d.decided_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// One new deposit at a time per owner: the number of open ones is checked behind it.
pub async fn count_words(conn: &mut PgConnection, id: ChainDepositId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.deposit SET approvals = approvals.words('crypto_deposit', id, digest), version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lock_owner(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 15))",
        owner.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Changes of the queue one after another, so that the length that each reports is the length at its commit.
pub async fn lock_queue(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('crypto-deposits', 15))")
        .execute(conn)
        .await?;
    Ok(())
}

pub async fn open_count(conn: &mut PgConnection, owner: UserId, now: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM wallet.deposit
           WHERE owner = $1 AND status IN ('waiting_for_buyer_funds', 'pending') AND expires_at > $2"#,
        owner.0,
        now
    )
    .fetch_one(conn)
    .await?)
}

/// The next number of the deposit branch; none is given out twice.
pub async fn next_number(conn: &mut PgConnection) -> Result<i32, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT nextval('wallet.deposit_number')::integer AS "number!""#)
            .fetch_one(conn)
            .await?,
    )
}

pub async fn insert_address(
    conn: &mut PgConnection,
    number: i32,
    address: Address,
    owner: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO wallet.deposit_address (number, address, owner, created_at) VALUES ($1, $2, $3, $4)",
        number,
        address.as_slice(),
        owner.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The branch that addresses come from: the first one ever used stays.
pub async fn branch(
    db: impl PgExecutor<'_>,
    fingerprint: &[u8; 32],
    chain: i64,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"WITH fresh AS (INSERT INTO wallet.deposit_branch (fingerprint, chain_id, created_at) VALUES ($1, $2, $3)
               ON CONFLICT DO NOTHING RETURNING fingerprint, chain_id)
           SELECT (fingerprint = $1 AND chain_id = $2) AS "same!" FROM fresh
           UNION ALL SELECT (fingerprint = $1 AND chain_id = $2) FROM wallet.deposit_branch LIMIT 1"#,
        fingerprint.as_slice(),
        chain,
        now
    )
    .fetch_one(db)
    .await?)
}

/// Length of the approvers' queue and since when its oldest waits.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(waiting_since) AS oldest FROM wallet.deposit WHERE status = 'pending_approval'"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.pending, row.oldest))
}

/// How far the watcher has read.
pub async fn scanned(db: impl PgExecutor<'_>) -> Result<u64, Error> {
    let scanned = sqlx::query_scalar!("SELECT scanned FROM wallet.cursor")
        .fetch_optional(db)
        .await?;
    Ok(scanned.and_then(|s| u64::try_from(s).ok()).unwrap_or(0))
}
