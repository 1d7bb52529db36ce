//! Rounds as buyers see them, and buying.

use super::{
    rules,
    store::{self, NewPurchase, Round},
    vested,
};
use crate::{
    approvals::guard,
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        transaction::Tx,
    },
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    ErrorCode,
    ids::{PresalePurchaseId, PresaleRoundId, UserId},
    money::{Pyx, Usdt},
};
use serde::Serialize;
use serde_json::json;
use time::{Date, OffsetDateTime};

pub use super::vested::{
    PresaleClaim, PresaleHoldings, PresalePurchaseView, VestingDay, VestingView, claim, holdings,
};

time::serde::format_description!(day, Date, "[year]-[month]-[day]");

/// Where a round stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundState {
    Upcoming,
    Open,
    SoldOut,
    Ended,
}

/// A round as everybody sees it, with what is one's own in it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PresaleRound {
    #[serde(rename = "_id")]
    pub id: PresaleRoundId,
    pub number: i32,
    pub state: RoundState,
    /// USDT of a whole PYX.
    pub price: Usdt,
    pub supply: Pyx,
    pub sold: Pyx,
    /// The most of one person.
    pub cap: Pyx,
    #[serde(with = "time::serde::rfc3339")]
    pub starts_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    pub ends_at: OffsetDateTime,
    pub cliff_days: i32,
    pub vesting_days: i32,
    /// The first and the last day that free what is bought here.
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub first_day: Date,
    #[serde(with = "day")]
    #[schema(value_type = String, format = "date")]
    pub last_day: Date,
    pub own_bought: Pyx,
    pub own_cap_left: Pyx,
    pub version: i64,
}

/// All rounds that were agreed.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PresaleRounds {
    /// The one whose time is now, sold out or not.
    pub current: Option<PresaleRound>,
    /// The next to begin.
    pub next: Option<PresaleRound>,
    /// The latest first.
    pub past: Vec<PresaleRound>,
}

fn state(round: &Round, now: OffsetDateTime) -> RoundState {
    if now < round.starts_at {
        RoundState::Upcoming
    } else if now >= round.ends_at {
        RoundState::Ended
    } else if round.sold >= round.supply {
        RoundState::SoldOut
    } else {
        RoundState::Open
    }
}

fn shown(round: &Round, own: Pyx, now: OffsetDateTime) -> PresaleRound {
    let schedule = round.schedule(Pyx(round.supply));
    let left = (round.cap - own.0).min(round.supply - round.sold).max(0);
    PresaleRound {
        id: round.id(),
        number: round.number,
        state: state(round, now),
        price: Usdt(round.price),
        supply: Pyx(round.supply),
        sold: Pyx(round.sold),
        cap: Pyx(round.cap),
        starts_at: round.starts_at,
        ends_at: round.ends_at,
        cliff_days: round.cliff_days,
        vesting_days: round.vesting_days,
        first_day: schedule.first,
        last_day: schedule.last(),
        own_bought: own,
        own_cap_left: Pyx(left),
        version: round.version,
    }
}

/// The running, the next and the past rounds, with one's own part.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rounds(context: &Context, user: UserId) -> Result<PresaleRounds, Error> {
    let now = context.now();
    let rounds = store::agreed_rounds(context.db.pool()).await?;
    let shares = store::shares(context.db.pool(), user).await?;
    let view = |round: &Round| {
        let own = shares
            .iter()
            .find(|s| s.round == round.id)
            .map_or(Pyx::ZERO, |s| s.bought);
        shown(round, own, now)
    };
    Ok(PresaleRounds {
        current: rounds.iter().find(|r| r.runs(now)).map(view),
        next: rounds.iter().rev().find(|r| r.starts_at > now).map(view),
        past: rounds.iter().filter(|r| r.ends_at <= now).map(view).collect(),
    })
}

/// Buys in a round: the value goes to the house, what it buys is locked until its days come.
///
/// # Errors
/// `presale.round_unknown`, `presale.closed`, `amount.not_positive`, `presale.supply`, `presale.cap`, `balance.insufficient`,
/// `account.excluded`, `outbound.held`, `outbound.paused`, `outbound.debt`, `outbound.young`.
pub async fn buy(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    round: PresaleRoundId,
    value: Usdt,
) -> Result<PresalePurchaseView, Error> {
    guard::require_may_buy(tx, user).await?;
    let settings = context.settings.within(tx).await?;
    let now = tx.now();
    // Buyers of a round follow one another.
    let round = store::lock_round(tx.conn(), round)
        .await?
        .filter(Round::agreed)
        .ok_or_else(|| Error::code(ErrorCode::PresaleRoundUnknown))?;
    if !round.runs(now) {
        return Err(Error::code(ErrorCode::PresaleClosed));
    }
    let price = Usdt(round.price);
    let field = |error: Error, code| error.field("value", code);
    let pyx = rules::quantity(value, price).ok_or_else(|| {
        field(
            Error::code(ErrorCode::AmountNotPositive),
            ErrorCode::AmountNotPositive,
        )
    })?;
    let own = store::shares(tx.conn(), user)
        .await?
        .iter()
        .find(|s| s.round == round.id)
        .map_or(Pyx::ZERO, |s| s.bought);
    for (left, code) in [
        (round.supply - round.sold, ErrorCode::PresaleSupply),
        (round.cap - own.0, ErrorCode::PresaleCap),
    ] {
        if pyx.0 > left {
            return Err(field(Error::code(code).with("left", Pyx(left).brief()), code));
        }
    }
    let id = PresalePurchaseId::fresh();
    let transfer = Transfer::new(
        TransferKind::PresalePurchase,
        format!("presale:{id}"),
        Cause::new(CauseKind::Presale, id.0),
        Orderer::User(user),
    )
    .settings(settings.version)
    .move_usdt(
        AccountRef::User(user, UserAccount::Available),
        AccountRef::House(HouseAccount::Presale),
        value,
    )
    .pyx(AccountRef::House(HouseAccount::PyxSupply), -pyx)
    .pyx(AccountRef::User(user, UserAccount::PyxLocked), pyx);
    let posted = ledger::post(tx, transfer)
        .await
        .map_err(|error| match error.error_code() {
            ErrorCode::BalanceInsufficient => field(error, ErrorCode::BalanceInsufficient),
            _ => error,
        })?;
    guard::require_aged(tx, user, value).await?;
    let new = NewPurchase {
        id,
        round: round.id(),
        user,
        usdt: value,
        pyx,
        transfer: posted.id,
        settings_version: settings.version,
    };
    store::insert_purchase(tx.conn(), &new, Pyx(round.cap), now).await?;
    audit::record(
        tx,
        Some(user),
        Some(id.0),
        Category::Money,
        "presale.buy",
        json!({ "round": round.id, "usdt": value, "pyx": pyx }),
    )
    .await?;
    vested::tell(tx, user).await?;
    Ok(PresalePurchaseView {
        id,
        round: round.number,
        price,
        value,
        pyx,
        created_at: now,
    })
}
