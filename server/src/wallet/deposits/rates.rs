//! What a coin is worth in USDT, from the market; none where it does not say.

use crate::{foundation::context::Context, market::Rates, wallet::chain::Coin};
use protocol::money::Usdt;

/// USDT per whole coin, or none: then a person decides. BUSD is never worth more than one.
#[must_use]
pub fn current(context: &Context, coin: Coin) -> Option<Usdt> {
    match coin {
        Coin::Usdt => Some(Usdt::whole(1)),
        Coin::Bnb => context.part::<Rates>()?.usdt_per("BNB", context.now()),
        Coin::Busd => context
            .part::<Rates>()?
            .usdt_per("BUSD", context.now())
            .map(|rate| rate.min(Usdt::whole(1))),
        Coin::Pyx => None,
    }
}
