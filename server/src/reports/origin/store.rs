//! SQL of the origins.

use super::{OriginBonus, OriginFact, OriginPosting};
use crate::{error::Error, foundation::settings::percent, ledger::amount::Amount};
use protocol::{
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::{Brl, Usdt},
    views::BonusKind,
};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

pub struct Head {
    pub at: OffsetDateTime,
    pub kind: String,
    pub mode: Option<String>,
    pub cause_kind: String,
    pub cause: Uuid,
    pub reverses: Option<TransferId>,
    /// The kind of that one.
    pub undoes: Option<String>,
    /// It set money aside, or is what became of that.
    pub held: bool,
    pub reversed_by: Option<TransferId>,
}

/// A movement; what ended a hold tells of what the hold was for, and a reversal of what it undid.
pub async fn head(pool: &PgPool, user: UserId, transfer: TransferId) -> Result<Option<Head>, Error> {
    let row = sqlx::query!(
        r#"SELECT t.at, t.kind, t.mode, t.reverses, o.kind AS "undoes?", t.kind = 'hold' OR h.id IS NOT NULL AS "held!",
                  (SELECT u.id FROM ledger.transfer u
                   WHERE u.reverses = t.id AND (u.part IS NULL OR u.part = $2 OR u.part IN (SELECT l.id FROM licences.licence l WHERE l.owner = $2))
                   ORDER BY u.id LIMIT 1) AS reversed_by,
                  COALESCE(h.cause_kind, o.cause_kind, t.cause_kind) AS "cause_kind!", COALESCE(h.cause, o.cause, t.cause) AS "cause!"
           FROM ledger.transfer t
           LEFT JOIN ledger.transfer o ON o.id = t.reverses
           LEFT JOIN ledger.hold h ON t.cause_kind = 'hold' AND h.id = t.cause
           WHERE t.id = $1"#,
        transfer.0,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| Head {
        at: r.at,
        kind: r.kind,
        mode: r.mode,
        cause_kind: r.cause_kind,
        cause: r.cause,
        reverses: r.reverses.map(TransferId),
        undoes: r.undoes,
        held: r.held,
        reversed_by: r.reversed_by.map(TransferId),
    }))
}

/// A movement's postings on a person's own accounts and licences, in the ledger's order; with the licence, if it is one's. Found from
/// the person's accounts: a mass booking has as many others as there are people.
pub async fn postings(
    pool: &PgPool,
    user: UserId,
    transfer: TransferId,
) -> Result<Vec<(Option<LicenceId>, OriginPosting)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT a.name, a.currency, l.id AS "licence?", l.number AS "number?", p.amount AS "amount!: Amount", p.balance_after AS "balance!: Amount"
           FROM (SELECT $2::uuid AS id UNION ALL SELECT l.id FROM licences.licence l WHERE l.owner = $2) o
           JOIN ledger.account a ON a.owner = o.id
           JOIN ledger.posting p ON p.transfer = $1 AND p.account = a.id
           LEFT JOIN licences.licence l ON l.id = a.owner ORDER BY p.line"#,
        transfer.0,
        user.0
    )
    .fetch_all(pool)
    .await?;
    let exact = |amount: Amount| {
        amount
            .usdt()
            .ok_or_else(|| Error::internal("a sum beyond what a statement shows"))
    };
    rows.into_iter()
        .map(|r| {
            let posting = OriginPosting {
                account: r.name.split(':').next().unwrap_or_default().to_owned(),
                licence: r.number,
                currency: r.currency,
                amount: exact(r.amount)?,
                balance: exact(r.balance)?,
            };
            Ok((r.licence.map(LicenceId), posting))
        })
        .collect()
}

pub async fn pix_deposit(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        r#"SELECT COALESCE(c.brl, d.brl) AS "brl!", c.end_to_end_id AS "end_to_end_id?"
           FROM pix.deposit d LEFT JOIN pix.credit c ON c.deposit = d.id WHERE d.id = $1 AND d.owner = $2"#,
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::PixDeposit {
        brl: Brl(r.brl),
        end_to_end_id: r.end_to_end_id,
    }))
}

pub async fn pix_withdrawal(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        r#"SELECT COALESCE(p.brl, w.brl) AS "brl!", p.end_to_end_id AS "end_to_end_id?"
           FROM pix.withdrawal w LEFT JOIN pix.payment p ON p.withdrawal = w.id WHERE w.id = $1 AND w.owner = $2"#,
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::PixWithdrawal {
        brl: Brl(r.brl),
        end_to_end_id: r.end_to_end_id,
    }))
}

pub async fn chain_deposit(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        r#"SELECT d.coin, d.received::text AS "wei!", d.tx, b.address
           FROM wallet.deposit d JOIN wallet.deposit_address b ON b.number = d.address WHERE d.id = $1 AND d.owner = $2"#,
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::CryptoDeposit {
        coin: r.coin,
        wei: r.wei,
        hash: r.tx.map(|hash| format!("0x{}", hex::encode(hash))),
        address: alloy::primitives::Address::from_slice(&r.address).to_checksum(None),
    }))
}

pub async fn transfer(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        "SELECT s.username AS sender, r.username AS receiver, t.usdt, t.fee
         FROM transfers.transfer t JOIN identity.account s ON s.id = t.sender JOIN identity.account r ON r.id = t.receiver
         WHERE t.id = $1 AND (t.sender = $2 OR t.receiver = $2)",
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::Transfer {
        from: r.sender,
        to: r.receiver,
        usdt: Usdt(r.usdt),
        fee: Usdt(r.fee),
    }))
}

pub async fn licence(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        "SELECT id, number, value FROM licences.licence WHERE id = $1 AND owner = $2",
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::Licence {
        licence: LicenceId(r.id),
        number: r.number,
        value: Usdt(r.value),
    }))
}

/// The person's entry that a movement is of: named by it, or paid a share of the revenue that is named.
pub async fn pool(
    db: &PgPool,
    user: UserId,
    transfer: TransferId,
    cause: Uuid,
) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query!(
        r#"SELECT p.name, e.value + e.taken AS "value!", e.last_day FROM pools.entry e JOIN pools.pool p ON p.id = e.pool
           WHERE e.owner = $2
             AND (e.id = $1 OR EXISTS (SELECT FROM pools.share s WHERE s.revenue = $1 AND s.entry = e.id AND s.transfer = $3))"#,
        cause,
        user.0,
        transfer.0
    )
    .fetch_optional(db)
    .await?;
    Ok(row.map(|r| OriginFact::Pool {
        pool: r.name,
        value: Usdt(r.value),
        last_day: r.last_day.to_string(),
    }))
}

struct BonusRow {
    id: BonusId,
    kind: BonusKind,
    level: i16,
    source: Option<String>,
    base: i64,
    rate: i64,
    gross: i64,
}

impl From<BonusRow> for OriginBonus {
    fn from(r: BonusRow) -> Self {
        Self {
            id: r.id,
            kind: r.kind,
            level: r.level,
            source: r.source,
            base: Usdt(r.base),
            percentage: percent(r.rate),
            gross: Usdt(r.gross),
        }
    }
}

/// The one bonus that a movement is of.
pub async fn bonus(pool: &PgPool, user: UserId, id: Uuid) -> Result<Option<OriginFact>, Error> {
    let row = sqlx::query_as!(
        BonusRow,
        r#"SELECT b.id AS "id: BonusId", b.kind AS "kind: BonusKind", b.level, a.username AS "source?", b.base, b.rate, b.gross
           FROM affiliates.bonus b LEFT JOIN identity.account a ON a.id = b.source WHERE b.id = $1 AND b.receiver = $2"#,
        id,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|r| OriginFact::Bonuses {
        business_day: None,
        bonuses: vec![r.into()],
        total: 1,
    }))
}

/// A person's bonuses that a movement of a closing paid: all of its kind, which its key names, for a closing books each receiver once a kind.
pub async fn closing(
    pool: &PgPool,
    user: UserId,
    transfer: TransferId,
    closing: Uuid,
    most: i64,
) -> Result<Option<OriginFact>, Error> {
    let day = sqlx::query_scalar!("SELECT day FROM affiliates.closing WHERE id = $1", closing)
        .fetch_optional(pool)
        .await?;
    let Some(day) = day else {
        return Ok(None);
    };
    let rows = sqlx::query!(
        r#"SELECT b.id AS "id: BonusId", b.kind AS "kind: BonusKind", b.level, a.username AS "source?", b.base, b.rate, b.gross,
                  count(*) OVER () AS "total!"
           FROM ledger.transfer t JOIN affiliates.bonus b ON b.cause = $1 AND b.receiver = $2 AND b.kind = split_part(t.key, ':', 3) AND b.paid > 0
           LEFT JOIN identity.account a ON a.id = b.source
           WHERE t.id = $3 ORDER BY b.gross DESC, b.id LIMIT $4"#,
        closing,
        user.0,
        transfer.0,
        most
    )
    .fetch_all(pool)
    .await?;
    let total = rows.first().map_or(0, |r| r.total);
    let bonuses = rows
        .into_iter()
        .map(|r| {
            OriginBonus::from(BonusRow {
                id: r.id,
                kind: r.kind,
                level: r.level,
                source: r.source,
                base: r.base,
                rate: r.rate,
                gross: r.gross,
            })
        })
        .collect();
    Ok(Some(OriginFact::Bonuses {
        business_day: Some(day.to_string()),
        bonuses,
        total,
    }))
}
