//! SQL of the pre-sale: rounds, shares, purchases, claims.

use super::rules::vesting::Schedule;
use crate::{
    error::{Error, violates},
    foundation::http::Paging,
};
use protocol::{
    ErrorCode,
    ids::{PresalePurchaseId, PresaleRoundId, TransferId, UserId},
    money::{Pyx, Usdt},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// What two persons agree to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// USDT of a whole PYX.
    pub price: Usdt,
    pub supply: Pyx,
    /// The most of one person.
    pub cap: Pyx,
    pub starts_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
    pub cliff_days: i32,
    pub vesting_days: i32,
}

/// A round as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct Round {
    pub id: Uuid,
    pub number: i32,
    pub price: i64,
    pub supply: i64,
    pub cap: i64,
    pub starts_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
    pub cliff_days: i32,
    pub vesting_days: i32,
    /// Counts the terms that were proposed.
    pub revision: i32,
    /// `proposed`, `agreed`, `withdrawn`.
    pub status: String,
    pub sold: i64,
    pub raised: i64,
    pub version: i64,
}

/// A round as far as the book looks at it.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub starts_at: OffsetDateTime,
    pub ends_at: OffsetDateTime,
    pub price: Usdt,
}

impl From<&Round> for Span {
    fn from(round: &Round) -> Self {
        Self {
            starts_at: round.starts_at,
            ends_at: round.ends_at,
            price: Usdt(round.price),
        }
    }
}

impl Round {
    #[must_use]
    pub const fn id(&self) -> PresaleRoundId {
        PresaleRoundId(self.id)
    }

    #[must_use]
    pub const fn terms(&self) -> Terms {
        Terms {
            price: Usdt(self.price),
            supply: Pyx(self.supply),
            cap: Pyx(self.cap),
            starts_at: self.starts_at,
            ends_at: self.ends_at,
            cliff_days: self.cliff_days,
            vesting_days: self.vesting_days,
        }
    }

    #[must_use]
    pub fn schedule(&self, total: Pyx) -> Schedule {
        Schedule::new(total, self.ends_at, self.cliff_days, self.vesting_days)
    }

    #[must_use]
    pub fn agreed(&self) -> bool {
        self.status == "agreed"
    }

    #[must_use]
    pub fn begun(&self, now: OffsetDateTime) -> bool {
        self.agreed() && self.starts_at <= now
    }

    #[must_use]
    pub fn runs(&self, now: OffsetDateTime) -> bool {
        self.begun(now) && now < self.ends_at
    }
}

/// Constraints of a round in the words of the room.
fn refusal(error: sqlx::Error) -> Error {
    let code = [
        ("round_overlap", ErrorCode::PresaleOverlap),
        ("round_begun", ErrorCode::PresaleRoundBegun),
    ]
    .into_iter()
    .find(|(constraint, _)| violates(&error, constraint));
    match code {
        Some((_, code)) => Error::code(code),
        None => error.into(),
    }
}

pub async fn insert_round(
    conn: &mut PgConnection,
    id: PresaleRoundId,
    terms: &Terms,
    digest: &[u8; 32],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO presale.round (id, price, supply, cap, starts_at, ends_at, cliff_days, vesting_days, digest, proposed_by, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)",
        id.0,
        terms.price.0,
        terms.supply.0,
        terms.cap.0,
        terms.starts_at,
        terms.ends_at,
        terms.cliff_days,
        terms.vesting_days,
        digest.as_slice(),
        by.0,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(())
}

/// New terms: what was agreed before is forgotten.
pub async fn change_round(
    conn: &mut PgConnection,
    id: PresaleRoundId,
    terms: &Terms,
    digest: &[u8; 32],
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE presale.round SET price = $2, supply = $3, cap = $4, starts_at = $5, ends_at = $6, cliff_days = $7, vesting_days = $8,
             digest = $9, proposed_by = $10, status = 'proposed', agreed_by = NULL, revision = revision + 1, version = version + 1, updated_at = $11
         WHERE id = $1",
        id.0,
        terms.price.0,
        terms.supply.0,
        terms.cap.0,
        terms.starts_at,
        terms.ends_at,
        terms.cliff_days,
        terms.vesting_days,
        digest.as_slice(),
        by.0,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(())
}

pub async fn agree_round(
    conn: &mut PgConnection,
    id: PresaleRoundId,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE presale.round SET status = 'agreed', agreed_by = $2, version = version + 1, updated_at = $3 WHERE id = $1",
        id.0,
        by.0,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(())
}

pub async fn withdraw_round(
    conn: &mut PgConnection,
    id: PresaleRoundId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE presale.round SET status = 'withdrawn', agreed_by = NULL, version = version + 1, updated_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await
    .map_err(refusal)?;
    Ok(())
}

pub async fn lock_round(conn: &mut PgConnection, id: PresaleRoundId) -> Result<Option<Round>, Error> {
    Ok(sqlx::query_as!(
        Round,
        "SELECT id, number, price, supply, cap, starts_at, ends_at, cliff_days, vesting_days, revision, status, sold, raised, version
         FROM presale.round WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?)
}

/// Rounds that sell, sold or will sell, the latest first.
pub async fn agreed_rounds(db: impl PgExecutor<'_>) -> Result<Vec<Round>, Error> {
    Ok(sqlx::query_as!(
        Round,
        "SELECT id, number, price, supply, cap, starts_at, ends_at, cliff_days, vesting_days, revision, status, sold, raised, version
         FROM presale.round WHERE status = 'agreed' ORDER BY starts_at DESC"
    )
    .fetch_all(db)
    .await?)
}

/// A round as those see it who decide on it.
#[derive(Clone, Debug)]
pub struct StaffRow {
    pub round: Round,
    pub proposed_by: UserId,
    pub proposed_name: String,
    pub agreed_name: Option<String>,
    pub buyers: i64,
    pub created_at: OffsetDateTime,
}

pub async fn staff_rounds(pool: &PgPool, paging: &Paging) -> Result<(Vec<StaffRow>, i64), Error> {
    let total = sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM presale.round"#)
        .fetch_one(pool)
        .await?;
    let rows = sqlx::query!(
        r#"SELECT r.id, r.number, r.price, r.supply, r.cap, r.starts_at, r.ends_at, r.cliff_days, r.vesting_days, r.revision, r.status, r.sold, r.raised,
                r.version, r.proposed_by, r.created_at, p.username AS proposed_name, a.username AS "agreed_name?",
                (SELECT count(*) FROM presale.share s WHERE s.round = r.id) AS "buyers!"
           FROM presale.round r JOIN identity.account p ON p.id = r.proposed_by LEFT JOIN identity.account a ON a.id = r.agreed_by
           ORDER BY r.status = 'proposed' DESC, r.starts_at DESC, r.id LIMIT $1 OFFSET $2"#,
        paging.limit,
        paging.offset
    )
    .fetch_all(pool)
    .await?;
    let rows = rows
        .into_iter()
        .map(|r| StaffRow {
            round: Round {
                id: r.id,
                number: r.number,
                price: r.price,
                supply: r.supply,
                cap: r.cap,
                starts_at: r.starts_at,
                ends_at: r.ends_at,
                cliff_days: r.cliff_days,
                vesting_days: r.vesting_days,
                revision: r.revision,
                status: r.status,
                sold: r.sold,
                raised: r.raised,
                version: r.version,
            },
            proposed_by: UserId(r.proposed_by),
            proposed_name: r.proposed_name,
            agreed_name: r.agreed_name,
            buyers: r.buyers,
            created_at: r.created_at,
        })
        .collect();
    Ok((rows, total))
}

pub struct NewPurchase {
    pub id: PresalePurchaseId,
    pub round: PresaleRoundId,
    pub user: UserId,
    pub usdt: Usdt,
    pub pyx: Pyx,
    pub transfer: TransferId,
    pub settings_version: i32,
}

/// A purchase with all that it changes: the round, and its buyer's share of it. The round is locked.
pub async fn insert_purchase(
    conn: &mut PgConnection,
    new: &NewPurchase,
    cap: Pyx,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE presale.round SET sold = sold + $2, raised = raised + $3, version = version + 1, updated_at = $4 WHERE id = $1",
        new.round.0,
        new.pyx.0,
        new.usdt.0,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO presale.share AS s (round, user_id, cap, bought, paid) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (round, user_id) DO UPDATE SET bought = s.bought + excluded.bought, paid = s.paid + excluded.paid",
        new.round.0,
        new.user.0,
        cap.0,
        new.pyx.0,
        new.usdt.0
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "INSERT INTO presale.purchase (id, round, user_id, usdt, pyx, ledger_transfer, settings_version, at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        new.id.0,
        new.round.0,
        new.user.0,
        new.usdt.0,
        new.pyx.0,
        new.transfer.0,
        new.settings_version,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A person's share of a round with the round's terms.
#[derive(Clone, Debug)]
pub struct Share {
    pub round: Uuid,
    pub bought: Pyx,
    pub paid: Usdt,
    pub claimed: Pyx,
}

pub async fn shares(db: impl PgExecutor<'_>, user: UserId) -> Result<Vec<Share>, Error> {
    let rows = sqlx::query!(
        "SELECT round, bought, paid, claimed FROM presale.share WHERE user_id = $1 ORDER BY round",
        user.0
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Share {
            round: r.round,
            bought: Pyx(r.bought),
            paid: Usdt(r.paid),
            claimed: Pyx(r.claimed),
        })
        .collect())
}

/// A person's shares, locked: claims of one person follow one another.
pub async fn lock_shares(conn: &mut PgConnection, user: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT round FROM presale.share WHERE user_id = $1 ORDER BY round FOR UPDATE",
        user.0
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}

pub async fn set_claimed(
    conn: &mut PgConnection,
    user: UserId,
    round: Uuid,
    claimed: Pyx,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE presale.share SET claimed = $3 WHERE user_id = $1 AND round = $2",
        user.0,
        round,
        claimed.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn claimed_on(db: impl PgExecutor<'_>, user: UserId, day: Date) -> Result<Option<Pyx>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT pyx FROM presale.claim WHERE user_id = $1 AND day = $2",
        user.0,
        day
    )
    .fetch_optional(db)
    .await?
    .map(Pyx))
}

pub async fn insert_claim(
    conn: &mut PgConnection,
    user: UserId,
    day: Date,
    pyx: Pyx,
    transfer: TransferId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO presale.claim (user_id, day, pyx, ledger_transfer, at) VALUES ($1, $2, $3, $4, $5)",
        user.0,
        day,
        pyx.0,
        transfer.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A purchase in a list.
#[derive(Clone, Debug)]
pub struct Purchase {
    pub id: PresalePurchaseId,
    pub round: Uuid,
    pub usdt: Usdt,
    pub pyx: Pyx,
    pub at: OffsetDateTime,
}

pub async fn purchases(db: impl PgExecutor<'_>, user: UserId, most: i64) -> Result<Vec<Purchase>, Error> {
    let rows = sqlx::query!(
        "SELECT id, round, usdt, pyx, at FROM presale.purchase WHERE user_id = $1 ORDER BY at DESC, id DESC LIMIT $2",
        user.0,
        most
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Purchase {
            id: PresalePurchaseId(r.id),
            round: r.round,
            usdt: Usdt(r.usdt),
            pyx: Pyx(r.pyx),
            at: r.at,
        })
        .collect())
}
