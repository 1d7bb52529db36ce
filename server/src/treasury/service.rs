//! Use cases of declared holdings.

pub use super::store::DeclaredHolding;
use super::store::{self, Locked};
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
        text,
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{DeclarationId, UserId},
    money::Usdt,
    stream_id::Queue,
};
use serde_json::json;
use sqlx::PgConnection;

/// Longest name of a place.
const PLACE: usize = 60;

/// One person's declaration, which is also the first approval; it stands at once when one is enough.
///
/// # Errors
/// `field.required` without a place, `amount.invalid` below zero, `amount.too_large`, `decision.reason_missing` without a note,
/// `message.too_long`, `decision.*`.
pub async fn declare(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    place: &str,
    value: Usdt,
    note: &str,
) -> Result<DeclaredHolding, Error> {
    let place = text::line(place)
        .ok_or_else(|| Error::code(ErrorCode::RequestInvalid).field("place", ErrorCode::RequestInvalid))?;
    let place = text::at_most(place, "place", PLACE)?;
    if place.is_empty() {
        return Err(Error::code(ErrorCode::FieldRequired).field("place", ErrorCode::FieldRequired));
    }
    if value.is_negative() {
        return Err(Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid));
    }
    amounts::at_most(value, amounts::MOST_DECLARED, "value")?;
    let note = text::reason(note, "note")?;
    let declaration = Locked {
        id: DeclarationId::fresh(),
        place,
        value,
        pending: true,
    };
    let now = tx.now();
    let digest = subject(&declaration).digest();
    store::insert(tx.conn(), &declaration, &note, &digest, by, now).await?;
    approve(context, tx, by, &declaration).await?;
    tell(tx, declaration.id).await
}

fn subject(declaration: &Locked) -> Subject<'_> {
    Subject {
        kind: Kind::DeclaredHoldings,
        id: declaration.id.0,
        customer: None,
        coin: "USDT",
        destination: &declaration.place,
        amount: declaration.value.to_string(),
        usdt: declaration.value,
    }
}

/// As it stands now, told to everyone who looks at the coverage.
async fn tell(tx: &mut Tx, id: DeclarationId) -> Result<DeclaredHolding, Error> {
    let view = store::shown(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("a declaration vanished"))?;
    tx.emit(
        StreamId::Queue(Queue::Settings),
        LiveEvent::DeclaredHoldingChanged {
            declaration: view.id,
            place: view.place.clone(),
            value: view.value,
            status: view.status.clone(),
        },
    );
    Ok(view)
}

async fn open(tx: &mut Tx, id: DeclarationId) -> Result<Locked, Error> {
    let declaration = store::lock(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    if declaration.pending {
        Ok(declaration)
    } else {
        Err(Error::code(ErrorCode::DecisionDone))
    }
}

/// A declaration that waits.
///
/// # Errors
/// `request.not_found`, `decision.done`.
pub async fn waiting(tx: &mut Tx, id: DeclarationId) -> Result<Waiting, Error> {
    Ok(subject(&open(tx, id).await?).waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(tx: &mut Tx, by: UserId, id: DeclarationId) -> Result<(), Error> {
    let waiting = waiting(tx, id).await?;
    approvals::take_back(tx, &waiting, by).await?;
    store::count_words(tx.conn(), id).await?;
    tell(tx, id).await?;
    Ok(())
}

/// Another person's decision on a declaration that waits.
///
/// # Errors
/// `request.not_found`, `decision.*`.
pub async fn decide(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: DeclarationId,
    agree: bool,
    reason: Option<&str>,
) -> Result<DeclaredHolding, Error> {
    let declaration = open(tx, id).await?;
    if agree {
        approve(context, tx, by, &declaration).await?;
    } else {
        let reason = approvals::reject(tx, &subject(&declaration), by, reason.unwrap_or_default()).await?;
        let now = tx.now();
        store::reject(tx.conn(), id, &reason, now).await?;
        record(tx, by, &declaration, "declared_holdings.reject").await?;
    }
    tell(tx, id).await
}

async fn approve(context: &Context, tx: &mut Tx, by: UserId, declaration: &Locked) -> Result<(), Error> {
    let in_force = context.settings.within(tx).await?;
    let standing = approvals::approve(tx, &in_force, &subject(declaration), by).await?;
    store::set_approvals(tx.conn(), declaration.id, standing.approvals, standing.needed).await?;
    record(tx, by, declaration, "declared_holdings.approve").await?;
    if standing.is_complete() {
        let now = tx.now();
        store::stand(tx.conn(), declaration.id, &declaration.place, now).await?;
    }
    Ok(())
}

async fn record(tx: &mut Tx, by: UserId, declaration: &Locked, action: &'static str) -> Result<(), Error> {
    let details =
        json!({ "declaration": declaration.id, "place": declaration.place, "usdt": declaration.value });
    audit::record(tx, Some(by), None, Category::Money, action, details).await
}

/// What stands, and what waits for a second person; places with nothing in them are left out.
///
/// # Errors
/// Whatever the database refuses.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<DeclaredHolding>, Error> {
    store::all(conn).await
}
