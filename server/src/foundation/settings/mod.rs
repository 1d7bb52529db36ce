//! The rules that staff may tune: one typed table, versioned and audited. Percentages are in parts per million (1 % = 10 000).
//!
//! Every money fact stores the version that it used. The newest version in force is cached for a second.

mod store;

use crate::error::Error;
use protocol::money::Usdt;
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use std::sync::Arc;
use time::OffsetDateTime;

/// One per cent, in parts per million.
pub const PERCENT: i64 = 10_000;
/// The whole, in parts per million.
pub const WHOLE: i64 = 1_000_000;

/// A share as a percentage with at least two decimals.
#[must_use]
pub fn percent(ppm: i64) -> String {
    let text = format!("{}.{:04}", ppm / PERCENT, ppm % PERCENT);
    text.strip_suffix("00")
        .map_or_else(|| text.clone(), str::to_owned)
}

/// A part of a whole in percent with two decimals, floored; none of nothing. What is below zero is no part.
#[must_use]
pub fn percent_of(part: Usdt, whole: Usdt) -> Option<String> {
    if !whole.is_positive() {
        return None;
    }
    let parts = i128::from(part.0.max(0)) * 10_000 / i128::from(whole.0);
    Some(format!("{}.{:02}", parts / 100, parts % 100))
}

/// All settings with their defaults (docs/rules/settings.md). Unknown names are refused, missing ones take the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Settings {
    /// Name on screens, mails and documents.
    pub brand: String,
    /// `topup + allocated ≤ factor × value`.
    pub allocation_factor: i64,
    /// Maximum return in parts per million of the capital put in.
    pub maximum_return_standard: i64,
    pub maximum_return_high_risk: i64,
    pub network_ceiling: i64,
    /// Days until a lot of capital is free.
    pub lot_locked_days: i64,
    pub cancel_days: i64,
    /// Shares of a final sale that go into the funds.
    pub network_fund_share: i64,
    pub graduation_fund_share: i64,
    pub fee_network_fund_share: i64,
    /// Days of the month on which yield may leave.
    pub yield_days: Vec<u8>,
    pub default_goal: i64,
    pub minimum_goal: i64,
    pub maximum_goal: i64,
    pub minimum_allocation: Usdt,
    /// Least time between two manual operations, per licence and per user.
    pub manual_wait_seconds: u32,
    /// A loan: at most this share of free lots; what it costs, taken at once.
    pub loan_share: i64,
    pub loan_fee: i64,
    /// What a robot needs before others may follow it: days since its first operation, and operations.
    pub leader_days: i64,
    pub leader_operations: i64,
    // desk
    pub minimum_edge: i64,
    pub minimum_edge_high_risk: i64,
    pub cohort_share: i64,
    pub cohort_share_high_risk: i64,
    pub minimum_share: Usdt,
    pub latency_ms: u32,
    pub opportunity_life_ms: u32,
    pub reservation_seconds: u32,
    /// The most of one operation, and of all that are in the air through one venue.
    pub desk_max_operation: Usdt,
    pub desk_max_venue: Usdt,
    /// Net loss of a business day at which the desk begins nothing more in this mode.
    pub desk_daily_loss: Usdt,
    /// Triangles may take their legs at two venues; otherwise each stays at one.
    pub two_venue_triangles: bool,
    // PIX
    pub pix_minimum: Usdt,
    pub pix_maximum: Usdt,
    pub pix_open_deposits: i64,
    pub pix_rate_locked_minutes: i64,
    pub pix_proof_hours: i64,
    /// BRL per USDT until a rate is loaded, in 10⁻⁴.
    pub default_rate: i64,
    // withdrawals, crypto and PIX alike
    pub withdrawal_minimum: Usdt,
    pub withdrawal_fee: i64,
    pub withdrawal_fee_minimum: Usdt,
    /// What a withdrawal of PYX costs: USDT from `available`, the PYX leave whole.
    pub pyx_withdrawal_fee: Usdt,
    /// A quote that moved by more is confirmed anew.
    pub withdrawal_quote_tolerance: i64,
    pub pix_withdrawal_days: i64,
    /// How long the mailed link of a crypto withdrawal is good, and how long it then waits for a decision.
    pub withdrawal_link_minutes: i64,
    pub crypto_withdrawal_days: i64,
    // deposits over the chain
    /// What a deposit costs: a fixed part and a share of its value.
    pub deposit_fee: Usdt,
    pub deposit_fee_share: i64,
    /// Binds the form only; whatever arrives above the fee is credited.
    pub deposit_minimum: Usdt,
    pub deposit_maximum: Usdt,
    pub deposit_minutes: i64,
    pub open_deposits: i64,
    /// Above it a decision needs a second person.
    pub two_person_limit: Usdt,
    /// Hours until decisions of a new administrator count.
    pub new_approver_hours: i64,
    // outgoing money
    /// The most that one request may move out.
    pub outbound_per_transaction: Usdt,
    /// The most of one person within 24 hours.
    pub outbound_per_day: Usdt,
    /// Hours until a fresh destination on a whitelist may be used.
    pub whitelist_delay_hours: i64,
    /// What a transfer between members costs.
    pub transfer_fee: Usdt,
    // compliance
    /// From here on a person looks.
    pub compliance_amount: Usdt,
    /// So many outgoing requests within an hour, and a person looks at the next.
    pub compliance_per_hour: i64,
    /// From this sum coming in within a day on, it is watched whether it goes out again.
    pub compliance_in_and_out: Usdt,
    /// The share of it, in parts per million, whose going out a person looks at.
    pub compliance_in_and_out_share: i64,
    /// So many trades of PYX between the same two people within a day, or so much lost by one to the other against the anchors,
    /// and a person looks; until then they no longer meet.
    pub compliance_pair_trades: i64,
    pub compliance_pair_loss: Usdt,
    // PYX
    /// How far from the reference an order's price may be, in parts per million.
    pub pyx_band: i64,
    /// Open orders of one person.
    pub pyx_open_orders: i64,
    /// The least that is traded in 24 hours for the reference to follow it, by enough people.
    pub pyx_reference_volume: Usdt,
    /// The most that the reference moves in a business day, in parts per million.
    pub pyx_reference_move: i64,
    // affiliates
    pub unlicensed_places: i64,
    /// Bonuses on the rise of N, by steps up the sponsor chain, in parts per million.
    pub level_bonus_1: i64,
    pub level_bonus_2: i64,
    pub level_bonus_3: i64,
    pub level_bonus_4: i64,
    pub level_bonus_5: i64,
    pub level_bonus_6: i64,
    pub level_bonus_7: i64,
    pub level_bonus_8: i64,
    pub level_bonus_9: i64,
    pub level_bonus_10: i64,
    /// Bonuses on a final sale: the sponsor's, and that of each of levels 2 to 5.
    pub direct_sale_bonus: i64,
    pub indirect_sale_bonus: i64,
    /// Bonuses on what the downline's robots brought in a day, levels 1 to 3.
    pub residual_bonus_1: i64,
    pub residual_bonus_2: i64,
    pub residual_bonus_3: i64,
    /// Of matched points; the most of a day is this share of the value of one's active licences.
    pub binary_bonus: i64,
    pub binary_daily_cap: i64,
    /// Of a rank's threshold, and the thresholds in whole points.
    pub graduation_bonus: i64,
    pub graduation_bronze: i64,
    pub graduation_prata: i64,
    pub graduation_ouro: i64,
    pub graduation_platina: i64,
    pub graduation_diamante: i64,
    pub graduation_duplo_diamante: i64,
    pub graduation_embaixador: i64,
    pub graduation_coroa: i64,
    /// Bonuses of 30 days as a share of the revenue of the same days, above which staff are alerted.
    pub payout_ceiling: i64,
    // accounts
    /// Mails to one recipient.
    pub mails_per_hour: i64,
    /// E-mailed codes to one user.
    pub codes_per_hour: i64,
    /// How long somebody is away before they are mailed that there is something, in minutes.
    pub away_mail_minutes: i64,
    // content
    /// What files of lessons and material may take of the disk together, in megabytes.
    pub content_megabytes: i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            brand: "Arbora".into(),
            allocation_factor: 5,
            maximum_return_standard: 300 * PERCENT,
            maximum_return_high_risk: 300 * PERCENT,
            network_ceiling: 500 * PERCENT,
            lot_locked_days: 30,
            cancel_days: 7,
            network_fund_share: 75 * PERCENT,
            graduation_fund_share: 5 * PERCENT,
            fee_network_fund_share: 50 * PERCENT,
            yield_days: vec![5, 20],
            default_goal: PERCENT,
            minimum_goal: PERCENT / 10,
            maximum_goal: 10 * PERCENT,
            minimum_allocation: Usdt::whole(10),
            manual_wait_seconds: 60,
            loan_share: 50 * PERCENT,
            loan_fee: 2 * PERCENT,
            leader_days: 30,
            leader_operations: 100,
            minimum_edge: PERCENT * 5 / 100,
            minimum_edge_high_risk: PERCENT * 2 / 100,
            cohort_share: 10 * PERCENT,
            cohort_share_high_risk: 25 * PERCENT,
            minimum_share: Usdt::whole(1),
            latency_ms: 150,
            opportunity_life_ms: 2_000,
            reservation_seconds: 30,
            desk_max_operation: Usdt::whole(50_000),
            desk_max_venue: Usdt::whole(200_000),
            desk_daily_loss: Usdt::whole(10_000),
            two_venue_triangles: true,
            pix_minimum: Usdt::whole(10),
            pix_maximum: Usdt::whole(50_000),
            pix_open_deposits: 3,
            pix_rate_locked_minutes: 30,
            pix_proof_hours: 24,
            default_rate: 50_000,
            withdrawal_minimum: Usdt::whole(10),
            withdrawal_fee: 2 * PERCENT,
            withdrawal_fee_minimum: Usdt::whole(1),
            pyx_withdrawal_fee: Usdt::whole(1),
            withdrawal_quote_tolerance: PERCENT,
            pix_withdrawal_days: 7,
            withdrawal_link_minutes: 30,
            crypto_withdrawal_days: 7,
            deposit_fee: Usdt::whole(1),
            deposit_fee_share: 4 * PERCENT,
            deposit_minimum: Usdt::whole(10),
            deposit_maximum: Usdt::whole(100_000),
            deposit_minutes: 60,
            open_deposits: 3,
            two_person_limit: Usdt::whole(5_000),
            new_approver_hours: 24,
            outbound_per_transaction: Usdt::whole(50_000),
            outbound_per_day: Usdt::whole(100_000),
            whitelist_delay_hours: 24,
            transfer_fee: Usdt::ZERO,
            compliance_amount: Usdt::whole(10_000),
            compliance_per_hour: 10,
            compliance_in_and_out: Usdt::whole(500),
            compliance_in_and_out_share: 80 * PERCENT,
            compliance_pair_trades: 20,
            compliance_pair_loss: Usdt::whole(200),
            pyx_band: 20 * PERCENT,
            pyx_open_orders: 50,
            pyx_reference_volume: Usdt::whole(10_000),
            pyx_reference_move: 20 * PERCENT,
            unlicensed_places: 20,
            level_bonus_1: 10 * PERCENT,
            level_bonus_2: PERCENT,
            level_bonus_3: PERCENT / 2,
            level_bonus_4: PERCENT / 2,
            level_bonus_5: PERCENT / 2,
            level_bonus_6: PERCENT / 2,
            level_bonus_7: 0,
            level_bonus_8: 0,
            level_bonus_9: 0,
            level_bonus_10: 0,
            direct_sale_bonus: 5 * PERCENT,
            indirect_sale_bonus: PERCENT,
            residual_bonus_1: 5 * PERCENT,
            residual_bonus_2: 2 * PERCENT,
            residual_bonus_3: PERCENT,
            binary_bonus: 10 * PERCENT,
            binary_daily_cap: WHOLE,
            graduation_bonus: 5 * PERCENT,
            graduation_bronze: 1_000,
            graduation_prata: 5_000,
            graduation_ouro: 20_000,
            graduation_platina: 50_000,
            graduation_diamante: 150_000,
            graduation_duplo_diamante: 500_000,
            graduation_embaixador: 1_500_000,
            graduation_coroa: 5_000_000,
            payout_ceiling: 75 * PERCENT,
            mails_per_hour: 5,
            codes_per_hour: 5,
            away_mail_minutes: 10,
            content_megabytes: 2_048,
        }
    }
}

impl Settings {
    /// Shares of the level bonuses, level 1 first.
    #[must_use]
    pub const fn level_bonuses(&self) -> [i64; 10] {
        [
            self.level_bonus_1,
            self.level_bonus_2,
            self.level_bonus_3,
            self.level_bonus_4,
            self.level_bonus_5,
            self.level_bonus_6,
            self.level_bonus_7,
            self.level_bonus_8,
            self.level_bonus_9,
            self.level_bonus_10,
        ]
    }

    /// Shares of the residual bonuses, level 1 first.
    #[must_use]
    pub const fn residual_bonuses(&self) -> [i64; 3] {
        [
            self.residual_bonus_1,
            self.residual_bonus_2,
            self.residual_bonus_3,
        ]
    }

    /// Thresholds of the ranks in whole points, the lowest first: rank 1 is the first.
    #[must_use]
    pub const fn graduations(&self) -> [i64; 8] {
        [
            self.graduation_bronze,
            self.graduation_prata,
            self.graduation_ouro,
            self.graduation_platina,
            self.graduation_diamante,
            self.graduation_duplo_diamante,
            self.graduation_embaixador,
            self.graduation_coroa,
        ]
    }
}

/// Settings with the version that money facts store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InForce {
    pub version: i32,
    pub settings: Settings,
}

/// Reads the settings in force, at most once a second.
#[derive(Clone)]
pub struct SettingsReader {
    pool: PgPool,
    cache: moka::future::Cache<(), Arc<InForce>>,
}

fn read(stored: Option<(i32, serde_json::Value)>) -> Result<InForce, Error> {
    Ok(match stored {
        Some((version, body)) => InForce {
            version,
            settings: serde_json::from_value(body)?,
        },
        None => InForce {
            version: 0,
            settings: Settings::default(),
        },
    })
}

impl SettingsReader {
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        let cache = moka::future::Cache::builder()
            .max_capacity(1)
            .time_to_live(std::time::Duration::from_secs(1))
            .build();
        Self { pool, cache }
    }

    /// The settings in force now.
    ///
    /// # Errors
    /// Whatever the database refuses; `service.internal` when a stored version cannot be read.
    pub async fn current(&self, now: OffsetDateTime) -> Result<Arc<InForce>, Error> {
        if let Some(found) = self.cache.get(&()).await {
            return Ok(found);
        }
        let fresh = Arc::new(read(store::in_force(&self.pool, now).await?)?);
        self.cache.insert((), fresh.clone()).await;
        Ok(fresh)
    }

    /// The settings in force now, inside a change: a stale cache is filled through the change's own connection. A second one from
    /// the pool could be the one that all others, waiting for this change's locks, already hold.
    ///
    /// # Errors
    /// As [`SettingsReader::current`].
    pub async fn within(&self, tx: &mut super::transaction::Tx) -> Result<Arc<InForce>, Error> {
        if let Some(found) = self.cache.get(&()).await {
            return Ok(found);
        }
        let now = tx.now();
        let fresh = Arc::new(read(store::in_force(tx.conn(), now).await?)?);
        self.cache.insert((), fresh.clone()).await;
        Ok(fresh)
    }

    /// Forgets what was read: a version of now was written.
    pub async fn forget(&self) {
        self.cache.invalidate(&()).await;
    }

    /// Stores a new version that takes effect at `effective_at`.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn store(
        &self,
        settings: &Settings,
        effective_at: OffsetDateTime,
        author: Option<uuid::Uuid>,
        reason: &str,
    ) -> Result<i32, Error> {
        let version = store::insert(
            &self.pool,
            serde_json::to_value(settings)?,
            effective_at,
            author,
            reason,
        )
        .await?;
        self.cache.invalidate(&()).await;
        Ok(version)
    }
}

/// A version that was in force, for what began under it and goes on.
///
/// # Errors
/// As [`SettingsReader::current`]; `service.internal` for a version that there is not.
pub async fn version(tx: &mut super::transaction::Tx, version: i32) -> Result<InForce, Error> {
    if version == 0 {
        return read(None);
    }
    let body = store::version(tx.conn(), version)
        .await?
        .ok_or_else(|| Error::internal("a version of the settings is missing"))?;
    read(Some((version, body)))
}

/// The settings in force, read anew: for whoever changes them.
///
/// # Errors
/// As [`SettingsReader::current`].
pub async fn fresh(tx: &mut super::transaction::Tx) -> Result<InForce, Error> {
    let now = tx.now();
    read(store::in_force(tx.conn(), now).await?)
}

/// Writes a version that takes effect at `effective_at`, inside a change. Whether it may be is the rulebook's to say.
///
/// # Errors
/// Whatever the database refuses.
pub async fn insert(
    tx: &mut super::transaction::Tx,
    settings: &Settings,
    effective_at: OffsetDateTime,
    author: protocol::ids::UserId,
    reason: &str,
) -> Result<i32, Error> {
    store::insert(
        tx.conn(),
        serde_json::to_value(settings)?,
        effective_at,
        Some(author.0),
        reason,
    )
    .await
}
