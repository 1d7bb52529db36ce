//! Which of the two worlds this installation lives in (docs/rules/foundation.md#worlds). The database remembers it for ever.

use clap::builder::PossibleValue;

pub use crate::foundation::context::World;

impl World {
    #[must_use]
    pub fn is_production(self) -> bool {
        self == Self::Production
    }
}

impl clap::ValueEnum for World {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Demo, Self::Production]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()))
    }
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "World")]
pub struct WorldSettings {
    /// Play money, or real money. Cannot be changed once the database exists
    #[arg(
        long,
        env = "ARBORA_WORLD",
        hide_env_values = true,
        global = true,
        value_enum,
        default_value = "demo"
    )]
    pub world: World,
}
