//! Sending coins from one's own wallet.

use super::{
    exchange::{self, silent},
    orders::{self, TRIES},
    rules,
    service::{Standing, standing},
    store::{self, NewMove, NewStep, StepKind},
};
use crate::{
    approvals::guard::{self, Action, Outbound},
    error::Error,
    foundation::{
        context::Context,
        idempotency::{self, Key},
    },
    wallet::{
        chain::{Chain, ChainError, Coin, address, contracts::Erc20::transferCall},
        hot,
        intents::service::chain,
        sender::{Carries, NATIVE_GAS, TOKEN_GAS},
    },
};
use actix_web::{HttpResponse, http::StatusCode};
use alloy::{
    network::TransactionBuilder,
    primitives::{Address, Bytes, U256},
    rpc::types::TransactionRequest,
    sol_types::SolCall,
};
use protocol::{
    ErrorCode,
    ids::{UserId, WalletMoveId},
    money::Usdt,
    views::WalletMoveKind,
};
use uuid::Uuid;

/// The most gas that somebody's contract may use when it is sent native coin.
const RECEIVING_GAS: u64 = 150_000;

/// What somebody wants to send.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub coin: Coin,
    pub to: &'a str,
    /// None: as much as there is.
    pub wei: Option<U256>,
}

/// What a send would be, read from the chain.
#[derive(Clone, Debug)]
pub struct Plan {
    pub standing: Standing,
    pub coin: Coin,
    pub to: Address,
    pub wei: U256,
    pub most: U256,
    pub gas: u64,
    pub price: u128,
    pub usdt: Usdt,
}

impl Plan {
    /// What the network takes at today's price.
    #[must_use]
    pub fn fee(&self) -> U256 {
        orders::gas_most(self.gas, self.price)
    }

    /// What is kept aside for it.
    #[must_use]
    pub fn fee_most(&self) -> U256 {
        orders::gas_most(self.gas, orders::price_most(self.price))
    }

    /// As people read it and codes bind it.
    #[must_use]
    pub fn amount(&self) -> String {
        format!("{} {}", rules::shown(self.wei), self.coin.as_str().to_uppercase())
    }
}

fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

/// Where coins may go: any address but nobody's, one's own, a coin's contract, the exchange and the house's.
fn destination(context: &Context, chain: &Chain, own: Address, text: &str) -> Result<Address, Error> {
    let to = address::read(text).ok_or_else(|| refuse("address", ErrorCode::WalletAddressInvalid))?;
    let swallowed = address::is_nobodys(to)
        || to == own
        || chain.contracts.coin(to).is_some()
        || Some(to) == chain.contracts.router
        || hot::house(context).contains(&to);
    if swallowed {
        return Err(refuse("address", ErrorCode::WalletAddressRefused));
    }
    Ok(to)
}

/// Looks at the wallet and the chain.
///
/// # Errors
/// `wallet.address_invalid`, `wallet.address_refused`, `chain.coin_unavailable`, `chain.unavailable`.
pub async fn plan(context: &Context, user: UserId, asked: &Asked<'_>) -> Result<Plan, Error> {
    let chain = chain(context)?;
    if !chain.contracts.offers(asked.coin) {
        return Err(refuse("coin", ErrorCode::CoinUnavailable));
    }
    let standing = standing(context, chain, user).await?;
    let to = destination(context, chain, standing.wallet.address, asked.to)?;
    let price = orders::price(standing.account.gas_price);
    let gas = match asked.coin {
        Coin::Bnb => native_gas(chain, standing.wallet.address, to).await?,
        Coin::Usdt | Coin::Busd | Coin::Pyx => TOKEN_GAS,
    };
    let kept = orders::gas_most(gas, orders::price_most(price));
    let most = orders::most(&standing, chain, asked.coin, kept);
    let wei = asked.wei.unwrap_or(most);
    let usdt = if wei.is_zero() {
        Usdt::ZERO
    } else {
        exchange::worth(context, chain, asked.coin, wei).await?
    };
    Ok(Plan {
        standing,
        coin: asked.coin,
        to,
        wei,
        most,
        gas,
        price,
        usdt,
    })
}

/// A plain address takes what is sent to it for 21 000; a contract may do more.
async fn native_gas(chain: &Chain, from: Address, to: Address) -> Result<u64, Error> {
    let one = TransactionRequest::default()
        .with_from(from)
        .with_to(to)
        .with_value(U256::from(1u64));
    match chain.client.estimate_gas(&one).await {
        Ok(gas) if gas <= NATIVE_GAS => Ok(NATIVE_GAS),
        Ok(gas) => Ok((gas + gas / 5).min(RECEIVING_GAS)),
        // An empty wallet, or a contract that takes nothing: it will be refused, or fail at no more than this.
        Err(ChainError::Refused { .. }) => Ok(NATIVE_GAS),
        Err(error) => Err(silent(error)),
    }
}

/// Sends: the guard's word, room in the wallet, then the order and its transaction.
///
/// # Errors
/// As [`plan`]; `amount.not_positive`, `balance.insufficient`, `wallet.gas_missing`, `wallet.busy`, and whatever the guard refuses.
pub async fn send(
    context: &Context,
    key: &Key,
    user: UserId,
    asked: &Asked<'_>,
    code: Option<&str>,
) -> Result<HttpResponse, Error> {
    for _ in 0..TRIES {
        if let Some(first) = idempotency::answered(&context.db, key).await? {
            return Ok(first);
        }
        let chain = chain(context)?;
        let plan = plan(context, user, asked).await?;
        if plan.wei.is_zero() {
            return Err(refuse("value", ErrorCode::AmountNotPositive));
        }
        orders::room(&plan.standing, chain, plan.coin, plan.wei, plan.fee_most())?;
        let made = idempotency::run(&context.db, key, StatusCode::CREATED, async |tx| {
            if !orders::unchanged(tx, &plan.standing).await? {
                return Err(orders::busy());
            }
            let (destination, amount) = (address::write(plan.to), plan.amount());
            let counterparty = store::owner_of(&mut *tx.conn(), plan.to).await?;
            let verdict = guard::outbound(
                context,
                tx,
                &Outbound {
                    user,
                    action: Action::WalletSend,
                    destination: &destination,
                    amount: &amount,
                    usdt: plan.usdt,
                    drawn: None,
                    counterparty,
                    security_code: code,
                },
            )
            .await?;
            let order = NewMove {
                id: WalletMoveId::fresh(),
                owner: user,
                kind: WalletMoveKind::Send,
                coin: plan.coin,
                wei: plan.wei,
                counterparty: Some(plan.to),
                swap: None,
                gas_most: plan.fee_most(),
                outbound: orders::passed(&verdict)?,
                case: verdict.case.map(|case| case.0),
                usdt: plan.usdt,
            };
            let (steps, carries) = transaction(chain, &plan);
            let from = plan.standing.wallet.address;
            orders::write(tx, chain, from, &order, vec![steps], Some(carries), &verdict).await
        })
        .await;
        if !made
            .as_ref()
            .is_err_and(|e| e.error_code() == ErrorCode::WalletBusy)
        {
            return made;
        }
    }
    Err(orders::busy())
}

fn transaction(chain: &Chain, plan: &Plan) -> (NewStep, Carries) {
    let (recipient, value, data) = match chain.contracts.token(plan.coin) {
        None => (plan.to, plan.wei, Bytes::new()),
        Some(token) => {
            let call = transferCall {
                to: plan.to,
                amount: plan.wei,
            };
            (token, U256::ZERO, call.abi_encode().into())
        }
    };
    let step = NewStep {
        id: Uuid::now_v7(),
        kind: StepKind::Send,
        recipient,
        value,
        data,
        gas_limit: plan.gas,
        price_most: orders::price_most(plan.price),
        usdt: plan.usdt,
    };
    let carries = Carries {
        coin: plan.coin,
        to: plan.to,
        wei: plan.wei,
    };
    (step, carries)
}
