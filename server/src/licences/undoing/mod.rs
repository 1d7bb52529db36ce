//! What a settlement had booked for a licence, taken back (docs/rules/desk.md#results-taken-back): the counterpart of [`super::settlement`],
//! and beside it the only writer of gains and losses.
//!
//! Money that is no longer where it came in is never fetched from elsewhere: then nothing is taken back, and the refusal says what is missing.

mod store;

use super::{
    loans,
    model::Licence,
    money::{self, copy_balances},
    rules, service, store as licences,
};
use crate::{
    affiliates,
    error::Error,
    foundation::{business_day, context::Context, open_day, transaction::Tx},
    ledger::{
        model::{LicenceAccount, Orderer},
        service::{self as ledger, Owner, Part},
    },
};
use protocol::{
    ErrorCode,
    ids::{BatchId, LicenceId, LotId, TransferId, UserId},
    money::Usdt,
    views::LicenceState,
};
use time::OffsetDateTime;

/// What a settlement did to a licence.
#[derive(Clone, Debug)]
pub struct Wrong {
    pub batch: BatchId,
    /// When it was booked.
    pub at: OffsetDateTime,
    pub part: Part,
}

impl Wrong {
    /// To `yield`, and to a loan.
    #[must_use]
    pub fn gain(&self) -> Usdt {
        self.part.of(LicenceAccount::Yield) + self.repaid()
    }

    #[must_use]
    pub fn loss(&self) -> Usdt {
        -self.part.of(LicenceAccount::Allocated)
    }

    fn repaid(&self) -> Usdt {
        self.part.of(LicenceAccount::Loan)
    }
}

/// What a settlement of that moment booked for a licence.
///
/// # Errors
/// `result.not_booked`.
pub async fn find(tx: &mut Tx, id: LicenceId, batch: BatchId, at: OffsetDateTime) -> Result<Wrong, Error> {
    match ledger::part(tx, &super::settlement::key(batch), id).await? {
        Some(part) => Ok(Wrong { batch, at, part }),
        None => Err(Error::code(ErrorCode::ResultNotBooked)),
    }
}

/// Locks a licence and looks at whether it can be taken back now. The day of its result stays open until the change ends.
///
/// # Errors
/// `licence.unknown`, `result.day_closed`, `result.spent`, `result.no_room`, `result.loan`, `result.lots`.
pub async fn require(tx: &mut Tx, id: LicenceId, wrong: &Wrong) -> Result<Undoable, Error> {
    let refused = |code| Err(Error::code(code));
    // Asked before the licence is locked, as a settlement does.
    if !open_day::is_open(tx, wrong.part.business_day).await? {
        return refused(ErrorCode::ResultDayClosed);
    }
    let mut locked = licences::lock(tx.conn(), None, &[id.0]).await?;
    let licence = service::one(&mut locked, id)?;
    let earned = wrong.part.of(LicenceAccount::Yield);
    if licence.yield_balance < earned {
        return Err(Error::code(ErrorCode::ResultSpent).with("missing", earned - licence.yield_balance));
    }
    // A loan that is over stays over, and what it bound is free; a later one was not repaid by this.
    let same_loan = licence.debt().is_positive() && licence.loan_at.is_some_and(|taken| taken <= wrong.at);
    if wrong.repaid().is_positive() && !same_loan {
        return refused(ErrorCode::ResultLoan);
    }
    let loss = wrong.loss();
    let room = rules::allocation_room(
        licence.value,
        licence.allocation_factor,
        licence.topup,
        licence.allocated,
    );
    if loss > room {
        return Err(Error::code(ErrorCode::ResultNoRoom).with("room", room));
    }
    if !loss.is_positive() {
        return Ok(Undoable { lots: Vec::new() });
    }
    match store::lots_that_lost(tx.conn(), wrong.batch.0, id, loss).await? {
        Some(lots) => Ok(Undoable { lots }),
        None => refused(ErrorCode::ResultLots),
    }
}

/// That [`require`] found nothing against it in this change.
#[derive(Clone, Debug)]
pub struct Undoable {
    /// Which lots get the loss back.
    lots: Vec<(LotId, Usdt)>,
}

/// A licence of which a result was taken back.
#[derive(Clone, Debug)]
pub struct TakenBack {
    pub licence: Licence,
    pub transfer: TransferId,
}

/// Takes back what [`require`] has looked at in this change: the ledger's part, the lots that bore the loss, totals and today's result; then looks
/// anew at its loan and at its end. One that had ended by this gain is active again.
///
/// # Errors
/// Whatever the ledger refuses; nothing may be committed then.
pub async fn take_back(
    context: &Context,
    tx: &mut Tx,
    id: LicenceId,
    (wrong, undoable): (&Wrong, &Undoable),
    by: UserId,
    reason: &str,
) -> Result<TakenBack, Error> {
    let settings = context.settings.within(tx).await?;
    let mut locked = licences::lock(tx.conn(), None, &[id.0]).await?;
    let licence = service::one(&mut locked, id)?;
    let posted = ledger::reverse_part(
        tx,
        wrong.part.transfer,
        Owner::Licence(id),
        Orderer::User(by),
        reason,
    )
    .await?;
    copy_balances(std::slice::from_mut(licence), &posted)?;
    store::give_back(tx.conn(), &undoable.lots).await?;
    let (gain, loss) = (wrong.gain(), wrong.loss());
    licence.gains -= gain;
    licence.losses -= loss;
    let today = business_day::of(tx.now());
    if business_day::of(wrong.at) == today && licence.today_day == Some(today) {
        licence.today = licence.today - gain + loss;
        if rules::goal_reached(licence.today, licence.goal_ppm, licence.allocated) {
            licence.goal_day = Some(today);
        } else if licence.goal_day == Some(today) {
            licence.goal_day = None;
        }
    }
    loans::call_if_unbacked(tx, licence, &settings).await?;
    if licence.state == LicenceState::CeilingReached && licence.limit_left().is_positive() {
        licence.state = LicenceState::Active;
        affiliates::service::licence_changed(context, tx, &licence.in_network()).await?;
    } else {
        money::end_if_reached(context, tx, licence, &settings).await?;
    }
    service::tell_all(context, tx, &settings, &mut locked).await?;
    let licence = locked.pop().ok_or_else(service::unknown)?;
    Ok(TakenBack {
        licence,
        transfer: posted.id,
    })
}
