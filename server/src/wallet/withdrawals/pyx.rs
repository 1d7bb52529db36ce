//! PYX of the books on their way to a wallet (docs/rules/wallet.md#withdrawals-of-pyx): they leave whole, their fee comes from `available`.

use super::{
    rules,
    service::{Crypto, Held},
    store,
};
use crate::{
    error::Error,
    foundation::{
        settings::{InForce, Settings},
        subjects::Worth,
        transaction::Tx,
    },
    ledger::{
        model::{AccountRef, Currency, HouseAccount, Leg, UserAccount},
        service as ledger,
    },
    payouts::{
        kind::{Payout, Quote},
        money::{self, Aside},
        refuse,
    },
    wallet::{
        carried::{To, left},
        chain::{Coin, wei},
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ErrorCode,
    ids::{ChainWithdrawalId, UserId},
    money::Pyx,
    views::ChainWithdrawalView,
};

/// What they cost and are worth now. What is locked or set aside is not theirs to send.
pub async fn quote(
    tx: &mut Tx,
    owner: UserId,
    to: Address,
    pyx: Pyx,
    settings: &Settings,
) -> Result<Quote<Crypto>, Error> {
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
        value: parts.fee.checked_add(parts.net).ok_or_else(invalid)?,
        parts,
        amount: wei::of(pyx.0),
        rate: price,
        to: To {
            coin: Coin::Pyx,
            address: to,
        },
        beside: (),
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

/// The PYX and their fee.
pub async fn set_aside(
    tx: &mut Tx,
    id: ChainWithdrawalId,
    owner: UserId,
    quote: &Quote<Crypto>,
    in_force: &InForce,
) -> Result<Held, Error> {
    lock(tx, owner).await?;
    let pyx = Aside {
        owner,
        from: UserAccount::Pyx,
        amount: of(quote.amount)?.into(),
        part: "",
        lacks: ErrorCode::BalanceInsufficient,
    };
    let hold = money::set_aside::<Crypto>(tx, id, pyx, in_force).await?;
    let fee = Aside {
        owner,
        from: UserAccount::Available,
        amount: quote.parts.fee.into(),
        part: ":fee",
        lacks: ErrorCode::WithdrawalFeeUncovered,
    };
    let fee = if quote.parts.fee.is_zero() {
        None
    } else {
        Some(money::set_aside::<Crypto>(tx, id, fee, in_force).await?)
    };
    ledger::tell_pyx(tx, owner).await?;
    Ok(Held { hold, fee })
}

/// PYX of the books become PYX of the chain.
pub fn legs(payout: &Payout<Crypto>) -> Result<Vec<Leg>, Error> {
    let left = left(payout.own.to.coin, payout.amount)?;
    let mut legs = vec![Leg {
        account: AccountRef::House(HouseAccount::Fx(left.exchange)),
        currency: Currency::Pyx,
        amount: of(payout.amount)?.into(),
    }];
    legs.extend(money::left_legs(left));
    Ok(legs)
}
