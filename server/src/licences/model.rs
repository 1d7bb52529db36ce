//! What is asked of licences and what they look like.

use super::rules::{self, Condition};
use crate::{
    affiliates::service::NetworkLicence,
    foundation::{amounts, business_day, settings::Settings},
};
use protocol::{
    ids::{LicenceId, LotId, PlanId, TransferId, UserId},
    money::Usdt,
    views::{LicenceState, LicenceView, Mode, RobotStatus},
};
use serde::{Deserialize, Serialize};
use time::{Date, OffsetDateTime};

/// A plan as offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    #[serde(rename = "_id")]
    pub id: PlanId,
    pub value: Usdt,
    pub is_high_risk: bool,
    /// Of `topup + allocated`.
    pub allocation_limit: Usdt,
    /// Percent of the capital put in.
    pub maximum_return: String,
    /// Percent of the value.
    pub network_ceiling: String,
}

/// For how long what is bought or put in now is bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LicenceTerms {
    /// Within so many days of a purchase it is taken back, while nothing was allocated.
    pub cancel_days: i64,
    /// After so many days a top-up is free.
    pub locked_days: i64,
}

/// Where money for a licence or a top-up comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Available,
    Bonus,
    /// The yield of one's own active licence, named by `sourceLicence`.
    Yield,
    Sponsored,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Purchase {
    pub plan: PlanId,
    /// `available` or `sponsored`.
    #[serde(default = "available")]
    pub source: Source,
    /// The risk notice was read and accepted.
    #[serde(default)]
    pub risk_accepted: bool,
}

const fn available() -> Source {
    Source::Available
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TopUp {
    pub licence: LicenceId,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
    #[serde(default = "available")]
    pub source: Source,
    #[serde(default)]
    pub source_licence: Option<LicenceId>,
}

/// Puts what was earned back to work.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Reinvestment {
    pub licence: LicenceId,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
    /// `yield` or `bonus`.
    pub source: Source,
    /// Whose yield it is.
    #[serde(default)]
    pub source_licence: Option<LicenceId>,
}

/// A licence and an amount: allocation, capital or yield taken out.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Amount {
    pub licence: LicenceId,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
}

/// What repays a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoanSource {
    Available,
    /// The licence's own top-up, oldest lots first, sponsored ones aside.
    Topup,
}

/// Repays an open loan; more than is owed repays what is owed.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Repayment {
    pub licence: LicenceId,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
    pub source: LoanSource,
}

/// What a loan of this value would give and ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanQuote {
    pub value: Usdt,
    /// Taken at once.
    pub fee: Usdt,
    /// Goes to the balance.
    pub received: Usdt,
    /// With less capital of one's own the robot stops and the loan is taken back.
    pub stops_below: Usdt,
    /// So much capital stays in the licence.
    pub stays: Usdt,
}

/// Terms of loans on a licence now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoanTerms {
    pub licence: LicenceId,
    pub number: i32,
    /// The most that may be borrowed now; zero while a loan is open.
    pub maximum: Usdt,
    /// Free lots and all lots, sponsored ones aside.
    pub free: Usdt,
    pub backing: Usdt,
    /// Percent of free lots, and of what is borrowed.
    pub share: String,
    pub fee_percent: String,
    /// When more capital becomes free.
    #[serde(with = "time::serde::rfc3339::option")]
    pub next_free: Option<OffsetDateTime>,
    /// Owed now, and what was borrowed.
    pub debt: Usdt,
    pub taken: Usdt,
    #[serde(with = "time::serde::rfc3339::option")]
    pub taken_at: Option<OffsetDateTime>,
    pub stops_below: Usdt,
    /// So much of one's own capital may leave the licence now.
    pub may_leave: Usdt,
    pub quote: Option<LoanQuote>,
}

/// A licence after a movement of its money, with the movements: `GET /statement/{transfer}` tells each whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct LicenceMoved {
    #[serde(flatten)]
    pub licence: LicenceView,
    pub transfers: Vec<TransferId>,
}

#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Named {
    pub licence: LicenceId,
}

/// Moves allocated capital to another own licence, or back to the licence's own top-up when `to` is missing.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Relocation {
    pub from: LicenceId,
    #[serde(default)]
    pub to: Option<LicenceId>,
    #[serde(deserialize_with = "amounts::exact")]
    #[schema(value_type = amounts::WrittenAmount)]
    pub value: Usdt,
}

/// Changes of a robot's settings; what is missing stays.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RobotSettings {
    pub licence: LicenceId,
    #[serde(default)]
    pub paused: Option<bool>,
    #[serde(default)]
    pub manual_key: Option<bool>,
    /// Percent of what is allocated, 0.1–10.
    #[serde(default)]
    pub daily_gain_goal: Option<String>,
}

/// A licence as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Licence {
    pub id: LicenceId,
    pub owner: UserId,
    pub number: i32,
    pub plan: PlanId,
    pub value: Usdt,
    pub is_high_risk: bool,
    pub maximum_return_ppm: i64,
    pub network_ceiling_ppm: i64,
    pub allocation_factor: i64,
    pub sponsored: bool,
    pub state: LicenceState,
    pub paid_at: OffsetDateTime,
    pub cancellable_until: OffsetDateTime,
    pub final_at: Option<OffsetDateTime>,
    pub price: Usdt,
    pub topup: Usdt,
    pub allocated: Usdt,
    pub yield_balance: Usdt,
    pub loan: Usdt,
    pub reserved: Usdt,
    pub capital: Usdt,
    pub gains: Usdt,
    pub losses: Usdt,
    pub topup_at: Option<OffsetDateTime>,
    pub paused: bool,
    pub manual_key: bool,
    /// Staff have taken the key away.
    pub manual_revoked: bool,
    pub goal_ppm: i64,
    pub goal_day: Option<Date>,
    pub today: Usdt,
    pub today_day: Option<Date>,
    pub operations: i64,
    pub eligible_from: Option<OffsetDateTime>,
    pub last_served: Option<OffsetDateTime>,
    /// Of the open loan, or of the last one.
    pub loan_taken: Usdt,
    pub loan_at: Option<OffsetDateTime>,
    /// Its capital no longer backed its loan.
    pub loan_stopped: bool,
    pub version: i64,
}

impl Licence {
    /// What is owed on an open loan.
    #[must_use]
    pub fn debt(&self) -> Usdt {
        -self.loan
    }

    #[must_use]
    pub fn limit_left(&self) -> Usdt {
        rules::limit_left(self.capital, self.maximum_return_ppm, self.gains, self.losses)
    }

    /// What the network's bonuses may use of it.
    #[must_use]
    pub fn network_ceiling(&self) -> Usdt {
        rules::part(self.value, self.network_ceiling_ppm)
    }

    /// As the network knows it.
    #[must_use]
    pub fn in_network(&self) -> NetworkLicence {
        NetworkLicence {
            id: self.id,
            member: self.owner,
            value: self.value,
            ceiling: self.network_ceiling(),
            active: self.state == LicenceState::Active,
        }
    }

    /// Net result of this day.
    #[must_use]
    pub fn today_on(&self, day: Date) -> Usdt {
        if self.today_day == Some(day) {
            self.today
        } else {
            Usdt::ZERO
        }
    }

    #[must_use]
    pub fn status(&self, now: OffsetDateTime, settings: &Settings) -> RobotStatus {
        rules::robot_status(&Condition {
            state: self.state,
            paused: self.paused,
            manual_key: self.manual_key,
            goal_reached_today: self.goal_day == Some(business_day::of(now)),
            allocated: self.allocated,
            least_allocation: settings.minimum_allocation,
            joined: self.eligible_from.is_some_and(|from| from <= now),
        })
    }

    /// `network_used` is the network's to say.
    #[must_use]
    pub fn view(
        &self,
        now: OffsetDateTime,
        settings: &Settings,
        mode: Mode,
        network_used: Usdt,
    ) -> LicenceView {
        let status = self.status(now, settings);
        LicenceView {
            id: self.id,
            plan: self.plan,
            number: self.number,
            value: self.value,
            is_high_risk: self.is_high_risk,
            state: self.state,
            robot_status: status,
            joins_at: self.eligible_from.filter(|_| status == RobotStatus::Joining),
            paused: self.paused,
            price: self.price,
            topup: self.topup,
            allocated: self.allocated,
            reserved: self.reserved,
            yield_balance: self.yield_balance,
            loan: self.loan,
            loan_taken: if self.loan.is_zero() {
                Usdt::ZERO
            } else {
                self.loan_taken
            },
            stopped_by_loan: self.loan_stopped,
            allocation_limit: Usdt(self.value.0.saturating_mul(self.allocation_factor)),
            maximum_return: rules::part(self.capital, self.maximum_return_ppm),
            limit_left: self.limit_left().max(Usdt::ZERO),
            network_ceiling: self.network_ceiling(),
            network_used,
            manual_key: self.manual_key,
            manual_revoked: self.manual_revoked,
            daily_gain_goal: rules::percent(self.goal_ppm),
            is_final: self.final_at.is_some(),
            cancellable_until: (self.final_at.is_none() && self.state == LicenceState::Active)
                .then_some(self.cancellable_until),
            topup_date: self.topup_at,
            today: self.today_on(business_day::of(now)),
            total_gain: self.gains,
            total_loss: self.losses,
            operations: self.operations,
            mode,
            created_at: self.paid_at,
            version: self.version,
        }
    }
}

/// Where a lot came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    Available,
    Bonus,
    Yield(LicenceId),
    Sponsored,
    Licence(LicenceId),
}

impl Origin {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Bonus => "bonus",
            Self::Yield(_) => "yield",
            Self::Sponsored => "sponsored",
            Self::Licence(_) => "licence",
        }
    }
    #[must_use]
    pub const fn licence(self) -> Option<LicenceId> {
        match self {
            Self::Yield(id) | Self::Licence(id) => Some(id),
            _ => None,
        }
    }
    #[must_use]
    pub fn read(name: &str, licence: Option<uuid::Uuid>) -> Option<Self> {
        Some(match (name, licence) {
            ("available", None) => Self::Available,
            ("bonus", None) => Self::Bonus,
            ("sponsored", None) => Self::Sponsored,
            ("yield", Some(id)) => Self::Yield(LicenceId(id)),
            ("licence", Some(id)) => Self::Licence(LicenceId(id)),
            _ => return None,
        })
    }
}

/// A lot as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lot {
    pub id: LotId,
    pub licence: LicenceId,
    pub amount: Usdt,
    pub origin: Origin,
    pub created_at: OffsetDateTime,
    pub free_at: OffsetDateTime,
}
