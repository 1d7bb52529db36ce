//! The compliance port: every deposit, outgoing request and transfer is judged; what a person must look at becomes a case.
//!
//! The default rules stand in [`rules`]; another judge would take their place behind [`look`], the guard and [`meetings::apart`]. Whether two
//! accounts belong together is decided in `relations` alone.

pub mod meetings;
pub mod pauses;
mod relations;
pub mod routes;
pub mod rules;
pub mod service;
mod store;

pub(in crate::approvals) use relations::{Facts, facts};
pub use relations::{
    devices_since, forget, forget_document, note_document, note_payer, related_among, relation_named,
    relations_named, rings,
};
pub use rules::{Judgement, Reason};
pub(in crate::approvals) use store::money_in;

use super::guard::Action;
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use protocol::{
    ErrorCode,
    ids::{CaseId, UserId},
    money::Usdt,
    views::CaseStatus,
};
use time::OffsetDateTime;
use uuid::Uuid;

/// Which way money goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    DepositPix,
    DepositChain,
    Out(Action),
    /// A bonus of one member through another.
    Bonus,
}

impl Flow {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DepositPix => "deposit_pix",
            Self::DepositChain => "deposit_chain",
            Self::Out(action) => action.as_str(),
            Self::Bonus => "bonus",
        }
    }
}

/// Money that moves, or wants to.
#[derive(Clone, Copy, Debug)]
pub struct Movement<'a> {
    pub user: UserId,
    pub flow: Flow,
    pub usdt: Usdt,
    /// The member on the other side.
    pub counterparty: Option<UserId>,
    /// Who pays in, as the bank or the chain names them: a payer's name with id, a sending address.
    pub payer: Option<&'a str>,
}

/// Judges a movement by what was read of it already. Writes nothing; open a case for a review with [`open`].
///
/// # Errors
/// Whatever the database refuses.
pub(in crate::approvals) async fn judge(
    context: &Context,
    tx: &mut Tx,
    evidence: &rules::Evidence,
) -> Result<Judgement, Error> {
    let in_force = context.settings.within(tx).await?;
    Ok(rules::judge(evidence, &in_force.settings))
}

/// What the rules say of a movement, and the case of the thing that moves, if it has one.
#[derive(Debug)]
pub struct Look {
    pub judgement: Judgement,
    pub case: Option<(CaseId, CaseStatus)>,
}

/// Judges a movement and looks for the case of a thing, by its kind and id, at once. Writes nothing; open a case for a review with [`open`]
/// (the guard does so for what passes it).
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(
    context: &Context,
    tx: &mut Tx,
    movement: &Movement<'_>,
    thing: Option<(&str, Uuid)>,
) -> Result<Look, Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let (evidence, case) = store::evidence(tx.conn(), movement, thing, now).await?;
    Ok(Look {
        judgement: rules::judge(&evidence, &in_force.settings),
        case,
    })
}

/// Opens a case for a person to look at.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(tx: &mut Tx, movement: &Movement<'_>, reasons: &[Reason]) -> Result<CaseId, Error> {
    let id = CaseId::fresh();
    let now = tx.now();
    store::open(tx.conn(), id, movement, reasons, now).await?;
    service::tell(tx, id).await?;
    Ok(id)
}

/// More came to what an open case holds, for these reasons: its worth is that of all, and it names all of them. What was agreed to for less has
/// no approvals. `false` where it is no longer open: whoever decided it did not see what has come. Else nobody decides it before this change
/// has ended.
///
/// # Errors
/// Whatever the database refuses.
pub async fn raise(tx: &mut Tx, case: CaseId, by: Usdt, reasons: &[Reason]) -> Result<bool, Error> {
    let open = store::raise(tx.conn(), case, by, reasons).await?;
    if open {
        service::tell(tx, case).await?;
    }
    Ok(open)
}

/// Ties a case to the thing that waits for it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn attach(tx: &mut Tx, case: CaseId, kind: &str, subject: Uuid) -> Result<(), Error> {
    store::attach(tx.conn(), case, kind, subject).await?;
    service::tell(tx, case).await
}

/// Whether a thing waits for a person's look. What the rules want somebody to see becomes its case, and then the answer is yes: it was opened
/// just now. Once that is cleared the thing goes on.
///
/// # Errors
/// `compliance.open` until the case is decided, `compliance.refused` after it was refused.
pub async fn waits_for_a_look(
    context: &Context,
    tx: &mut Tx,
    movement: &Movement<'_>,
    kind: &str,
    subject: Uuid,
) -> Result<bool, Error> {
    let look = look(context, tx, movement, Some((kind, subject))).await?;
    match look.case {
        Some((_, CaseStatus::Open)) => return Err(Error::code(ErrorCode::ComplianceOpen)),
        Some((_, CaseStatus::Refused)) => return Err(Error::code(ErrorCode::ComplianceRefused)),
        Some((_, CaseStatus::Cleared | CaseStatus::Lapsed)) => return Ok(false),
        None => {}
    }
    wants_a_look(tx, movement, &look.judgement, kind, subject).await
}

/// The same of a thing that is new, and has no case yet, as it was judged.
///
/// # Errors
/// Whatever the database refuses.
pub async fn wants_a_look(
    tx: &mut Tx,
    movement: &Movement<'_>,
    judgement: &Judgement,
    kind: &str,
    subject: Uuid,
) -> Result<bool, Error> {
    let reasons = match judgement {
        Judgement::Allow => return Ok(false),
        Judgement::Review(reasons) => reasons.as_slice(),
        Judgement::Refuse(reason) => std::slice::from_ref(reason),
    };
    let case = open(tx, movement, reasons).await?;
    attach(tx, case, kind, subject).await?;
    Ok(true)
}

/// How the thing that a case waited with came out.
#[derive(Clone, Copy, Debug)]
pub enum End<'a> {
    Cleared(UserId),
    Refused(UserId, &'a str),
    /// Nobody decided: taken back by its user, expired.
    Lapsed,
}

/// Ends the case of a thing that was decided on its own screen; nothing when it has none, or one that is decided.
///
/// # Errors
/// `decision.own_money`.
pub async fn end(tx: &mut Tx, kind: &str, subject: Uuid, end: End<'_>) -> Result<(), Error> {
    match store::lock_case_of(tx.conn(), kind, subject).await? {
        Some(case) if case.is_open() => service::end(tx, &case, end).await,
        _ => Ok(()),
    }
}

/// Why outgoing money stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub reason: String,
    pub review_at: OffsetDateTime,
}

/// The pause in force for a person, to be shown: the platform's, or their own.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pause_shown(context: &Context, user: UserId) -> Result<Option<Pause>, Error> {
    pauses::pause_of(context.db.pool(), user).await
}
