//! The demo's hot wallet begins with play money, which the books know as the house's own capital.

use crate::{
    error::Error,
    foundation::context::Context,
    ledger::{
        model::{AccountRef, Cause, CauseKind, Fx, HouseAccount, Orderer, Transfer, TransferKind},
        service as ledger,
    },
    wallet::{
        chain::{Chain, Coin, address, booked, wei},
        local::Faucet,
        watcher::Trouble,
    },
};
use alloy::primitives::{Address, U256, utils::Unit};
use uuid::Uuid;

/// What it begins with, in whole coins; below a tenth it is filled again.
const CAPITAL: [(Coin, u64); 4] = [
    (Coin::Usdt, 100_000),
    (Coin::Busd, 20_000),
    (Coin::Bnb, 100),
    (Coin::Pyx, 1_000_000),
];

/// Fills the wallet. Booked once, whatever happens to the play chain.
///
/// # Errors
/// When the chain or the database does not answer.
pub async fn fund(context: &Context, chain: &Chain, faucet: &Faucet, hot: Address) -> Result<(), Trouble> {
    for (coin, whole) in CAPITAL {
        let amount = U256::from(whole) * Unit::ETHER.wei();
        let there = match chain.contracts.token(coin) {
            Some(token) => chain.client.token_balance(token, hot, None).await?,
            None => chain.client.balance(hot, None).await?,
        };
        if there >= amount / U256::from(10) {
            continue;
        }
        book(context, coin, amount, hot).await?;
        faucet.give(coin, hot, amount).await?;
    }
    Ok(())
}

async fn book(context: &Context, coin: Coin, amount: U256, hot: Address) -> Result<(), Error> {
    let coin = booked(coin);
    let wei = wei::booked(amount).ok_or_else(|| Error::internal("an amount beyond the books"))?;
    let order = Transfer::new(
        TransferKind::HouseCapital,
        format!("house_capital:{}:{}", coin.as_str(), address::write(hot)),
        Cause::new(CauseKind::User, Uuid::nil()),
        Orderer::System,
    )
    .wei(AccountRef::House(HouseAccount::CustodyChain(coin)), coin, -wei)
    .wei(AccountRef::House(HouseAccount::Fx(Fx::Coin(coin))), coin, wei);
    let mut tx = context.db.begin().await?;
    ledger::post(&mut tx, order).await?;
    tx.commit().await?;
    Ok(())
}
