//! What a settlement had booked for a licence, taken back (docs/rules/desk.md#results-taken-back): the counterpart of [`super::settlement`],
//! and beside it the only writer of gains and losses.
//!
//! Money that is no longer where it came in is never fetched from elsewhere: then nothing is taken back, and the refusal says what is missing.
//! A loss whose bearer has closed their account comes back to nobody: the house keeps it (docs/decisions/0104-what-comes-back-for-who-has-left.md).

mod store;

use super::{
    loans,
    model::Licence,
    money::{self, account, copy_balances},
    rules, service, store as licences,
};
use crate::{
    affiliates,
    error::Error,
    foundation::{business_day, context::Context, open_day, settings::InForce, transaction::Tx},
    ledger::{
        model::{AccountRef, HouseAccount, LicenceAccount, Orderer, TransferKind},
        service::{self as ledger, Owner, Part},
    },
};
use protocol::{
    ErrorCode,
    ids::{BatchId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::LicenceState,
};
use time::OffsetDateTime;

/// What a settlement did to a licence.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub licence: LicenceId,
    pub batch: BatchId,
    /// When it was booked.
    pub at: OffsetDateTime,
    pub part: Part,
}

impl Wrong {
    /// To `yield`, and to a loan.
    #[must_use]
    pub fn gain(&self) -> Usdt {
        self.earned() + self.repaid()
    }

    #[must_use]
    pub fn loss(&self) -> Usdt {
        -self.of(LicenceAccount::Allocated)
    }

    fn earned(&self) -> Usdt {
        self.of(LicenceAccount::Yield)
    }

    fn repaid(&self) -> Usdt {
        self.of(LicenceAccount::Loan)
    }

    fn of(&self, which: LicenceAccount) -> Usdt {
        self.part.of(account(self.licence, which))
    }
}

/// What a settlement of that moment booked for a licence.
///
/// # Errors
/// `result.not_booked`.
pub async fn find(
    tx: &mut Tx,
    licence: LicenceId,
    batch: BatchId,
    at: OffsetDateTime,
) -> Result<Wrong, Error> {
    let key = super::settlement::key(batch);
    match ledger::part(tx, &key, Owner::Licence(licence)).await? {
        Some(part) => Ok(Wrong {
            licence,
            batch,
            at,
            part,
        }),
        None => Err(Error::code(ErrorCode::ResultNotBooked)),
    }
}

/// Locks a licence and looks at whether this could be taken back now. The day of its result stays open until the change ends.
///
/// # Errors
/// `licence.unknown`, `result.day_closed`, `result.spent`, `result.no_room`, `result.loan`, `result.lots`.
pub async fn require(tx: &mut Tx, wrong: &Wrong) -> Result<(), Error> {
    hold(tx, wrong).await?;
    let loss = wrong.loss();
    if loss.is_positive() {
        let bore = store::lots_that_lost(tx.conn(), wrong.batch, wrong.licence, loss).await?;
        if !bore.gone {
            whole(loss, bore.known)?;
        }
    }
    Ok(())
}

/// The licence, locked, of which this can be taken back as far as its lots allow it.
async fn hold(tx: &mut Tx, wrong: &Wrong) -> Result<Licence, Error> {
    let refused = |code| Err(Error::code(code));
    // Asked before the licence is locked, as a settlement does.
    if !open_day::is_open(tx, wrong.part.business_day).await? {
        return refused(ErrorCode::ResultDayClosed);
    }
    let mut locked = licences::lock(tx.conn(), None, &[wrong.licence.0]).await?;
    let licence = locked.pop().ok_or_else(service::unknown)?;
    let earned = wrong.earned();
    if licence.yield_balance < earned {
        return Err(Error::code(ErrorCode::ResultSpent).with("missing", earned - licence.yield_balance));
    }
    // A loan that is over stays over, and what it bound is free; a later one was not repaid by this.
    let same_loan = licence.debt().is_positive() && licence.loan_at.is_some_and(|taken| taken <= wrong.at);
    if wrong.repaid().is_positive() && !same_loan {
        return refused(ErrorCode::ResultLoan);
    }
    let room = rules::allocation_room(
        licence.value,
        licence.allocation_factor,
        licence.topup,
        licence.allocated,
    );
    if wrong.loss() > room {
        return Err(Error::code(ErrorCode::ResultNoRoom).with("room", room));
    }
    Ok(licence)
}

/// A loss goes back where it came from, or not at all.
fn whole(loss: Usdt, to_known_lots: Usdt) -> Result<(), Error> {
    if to_known_lots == loss {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::ResultLots))
    }
}

/// A licence of which a result was taken back.
#[derive(Clone, Debug)]
pub struct TakenBack {
    pub licence: Licence,
    pub transfer: TransferId,
}

/// Takes it back: the ledger's part, the lots that bore the loss, totals and today's result; then looks anew at the licence's loan and at its
/// end. One that had ended by this gain is active again.
///
/// # Errors
/// As [`require`], and whatever the ledger refuses; nothing may be committed then.
pub async fn take_back(
    context: &Context,
    tx: &mut Tx,
    wrong: &Wrong,
    by: UserId,
    reason: &str,
) -> Result<TakenBack, Error> {
    let settings = context.settings.within(tx).await?;
    let mut licence = hold(tx, wrong).await?;
    let (gain, loss) = (wrong.gain(), wrong.loss());
    let posted = ledger::reverse_part(tx, &wrong.part, Orderer::User(by), reason).await?;
    copy_balances(std::slice::from_mut(&mut licence), &posted)?;
    // Behind the ledger's locks: who closes an account holds all its rows, so either it is seen here or it comes after this, and finds what is there.
    let mut left = false;
    if loss.is_positive() {
        let bore = store::give_back(tx.conn(), wrong.batch, wrong.licence, loss).await?;
        left = bore.gone;
        if !left {
            whole(loss, bore.known)?;
        }
    }
    licence.gains -= gain;
    licence.losses -= loss;
    if left {
        leave(tx, wrong, &mut licence, by, &settings).await?;
    }
    let today = business_day::of(tx.now());
    if business_day::of(wrong.at) == today && licence.today_day == Some(today) {
        licence.today = licence.today - gain + loss;
        if rules::goal_reached(licence.today, licence.goal_ppm, licence.allocated) {
            licence.goal_day = Some(today);
        } else if licence.goal_day == Some(today) {
            licence.goal_day = None;
        }
    }
    loans::call_if_unbacked(tx, &mut licence, &settings).await?;
    if licence.state == LicenceState::CeilingReached && licence.limit_left().is_positive() {
        licence.state = LicenceState::Active;
        affiliates::service::licence_changed(context, tx, &licence.in_network()).await?;
    } else {
        money::end_if_reached(context, tx, &mut licence, &settings).await?;
    }
    service::tell_all(context, tx, &settings, std::slice::from_mut(&mut licence)).await?;
    Ok(TakenBack {
        licence,
        transfer: posted.id,
    })
}

/// What the loss brought back leaves again for the house, as capital that its owner takes out: no lot is raised, and nothing stays where nobody
/// can reach it.
async fn leave(
    tx: &mut Tx,
    wrong: &Wrong,
    licence: &mut Licence,
    by: UserId,
    settings: &InForce,
) -> Result<(), Error> {
    let loss = wrong.loss();
    let order = money::transfer(
        TransferKind::LeftBehind,
        format!("left_behind:{}:{}", wrong.batch, wrong.licence),
        wrong.licence,
        Orderer::User(by),
        settings,
    )
    .move_usdt(
        account(wrong.licence, LicenceAccount::Allocated),
        AccountRef::House(HouseAccount::LeftBehind),
        loss,
    );
    let posted = ledger::post(tx, order).await?;
    licence.capital -= loss;
    copy_balances(std::slice::from_mut(licence), &posted)
}
