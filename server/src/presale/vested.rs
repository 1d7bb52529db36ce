//! What a person holds: free, locked, held, and when the locked becomes free; its claim.

use super::store::{self, Round};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        transaction::{Db, Tx},
    },
    ledger::{
        model::{AccountRef, Cause, CauseKind, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    ErrorCode,
    ids::{PresalePurchaseId, PresaleRoundId, UserId},
    money::{Pyx, Usdt},
    pyx::PyxBalances,
};
use serde::Serialize;
use time::{Date, OffsetDateTime};

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

/// The most purchases that holdings list.
const PURCHASES: i64 = 200;

/// A purchase as its buyer sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PresalePurchaseView {
    #[serde(rename = "_id")]
    pub id: PresalePurchaseId,
    /// The round's number.
    pub round: i32,
    /// USDT of a whole PYX.
    pub price: Usdt,
    pub value: Usdt,
    pub pyx: Pyx,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// What a person bought in a round, and how it becomes free: from `firstDay` to `lastDay` `perDay` each, the last day the rest.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VestingView {
    pub round: PresaleRoundId,
    pub number: i32,
    pub price: Usdt,
    pub bought: Pyx,
    pub paid: Usdt,
    /// Free by today, claimed or not.
    pub vested: Pyx,
    pub claimed: Pyx,
    pub per_day: Pyx,
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub first_day: Date,
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub last_day: Date,
    pub days: i32,
}

/// A day that frees something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct VestingDay {
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub day: Date,
    pub pyx: Pyx,
}

/// One's own PYX.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresaleHoldings {
    pub balances: PyxBalances,
    /// What a claim would free now.
    pub claimable: Pyx,
    /// What was claimed today.
    pub claimed_today: Option<Pyx>,
    /// The next day after today that frees something.
    pub next: Option<VestingDay>,
    pub schedules: Vec<VestingView>,
    pub purchases: Vec<PresalePurchaseView>,
}

/// A claim.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PresaleClaim {
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub day: Date,
    pub pyx: Pyx,
    /// It had been claimed before on this day.
    pub repeated: bool,
}

/// Tells a person of their PYX: once for each change, the last word counts.
pub(super) async fn tell(tx: &mut Tx, user: UserId) -> Result<PyxBalances, Error> {
    ledger::tell_pyx(tx, user).await
}

/// The same for several people at once.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_all(tx: &mut Tx, people: &[UserId]) -> Result<(), Error> {
    ledger::tell_pyx_of(tx, people).await?;
    Ok(())
}

/// Shares with their rounds.
struct Held {
    round: Round,
    share: store::Share,
}

fn pair(rounds: &[Round], shares: Vec<store::Share>) -> Vec<Held> {
    shares
        .into_iter()
        .filter_map(|share| {
            let round = rounds.iter().find(|r| r.id == share.round)?.clone();
            Some(Held { round, share })
        })
        .collect()
}

impl Held {
    fn claimable(&self, day: Date) -> Pyx {
        let vested = self.round.schedule(self.share.bought).vested(day);
        (vested - self.share.claimed).max(Pyx::ZERO)
    }
}

/// The next day after this one that frees something of these, and how much.
fn next(held: &[Held], day: Date) -> Option<VestingDay> {
    let schedules: Vec<_> = held.iter().map(|h| h.round.schedule(h.share.bought)).collect();
    let next = schedules.iter().filter_map(|s| s.next_after(day)).min()?;
    Some(VestingDay {
        day: next,
        pyx: schedules.iter().map(|s| s.on(next)).sum(),
    })
}

/// One's own PYX with its schedules.
///
/// # Errors
/// Whatever the database refuses.
pub async fn holdings(context: &Context, user: UserId) -> Result<PresaleHoldings, Error> {
    let db: &Db = &context.db;
    let today = business_day::of(context.now());
    let rounds = store::agreed_rounds(db.pool()).await?;
    let held = pair(&rounds, store::shares(db.pool(), user).await?);
    let claimed_today = store::claimed_on(db.pool(), user, today).await?;
    let purchases = store::purchases(db.pool(), user, PURCHASES).await?;
    Ok(PresaleHoldings {
        balances: ledger::pyx_balances(db.pool(), user).await?,
        claimable: held.iter().map(|h| h.claimable(today)).sum(),
        claimed_today,
        next: next(&held, today),
        schedules: held
            .iter()
            .map(|h| {
                let schedule = h.round.schedule(h.share.bought);
                VestingView {
                    round: h.round.id(),
                    number: h.round.number,
                    price: Usdt(h.round.price),
                    bought: h.share.bought,
                    paid: h.share.paid,
                    vested: schedule.vested(today),
                    claimed: h.share.claimed,
                    per_day: schedule.per_day(),
                    first_day: schedule.first,
                    last_day: schedule.last(),
                    days: schedule.days,
                }
            })
            .collect(),
        purchases: purchases
            .into_iter()
            .filter_map(|p| {
                let round = rounds.iter().find(|r| r.id == p.round)?;
                Some(PresalePurchaseView {
                    id: p.id,
                    round: round.number,
                    price: Usdt(round.price),
                    value: p.usdt,
                    pyx: p.pyx,
                    created_at: p.at,
                })
            })
            .collect(),
    })
}

/// Frees all that is due today. A second claim of a day gives the first one again.
///
/// # Errors
/// `presale.nothing_vested`, with the next day.
pub async fn claim(context: &Context, tx: &mut Tx, user: UserId) -> Result<PresaleClaim, Error> {
    let now = tx.now();
    let today = business_day::of(now);
    store::lock_shares(tx.conn(), user).await?;
    if let Some(pyx) = store::claimed_on(tx.conn(), user, today).await? {
        return Ok(PresaleClaim {
            day: today,
            pyx,
            repeated: true,
        });
    }
    let rounds = store::agreed_rounds(tx.conn()).await?;
    let shares = store::shares(tx.conn(), user).await?;
    let held = pair(&rounds, shares);
    let mut due = Pyx::ZERO;
    for one in &held {
        let part = one.claimable(today);
        if part.is_positive() {
            due += part;
            store::set_claimed(tx.conn(), user, one.round.id, one.share.claimed + part).await?;
        }
    }
    if !due.is_positive() {
        let day = next(&held, today).map_or_else(|| "-".to_owned(), |n| business_day::shown_day(n.day));
        return Err(Error::code(ErrorCode::PresaleNothingVested).with("day", day));
    }
    let settings = context.settings.within(tx).await?;
    let transfer = Transfer::new(
        TransferKind::PresaleVesting,
        format!("presale_claim:{user}:{today}"),
        Cause::new(CauseKind::Presale, user.0),
        Orderer::User(user),
    )
    .settings(settings.version)
    .pyx(AccountRef::User(user, UserAccount::PyxLocked), -due)
    .pyx(AccountRef::User(user, UserAccount::Pyx), due);
    let posted = ledger::post(tx, transfer).await?;
    store::insert_claim(tx.conn(), user, today, due, posted.id, now).await?;
    tell(tx, user).await?;
    Ok(PresaleClaim {
        day: today,
        pyx: due,
        repeated: false,
    })
}
