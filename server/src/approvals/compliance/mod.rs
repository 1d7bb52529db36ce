//! The compliance port: every deposit, outgoing request and transfer is judged; what a person must look at becomes a case.
//!
//! The default rules stand in [`rules`]; another judge would take their place behind [`check`] and [`meetings::may_meet`]. Whether two
//! accounts belong together is asked of [`related`] alone.

pub mod meetings;
mod relations;
pub mod routes;
pub mod rules;
pub mod service;
mod store;

pub use relations::{forget_document, note_document, note_payer, related};
pub use rules::{Judgement, Reason};

use super::guard::Action;
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    identity::service as identity,
    ledger::{model::TransferKind, service as ledger},
};
use protocol::{
    ids::{CaseId, UserId},
    money::Usdt,
    views::CaseStatus,
};
use rules::Evidence;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Which way money goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    DepositPix,
    DepositChain,
    Out(Action),
}

impl Flow {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DepositPix => "deposit_pix",
            Self::DepositChain => "deposit_chain",
            Self::Out(action) => action.as_str(),
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

/// Judges a movement. Writes nothing; open a case for a review with [`open`] (the guard does so for what passes it).
///
/// # Errors
/// Whatever the database refuses.
pub async fn check(context: &Context, tx: &mut Tx, movement: &Movement<'_>) -> Result<Judgement, Error> {
    let now = tx.now();
    let day_ago = now - Duration::DAY;
    let in_force = context.settings.within(tx).await?;
    let user = movement.user;
    let is_out = matches!(movement.flow, Flow::Out(_));
    let lately = store::lately(tx.conn(), user, now - Duration::HOUR, day_ago).await?;
    let mut evidence = Evidence {
        is_out,
        usdt: movement.usdt,
        outs_last_hour: lately.outs_last_hour,
        out_last_day: lately.out_last_day,
        in_last_day: Usdt::ZERO,
        payer_accounts: 0,
        device_accounts: 0,
        related: Vec::new(),
        refused_before: false,
    };
    if is_out {
        let kinds = [
            TransferKind::DepositPix,
            TransferKind::DepositChain,
            TransferKind::UserTransfer,
        ];
        evidence.in_last_day = ledger::received_since(tx, user, &kinds, day_ago).await?;
        evidence.device_accounts = identity::accounts_on_devices(tx, user).await?;
    }
    if let Some(payer) = movement.payer {
        evidence.payer_accounts =
            store::other_payers(tx.conn(), user, &relations::fingerprint(payer)).await?;
    }
    if let Some(other) = movement.counterparty {
        evidence.related = related(tx, user, other).await?;
        evidence.refused_before = store::refused(tx.conn(), user, other, now - Duration::days(30)).await?;
    }
    Ok(rules::judge(&evidence, &in_force.settings))
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

/// Ties a case to the thing that waits for it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn attach(tx: &mut Tx, case: CaseId, kind: &str, subject: Uuid) -> Result<(), Error> {
    store::attach(tx.conn(), case, kind, subject).await?;
    service::tell(tx, case).await
}

/// The case of a thing that waits, or waited.
///
/// # Errors
/// Whatever the database refuses.
pub async fn case_of(tx: &mut Tx, kind: &str, subject: Uuid) -> Result<Option<(CaseId, CaseStatus)>, Error> {
    store::case_of(tx.conn(), kind, subject).await
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
    match store::case_of(tx.conn(), kind, subject).await? {
        Some((case, CaseStatus::Open)) => service::end(tx, case, end).await,
        _ => Ok(()),
    }
}

/// Why outgoing money stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    pub reason: String,
    pub review_at: OffsetDateTime,
}

/// The pause in force for a person: the platform's, or their own.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pause_of(tx: &mut Tx, user: UserId) -> Result<Option<Pause>, Error> {
    store::pause_of(tx.conn(), user).await
}

/// The same, to be shown.
///
/// # Errors
/// Whatever the database refuses.
pub async fn pause_shown(context: &Context, user: UserId) -> Result<Option<Pause>, Error> {
    store::pause_of(context.db.pool(), user).await
}
