//! Use cases of sponsorship, and what staff see of people's money.

use super::store::{self, Locked, NewRequest};
pub use super::store::{BalanceRow, BalanceSums, RequestView};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        amounts,
        audit::{self, Category},
        context::Context,
        http::Paging,
        text,
        transaction::Tx,
    },
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
    licences::sponsored::{self, Sponsored},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{LicenceId, SponsorshipId, UserId},
    money::Usdt,
};
use serde_json::json;

/// Gives or takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SponsorshipOperation)]
pub enum Operation {
    Add,
    Remove,
}

impl Operation {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        [Self::Add, Self::Remove].into_iter().find(|o| o.as_str() == text)
    }
}

/// What staff order.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    pub user: UserId,
    pub licence: Option<LicenceId>,
    pub operation: Operation,
    pub value: Usdt,
    pub reason: &'a str,
}

/// One person's order, which is also the first approval; carried out at once when one is enough.
///
/// # Errors
/// `amount.*`, `decision.*`, `user.unknown`, `licence.*`, `balance.insufficient`.
pub async fn order(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    order: &Order<'_>,
) -> Result<RequestView, Error> {
    amounts::of_order(order.value, "value")?;
    let reason = text::reason(order.reason, "reason")?;
    let found = store::look(tx.conn(), order.user, order.licence).await?;
    if !found.person {
        return Err(Error::code(ErrorCode::UserUnknown));
    }
    if order.licence.is_some() && !found.licence {
        return Err(Error::code(ErrorCode::LicenceUnknown).field("licenceId", ErrorCode::LicenceUnknown));
    }
    let request = Locked {
        id: SponsorshipId::fresh(),
        user: order.user,
        licence: order.licence,
        operation: order.operation,
        value: order.value,
        pending: true,
    };
    let now = tx.now();
    let new = NewRequest {
        request: &request,
        reason: &reason,
        digest: subject(&request, &destination(&request)).digest(),
        by,
    };
    store::insert(tx.conn(), &new, now).await?;
    approve(context, tx, by, &request).await
}

fn destination(request: &Locked) -> String {
    request
        .licence
        .map_or_else(|| "sponsored".to_owned(), |l| l.to_string())
}

fn subject<'a>(request: &Locked, destination: &'a str) -> Subject<'a> {
    Subject {
        kind: Kind::Sponsorship,
        id: request.id.0,
        customer: Some(request.user),
        coin: "USDT",
        destination,
        amount: format!("{} {}", request.operation.as_str(), request.value),
        usdt: request.value,
    }
}

async fn open(tx: &mut Tx, id: SponsorshipId) -> Result<Locked, Error> {
    let request = store::lock(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if request.pending {
        Ok(request)
    } else {
        Err(Error::code(ErrorCode::DecisionDone))
    }
}

/// An order that waits.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: SponsorshipId) -> Result<Waiting, Error> {
    let request = open(tx, id).await?;
    Ok(subject(&request, &destination(&request)).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(tx: &mut Tx, by: UserId, id: SponsorshipId) -> Result<(), Error> {
    let waiting = waiting(tx, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await
}

/// Another person's decision on an order that waits.
///
/// # Errors
/// `request.not_found`, `decision.*`, and what carrying it out refuses.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: SponsorshipId,
    agree: bool,
    reason: Option<&str>,
) -> Result<RequestView, Error> {
    let request = open(tx, id).await?;
    if agree {
        return approve(context, tx, by, &request).await;
    }
    let destination = destination(&request);
    let reason = approvals::reject(
        tx,
        &subject(&request, &destination),
        by,
        reason.unwrap_or_default(),
    )
    .await?;
    record(tx, by, &request, "sponsorship.reject").await?;
    let now = tx.now();
    store::reject(tx.conn(), id, &reason, now).await
}

async fn approve(context: &Context, tx: &mut Tx, by: UserId, request: &Locked) -> Result<RequestView, Error> {
    let in_force = context.settings.within(tx).await?;
    let destination = destination(request);
    let standing = approvals::approve(tx, &in_force, &subject(request, &destination), by).await?;
    record(tx, by, request, "sponsorship.approve").await?;
    if standing.is_complete() {
        match request.operation {
            Operation::Add => give(context, tx, by, request, in_force.version).await?,
            Operation::Remove => take(context, tx, by, request, in_force.version).await?,
        }
    }
    let now = tx.now();
    let view = store::approve(tx.conn(), request.id, standing, now).await?;
    if standing.is_complete() {
        tell(tx, &view);
    }
    Ok(view)
}

/// Whose balance it is hears of it, and why.
fn tell(tx: &mut Tx, view: &RequestView) {
    tx.emit(
        StreamId::User(view.user),
        LiveEvent::SponsorshipChanged {
            sponsorship: view.id,
            added: view.operation == Operation::Add,
            value: view.value,
            reason: view.reason.clone(),
        },
    );
}

async fn record(tx: &mut Tx, by: UserId, request: &Locked, action: &'static str) -> Result<(), Error> {
    let details = json!({
        "request": request.id, "operation": request.operation.as_str(), "usdt": request.value, "licence": request.licence,
    });
    audit::record(
        tx,
        Some(by),
        Some(request.user.0),
        Category::Money,
        action,
        details,
    )
    .await
}

fn transfer(kind: TransferKind, request: &Locked, by: UserId, version: i32) -> Transfer {
    Transfer::new(
        kind,
        format!("sponsorship:{}", request.id),
        Cause::new(CauseKind::Decision, request.id.0),
        Orderer::User(by),
    )
    .settings(version)
}

async fn give(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    request: &Locked,
    version: i32,
) -> Result<(), Error> {
    let add = transfer(TransferKind::SponsorshipAdd, request, by, version).move_usdt(
        AccountRef::House(HouseAccount::Sponsorship),
        AccountRef::User(request.user, UserAccount::Sponsored),
        request.value,
    );
    let Some(licence) = request.licence else {
        ledger::post(tx, add).await?;
        return Ok(());
    };
    let order = Sponsored {
        user: request.user,
        licence,
        value: request.value,
        key: &format!("sponsorship_lot:{}", request.id),
        by,
    };
    sponsored::place(context, tx, add, &order).await
}

async fn take(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    request: &Locked,
    version: i32,
) -> Result<(), Error> {
    // The licence first, then the ledger's accounts: the order in which its owner's own calls lock them.
    let held = match request.licence {
        Some(licence) => Some((licence, sponsored::hold(tx, request.user, licence).await?)),
        None => None,
    };
    let in_lot = held.as_ref().map_or(Usdt::ZERO, |(_, held)| held.takable());
    let free = ledger::usdt_balance(
        &mut *tx.conn(),
        AccountRef::User(request.user, UserAccount::Sponsored),
    )
    .await?;
    let first = request.value.min(free);
    let rest = request.value - first;
    if rest > in_lot {
        return Err(
            Error::code(ErrorCode::BalanceInsufficient).field("value", ErrorCode::BalanceInsufficient)
        );
    }
    let remove = first.is_positive().then(|| {
        transfer(TransferKind::SponsorshipRemove, request, by, version).move_usdt(
            AccountRef::User(request.user, UserAccount::Sponsored),
            AccountRef::House(HouseAccount::Sponsorship),
            first,
        )
    });
    if let Some((licence, held)) = held
        && rest.is_positive()
    {
        let order = Sponsored {
            user: request.user,
            licence,
            value: rest,
            key: &format!("sponsorship_lot:{}", request.id),
            by,
        };
        return sponsored::take_back(context, tx, held, remove, &order).await;
    }
    if let Some(remove) = remove {
        ledger::post(tx, remove).await?;
    }
    Ok(())
}

/// People with their balances, and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn balances(
    context: &Context,
    search: Option<&str>,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<BalanceRow>, i64), Error> {
    store::balances(context.db.pool(), search, paging, sort).await
}

/// What all of them have together.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sums(context: &Context, search: Option<&str>) -> Result<BalanceSums, Error> {
    store::sums(context.db.pool(), search).await
}

/// Orders, those that wait first, then the latest; and how many there are.
///
/// # Errors
/// Whatever the database refuses.
pub async fn requests(context: &Context, paging: &Paging) -> Result<(Vec<RequestView>, i64), Error> {
    store::requests(context.db.pool(), paging).await
}
