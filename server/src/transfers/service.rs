//! Use cases of transfers between members.

use super::store::{self, Filter, Locked, NewTransfer, Row, Totals};
use crate::{
    approvals::{
        compliance::{self, End},
        guard::{self, Action, Outbound, Verdict},
        rules::{Kind, needed_at_first},
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        settings::Settings,
        subjects,
        transaction::Tx,
    },
    identity::{caller::Scope, service as identity},
    ledger::{
        amount::Currency,
        fees,
        model::{
            AccountRef, Cause, CauseKind, HouseAccount, Leg, NewHold, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{CaseId, HoldId, MemberTransferId, OutboundId, TransferId, UserId},
    live_event::QueueItem,
    money::Usdt,
    stream_id::Queue,
    views::{MemberTransferStatus as Status, MemberTransferView},
};
use serde_json::json;
use time::OffsetDateTime;

/// What waits for a case is named so there.
pub const SUBJECT: &str = "transfer";

/// What a member asks for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The receiver's username.
    pub receiver: &'a str,
    pub value: Usdt,
    pub security_code: Option<&'a str>,
}

fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

/// Sends balance to another member.
///
/// # Errors
/// `amount.not_positive`, `user.unknown`, `transfer.self`, `balance.insufficient`, and whatever the guard refuses.
pub async fn send(
    context: &Context,
    tx: &mut Tx,
    sender: UserId,
    order: &Order<'_>,
) -> Result<MemberTransferView, Error> {
    if !order.value.is_positive() {
        return Err(refuse("value", ErrorCode::AmountNotPositive));
    }
    let receiver = identity::account_by_username_within(tx, order.receiver.trim_start_matches('@'))
        .await?
        .filter(|a| a.email_confirmed_at.is_some())
        .ok_or_else(|| refuse("receiver", ErrorCode::UserUnknown))?;
    if receiver.id == sender {
        return Err(refuse("receiver", ErrorCode::TransferSelf));
    }
    let in_force = context.settings.within(tx).await?;
    let fee = in_force.settings.transfer_fee;
    let total = order
        .value
        .checked_add(fee)
        .ok_or_else(|| refuse("value", ErrorCode::AmountInvalid))?;
    let amount = order.value.to_string();
    let verdict = guard::outbound(
        context,
        tx,
        &Outbound {
            user: sender,
            action: Action::Transfer,
            destination: &receiver.username,
            amount: &amount,
            usdt: total,
            drawn: None,
            counterparty: Some(receiver.id),
            security_code: order.security_code,
        },
    )
    .await?;
    let outbound = verdict
        .id
        .ok_or_else(|| Error::internal("the guard let something pass without a place"))?;
    let moved = Moved {
        id: MemberTransferId::fresh(),
        sender,
        receiver: receiver.id,
        value: order.value,
        fee,
        settings_version: in_force.version,
    };
    let needed = needed_at_first(Kind::Transfer, total, in_force.settings.two_person_limit);
    let new = move_or_hold(
        tx,
        &moved,
        &in_force.settings,
        &verdict,
        outbound,
        needed,
        &receiver.username,
    )
    .await?;
    let now = tx.now();
    let row = store::insert(tx.conn(), &new, now)
        .await?
        .ok_or_else(|| refuse("receiver", ErrorCode::UserUnknown))?;
    if let Some(case) = new.case {
        compliance::attach(tx, case, SUBJECT, moved.id.0).await?;
    }
    audit::record(
        tx,
        Some(sender),
        Some(receiver.id.0),
        Category::Money,
        "transfer.send",
        json!({ "transfer": moved.id, "usdt": order.value, "status": new.status.as_str() }),
    )
    .await?;
    let pending = match new.hold {
        Some(_) => Some(store::queue_length(tx.conn()).await?),
        None => None,
    };
    tell_row(tx, &row, pending).await
}

/// A transfer's money.
#[derive(Clone, Copy)]
struct Moved {
    id: MemberTransferId,
    sender: UserId,
    receiver: UserId,
    value: Usdt,
    fee: Usdt,
    settings_version: i32,
}

impl Moved {
    fn cause(&self) -> Cause {
        Cause::new(CauseKind::Transfer, self.id.0)
    }

    /// Where the sender's money arrives: the receiver, and the fee with the network's share of it.
    fn arrivals(&self, settings: &Settings) -> Result<[(AccountRef, Usdt); 3], Error> {
        let parts = fees::divide(self.fee, settings.fee_network_fund_share)?;
        Ok([
            (
                AccountRef::User(self.receiver, UserAccount::Available),
                self.value,
            ),
            (AccountRef::House(HouseAccount::WithdrawalFees), parts.house),
            (AccountRef::House(HouseAccount::NetworkFund), parts.fund),
        ])
    }

    fn subject<'a>(&self, receiver: &'a str) -> Subject<'a> {
        Subject {
            kind: Kind::Transfer,
            id: self.id.0,
            customer: Some(self.sender),
            coin: "USDT",
            destination: receiver,
            amount: self.value.to_string(),
            usdt: self.value + self.fee,
        }
    }
}

async fn move_or_hold(
    tx: &mut Tx,
    moved: &Moved,
    settings: &Settings,
    verdict: &Verdict,
    outbound: OutboundId,
    needed: i16,
    receiver: &str,
) -> Result<NewTransfer, Error> {
    let in_field = |error: Error| match error.error_code() {
        ErrorCode::BalanceInsufficient => error.field("value", ErrorCode::BalanceInsufficient),
        // Closed since the name was read: nobody of that name is there.
        ErrorCode::AccountClosed => refuse("receiver", ErrorCode::UserUnknown),
        _ => error,
    };
    let (status, hold, booked) = if verdict.review {
        (
            Status::Pending,
            Some(set_aside(tx, moved).await.map_err(in_field)?),
            None,
        )
    } else {
        (
            Status::Complete,
            None,
            Some(book(tx, moved, settings, verdict).await.map_err(in_field)?),
        )
    };
    Ok(NewTransfer {
        id: moved.id,
        sender: moved.sender,
        receiver: moved.receiver,
        value: moved.value,
        fee: moved.fee,
        status,
        outbound,
        case: verdict.case,
        hold,
        digest: moved.subject(receiver).digest(),
        booked,
        needed,
        settings_version: moved.settings_version,
    })
}

async fn book(tx: &mut Tx, moved: &Moved, settings: &Settings, _: &Verdict) -> Result<TransferId, Error> {
    let mut transfer = Transfer::new(
        TransferKind::UserTransfer,
        format!("transfer:{}", moved.id),
        moved.cause(),
        Orderer::User(moved.sender),
    )
    .settings(moved.settings_version)
    .usdt(
        AccountRef::User(moved.sender, UserAccount::Available),
        -(moved.value + moved.fee),
    );
    for (account, amount) in moved.arrivals(settings)? {
        transfer = transfer.usdt(account, amount);
    }
    Ok(ledger::post(tx, transfer).await?.id)
}

async fn set_aside(tx: &mut Tx, moved: &Moved) -> Result<HoldId, Error> {
    let held = ledger::hold(
        tx,
        NewHold {
            from: AccountRef::User(moved.sender, UserAccount::Available),
            amount: (moved.value + moved.fee).into(),
            key: format!("transfer_hold:{}", moved.id),
            cause: moved.cause(),
            orderer: Orderer::User(moved.sender),
            settings_version: moved.settings_version,
            expires_at: None,
        },
    )
    .await?;
    Ok(held.id)
}

async fn release(
    tx: &mut Tx,
    hold: HoldId,
    moved: &Moved,
    settings: &Settings,
    by: UserId,
    _: &Verdict,
) -> Result<TransferId, Error> {
    let legs = moved
        .arrivals(settings)?
        .into_iter()
        .filter(|(_, amount)| amount.is_positive())
        .map(|(account, amount)| Leg {
            account,
            currency: Currency::Usdt,
            amount: amount.into(),
        })
        .collect();
    Ok(ledger::post_hold(tx, hold, None, legs, Orderer::User(by))
        .await?
        .id)
}

/// A person's decision on a transfer that waits.
///
/// # Errors
/// `request.not_found`, `decision.*`, `outbound.*` when the sender's money may not leave now.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: MemberTransferId,
    approve: bool,
    reason: Option<&str>,
) -> Result<MemberTransferView, Error> {
    let found = open(tx, id).await?;
    // Neither side decides on its own money.
    if by == found.receiver {
        return Err(Error::code(ErrorCode::DecisionOwnMoney));
    }
    if approve {
        agree(context, tx, by, &found).await?;
    } else {
        turn_down(tx, by, &found, reason.unwrap_or_default()).await?;
    }
    tell(tx, id).await
}

async fn open(tx: &mut Tx, id: MemberTransferId) -> Result<Locked, Error> {
    let found = store::lock(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if found.status == Status::Pending {
        Ok(found)
    } else {
        Err(Error::code(ErrorCode::DecisionDone))
    }
}

/// A transfer that waits.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: MemberTransferId) -> Result<Waiting, Error> {
    let found = open(tx, id).await?;
    Ok(found.moved().subject(&found.receiver_name).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(tx: &mut Tx, by: UserId, id: MemberTransferId) -> Result<(), Error> {
    let waiting = waiting(tx, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await?;
    tell(tx, id).await?;
    Ok(())
}

impl Locked {
    fn moved(&self) -> Moved {
        Moved {
            id: self.id,
            sender: self.sender,
            receiver: self.receiver,
            value: self.value,
            fee: self.fee,
            settings_version: self.settings_version,
        }
    }
}

async fn agree(context: &Context, tx: &mut Tx, by: UserId, found: &Locked) -> Result<(), Error> {
    let in_force = context.settings.within(tx).await?;
    let moved = found.moved();
    let amount = found.value.to_string();
    let verdict = guard::recheck(
        context,
        tx,
        &Outbound {
            user: found.sender,
            action: Action::Transfer,
            destination: &found.receiver_name,
            amount: &amount,
            usdt: found.value + found.fee,
            drawn: None,
            counterparty: Some(found.receiver),
            security_code: None,
        },
    )
    .await?;
    let standing = approvals::approve(tx, &in_force, &moved.subject(&found.receiver_name), by).await?;
    let booked = if standing.is_complete() {
        Some(release(tx, found.hold, &moved, &in_force.settings, by, &verdict).await?)
    } else {
        None
    };
    let now = tx.now();
    store::approve(tx.conn(), found.id, standing, booked, now).await?;
    record(
        tx,
        by,
        found,
        "transfer.approve",
        json!({ "transfer": found.id, "approvals": standing.approvals, "needed": standing.needed }),
    )
    .await?;
    if booked.is_some() {
        close(tx, found.case, by, true, None).await?;
    }
    Ok(())
}

async fn turn_down(tx: &mut Tx, by: UserId, found: &Locked, reason: &str) -> Result<(), Error> {
    let moved = found.moved();
    let reason = approvals::reject(tx, &moved.subject(&found.receiver_name), by, reason).await?;
    ledger::void_hold(tx, found.hold, Orderer::User(by)).await?;
    guard::release(tx, found.outbound).await?;
    let now = tx.now();
    store::end(tx.conn(), found.id, Status::Rejected, &reason, now).await?;
    close(tx, found.case, by, false, Some(&reason)).await?;
    record(tx, by, found, "transfer.reject", json!({ "transfer": found.id })).await
}

/// Holds what a sender waits for, until the change ends.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold_unsent(tx: &mut Tx, sender: UserId) -> Result<(), Error> {
    store::unsent(tx.conn(), sender).await?;
    Ok(())
}

/// Takes back everything of a person that waits for a look: a credit behind it was reversed (docs/rules/ledger.md#reversed-credits). The money is in
/// `available` again. Call it before taking it from there, and [`tell_canceled`] at the end.
///
/// # Errors
/// Whatever the database refuses.
pub async fn cancel_unsent(
    tx: &mut Tx,
    sender: UserId,
    reason: &str,
) -> Result<Vec<MemberTransferId>, Error> {
    let now = tx.now();
    let ids = store::unsent(tx.conn(), sender).await?;
    for id in &ids {
        let found = open(tx, *id).await?;
        ledger::void_hold(tx, found.hold, Orderer::System).await?;
        guard::release(tx, found.outbound).await?;
        store::end(tx.conn(), *id, Status::Canceled, reason, now).await?;
        compliance::end(tx, SUBJECT, id.0, End::Lapsed).await?;
        audit::record(
            tx,
            None,
            Some(sender.0),
            Category::Money,
            "transfer.cancel",
            json!({ "transfer": id }),
        )
        .await?;
    }
    Ok(ids)
}

/// Tells of what [`cancel_unsent`] took back: the queue's lock comes after all of the ledger's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell_canceled(tx: &mut Tx, ids: &[MemberTransferId]) -> Result<(), Error> {
    for id in ids {
        tell(tx, *id).await?;
    }
    Ok(())
}

async fn close(
    tx: &mut Tx,
    case: Option<CaseId>,
    by: UserId,
    cleared: bool,
    note: Option<&str>,
) -> Result<(), Error> {
    match case {
        Some(case) => compliance::service::decide(tx, case, by, cleared, note).await,
        None => Ok(()),
    }
}

async fn record(
    tx: &mut Tx,
    by: UserId,
    found: &Locked,
    action: &str,
    details: serde_json::Value,
) -> Result<(), Error> {
    audit::record(
        tx,
        Some(by),
        Some(found.sender.0),
        Category::Money,
        action,
        details,
    )
    .await
}

/// Tells of one that waits or waited, as [`tell_row`]. Call it last.
async fn tell(tx: &mut Tx, id: MemberTransferId) -> Result<MemberTransferView, Error> {
    let (row, pending) = store::told(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("a transfer vanished"))?;
    tell_row(tx, &row, Some(pending)).await
}

/// The fact for both sides, for those who decide where one waits or waited (with the length of their queue), and what a ticket may point at.
async fn tell_row(tx: &mut Tx, row: &Row, pending: Option<i64>) -> Result<MemberTransferView, Error> {
    let view = row.view()?;
    if let Some(pending) = pending {
        tx.emit(
            StreamId::Queue(Queue::Transfers),
            LiveEvent::QueueChanged {
                queue: Queue::Transfers,
                item: Box::new(QueueItem::Transfer {
                    transfer: view.clone(),
                }),
                pending,
            },
        );
    }
    for side in [view.origin.id, view.destination.id] {
        // The receiver hears of what arrives, not of what may.
        if side == view.origin.id || view.status == Status::Complete {
            tx.emit(
                StreamId::User(side),
                LiveEvent::TransferChanged {
                    transfer: Box::new(view.clone()),
                },
            );
        }
    }
    subjects::upsert(
        tx,
        subjects::Kind::Transfer,
        view.id.0,
        view.origin.id,
        view.value,
        view.status.as_str(),
    )
    .await?;
    Ok(view)
}

/// A page of transfers and how many there are in all.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(
    context: &Context,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Row>, i64), Error> {
    store::list(context.db.pool(), scope, filter, paging, sort).await
}

/// How many wait for a person, and since when the oldest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn queue(context: &Context) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let mut conn = context.db.pool().acquire().await?;
    store::queue(&mut conn).await
}

/// Sums and days of all transfers that a filter lets through.
///
/// # Errors
/// Whatever the database refuses.
pub async fn totals(context: &Context, scope: Scope, filter: &Filter) -> Result<Totals, Error> {
    store::totals(context.db.pool(), scope, filter).await
}
