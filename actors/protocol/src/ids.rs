//! One typed id per thing, so that a licence can never be taken for a user. All are UUID v7: they sort by time of birth.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};
use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "database", derive(sqlx::Type), sqlx(transparent))]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(value_type = String, format = "uuid"))]
        pub struct $name(pub Uuid);

        impl $name {
            /// A fresh id.
            #[must_use]
            pub fn fresh() -> Self { Self(Uuid::now_v7()) }
        }
        impl fmt::Display for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { self.0.fmt(f) } }
        impl fmt::Debug for $name { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write!(f, concat!(stringify!($name), "({})"), self.0) } }
        impl FromStr for $name { type Err = uuid::Error; fn from_str(s: &str) -> Result<Self, uuid::Error> { Uuid::parse_str(s).map(Self) } }
        impl From<Uuid> for $name { fn from(id: Uuid) -> Self { Self(id) } }
        impl From<$name> for Uuid { fn from(id: $name) -> Self { id.0 } }
    )+};
}

ids! {
    /// A person with an account, customer or staff.
    UserId,
    /// A signed-in browser: one refresh-token family.
    SessionId,
    /// A passkey of a person's.
    PasskeyId,
    /// A device that a person's notices are pushed to.
    PushDeviceId,
    /// A named set of permissions.
    RoleId,
    /// A robot licence; the robot that runs under it has the same id.
    LicenceId,
    /// A plan that licences are sold by.
    PlanId,
    /// A top-up lot of a licence.
    LotId,
    /// A ledger transfer: all its postings share it.
    TransferId,
    /// A two-phase hold of money.
    HoldId,
    /// One robot's copying of another, from its beginning to its end.
    FollowingId,
    /// One arbitrage operation of the desk, shared by the robots of its cohort.
    OperationId,
    /// One settlement of the desk: at most one a second.
    BatchId,
    /// A file with all that is kept about a person.
    DataExportId,
    /// A person's request to close their account.
    AccountClosingId,
    /// A deposit by PIX.
    PixDepositId,
    /// A withdrawal by PIX.
    PixWithdrawalId,
    /// A bank's statement as it was uploaded.
    PixStatementId,
    /// A deposit over the chain: an intent, or money that came unasked.
    ChainDepositId,
    /// A withdrawal over the chain.
    ChainWithdrawalId,
    /// An uploaded file.
    FileId,
    /// Somebody of the staff looking at an account as its owner sees it.
    LookId,
    /// A note of staff about a person.
    StaffNoteId,
    /// A lesson of the academy, or material to hand on.
    ContentId,
    /// A support ticket.
    TicketId,
    /// A message inside a ticket.
    MessageId,
    /// An internal note of staff on a ticket.
    TicketNoteId,
    /// A reply that staff keep ready.
    CannedReplyId,
    /// A line of a user's notification panel.
    NotificationId,
    /// A process of the server.
    NodeId,
    /// A staff decision on money.
    DecisionId,
    /// Something that passed the guard of outgoing money.
    OutboundId,
    /// A destination that outgoing money may go to.
    WhitelistId,
    /// What the compliance rules want a person to look at.
    CaseId,
    /// A transfer of balance from member to member.
    MemberTransferId,
    /// Sponsored balance that staff give or take.
    SponsorshipId,
    /// What staff say that the house holds elsewhere.
    DeclarationId,
    /// Outgoing money stands still.
    PauseId,
    /// What the network earned a member.
    BonusId,
    /// The closing of a business day.
    ClosingId,
    /// A rank that a member reached.
    GraduationId,
    /// The payment of its bonus over the chain.
    GraduationPayoutId,
    /// A request to give or take roles that decide.
    AdminGrantId,
    /// An administrator's decisions stand still.
    AdminFreezeId,
    /// What moves on a user's own wallet on chain.
    WalletMoveId,
    /// A change of the rules that staff tune.
    RuleChangeId,
    /// PYX on sale at a fixed price for a time.
    PresaleRoundId,
    /// A purchase in such a round.
    PresalePurchaseId,
    /// An order in the book PYX/USDT.
    PyxOrderId,
    /// Two orders of the book that met.
    PyxTradeId,
    /// A pool, with its plan.
    PoolId,
    /// What one person put into a pool at one time.
    PoolEntryId,
    /// Revenue of a pool.
    PoolRevenueId,
    /// What staff say to everyone.
    AnnouncementId,
}
