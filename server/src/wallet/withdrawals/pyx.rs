//! PYX of the books on their way to a wallet (docs/rules/wallet.md#withdrawals-of-pyx): they leave whole, their fee comes from `available`.

use super::{
    rules,
    service::{Quote, refuse, unknown},
    store::{self, Locked},
};
use crate::{
    error::Error,
    foundation::{settings::Settings, subjects::Worth, transaction::Tx},
    ledger::{
        amount::Amount,
        model::{AccountRef, Currency, Fx, HouseAccount, Leg, UserAccount},
        service as ledger,
    },
    wallet::chain::{Coin, booked, wei},
};
use alloy::primitives::{Address, U256};
use protocol::{ErrorCode, ids::UserId, money::Pyx, views::ChainWithdrawalView};

/// What they cost and are worth now. What is locked or set aside is not theirs to send.
pub async fn quote(
    tx: &mut Tx,
    owner: UserId,
    to: Address,
    pyx: Pyx,
    settings: &Settings,
) -> Result<Quote, Error> {
    let now = tx.now();
    let price = store::pyx_price(tx.conn(), now)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RateUnavailable).retry_after(30))?;
    let invalid = || refuse("value", ErrorCode::WithdrawalInvalid);
    let parts = rules::pyx_parts(pyx, price, settings).ok_or_else(invalid)?;
    if pyx > ledger::pyx_balances(tx.conn(), owner).await?.free {
        return Err(refuse("value", ErrorCode::BalanceInsufficient));
    }
    let available = AccountRef::User(owner, UserAccount::Available);
    if parts.fee > ledger::usdt_balance(tx.conn(), available).await? {
        return Err(refuse("value", ErrorCode::WithdrawalFeeUncovered));
    }
    Ok(Quote {
        coin: Coin::Pyx,
        address: to,
        value: parts.fee.checked_add(parts.net).ok_or_else(invalid)?,
        parts,
        wei: wei::of(pyx.0),
        rate: price,
    })
}

/// The PYX of a withdrawal, as the books count them.
pub fn of(wei: U256) -> Result<Pyx, Error> {
    wei::pyx(wei).ok_or_else(|| Error::internal("more PYX than the books hold"))
}

/// What a withdrawal is one of, for whoever points at it.
pub fn worth(view: &ChainWithdrawalView) -> Result<Worth, Error> {
    if view.coin != Coin::Pyx {
        return Ok(view.value.into());
    }
    let wei = view.amount.parse();
    Ok(of(wei.map_err(|_| Error::internal("wei that are no number"))?)?.into())
}

/// PYX and their fee move one after the other: all four accounts are locked first, in the order that others take them.
pub async fn lock(tx: &mut Tx, owner: UserId) -> Result<(), Error> {
    let of = |account| AccountRef::User(owner, account);
    ledger::lock_accounts(
        tx,
        &[
            (of(UserAccount::Pyx), Currency::Pyx),
            (of(UserAccount::PyxHeld), Currency::Pyx),
            (of(UserAccount::Available), Currency::Usdt),
            (of(UserAccount::Held), Currency::Usdt),
        ],
    )
    .await
}

/// PYX of the books become PYX of the chain.
pub fn legs(withdrawal: &Locked) -> Result<Vec<Leg>, Error> {
    let coin = booked(Coin::Pyx);
    let wei = wei::booked(withdrawal.wei).ok_or_else(unknown)?;
    let exchange = AccountRef::House(HouseAccount::Fx(Fx::Coin(coin)));
    let leg = |account, currency, amount| Leg {
        account,
        currency,
        amount,
    };
    Ok(vec![
        leg(exchange, Currency::Pyx, of(withdrawal.wei)?.into()),
        leg(exchange, Currency::Chain(coin), Amount(-wei)),
        leg(
            AccountRef::House(HouseAccount::CustodyChain(coin)),
            Currency::Chain(coin),
            Amount(wei),
        ),
    ])
}
