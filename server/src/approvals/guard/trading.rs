//! Orders in the book PYX/USDT, which need no code each: whom they bind to the anchors of the book, and what their trades lose of the limits.
//!
//! A trade worse than its side's anchor hands value to the other side. What it loses is a row of `approvals.outbound` like anything that
//! leaves, so that no session gives away by trading what it may not send. Gains set nothing off.
//!
//! Lock order: the book's lock first, then [`watch`] for everybody whose limits are asked, then the ledger's accounts. Whoever sends
//! money holds one of these locks and never asks for the book's.

use super::{
    Action, Outbound, aged, open, own_standing, require_aged,
    store::{self, Standing},
    within_limits,
};
use crate::{
    approvals::restraint,
    error::Error,
    foundation::{settings::Settings, transaction::Tx},
};
use protocol::{
    ErrorCode,
    ids::{OutboundId, UserId},
    money::Usdt,
};
use std::collections::{BTreeMap, BTreeSet};
use time::OffsetDateTime;

/// Refuses while holds, a pause or debt stand against a person, and during their time out what puts money into the market; else whether their
/// orders must be at the anchors or better: their whitelist is in force, or a limit of their own. Of one moment: who orders holds the book's
/// lock, and who comes to be bound takes it.
///
/// # Errors
/// `outbound.held`, `outbound.paused`, `outbound.debt`, `account.excluded`.
pub async fn require_may_order(tx: &mut Tx, user: UserId, buys: bool) -> Result<bool, Error> {
    let (standing, now) = (own_standing(tx, user).await?, tx.now());
    open(now, &standing)?;
    if buys {
        restraint::over(standing.excluded_until, now)?;
    }
    Ok(bound(&standing, now))
}

pub(super) fn bound(standing: &Standing, now: OffsetDateTime) -> bool {
    let own = [standing.per_transaction, standing.per_day];
    standing.listed || own.iter().any(|limit| limit.at(now).usdt.is_some())
}

/// Somebody whose limits are asked, as they stand behind their lock, which lasts until the end of the change: nothing of theirs leaves
/// beside it meanwhile.
pub struct Watched {
    user: UserId,
    standing: Standing,
    now: OffsetDateTime,
}

/// Takes the locks of people's limits in the order of their ids, and looks at them behind all of these.
///
/// # Errors
/// Whatever the database refuses.
pub async fn watch(tx: &mut Tx, people: &BTreeSet<UserId>) -> Result<BTreeMap<UserId, Watched>, Error> {
    let people: Vec<UserId> = people.iter().copied().collect();
    let now = tx.now();
    let found = store::standings(tx.conn(), &people, now).await?;
    Ok(found
        .into_iter()
        .map(|(user, standing)| (user, Watched { user, standing, now }))
        .collect())
}

impl Watched {
    /// Whether their waiting orders may lose nothing: they are bound to the anchors, or nothing of theirs may leave now. So an order that
    /// somebody placed in a stolen session stops with the owner's freeze.
    ///
    /// # Errors
    /// `service.internal` for a balance that is none.
    pub fn may_lose_nothing(&self) -> Result<bool, Error> {
        if bound(&self.standing, self.now) {
            return Ok(true);
        }
        match open(self.now, &self.standing) {
            Ok(()) => Ok(false),
            Err(error)
                if matches!(
                    error.error_code(),
                    ErrorCode::OutboundHeld | ErrorCode::OutboundPaused | ErrorCode::OutboundDebt
                ) =>
            {
                Ok(true)
            }
            Err(error) => Err(error),
        }
    }

    /// Refuses a loss that their limits have no room for.
    ///
    /// # Errors
    /// `outbound.transaction_limit`, `outbound.day_limit`.
    pub fn require_room(&self, settings: &Settings, lost: Usdt) -> Result<(), Error> {
        if !lost.is_positive() {
            return Ok(());
        }
        let loss = loss(self.user, None, lost);
        within_limits(&self.standing, settings, &loss, self.now)
    }

    /// Whether their limits have room for a loss.
    ///
    /// # Errors
    /// What is no limit's refusal.
    pub fn has_room(&self, settings: &Settings, lost: Usdt) -> Result<bool, Error> {
        match self.require_room(settings, lost) {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(
                    error.error_code(),
                    ErrorCode::OutboundTransactionLimit | ErrorCode::OutboundDayLimit
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

const fn loss(user: UserId, counterparty: Option<UserId>, lost: Usdt) -> Outbound<'static> {
    Outbound {
        user,
        action: Action::PyxTrade,
        destination: "",
        amount: "",
        usdt: lost,
        drawn: None,
        counterparty,
        security_code: None,
    }
}

/// Counts what trades lost: whose, to whom, how much. Where somebody `bought` by them, it refuses what was young money, as
/// [`super::require_aged`]: of whom, and what was taken.
///
/// # Errors
/// `outbound.young`, with what may be spent.
pub async fn note_losses(
    tx: &mut Tx,
    losses: &[(UserId, UserId, Usdt)],
    bought: Option<(UserId, Usdt)>,
) -> Result<(), Error> {
    let leaving: Vec<(OutboundId, Outbound<'_>)> = losses
        .iter()
        .filter(|(.., lost)| lost.is_positive())
        .map(|(user, other, lost)| (OutboundId::fresh(), loss(*user, Some(*other), *lost)))
        .collect();
    let now = tx.now();
    match (leaving.is_empty(), bought) {
        (true, None) => Ok(()),
        (true, Some((user, taken))) => require_aged(tx, user, taken).await,
        (false, None) => store::insert(tx.conn(), &leaving, now).await,
        (false, Some((user, taken))) => {
            let (left, young) = store::insert_and_age(tx.conn(), &leaving, user, now).await?;
            aged(left, young, taken)
        }
    }
}
