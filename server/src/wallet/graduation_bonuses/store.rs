//! SQL of payments of ranks' bonuses. The rank's row is locked before its payment's, by whoever comes: those who press find it first.

use super::service::GraduationBonus;
use crate::{
    affiliates::graduations::service as graduations,
    error::Error,
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
            stored::{amount, column, hash, place},
        },
        sender::OutgoingId,
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ids::{GraduationId, GraduationPayoutId, UserId},
    money::Usdt,
    views::{GraduationPayoutStatus as Status, GraduationPayoutView, Rank},
};
use sqlx::{PgConnection, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// What its row holds beside.
pub struct Own {
    pub graduation: GraduationId,
    pub address: Address,
    pub settings_version: i32,
    pub outgoing: Option<OutgoingId>,
}

impl Own {
    pub const fn to(&self) -> To {
        To {
            coin: Coin::Usdt,
            address: self.address,
        }
    }
}

impl Rows for GraduationBonus {
    const TABLE: Table = Table {
        rows: "wallet.graduation_bonus",
        shown: "wallet.graduation_bonus_shown",
        amount: "wei",
        undecided: "false",
        unsent: "false",
        waiting: "status = 'pending'",
        paid: "status = 'complete'",
        waits_anew: &[State::Approved],
        ends: "",
        voids: "",
        searched: &[],
    };
    type Shown = Shown;

    async fn insert(conn: &mut PgConnection, new: &New<'_, Self>, now: OffsetDateTime) -> Result<(), Error> {
        let quote = new.quote;
        let wei = column(quote.amount)?;
        sqlx::query!(
            "INSERT INTO wallet.graduation_bonus (id, graduation, owner, address, usdt, net, wei, rate, settings_version, status,
                 approvals_needed, created_at, waiting_since, expires_at)
             VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, 'pending', $9, $10, $10, $11)",
            new.id.0,
            quote.beside.0,
            new.owner.0,
            quote.to.address.as_slice(),
            quote.value.0,
            wei as Amount,
            quote.rate.0,
            new.settings_version,
            new.approvals_needed,
            now,
            new.expires_at
        )
        .execute(conn)
        .await?;
        Ok(())
    }

    async fn lock(
        conn: &mut PgConnection,
        scope: Scope,
        id: GraduationPayoutId,
    ) -> Result<Option<Payout<Self>>, Error> {
        let rank = sqlx::query_scalar!(
            "SELECT graduation FROM wallet.graduation_bonus WHERE id = $1",
            id.0
        )
        .fetch_optional(&mut *conn)
        .await?;
        let Some(rank) = rank else { return Ok(None) };
        graduations::lock_row(conn, rank.into()).await?;
        lock_behind(conn, scope, id).await
    }

    fn push_amount(query: &mut QueryBuilder<Postgres>, amount: U256) -> Result<(), Error> {
        query.push_bind(column(amount)?);
        Ok(())
    }

    fn push_rate(query: &mut QueryBuilder<Postgres>, rate: Usdt) {
        query.push_bind(rate.0);
    }

    fn narrow(_: &mut QueryBuilder<Postgres>, (): &()) {}
}

/// Its payment, of a rank whose row the caller holds.
pub async fn lock_behind(
    conn: &mut PgConnection,
    scope: Scope,
    id: GraduationPayoutId,
) -> Result<Option<Payout<GraduationBonus>>, Error> {
    let row = sqlx::query!(
        r#"SELECT id, graduation, owner, address, usdt, fee, net, wei AS "wei: Amount", rate, settings_version, status, digest,
                   outgoing, expires_at
               FROM wallet.graduation_bonus WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE"#,
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
            offer: None,
            held: (),
            outbound: None,
            // What is decided by itself is looked for.
            has_case: true,
            state: State::read(&r.status).ok_or_else(|| Error::internal("a payment of an unknown status"))?,
            digest: r.digest,
            expires_at: r.expires_at,
            own: Own {
                graduation: r.graduation.into(),
                address: place(&r.address)?,
                settings_version: r.settings_version,
                outgoing: r.outgoing.map(OutgoingId),
            },
        })
    })
    .transpose()
}

/// A member's own wallet.
pub struct Wallet {
    pub address: Address,
    pub created_at: OffsetDateTime,
    /// It is an address for deposits.
    pub deposit: bool,
}

pub async fn wallet(conn: &mut PgConnection, owner: UserId) -> Result<Option<Wallet>, Error> {
    let row = sqlx::query!(
        r#"SELECT address, created_at, EXISTS (SELECT FROM wallet.deposit_address d WHERE d.address = u.address) AS "deposit!"
           FROM wallet.user_wallet u WHERE owner = $1"#,
        owner.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Wallet {
            address: place(&r.address)?,
            created_at: r.created_at,
            deposit: r.deposit,
        })
    })
    .transpose()
}

/// A line of `wallet.graduation_bonus_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    #[sqlx(flatten)]
    line: Line,
    graduation: Uuid,
    rank: i16,
    shown_status: String,
    address: Vec<u8>,
    wei: Amount,
    block: Option<i64>,
    completed_at: Option<OffsetDateTime>,
    sent_at: Option<OffsetDateTime>,
    tx: Option<Vec<u8>>,
}

impl AsRef<Line> for Shown {
    fn as_ref(&self) -> &Line {
        &self.line
    }
}

impl Shown {
    pub fn view(&self) -> Result<GraduationPayoutView, Error> {
        let line = &self.line;
        let status: Status = self
            .shown_status
            .parse()
            .map_err(|_| Error::internal("a payment of an unknown status"))?;
        let transaction = self
            .tx
            .as_deref()
            // A hash of before says nothing of what nobody will send any more.
            .filter(|_| status != Status::Rejected)
            .map(hash)
            .transpose()?;
        Ok(GraduationPayoutView {
            id: line.id.into(),
            graduation: self.graduation.into(),
            user: line.owner.into(),
            username: line.username.clone(),
            rank: Rank::numbered(self.rank).ok_or_else(|| Error::internal("a rank that there is not"))?,
            value: Usdt(line.usdt),
            address: address::write(place(&self.address)?),
            amount: amount(self.wei)?.to_string(),
            status,
            reason: line.reason.clone(),
            transaction: transaction.map(|tx| tx.to_string()),
            block: self.block,
            approvals: line.approvals,
            approvals_needed: line.approvals_needed,
            decided_at: line.decided_at,
            sent_at: self.sent_at,
            completed_at: self.completed_at.filter(|_| status == Status::Complete),
            created_at: line.created_at,
            version: line.version,
        })
    }
}
