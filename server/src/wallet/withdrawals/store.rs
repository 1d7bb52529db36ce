//! SQL of withdrawals over the chain.

use super::service::{Crypto, Held};
use crate::{
    error::Error,
    foundation::business_day,
    identity::caller::Scope,
    ledger::amount::Amount,
    payouts::{
        kind::{New, Payout},
        rules::State,
        store::{Line, Rows, Table},
    },
    wallet::{
        carried::To,
        chain::{
            Coin, address,
            stored::{amount, coin, column, hash, place},
        },
        sender::OutgoingId,
    },
};
use alloy::primitives::U256;
use protocol::{
    ids::{ChainWithdrawalId, HoldId, OutboundId, UserId},
    money::Usdt,
    views::{ChainOffer, ChainWithdrawalStatus as Status, ChainWithdrawalView},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::{Duration, OffsetDateTime};

/// What a withdrawal's row holds beside.
pub struct Own {
    pub to: To,
    pub link: Option<Vec<u8>>,
    pub outgoing: Option<OutgoingId>,
}

impl Rows for Crypto {
    const TABLE: Table = Table {
        rows: "wallet.withdrawal",
        shown: "wallet.withdrawal_shown",
        amount: "wei",
        undecided: "status IN ('awaiting_email', 'pending', 'awaiting_confirmation')",
        unsent: "status IN ('awaiting_email', 'pending', 'awaiting_confirmation', 'approved', 'failed')",
        waiting: "status IN ('pending', 'failed')",
        paid: "status = 'complete'",
        waits_anew: &[State::Approved, State::Failed],
        ends: ", link = NULL",
        voids: "",
        searched: &[],
    };
    type Shown = Shown;

    async fn insert(conn: &mut PgConnection, new: &New<'_, Self>, now: OffsetDateTime) -> Result<(), Error> {
        let quote = new.quote;
        let wei = column(quote.amount)?;
        sqlx::query!(
            "INSERT INTO wallet.withdrawal (id, owner, coin, address, usdt, fee, net, wei, rate, hold, outbound, settings_version, review,
                 status, approvals_needed, link, created_at, waiting_since, expires_at, fee_hold)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'awaiting_email', $14, $15, $16, $16, $17, $18)",
            new.id.0,
            new.owner.0,
            quote.to.coin.as_str(),
            quote.to.address.as_slice(),
            quote.value.0,
            quote.parts.fee.0,
            quote.parts.net.0,
            wei as Amount,
            quote.rate.0,
            new.held.hold.0,
            new.outbound.map(|o| o.0),
            new.settings_version,
            new.review,
            new.approvals_needed,
            new.opening.hash.as_slice(),
            now,
            new.expires_at,
            new.held.fee.map(|h| h.0)
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    async fn lock(
        conn: &mut PgConnection,
        scope: Scope,
        id: ChainWithdrawalId,
    ) -> Result<Option<Payout<Self>>, Error> {
        let row = sqlx::query!(
            r#"SELECT id, owner, coin, address, usdt, fee, net, wei AS "wei: Amount", rate, offer_wei AS "offer_wei: Amount", offer_rate,
                   hold, fee_hold, outbound, review, status, digest, link, outgoing, expires_at
               FROM wallet.withdrawal WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE"#,
            id.0,
            scope.owner()
        )
        .fetch_optional(conn)
        .await?;
        row.map(|r| {
            Ok(Payout {
                id: r.id.into(),
                owner: r.owner.into(),
                value: Usdt(r.usdt),
                fee: Usdt(r.fee),
                net: Usdt(r.net),
                amount: amount(r.wei)?,
                rate: Usdt(r.rate),
                offer: r
                    .offer_wei
                    .zip(r.offer_rate)
                    .map(|(wei, rate)| Ok::<_, Error>((amount(wei)?, Usdt(rate))))
                    .transpose()?,
                held: Held {
                    hold: r.hold.into(),
                    fee: r.fee_hold.map(HoldId::from),
                },
                outbound: r.outbound.map(OutboundId::from),
                has_case: r.review,
                state: State::read(&r.status)
                    .ok_or_else(|| Error::internal("a withdrawal of an unknown status"))?,
                digest: r.digest,
                expires_at: r.expires_at,
                own: Own {
                    to: To {
                        coin: coin(&r.coin)?,
                        address: place(&r.address)?,
                    },
                    link: r.link,
                    outgoing: r.outgoing.map(OutgoingId),
                },
            })
        })
        .transpose()
    }

    fn push_amount(query: &mut QueryBuilder<Postgres>, amount: U256) -> Result<(), Error> {
        query.push_bind(column(amount)?);
        Ok(())
    }

    fn push_rate(query: &mut QueryBuilder<Postgres>, rate: Usdt) {
        query.push_bind(rate.0);
    }

    fn narrow(query: &mut QueryBuilder<Postgres>, coin: &Option<Coin>) {
        if let Some(coin) = coin {
            query.push(" AND coin = ").push_bind(coin.as_str());
        }
    }

    /// An address, or a transaction's hash.
    fn push_search(query: &mut QueryBuilder<Postgres>, search: &str) {
        let digits = address::digits(search);
        if !digits.is_empty()
            && digits.len().is_multiple_of(2)
            && let Ok(bytes) = hex::decode(digits)
        {
            query.push(" OR address = ").push_bind(bytes.clone());
            query.push(" OR tx = ").push_bind(bytes);
        }
    }
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

/// A line of `wallet.withdrawal_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    #[sqlx(flatten)]
    pub line: Line,
    coin: String,
    address: Vec<u8>,
    wei: Amount,
    offer_wei: Option<Amount>,
    block: Option<i64>,
    completed_at: Option<OffsetDateTime>,
    sent_at: Option<OffsetDateTime>,
    tx: Option<Vec<u8>>,
    pub address_known: bool,
    pub address_shared: bool,
}

impl AsRef<Line> for Shown {
    fn as_ref(&self) -> &Line {
        &self.line
    }
}

impl Shown {
    pub fn view(&self) -> Result<ChainWithdrawalView, Error> {
        let line = &self.line;
        let status: Status = line.status()?;
        let offer = self
            .offer_wei
            .zip(line.offer_rate)
            .map(|(wei, rate)| {
                Ok::<_, Error>(ChainOffer {
                    amount: amount(wei)?.to_string(),
                    rate: Usdt(rate),
                })
            })
            .transpose()?;
        let transaction = self.tx.as_deref().map(hash).transpose()?;
        Ok(ChainWithdrawalView {
            id: line.id.into(),
            user: line.owner.into(),
            username: line.username.clone(),
            coin: coin(&self.coin)?,
            address: address::write(place(&self.address)?),
            value: Usdt(line.usdt),
            fee: Usdt(line.fee),
            net: Usdt(line.net),
            amount: amount(self.wei)?.to_string(),
            rate: Usdt(line.rate),
            status,
            reason: line.reason.clone(),
            offer,
            transaction: transaction.map(|tx| tx.to_string()),
            block: self.block,
            approvals: line.approvals,
            approvals_needed: line.approvals_needed,
            waiting_since: line.waiting_since,
            expires_at: line.expires_at,
            decided_at: line.decided_at,
            sent_at: self.sent_at,
            completed_at: self.completed_at.filter(|_| status == Status::Complete),
            created_at: line.created_at,
            version: line.version,
        })
    }
}
