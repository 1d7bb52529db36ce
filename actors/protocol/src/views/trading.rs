//! Licences, robots and what they do, as those see it who may.

use super::{wire, words};
use crate::{
    ids::{LicenceId, OperationId, PlanId, UserId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    /// Why the desk begins nothing: the day's losses have reached their limit.
    DeskHalt { DailyLoss = "daily_loss" }
    /// Where an operation that its owner ordered stands.
    ManualState {
        /// Waits for the desk.
        Asked = "asked",
        /// The desk has it.
        Sent = "sent",
        /// Filled and booked.
        Done = "done",
        /// It filled nothing.
        Nothing = "nothing",
        Refused = "refused",
    }
    /// Why a manual order was refused after it had been taken.
    ManualRefusal {
        /// The desk begins nothing now.
        DeskOff = "desk_off",
        Busy = "busy",
        /// No opportunity came while the order stood.
        Expired = "expired",
        /// The edge is below the robot's least.
        Thin = "thin",
        /// Nothing was left of it.
        Taken = "taken",
        /// The robot's capital does not take part yet.
        TooEarly = "too_early",
        NotAllocated = "not_allocated",
        /// The robot's capital is bound in other operations.
        Bound = "bound",
        /// The licence has changed meanwhile.
        Changed = "changed",
        /// By its owner, before it was taken.
        Canceled = "canceled",
    }
    /// How an operation came about; results of different modes are never added up.
    Mode { Simulated = "simulated", Paper = "paper", Live = "live" }
    /// Where the switch of live trading stands.
    LiveSwitchState {
        /// For a second person's word.
        Asked = "asked",
        On = "on",
        Off = "off",
    }
    /// What live trading needs and this installation lacks.
    LiveMissing {
        /// A demo never trades for real.
        World = "world",
        /// The desk's quotes are not those of the venue.
        Feed = "feed",
        Keys = "keys",
    }
    LicenceState { Active = "active", CeilingReached = "ceiling_reached", Cancelled = "cancelled", Reversed = "reversed" }
    /// What a licence's robot does, in one word: the strongest reason why it rests, else that it operates.
    RobotStatus {
        /// Nothing is allocated.
        Idle = "idle",
        /// Something is, but less than takes part in operations.
        BelowMinimum = "below_minimum",
        /// Its capital takes part from the next full minute.
        Joining = "joining",
        Operating = "operating",
        /// It operates at its owner's word alone.
        Manual = "manual",
        Paused = "paused",
        GoalReached = "goal_reached",
        CeilingReached = "ceiling_reached",
        Cancelled = "cancelled",
        Reversed = "reversed",
    }
    /// What became of a following: it runs; its maximum loss was reached; its leader stopped; its owner ended it, or its licence did.
    FollowingState { Active = "active", Loss = "loss", Left = "left", Ended = "ended" }
    /// Why a robot no longer leads.
    LeaderEnd { Owner = "owner", Inactive = "inactive", Cancelled = "cancelled", CeilingReached = "ceiling_reached", Reversed = "reversed" }
    PoolEntryState { Active = "active", Ended = "ended" }
}

wire! {
    /// A licence with its robot and its accounts.
    pub struct LicenceView {
        #[serde(rename = "_id")]
        pub id: LicenceId,
        pub plan: PlanId,
        /// Running number of the licence among its owner's, for a readable name.
        pub number: i32,
        pub value: Usdt,
        pub is_high_risk: bool,
        pub state: LicenceState,
        pub robot_status: RobotStatus,
        /// Of a robot that joins: when its capital takes part.
        #[serde(with = "time::serde::rfc3339::option")]
        pub joins_at: Option<OffsetDateTime>,
        /// Its owner, or a rule, told it to rest, whatever else keeps it from operating.
        pub paused: bool,
        /// Resting in the licence until the sale is final.
        pub price: Usdt,
        pub topup: Usdt,
        pub allocated: Usdt,
        pub reserved: Usdt,
        #[serde(rename = "yield")]
        pub yield_balance: Usdt,
        /// ≤ 0.
        pub loan: Usdt,
        /// What was borrowed, while something of it is owed.
        pub loan_taken: Usdt,
        /// The robot stands still because its capital no longer backed its loan.
        pub stopped_by_loan: bool,
        /// `topup + allocated` may not exceed it (5 × value).
        pub allocation_limit: Usdt,
        pub maximum_return: Usdt,
        pub limit_left: Usdt,
        pub network_ceiling: Usdt,
        pub network_used: Usdt,
        pub manual_key: bool,
        /// Staff have taken the key away: it cannot be switched on.
        pub manual_revoked: bool,
        /// Percent of `allocated`, two decimals.
        pub daily_gain_goal: String,
        pub is_final: bool,
        #[serde(with = "time::serde::rfc3339::option")]
        pub cancellable_until: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub topup_date: Option<OffsetDateTime>,
        /// Net result of the open business day, in the world's mode.
        pub today: Usdt,
        pub total_gain: Usdt,
        pub total_loss: Usdt,
        pub operations: i64,
        pub mode: Mode,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// What one put into a pool at one time.
    pub struct PoolEntryView {
        #[serde(rename = "_id")]
        pub id: crate::ids::PoolEntryId,
        pub pool: crate::ids::PoolId,
        pub pool_name: String,
        /// What it holds, or held when it ended.
        pub value: Usdt,
        /// What a reversed credit took of it; put in were both together.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required = true))]
        pub taken: Usdt,
        pub state: PoolEntryState,
        pub term_days: i32,
        /// It counts on these days, both inclusive.
        pub first_day: String,
        pub last_day: String,
        /// When the principal comes back.
        #[serde(with = "time::serde::rfc3339")]
        pub ends_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub ended_at: Option<OffsetDateTime>,
        /// Shares of revenue so far.
        pub received: Usdt,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        pub version: i64,
    }
    /// A robot that copies another, or has.
    pub struct FollowingView {
        #[serde(rename = "_id")]
        pub id: crate::ids::FollowingId,
        pub licence: LicenceId,
        /// Of the licence among its owner's.
        pub number: i32,
        pub leader: LicenceId,
        /// The leader's owner, by username.
        pub name: String,
        #[serde(with = "time::serde::rfc3339")]
        pub since: OffsetDateTime,
        pub maximum_loss: Usdt,
        /// Booked results of the robot while it followed; at −`maximumLoss` or below it ends.
        pub net: Usdt,
        pub state: FollowingState,
        #[serde(with = "time::serde::rfc3339::option")]
        pub ended_at: Option<OffsetDateTime>,
        /// 1 while it runs, 2 once it has ended.
        pub version: i64,
    }
    /// A robot after a settlement: absolute values, so that a double does no harm.
    pub struct SettledRobot {
        pub licence: LicenceId,
        #[serde(rename = "yield")]
        pub yield_balance: Usdt,
        pub topup: Usdt,
        pub allocated: Usdt,
        /// ≤ 0.
        pub loan: Usdt,
        pub stopped_by_loan: bool,
        pub limit_left: Usdt,
        pub today: Usdt,
        pub total_gain: Usdt,
        pub total_loss: Usdt,
        /// Operations ever, and this batch's gain and loss.
        pub operations: i64,
        pub gain: Usdt,
        pub loss: Usdt,
        pub status: RobotStatus,
        pub version: i64,
    }
    /// One leg of an operation.
    pub struct LegView {
        pub venue: String,
        pub symbol: String,
        /// `buy` or `sell`.
        pub side: String,
        pub price: String,
        pub quantity: String,
        pub fee: String,
        /// It brings back what a leg before it left over, since a later one failed.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required = true))]
        pub unwinding: bool,
    }
    /// An operation that an owner ordered with one robot.
    pub struct ManualOrderView {
        /// Of the operation, too.
        #[serde(rename = "_id")]
        pub id: OperationId,
        pub licence: LicenceId,
        /// None of one that takes whichever comes first, until it has.
        pub route: Option<String>,
        pub state: ManualState,
        /// The desk has begun it: it fills now, and its owner takes it back no more.
        pub begun: bool,
        /// Until when it stands.
        #[serde(with = "time::serde::rfc3339")]
        pub until: OffsetDateTime,
        /// Of a refused one.
        pub reason: Option<ManualRefusal>,
        /// Of a filled one; its result as it was booked.
        pub volume: Option<Usdt>,
        pub result: Option<Usdt>,
        /// A leg failed, and what the others had left over was brought back.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required = true))]
        pub unwound: bool,
        /// Once the desk has booked it.
        pub mode: Option<Mode>,
        #[serde(with = "time::serde::rfc3339")]
        pub asked_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub closed_at: Option<OffsetDateTime>,
    }
    /// One operation as one robot's order history shows it.
    pub struct OrderView {
        #[serde(rename = "_id")]
        pub id: OperationId,
        pub mode: Mode,
        pub route: String,
        pub legs: Vec<LegView>,
        pub volume: Usdt,
        pub fees: Usdt,
        pub result: Usdt,
        /// What the ceiling cut from a gain, and what of a loss the robot could not bear.
        pub cut: Usdt,
        pub manual: bool,
        /// A leg failed, and what the others had left over was brought back.
        #[serde(default)]
        #[cfg_attr(feature = "openapi", schema(required = true))]
        pub unwound: bool,
        /// When its result was taken back, and why: it counts no more.
        #[serde(with = "time::serde::rfc3339::option")]
        pub reversed_at: Option<OffsetDateTime>,
        pub reversal_reason: Option<String>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
    }
    /// A request for live trading, and what became of it.
    pub struct LiveSwitchView {
        #[serde(rename = "_id")]
        #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
        pub id: uuid::Uuid,
        pub state: LiveSwitchState,
        pub reason: String,
        /// Usernames.
        pub asked_by: String,
        pub asked_user: UserId,
        #[serde(with = "time::serde::rfc3339")]
        pub asked_at: OffsetDateTime,
        pub confirmed_by: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub confirmed_at: Option<OffsetDateTime>,
        pub off_by: Option<String>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub off_at: Option<OffsetDateTime>,
    }
}
