//! How far the hot wallet may go. Guards of the deployment: no screen edits them.

use std::{str::FromStr, time::Duration};

use alloy::primitives::Address;
use protocol::money::Usdt;

use super::{Problems, chain::address};

/// Caps, surplus and patience of what goes out over the chain.
#[derive(Clone, Copy, Debug)]
pub struct Hot {
    pub cold: Option<Address>,
    pub maximum: Usdt,
    pub per_transaction: Usdt,
    pub per_hour: Usdt,
    pub per_day: Usdt,
    pub stuck: Duration,
    /// Wei per unit of gas.
    pub gas_price_cap: u128,
    /// What the key of one person's own wallet signs at most.
    pub user: UserCaps,
}

/// Caps of one person's own wallet.
#[derive(Clone, Copy, Debug)]
pub struct UserCaps {
    pub per_transaction: Usdt,
    pub per_hour: Usdt,
    pub per_day: Usdt,
}

impl Hot {
    pub(super) fn check(settings: &HotSettings, problems: &mut Problems) -> Self {
        let cold = address("ARBORA_COLD_ADDRESS", settings.cold_address.as_deref(), problems);
        let mut money = |name: &str, text: &str| match Usdt::from_str(text) {
            Ok(value) if value.is_positive() => value,
            _ => {
                problems.add(format!("{name} is not an amount of USDT"));
                Usdt::ZERO
            }
        };
        Self {
            cold,
            maximum: money("ARBORA_HOT_MAXIMUM", &settings.hot_maximum),
            per_transaction: money("ARBORA_HOT_PER_TRANSACTION", &settings.hot_per_transaction),
            per_hour: money("ARBORA_HOT_PER_HOUR", &settings.hot_per_hour),
            per_day: money("ARBORA_HOT_PER_DAY", &settings.hot_per_day),
            user: UserCaps {
                per_transaction: money("ARBORA_WALLET_PER_TRANSACTION", &settings.wallet_per_transaction),
                per_hour: money("ARBORA_WALLET_PER_HOUR", &settings.wallet_per_hour),
                per_day: money("ARBORA_WALLET_PER_DAY", &settings.wallet_per_day),
            },
            stuck: Duration::from_secs(settings.stuck_seconds.max(5)),
            gas_price_cap: u128::from(settings.gas_price_cap) * 1_000_000_000,
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Hot wallet")]
pub struct HotSettings {
    /// Where coins go that the hot wallet need not hold; without it a surplus is only told
    #[arg(
        long,
        env = "ARBORA_COLD_ADDRESS",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    pub cold_address: Option<String>,
    /// The most that the hot wallet holds of each coin, in USDT
    #[arg(
        long,
        env = "ARBORA_HOT_MAXIMUM",
        hide_env_values = true,
        global = true,
        default_value = "250000",
        value_name = "USDT"
    )]
    pub hot_maximum: String,
    /// The most that its key signs for one withdrawal
    #[arg(
        long,
        env = "ARBORA_HOT_PER_TRANSACTION",
        hide_env_values = true,
        global = true,
        default_value = "50000",
        value_name = "USDT"
    )]
    pub hot_per_transaction: String,
    /// The most that its key signs within an hour
    #[arg(
        long,
        env = "ARBORA_HOT_PER_HOUR",
        hide_env_values = true,
        global = true,
        default_value = "100000",
        value_name = "USDT"
    )]
    pub hot_per_hour: String,
    /// The most that its key signs within a day
    #[arg(
        long,
        env = "ARBORA_HOT_PER_DAY",
        hide_env_values = true,
        global = true,
        default_value = "250000",
        value_name = "USDT"
    )]
    pub hot_per_day: String,
    /// The most that the key of one person's own wallet signs in one transaction
    #[arg(
        long,
        env = "ARBORA_WALLET_PER_TRANSACTION",
        hide_env_values = true,
        global = true,
        default_value = "50000",
        value_name = "USDT"
    )]
    pub wallet_per_transaction: String,
    /// The most that it signs within an hour
    #[arg(
        long,
        env = "ARBORA_WALLET_PER_HOUR",
        hide_env_values = true,
        global = true,
        default_value = "100000",
        value_name = "USDT"
    )]
    pub wallet_per_hour: String,
    /// The most that it signs within a day
    #[arg(
        long,
        env = "ARBORA_WALLET_PER_DAY",
        hide_env_values = true,
        global = true,
        default_value = "100000",
        value_name = "USDT"
    )]
    pub wallet_per_day: String,
    /// Seconds without a block after which a transaction is offered at a higher price
    #[arg(
        long,
        env = "ARBORA_STUCK_SECONDS",
        hide_env_values = true,
        global = true,
        default_value_t = 60,
        value_name = "SECONDS"
    )]
    pub stuck_seconds: u64,
    /// The most that a unit of gas may cost, in gwei
    #[arg(
        long,
        env = "ARBORA_GAS_PRICE_CAP",
        hide_env_values = true,
        global = true,
        default_value_t = 50,
        value_name = "GWEI"
    )]
    pub gas_price_cap: u64,
}
