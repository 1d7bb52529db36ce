//! The one port between the desk and the money: what the desk decides goes out here, what the ledger made of it comes back.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{
    ids::{BatchId, LicenceId, OperationId, UserId},
    money::Usdt,
    views::{LegView, ManualRefusal, Mode},
};

use super::{
    cohort::{RobotSnapshot, Share, divide},
    live::LiveLeg,
};

/// Number of the lease under which this desk runs; the server checks it in every transaction that writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub i64);

/// What a robot's share of an operation brought. The results of all shares add up to the operation's exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareResult {
    pub licence: LicenceId,
    pub user: UserId,
    /// Reserved for the operation.
    pub amount: Usdt,
    /// What of it went into the first leg; the parts add up to the operation's volume.
    pub volume: Usdt,
    /// Its part of the operation's fees, already inside the result.
    pub fees: Usdt,
    /// Before ceiling and clipping, which the server applies.
    pub result: Usdt,
}

/// One executed operation. Without legs it never filled: its reservations are freed and nothing is booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub id: OperationId,
    /// `USDT → BTC (Aurora) → USDT (Boreal)`.
    pub route: String,
    pub triangular: bool,
    /// Net edge in millionths when it was decided; the result tells what became of it.
    pub edge_ppm: i64,
    pub decided_ms: i64,
    pub filled_ms: i64,
    pub legs: Vec<LegView>,
    pub volume: Usdt,
    pub fees: Usdt,
    pub result: Usdt,
    pub manual: bool,
    pub shares: Vec<ShareResult>,
}

/// Divides what an operation brought among its shares.
#[must_use]
pub fn divided(shares: &[Share], volume: Usdt, fees: Usdt, result: Usdt) -> Vec<ShareResult> {
    let amounts: Vec<Usdt> = shares.iter().map(|s| s.amount).collect();
    let (volumes, fees) = (divide(volume, &amounts), divide(fees, &amounts));
    let results = divide(result, &amounts);
    shares
        .iter()
        .zip(volumes)
        .zip(fees)
        .zip(results)
        .map(|(((s, volume), fees), result)| ShareResult {
            licence: s.licence,
            user: s.user,
            amount: s.amount,
            volume,
            fees,
            result,
        })
        .collect()
}

/// An operation for a real venue: its shares are reserved, its prices are those that decided it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveOrder {
    pub operation: OperationId,
    pub route: String,
    pub edge_ppm: i64,
    pub decided_ms: i64,
    pub manual: bool,
    pub legs: Vec<LiveLeg>,
    pub shares: Vec<Share>,
}

/// What the venue made of it; without legs it filled nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveDone {
    pub legs: Vec<LegView>,
    pub volume: Usdt,
    pub fees: Usdt,
    pub result: Usdt,
}

/// An owner's order: this robot is to take part in the next opportunity of this route, or of any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualOrder {
    pub operation: OperationId,
    /// As the board shows it; one of each at a time. None: whichever comes first.
    pub route: Option<String>,
    /// Until when it stands; then it ends with the reason why nothing came.
    pub until_ms: i64,
    /// `operating` says that the server allows it; such a robot is in no queue.
    pub robot: RobotSnapshot,
}

/// Operations that are booked together. Sent again under the same id until it is known to be booked: the server books an
/// id once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    pub id: BatchId,
    pub mode: Mode,
    /// Its place beside the batches that are under way with it; no two have the same.
    pub lane: u8,
    pub operations: Vec<Operation>,
}

/// The robots concerned, as they are after the batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettledBatch {
    pub robots: Vec<RobotSnapshot>,
    /// The day with this batch in it.
    pub day: Option<Day>,
}

/// What the desk may risk; from the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest size of one operation.
    pub max_operation: Usdt,
    /// Most that may be in the air through one venue.
    pub max_venue: Usdt,
    /// Net loss of a day at which nothing more is begun.
    pub daily_loss: Usdt,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_operation: Usdt::whole(50_000),
            max_venue: Usdt::whole(200_000),
            daily_loss: Usdt::whole(10_000),
        }
    }
}

/// What was booked in the desk's mode since the day began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Day {
    pub net: Usdt,
    /// Operations in it; tells newer figures from older ones.
    pub operations: i64,
    /// When the next one begins, in milliseconds since the epoch.
    pub until_ms: i64,
}

/// The server's word on risk; none: as before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Risk {
    pub limits: Option<Limits>,
    pub day: Option<Day>,
}

/// Why the server did not do what the desk asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettleError {
    /// Another desk holds the lease: this one has to stop and may book nothing more.
    #[error("the lease was lost")]
    Fenced,
    /// Not known whether it happened: to be asked again.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

/// Implemented by the server's robots room.
#[async_trait]
pub trait Settle: Send + Sync + 'static {
    /// All robots that may trade automatically now.
    async fn eligible(&self) -> Result<Vec<RobotSnapshot>, SettleError>;
    /// What may be risked now, and what the day has brought so far.
    async fn risk(&self) -> Result<Risk, SettleError> {
        Ok(Risk::default())
    }
    /// Reserves shares, so that `reserved ≤ allocated` holds in the database; what is accepted may be fewer or smaller.
    /// `manual` tells which robots may have one: those that their owners steer, or those that trade by themselves.
    async fn reserve(
        &self,
        fence: Fence,
        operation: OperationId,
        shares: &[Share],
        manual: bool,
    ) -> Result<Vec<Share>, SettleError>;
    /// A manual order that nothing was begun for.
    async fn refuse(
        &self,
        fence: Fence,
        operation: OperationId,
        reason: ManualRefusal,
    ) -> Result<(), SettleError> {
        let _ = (fence, operation, reason);
        Ok(())
    }
    /// Carries an operation out at the venue, to its end: asked again, it goes on where it stands and never begins anew. Only in
    /// mode live. `Unavailable`: what became of it is not known yet.
    async fn execute(&self, fence: Fence, order: Arc<LiveOrder>) -> Result<LiveDone, SettleError> {
        let _ = (fence, order);
        Err(SettleError::Unavailable("no venue takes orders".into()))
    }
    /// Books a batch in the order of its operations, once per batch id, and frees its reservations.
    async fn settle(&self, fence: Fence, batch: Arc<Batch>) -> Result<SettledBatch, SettleError>;
}
