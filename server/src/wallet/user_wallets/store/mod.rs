//! SQL of the users' wallets: what moves on them.

mod arrivals;
mod ends;
mod lists;

pub use arrivals::{Arrival, arrived, forget_above, wallets_from};
pub use ends::{
    Allowed, Carried, Place, add_gas, allowed, allowed_since, carried, carried_by, cost, end_step, lock_step,
    open_steps, place,
};
pub use lists::{Filter, list, note_shown, shown_since};

use crate::{
    error::Error,
    ledger::amount::Amount,
    wallet::{
        chain::{
            Coin, address,
            stored::{self, column},
        },
        keys::Wallet,
    },
};
use alloy::primitives::{Address, Bytes, U256};
use protocol::{
    ids::{OutboundId, UserId, WalletMoveId},
    money::Usdt,
    views::{WalletMoveKind as Kind, WalletMoveStatus as Status, WalletMoveView},
};
use sqlx::{FromRow, PgConnection, PgExecutor, Postgres, QueryBuilder};
use std::str::FromStr;
use time::OffsetDateTime;
use uuid::Uuid;

fn word<T: FromStr>(text: &str) -> Result<T, Error> {
    text.parse()
        .map_err(|_| Error::internal(format!("an unknown word on a wallet: {text}")))
}

/// A line of `wallet.user_move`.
#[derive(Clone, Debug, FromRow)]
pub struct Row {
    id: Uuid,
    owner: Uuid,
    kind: String,
    status: String,
    coin: String,
    wei: Amount,
    counterparty: Option<Vec<u8>>,
    coin_out: Option<String>,
    minimum: Option<Amount>,
    received: Option<Amount>,
    deadline: Option<OffsetDateTime>,
    gas: Option<Amount>,
    tx: Option<Vec<u8>>,
    block: Option<i64>,
    reason: Option<String>,
    usdt: i64,
    version: i64,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
    ended_at: Option<OffsetDateTime>,
}

const COLUMNS: &str = "SELECT id, owner, kind, status, coin, wei, counterparty, coin_out, minimum, received, deadline, gas, tx, block, reason, usdt,
    version, created_at, updated_at, ended_at";
const FROM: &str = " FROM wallet.user_move";

impl Row {
    pub const fn id(&self) -> WalletMoveId {
        WalletMoveId(self.id)
    }

    pub const fn owner(&self) -> UserId {
        UserId(self.owner)
    }

    pub fn kind(&self) -> Result<Kind, Error> {
        word(&self.kind)
    }

    pub fn status(&self) -> Result<Status, Error> {
        word(&self.status)
    }

    pub fn coin_out(&self) -> Result<Option<Coin>, Error> {
        self.coin_out.as_deref().map(word).transpose()
    }

    pub fn minimum(&self) -> Result<Option<U256>, Error> {
        self.minimum.map(stored::amount).transpose()
    }

    pub fn wei(&self) -> Result<(Coin, U256), Error> {
        Ok((word(&self.coin)?, stored::amount(self.wei)?))
    }

    pub fn counterparty(&self) -> Result<Option<Address>, Error> {
        self.counterparty.as_deref().map(stored::place).transpose()
    }

    pub const fn usdt(&self) -> Usdt {
        Usdt(self.usdt)
    }

    pub const fn has_ended(&self) -> bool {
        self.ended_at.is_some()
    }

    pub const fn deadline(&self) -> Option<OffsetDateTime> {
        self.deadline
    }

    pub fn view(&self) -> Result<WalletMoveView, Error> {
        let number = |amount: Option<Amount>| {
            amount
                .map(|a| stored::amount(a).map(|wei| wei.to_string()))
                .transpose()
        };
        Ok(WalletMoveView {
            id: self.id(),
            kind: self.kind()?,
            status: self.status()?,
            coin: word(&self.coin)?,
            wei: stored::amount(self.wei)?.to_string(),
            counterparty: self
                .counterparty
                .as_deref()
                .map(|bytes| stored::place(bytes).map(address::write))
                .transpose()?,
            coin_out: self.coin_out()?,
            minimum: number(self.minimum)?,
            received: number(self.received)?,
            gas: number(self.gas)?,
            transaction: self.tx.as_ref().map(|tx| format!("0x{}", hex::encode(tx))),
            block: self.block,
            reason: self.reason.as_deref().map(word).transpose()?,
            created_at: self.created_at,
            updated_at: self.updated_at,
            version: self.version,
        })
    }
}

/// Grows the wallet's version: what was read of it before is old.
pub async fn touch(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE wallet.user_wallet SET version = version + 1 WHERE owner = $1",
        owner.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Locks the wallet; its version then.
pub async fn lock_wallet(conn: &mut PgConnection, owner: UserId) -> Result<Option<i64>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT version FROM wallet.user_wallet WHERE owner = $1 FOR UPDATE",
        owner.0
    )
    .fetch_optional(conn)
    .await?)
}

/// What open orders will take of a wallet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aside {
    pub coins: Vec<(Coin, U256)>,
    pub gas: U256,
    /// Open swaps, and allowances of failed ones that are still to be taken back.
    pub swaps: i64,
}

impl Aside {
    #[must_use]
    pub fn of(&self, coin: Coin) -> U256 {
        self.coins
            .iter()
            .filter(|(c, _)| *c == coin)
            .fold(U256::ZERO, |sum, (_, wei)| sum.saturating_add(*wei))
    }
}

/// A wallet and what open orders will take of it, as of one moment.
pub async fn standing(db: impl PgExecutor<'_>, owner: UserId) -> Result<Option<(Wallet, Aside)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT w.address, w.version, w.created_at, m.coin AS "coin?", m.wei AS "wei?: Amount", m.gas AS "gas?: Amount", m.swaps AS "swaps?",
                  (SELECT count(*) FROM wallet.user_step WHERE owner = $1 AND kind = 'revoke' AND ended IS NULL) AS "revokes!"
           FROM wallet.user_wallet w
           LEFT JOIN (SELECT coin, sum(wei) AS wei, sum(gas_most) AS gas, count(*) FILTER (WHERE kind = 'swap') AS swaps
                      FROM wallet.user_move WHERE owner = $1 AND status IN ('queued', 'sent') GROUP BY coin) m ON true
           WHERE w.owner = $1"#,
        owner.0
    )
    .fetch_all(db)
    .await?;
    let Some(first) = rows.first() else {
        return Ok(None);
    };
    let wallet = Wallet {
        owner,
        address: stored::place(&first.address)?,
        version: first.version,
        created_at: first.created_at,
    };
    let mut aside = Aside {
        swaps: first.revokes,
        ..Aside::default()
    };
    for row in rows {
        let (Some(coin), Some(wei), Some(gas)) = (row.coin, row.wei, row.gas) else {
            continue;
        };
        aside.coins.push((word(&coin)?, stored::amount(wei)?));
        aside.gas = aside.gas.saturating_add(stored::amount(gas)?);
        aside.swaps += row.swaps.unwrap_or(0);
    }
    Ok(Some((wallet, aside)))
}

/// An order to be written.
pub struct NewMove {
    pub id: WalletMoveId,
    pub owner: UserId,
    pub kind: Kind,
    pub coin: Coin,
    pub wei: U256,
    pub counterparty: Option<Address>,
    pub swap: Option<NewSwap>,
    pub gas_most: U256,
    pub outbound: OutboundId,
    pub case: Option<Uuid>,
    pub usdt: Usdt,
}

/// What only a swap has.
pub struct NewSwap {
    pub coin_out: Coin,
    pub quoted: U256,
    pub minimum: U256,
    pub slippage: u16,
    pub deadline: OffsetDateTime,
}

/// A transaction of an order, its place there, and what its signer signs.
pub struct Placed<'a> {
    pub step: &'a NewStep,
    pub position: i16,
    pub digest: [u8; 32],
}

/// Writes an order with its transactions; the wallet is another one from here on. The order as it is shown.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewMove,
    steps: &[Placed<'_>],
    now: OffsetDateTime,
) -> Result<Row, Error> {
    let (wei, gas_most) = (column(new.wei)?, column(new.gas_most)?);
    let swap = new.swap.as_ref();
    let quoted = swap.map(|s| column(s.quoted)).transpose()?;
    let minimum = swap.map(|s| column(s.minimum)).transpose()?;
    let mut query = QueryBuilder::<Postgres>::new(
        "WITH moved AS (INSERT INTO wallet.user_move (id, owner, kind, coin, wei, counterparty, coin_out, quoted, minimum, slippage, deadline,
             gas_most, outbound, compliance_case, usdt, created_at, updated_at, status) VALUES (",
    );
    let mut values = query.separated(", ");
    values.push_bind(new.id.0);
    values.push_bind(new.owner.0);
    values.push_bind(new.kind.as_str());
    values.push_bind(new.coin.as_str());
    values.push_bind(wei);
    values.push_bind(new.counterparty.map(|a| a.to_vec()));
    values.push_bind(swap.map(|s| s.coin_out.as_str()));
    values.push_bind(quoted);
    values.push_bind(minimum);
    values.push_bind(swap.and_then(|s| i16::try_from(s.slippage).ok()));
    values.push_bind(swap.map(|s| s.deadline));
    values.push_bind(gas_most);
    values.push_bind(new.outbound.0);
    values.push_bind(new.case);
    values.push_bind(new.usdt.0);
    values.push_bind(now);
    values.push_bind(now);
    query.push(
        ", 'queued') RETURNING *), steps AS (INSERT INTO wallet.user_step (id, move, owner, position, kind, recipient, value, data, gas_limit,
             price_most, digest, usdt, created_at) ",
    );
    let amounts = steps
        .iter()
        .map(|placed| {
            Ok((
                column(placed.step.value)?,
                column(U256::from(placed.step.price_most))?,
            ))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    query.push_values(steps.iter().zip(amounts), |mut row, (placed, (value, price))| {
        let step = placed.step;
        row.push_bind(step.id);
        row.push_bind(new.id.0);
        row.push_bind(new.owner.0);
        row.push_bind(placed.position);
        row.push_bind(step.kind.as_str());
        row.push_bind(step.recipient.to_vec());
        row.push_bind(value);
        row.push_bind(step.data.to_vec());
        row.push_bind(i64::try_from(step.gas_limit).unwrap_or(i64::MAX));
        row.push_bind(price);
        row.push_bind(placed.digest.to_vec());
        row.push_bind(step.usdt.0);
        row.push_bind(now);
    });
    query.push("), touched AS (UPDATE wallet.user_wallet SET version = version + 1 WHERE owner = ");
    query.push_bind(new.owner.0);
    query.push(format!(") {COLUMNS} FROM moved"));
    Ok(query.build_query_as().fetch_one(conn).await?)
}

/// A transaction of an order.
pub struct NewStep {
    pub id: Uuid,
    pub kind: StepKind,
    pub recipient: Address,
    pub value: U256,
    pub data: Bytes,
    pub gas_limit: u64,
    pub price_most: u128,
    pub usdt: Usdt,
}

/// What a transaction of an order does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Send,
    Approve,
    Swap,
    /// Takes back what a failed swap allowed.
    Revoke,
}

impl StepKind {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Approve => "approve",
            Self::Swap => "swap",
            Self::Revoke => "revoke",
        }
    }

    fn read(text: &str) -> Option<Self> {
        [Self::Send, Self::Approve, Self::Swap, Self::Revoke]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

pub async fn insert_step(
    conn: &mut PgConnection,
    (order, owner): (WalletMoveId, UserId),
    position: i16,
    step: &NewStep,
    digest: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let (value, price) = (column(step.value)?, column(U256::from(step.price_most))?);
    sqlx::query!(
        "INSERT INTO wallet.user_step (id, move, owner, position, kind, recipient, value, data, gas_limit, price_most, digest, usdt, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        step.id,
        order.0,
        owner.0,
        position,
        step.kind.as_str(),
        step.recipient.as_slice(),
        value as Amount,
        step.data.as_ref(),
        i64::try_from(step.gas_limit).unwrap_or(i64::MAX),
        price as Amount,
        digest.as_slice(),
        step.usdt.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn find(conn: &mut PgConnection, id: WalletMoveId) -> Result<Option<Row>, Error> {
    let mut query = QueryBuilder::new(COLUMNS);
    query.push(FROM);
    query.push(" WHERE id = ").push_bind(id.0);
    Ok(query.build_query_as().fetch_optional(conn).await?)
}

/// The same, locked until the transaction ends. Lock the wallet first.
async fn lock(conn: &mut PgConnection, id: Uuid) -> Result<Option<Row>, Error> {
    let mut query = QueryBuilder::new(COLUMNS);
    query.push(FROM);
    query.push(" WHERE id = ").push_bind(id).push(" FOR UPDATE");
    Ok(query.build_query_as().fetch_optional(conn).await?)
}

/// Whose wallet an address is.
pub async fn owner_of(db: impl PgExecutor<'_>, address: Address) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT owner FROM wallet.user_wallet WHERE address = $1",
        address.as_slice()
    )
    .fetch_optional(db)
    .await?
    .map(UserId))
}
