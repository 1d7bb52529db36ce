//! The doors of bonuses: what other rooms tell of, and what members take out.

use super::{
    rules,
    store::{self, Cause, Undoing},
    work::WORK,
};
use crate::{
    error::Error,
    foundation::{amounts, context::Context, idempotency::Key, job_queue::NewJob, open_day, transaction::Tx},
    identity::caller::Caller,
    ledger::{
        model::{
            AccountRef, Cause as LedgerCause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::BonusCause,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

const SALE: &str = "sale";
const ALLOCATION: &str = "allocation";

/// What kind of bonuses follow; none from a reversal, which takes some back.
pub(super) fn kind(cause: &Cause) -> Option<BonusCause> {
    match cause.kind.as_str() {
        SALE => Some(BonusCause::Sale),
        ALLOCATION => Some(BonusCause::Allocation),
        _ => None,
    }
}

async fn undo(tx: &mut Tx, cause: Undoing) -> Result<(), Error> {
    let now = tx.now();
    if store::undo(tx.conn(), &cause, now).await? {
        wake(tx, cause.id)?;
    }
    Ok(())
}

/// Has causes and queue looked at after this change is committed.
pub(in crate::affiliates) fn wake(tx: &mut Tx, effect: Uuid) -> Result<(), Error> {
    tx.enqueue(NewJob::new(WORK, format!("{WORK}:{effect}"), &effect)?);
    Ok(())
}

/// A member's highest N so far, held until the change ends: one change of a member's N after the other.
#[derive(Clone, Copy, Debug)]
#[must_use = "N is compared with it"]
pub struct Peak {
    member: UserId,
    peak: Usdt,
}

/// Takes hold of a member's highest N; call it when everything that changes N is booked and stored, and ask for N afterwards.
///
/// # Errors
/// Whatever the database refuses.
pub async fn peak(tx: &mut Tx, member: UserId) -> Result<Peak, Error> {
    let now = tx.now();
    let peak = store::lock_peak(tx.conn(), member, now).await?;
    Ok(Peak { member, peak })
}

/// A member's N is this now: what it rises over its highest so far is the base of the level bonuses.
///
/// # Errors
/// Whatever the database refuses.
pub async fn base_changed(
    tx: &mut Tx,
    Peak { member, peak }: Peak,
    licence: LicenceId,
    base: Usdt,
) -> Result<(), Error> {
    if base <= peak {
        return Ok(());
    }
    let now = tx.now();
    let business_day = open_day::of(tx).await?;
    let rise = store::NewRise {
        id: Uuid::now_v7(),
        member,
        licence,
        peak: base,
        risen: base - peak,
        business_day,
    };
    store::rise(tx.conn(), &rise, now).await?;
    wake(tx, rise.id)
}

/// What was taken back from whom, and who bears what receivers of bonuses no longer have.
#[derive(Clone, Copy, Debug)]
pub struct Undone {
    pub member: UserId,
    /// When the credit came that is taken back.
    pub since: OffsetDateTime,
    pub losses: HouseAccount,
}

impl Undone {
    const fn losses(&self) -> &'static str {
        match self.losses {
            HouseAccount::PixLosses => "pix_losses",
            _ => "chain_losses",
        }
    }
}

/// A final sale was taken back: its bonuses go back too.
pub(in crate::affiliates) async fn sale_undone(
    tx: &mut Tx,
    licence: LicenceId,
    undone: &Undone,
) -> Result<(), Error> {
    let business_day = open_day::of(tx).await?;
    let cause = Undoing {
        id: Uuid::now_v7(),
        member: undone.member,
        licence: Some(licence),
        base: Usdt::ZERO,
        business_day,
        since: undone.since,
        losses: undone.losses(),
    };
    undo(tx, cause).await
}

/// A reversed credit took so much of a member's capital: what of it had raised N since the credit, newest first, and is no longer at work, was
/// no rise. The highest N falls with it, so that the same rise can be paid again; the level bonuses go back when the cause is worked off. Both
/// are decided here, while the peak is held: a rise that comes before the worker is another one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn capital_undone(
    tx: &mut Tx,
    Peak { member, peak }: Peak,
    taken: Usdt,
    undone: &Undone,
    base: Usdt,
) -> Result<(), Error> {
    let mut left = (peak - base).min(taken);
    if !left.is_positive() {
        return Ok(());
    }
    let now = tx.now();
    let mut parts: Vec<(Uuid, Usdt)> = Vec::new();
    for rise in store::rises(tx.conn(), member, undone.since).await? {
        let part = rise.standing.min(left);
        if part.is_positive() {
            left -= part;
            parts.push((rise.id, part));
        }
    }
    let fell: Usdt = parts.iter().map(|(_, part)| *part).sum();
    if !fell.is_positive() {
        return Ok(());
    }
    store::undo_rises(tx.conn(), &parts).await?;
    store::save_peak(tx.conn(), member, (peak - fell).max(Usdt::ZERO), now).await?;
    let business_day = open_day::of(tx).await?;
    let cause = Undoing {
        id: Uuid::now_v7(),
        member,
        licence: None,
        base: fell,
        business_day,
        since: undone.since,
        losses: undone.losses(),
    };
    undo(tx, cause).await
}

/// Tells receivers of their bonuses as they are now.
pub(super) async fn tell(tx: &mut Tx, changed: &[BonusId]) -> Result<(), Error> {
    let ids: Vec<Uuid> = changed.iter().map(|id| id.0).collect();
    let now = tx.now();
    for row in store::rows(tx.conn(), &ids).await? {
        let receiver = row.receiver;
        let bonus = Box::new(rules::view(row, now));
        tx.emit(StreamId::User(receiver), LiveEvent::BonusChanged { bonus });
    }
    Ok(())
}

/// What of a person's `bonus` stays there now, and until when at least if only time holds it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn held(tx: &mut Tx, user: UserId) -> Result<(Usdt, Option<OffsetDateTime>), Error> {
    let now = tx.now();
    store::held(tx.conn(), user, now).await
}

/// Refuses when what a change has just taken from `bonus` had to stay there. Call it after the ledger has taken it: the account's row is
/// this change's own then, and nothing comes in between.
///
/// # Errors
/// `bonus.held`, with what is free.
pub async fn require_free(tx: &mut Tx, user: UserId, taken: Usdt) -> Result<(), Error> {
    let (held, _) = held(tx, user).await?;
    let left = ledger::usdt_balance(tx.conn(), AccountRef::User(user, UserAccount::Bonus)).await?;
    if left >= held {
        return Ok(());
    }
    Err(Error::code(ErrorCode::BonusHeld)
        .with("free", (left + taken - held).max(Usdt::ZERO).brief())
        .field("value", ErrorCode::BonusHeld))
}

/// How much of `bonus` goes to `available`.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BonusWithdrawal {
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
}

/// What is left in `bonus`, and the movement: `GET /statement/{transfer}` tells it whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusWithdrawn {
    pub bonus: Usdt,
    pub transfers: Vec<TransferId>,
}

/// `bonus → available`, on any day.
///
/// # Errors
/// `amount.not_positive`, `balance.insufficient`, `bonus.held` for what comes from young money or waits for a person's look.
pub async fn withdraw(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    key: &Key,
    order: &BonusWithdrawal,
) -> Result<BonusWithdrawn, Error> {
    if !order.value.is_positive() {
        return Err(Error::code(ErrorCode::AmountNotPositive).field("value", ErrorCode::AmountNotPositive));
    }
    let settings = context.settings.within(tx).await?;
    let bonus = AccountRef::User(caller.user, UserAccount::Bonus);
    let out = Transfer::new(
        TransferKind::BonusWithdrawal,
        key.ledger_key(),
        LedgerCause::new(CauseKind::User, caller.user.0),
        Orderer::User(caller.user),
    )
    .settings(settings.version)
    .move_usdt(
        bonus,
        AccountRef::User(caller.user, UserAccount::Available),
        order.value,
    );
    let posted = ledger::post(tx, out).await?;
    require_free(tx, caller.user, order.value).await?;
    Ok(BonusWithdrawn {
        bonus: ledger::usdt_balance(tx.conn(), bonus).await?,
        transfers: vec![posted.id],
    })
}
