//! Where the chain's keys lie: in the process that serves, or in one of their own that answers nobody (`server signer`).

use alloy::primitives::Address;

use super::{Problems, chain::address, secrets::Found};

/// Who signs for the house and for the customers' wallets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signing {
    /// This process, with whatever keys it has.
    Here {
        /// What the hot key's address has to be, where somebody said so.
        hot: Option<Address>,
        /// Likewise of the gas key.
        gas: Option<Address>,
    },
    /// A process of its own; this one knows addresses only.
    Elsewhere { hot: Address, gas: Option<Address> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Place {
    Here,
    Elsewhere,
}

impl Signing {
    /// What is said of the hot and of the gas wallet.
    pub fn addresses(&self) -> [Option<Address>; 2] {
        match *self {
            Self::Here { hot, gas } => [hot, gas],
            // One that is missing was told of and stands as zero.
            Self::Elsewhere { hot, gas } => [Some(hot).filter(|hot| !hot.is_zero()), gas],
        }
    }

    /// The process that signs signs here, whatever its servers are told.
    pub(super) fn check(
        settings: &SigningSettings,
        found: &Found,
        signer: bool,
        problems: &mut Problems,
    ) -> Self {
        let hot = address("ARBORA_HOT_ADDRESS", settings.hot_address.as_deref(), problems);
        let gas = address("ARBORA_GAS_ADDRESS", settings.gas_address.as_deref(), problems);
        if signer || settings.signing == Place::Here {
            return Self::Here { hot, gas };
        }
        found.signs_elsewhere(problems);
        if settings.hot_address.is_none() {
            problems.add(
                "ARBORA_HOT_ADDRESS is missing: ARBORA_SIGNING=elsewhere wants the hot wallet's address",
            );
        }
        Self::Elsewhere {
            hot: hot.unwrap_or_default(),
            gas,
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Hot wallet")]
pub struct SigningSettings {
    /// Whether this server signs what leaves over the chain, or `server signer` does, a process that answers nobody
    #[arg(
        long,
        env = "ARBORA_SIGNING",
        hide_env_values = true,
        global = true,
        value_enum,
        default_value = "here",
        value_name = "WHERE"
    )]
    signing: Place,
    /// The hot wallet's address: needed where its key is elsewhere, compared where it is here
    #[arg(
        long,
        env = "ARBORA_HOT_ADDRESS",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    hot_address: Option<String>,
    /// The gas wallet's address, where its key is elsewhere: nobody withdraws to it
    #[arg(
        long,
        env = "ARBORA_GAS_ADDRESS",
        hide_env_values = true,
        global = true,
        value_name = "ADDRESS"
    )]
    gas_address: Option<String>,
}
