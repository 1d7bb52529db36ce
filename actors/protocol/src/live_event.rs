//! Facts: stored with the change that made them, numbered per stream, replayable. Values are absolute and carry a version.

use crate::{
    ids::{
        BatchId, DataExportId, DeclarationId, LicenceId, LookId, MessageId, NotificationId, PoolRevenueId,
        PushDeviceId, SponsorshipId, TicketId, UserId,
    },
    money::Usdt,
    pyx::{PyxBalances, PyxOrderView},
    stream_id::Queue,
    views::{
        AccountBalance, AccountDecision, AdminFreezeView, AdminGrantView, BonusView, ChainDepositView,
        ChainWithdrawalView, ClosingShareView, ComplianceCaseView, DeskView, FollowingView,
        GraduationPayoutView, HotWalletView, LicenceView, LiveSwitchView, ManualOrderView,
        MemberTransferView, MessageView, Mode, PixDepositView, PixWithdrawalView, PoolEntryView,
        RuleChangeView, SettledRobot, SubjectView, TicketSide, TicketView, WalletMoveView, wire,
    },
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Everything that can happen on a stream. The tag is the event's public name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum LiveEvent {
    /// A user's own balances moved.
    #[serde(rename = "balance.changed")]
    BalanceChanged { accounts: Vec<AccountBalance> },
    /// A licence was bought, funded, allocated, configured, finalised or ended.
    #[serde(rename = "licence.changed")]
    LicenceChanged { licence: Box<LicenceView> },
    /// Staff took the manual-operation key of a licence away, or gave it back: on its owner's stream, beside `licence.changed`.
    #[serde(rename = "licence.manual_key")]
    ManualKeyDecided {
        licence: LicenceId,
        number: i32,
        revoked: bool,
        reason: String,
    },
    /// The desk booked results: at most one such fact per user and batch.
    #[serde(rename = "robots.settled")]
    RobotsSettled {
        batch: BatchId,
        mode: Mode,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
        robots: Vec<SettledRobot>,
    },
    /// An operation that its owner ordered was taken, sent, filled or refused.
    #[serde(rename = "robot.manual")]
    ManualChanged { order: Box<ManualOrderView> },
    /// A user's own robot began to copy another, or no longer does.
    #[serde(rename = "robot.following")]
    FollowingChanged { following: Box<FollowingView> },
    #[serde(rename = "pix_deposit.changed")]
    PixDepositChanged { deposit: Box<PixDepositView> },
    #[serde(rename = "pix_withdrawal.changed")]
    PixWithdrawalChanged { withdrawal: Box<PixWithdrawalView> },
    /// Staff gave somebody sponsored balance, or took of it: on that person's stream.
    #[serde(rename = "sponsorship.changed")]
    SponsorshipChanged {
        sponsorship: SponsorshipId,
        /// Given; otherwise taken.
        added: bool,
        value: Usdt,
        reason: String,
    },
    /// Balance went from member to member, or waits for a person's look; on both sides' streams.
    #[serde(rename = "transfer.changed")]
    TransferChanged { transfer: Box<MemberTransferView> },
    #[serde(rename = "crypto_deposit.changed")]
    CryptoDepositChanged { deposit: Box<ChainDepositView> },
    /// Something moves, or has moved, on a user's own wallet: its balances are to be read again.
    #[serde(rename = "wallet.changed")]
    WalletChanged {
        #[serde(rename = "move")]
        moved: Box<WalletMoveView>,
    },
    #[serde(rename = "crypto_withdrawal.changed")]
    CryptoWithdrawalChanged { withdrawal: Box<ChainWithdrawalView> },
    /// The wallet that pays withdrawals: balances, what waits, what is wrong.
    #[serde(rename = "hot_wallet.changed")]
    HotWalletChanged { wallet: Box<HotWalletView> },
    /// A user's own PYX moved: bought, freed, set aside, traded.
    #[serde(rename = "presale.changed")]
    PresaleChanged { balances: Box<PyxBalances> },
    /// A user's own order in the book PYX/USDT was placed, filled or ended.
    #[serde(rename = "order.changed")]
    OrderChanged { order: Box<PyxOrderView> },
    /// A staff queue's item entered, changed or left; `pending` is the queue's length now.
    #[serde(rename = "queue.changed")]
    QueueChanged {
        queue: Queue,
        item: Box<QueueItem>,
        pending: i64,
    },
    /// The first of two words about something fell away: taken back, or it counted no more when another came. `decision` is its kind;
    /// what is listed of the subject is asked for anew.
    #[serde(rename = "decision.word_fell")]
    WordFell { decision: String, subject: uuid::Uuid },
    /// A case of the compliance rules was opened, tied to what waits for it, or ended. Tells no length of the queue: cases are
    /// opened in the middle of money's changes, where nobody may wait for a queue.
    #[serde(rename = "compliance_case.changed")]
    ComplianceCaseChanged { case: Box<ComplianceCaseView> },
    /// A setting or a plan was changed, agreed to, taken back, or its hour has come: what was read before `revision` is old.
    #[serde(rename = "rules.changed")]
    RulesChanged {
        revision: i64,
        change: Box<RuleChangeView>,
    },
    /// Live trading was asked for, switched on or off.
    #[serde(rename = "live_trading.changed")]
    LiveTradingChanged { switch: Box<LiveSwitchView> },
    /// An operation was begun at the venue, or one that was over is booked. How many are open then is asked for: two changes at
    /// once do not know of each other.
    #[serde(rename = "live_operations.changed")]
    LiveOperationsChanged {},
    /// What staff declare that the house holds elsewhere was typed, agreed to or turned down.
    #[serde(rename = "declared_holding.changed")]
    DeclaredHoldingChanged {
        declaration: DeclarationId,
        place: String,
        value: Usdt,
        /// `pending`, `standing`, `rejected`.
        status: String,
    },
    /// A role that decides is asked for, given, taken or refused; on the streams of all who decide.
    #[serde(rename = "admin_grant.changed")]
    AdminGrantChanged { grant: Box<AdminGrantView> },
    /// An administrator's decisions stand still, or no longer do; on the streams of all who decide.
    #[serde(rename = "admin_freeze.changed")]
    AdminFreezeChanged { freeze: Box<AdminFreezeView> },
    /// An administrator changed how they sign in, or came in by what is kept for who cannot; on the streams of all others who decide.
    #[serde(rename = "administrator.guarded")]
    AdministratorGuarded { person: UserId, username: String },
    /// Somebody waits too long in a staff queue; on the streams of those who may decide there.
    #[serde(rename = "queue.old")]
    QueueOld {
        queue: Queue,
        pending: i64,
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
    },
    /// Tickets that nobody has taken wait for an answer, and words came to one of them: on the stream of one who answers, asked to be told, and is away.
    #[serde(rename = "tickets.wait")]
    TicketsWait { count: i64 },
    /// The day's losses of the trading desk have reached their limit: it begins nothing until `until`, or a higher limit. On the
    /// streams of those who watch over the desk.
    #[serde(rename = "desk.halted")]
    DeskHalted {
        mode: Mode,
        loss: Usdt,
        limit: Usdt,
        #[serde(with = "time::serde::rfc3339")]
        until: OffsetDateTime,
    },
    /// A request to close an account waits though its day is well over; on the streams of those who decide.
    #[serde(rename = "account_closing.late")]
    AccountClosingLate {
        user: UserId,
        /// When its day came.
        #[serde(with = "time::serde::rfc3339")]
        since: OffsetDateTime,
    },
    /// Bonuses of 30 days went above the ceiling that staff set against revenue, or are below it again; on the streams of those who decide.
    #[serde(rename = "payout_ratio.crossed")]
    PayoutRatioCrossed {
        over: bool,
        bonuses: Usdt,
        revenue: Usdt,
        /// In percent; none without revenue.
        ratio: Option<String>,
        ceiling: String,
    },
    /// Revenue of a pool waits for a second person, or was decided; `pending` is how many wait now.
    #[serde(rename = "pool_revenue.changed")]
    PoolRevenueChanged { revenue: PoolRevenueId, pending: i64 },
    /// The chain undid blocks with credited deposits of so many customers: nothing is credited until that is resolved. On the streams
    /// of those who decide.
    #[serde(rename = "chain.reorganised")]
    ChainReorganised { customers: i64, from: i64, to: i64 },
    /// A licence's own capital no longer backs its loan: the robot rests and the loan is taken back from what there is.
    #[serde(rename = "loan.called")]
    LoanCalled {
        licence: LicenceId,
        number: i32,
        debt: Usdt,
    },
    /// What a settlement had booked for a robot was taken back: below zero where it was a gain.
    #[serde(rename = "result.reversed")]
    ResultReversed {
        licence: LicenceId,
        number: i32,
        amount: Usdt,
        reason: String,
    },
    /// A bonus was booked, paid as the fund filled, released or taken back.
    #[serde(rename = "bonus.changed")]
    BonusChanged { bonus: Box<BonusView> },
    /// A day was closed: what it made for a member, a fact for each type of bonus and where it stands, and one for a rank.
    #[serde(rename = "closing.booked")]
    ClosingBooked { share: Box<ClosingShareView> },
    /// A day's closing brought members nearer to ranks, and so many ranks: staff may pay their bonuses.
    #[serde(rename = "ranks.reached")]
    RanksReached { count: i64 },
    /// The payment of a rank's bonus was asked for, sent, made, refused: on its member's stream.
    #[serde(rename = "graduation_bonus.changed")]
    GraduationBonusChanged { payment: Box<GraduationPayoutView> },
    #[serde(rename = "ticket.opened")]
    TicketOpened { ticket: Box<TicketView> },
    /// A ticket's list row changed: new message, read mark, status.
    #[serde(rename = "ticket.activity")]
    TicketActivity { ticket: Box<TicketView> },
    #[serde(rename = "ticket.message")]
    TicketMessage { message: Box<MessageView> },
    /// A message was edited or deleted.
    #[serde(rename = "ticket.message_changed")]
    TicketMessageChanged { message: Box<MessageView> },
    #[serde(rename = "ticket.read")]
    #[serde(rename_all = "camelCase")]
    TicketRead {
        ticket: TicketId,
        side: TicketSide,
        up_to: i64,
        message: Option<MessageId>,
    },
    #[serde(rename = "ticket.status")]
    TicketStatusChanged { ticket: Box<TicketView> },
    /// The thing that a ticket is about changed.
    #[serde(rename = "ticket.about")]
    TicketAboutChanged {
        ticket: TicketId,
        about: Box<SubjectView>,
    },
    /// What staff alone know of a ticket changed: on their queue.
    #[serde(rename = "ticket.desk")]
    #[serde(rename_all = "camelCase")]
    TicketDeskChanged {
        desk: Box<DeskView>,
        /// Who has just handed it over to its holder.
        handed_by: Option<String>,
    },
    /// The replies that staff keep ready are to be read again.
    #[serde(rename = "canned_replies.changed")]
    CannedRepliesChanged {},
    /// Roles, status, factors or profile changed: fetch /me again.
    #[serde(rename = "user.changed")]
    UserChanged { reason: String },
    /// Somebody of the staff has begun to look at the account as its owner sees it: their first name, the role by which they may, why.
    #[serde(rename = "account.seen")]
    AccountSeen {
        look: LookId,
        by: String,
        role: String,
        reason: String,
    },
    /// Staff decided something about somebody that no thing of theirs shows: on that person's stream, and beside `user.changed`.
    #[serde(rename = "account.decided")]
    AccountDecided {
        what: AccountDecision,
        /// Where one was asked for.
        reason: Option<String>,
    },
    /// A device that a person's notices were pushed to was taken off by another session of theirs: on that person's stream, beside
    /// `user.changed`.
    #[serde(rename = "push_device.removed")]
    PushDeviceRemoved {
        device: PushDeviceId,
        /// As its page called it.
        name: String,
    },
    /// A line of the notification panel.
    #[serde(rename = "notification")]
    Notification {
        id: NotificationId,
        code: String,
        #[cfg_attr(feature = "openapi", schema(value_type = std::collections::HashMap<String, serde_json::Value>))]
        params: serde_json::Value,
        amount: Option<Usdt>,
        #[serde(with = "time::serde::rfc3339")]
        at: OffsetDateTime,
        /// Its reader wants no toast of its group.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        quiet: bool,
    },
    /// A file with one's data was asked for, is ready, or has gone; `state`: `asked`, `ready`, `expired`.
    #[serde(rename = "data_export.changed")]
    DataExportChanged { export: DataExportId, state: String },
    /// Money went into a pool, came back, or received its share.
    #[serde(rename = "pool.changed")]
    PoolChanged { entry: Box<PoolEntryView> },
    #[serde(rename = "announcement")]
    Announcement {
        code: String,
        #[cfg_attr(feature = "openapi", schema(value_type = std::collections::HashMap<String, String>))]
        params: serde_json::Value,
    },
}

impl LiveEvent {
    /// Every kind, for the tests that demand a text in all three languages.
    pub const KINDS: &'static [&'static str] = &[
        "balance.changed",
        "licence.changed",
        "licence.manual_key",
        "robots.settled",
        "robot.manual",
        "robot.following",
        "pix_deposit.changed",
        "pix_withdrawal.changed",
        "sponsorship.changed",
        "transfer.changed",
        "crypto_deposit.changed",
        "wallet.changed",
        "crypto_withdrawal.changed",
        "hot_wallet.changed",
        "presale.changed",
        "order.changed",
        "queue.changed",
        "decision.word_fell",
        "compliance_case.changed",
        "rules.changed",
        "live_trading.changed",
        "live_operations.changed",
        "declared_holding.changed",
        "admin_grant.changed",
        "admin_freeze.changed",
        "administrator.guarded",
        "queue.old",
        "tickets.wait",
        "desk.halted",
        "account_closing.late",
        "payout_ratio.crossed",
        "pool_revenue.changed",
        "chain.reorganised",
        "loan.called",
        "result.reversed",
        "bonus.changed",
        "closing.booked",
        "ranks.reached",
        "graduation_bonus.changed",
        "ticket.opened",
        "ticket.activity",
        "ticket.message",
        "ticket.message_changed",
        "ticket.read",
        "ticket.status",
        "ticket.about",
        "ticket.desk",
        "canned_replies.changed",
        "user.changed",
        "account.seen",
        "account.decided",
        "push_device.removed",
        "notification",
        "data_export.changed",
        "pool.changed",
        "announcement",
    ];

    /// The event's public name, as stored beside its payload.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::BalanceChanged { .. } => "balance.changed",
            Self::LicenceChanged { .. } => "licence.changed",
            Self::ManualKeyDecided { .. } => "licence.manual_key",
            Self::RobotsSettled { .. } => "robots.settled",
            Self::ManualChanged { .. } => "robot.manual",
            Self::FollowingChanged { .. } => "robot.following",
            Self::PixDepositChanged { .. } => "pix_deposit.changed",
            Self::PixWithdrawalChanged { .. } => "pix_withdrawal.changed",
            Self::SponsorshipChanged { .. } => "sponsorship.changed",
            Self::TransferChanged { .. } => "transfer.changed",
            Self::CryptoDepositChanged { .. } => "crypto_deposit.changed",
            Self::WalletChanged { .. } => "wallet.changed",
            Self::CryptoWithdrawalChanged { .. } => "crypto_withdrawal.changed",
            Self::HotWalletChanged { .. } => "hot_wallet.changed",
            Self::PresaleChanged { .. } => "presale.changed",
            Self::OrderChanged { .. } => "order.changed",
            Self::QueueChanged { .. } => "queue.changed",
            Self::WordFell { .. } => "decision.word_fell",
            Self::ComplianceCaseChanged { .. } => "compliance_case.changed",
            Self::RulesChanged { .. } => "rules.changed",
            Self::LiveTradingChanged { .. } => "live_trading.changed",
            Self::LiveOperationsChanged {} => "live_operations.changed",
            Self::DeclaredHoldingChanged { .. } => "declared_holding.changed",
            Self::AdminGrantChanged { .. } => "admin_grant.changed",
            Self::AdminFreezeChanged { .. } => "admin_freeze.changed",
            Self::AdministratorGuarded { .. } => "administrator.guarded",
            Self::QueueOld { .. } => "queue.old",
            Self::TicketsWait { .. } => "tickets.wait",
            Self::DeskHalted { .. } => "desk.halted",
            Self::AccountClosingLate { .. } => "account_closing.late",
            Self::PayoutRatioCrossed { .. } => "payout_ratio.crossed",
            Self::PoolRevenueChanged { .. } => "pool_revenue.changed",
            Self::ChainReorganised { .. } => "chain.reorganised",
            Self::LoanCalled { .. } => "loan.called",
            Self::ResultReversed { .. } => "result.reversed",
            Self::BonusChanged { .. } => "bonus.changed",
            Self::ClosingBooked { .. } => "closing.booked",
            Self::RanksReached { .. } => "ranks.reached",
            Self::GraduationBonusChanged { .. } => "graduation_bonus.changed",
            Self::TicketOpened { .. } => "ticket.opened",
            Self::TicketActivity { .. } => "ticket.activity",
            Self::TicketMessage { .. } => "ticket.message",
            Self::TicketMessageChanged { .. } => "ticket.message_changed",
            Self::TicketRead { .. } => "ticket.read",
            Self::TicketStatusChanged { .. } => "ticket.status",
            Self::TicketAboutChanged { .. } => "ticket.about",
            Self::TicketDeskChanged { .. } => "ticket.desk",
            Self::CannedRepliesChanged {} => "canned_replies.changed",
            Self::UserChanged { .. } => "user.changed",
            Self::AccountSeen { .. } => "account.seen",
            Self::AccountDecided { .. } => "account.decided",
            Self::PushDeviceRemoved { .. } => "push_device.removed",
            Self::Notification { .. } => "notification",
            Self::DataExportChanged { .. } => "data_export.changed",
            Self::PoolChanged { .. } => "pool.changed",
            Self::Announcement { .. } => "announcement",
        }
    }
}

/// An item of a staff queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum QueueItem {
    #[serde(rename = "pix_deposit")]
    PixDeposit { deposit: PixDepositView },
    #[serde(rename = "pix_withdrawal")]
    PixWithdrawal { withdrawal: PixWithdrawalView },
    #[serde(rename = "crypto_deposit")]
    CryptoDeposit { deposit: ChainDepositView },
    #[serde(rename = "transfer")]
    Transfer { transfer: MemberTransferView },
    #[serde(rename = "crypto_withdrawal")]
    CryptoWithdrawal { withdrawal: ChainWithdrawalView },
    #[serde(rename = "graduation_bonus")]
    GraduationBonus { payment: GraduationPayoutView },
}

wire! {
    /// A fact with its place: what a stream's ring keeps, what goes over the bus and down the socket.
    pub struct Numbered {
        pub stream: crate::StreamId,
        pub epoch: i32,
        pub seq: i64,
        #[serde(with = "time::serde::rfc3339")]
        pub at: OffsetDateTime,
        pub event: LiveEvent,
    }
}
