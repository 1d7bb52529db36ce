//! Swapping coins of one's own wallet through the V2 router.

use super::{
    exchange::{self, Exchange, Quoted, Way, millis},
    orders::{self, TRIES},
    rules,
    service::{self, Standing, standing},
    store::{NewMove, NewStep, NewSwap, StepKind},
};
use crate::{
    approvals::guard::{self, Action, Outbound},
    error::Error,
    foundation::{
        context::Context,
        idempotency::{self, Key},
    },
    wallet::{
        chain::{
            Chain, Coin,
            contracts::{
                Erc20::approveCall,
                Router::{
                    swapExactETHForTokensCall, swapExactTokensForETHCall, swapExactTokensForTokensCall,
                },
            },
        },
        intents::service::chain,
    },
};
use actix_web::{HttpResponse, http::StatusCode};
use alloy::{
    primitives::{Address, Bytes, U256},
    sol_types::SolCall,
};
use protocol::{
    ErrorCode,
    ids::{UserId, WalletMoveId},
    money::Usdt,
    views::WalletMoveKind,
};
use uuid::Uuid;

/// What the calls may use: allowing the router, one pair, each further pair.
pub const APPROVE_GAS: u64 = 70_000;
const SWAP_GAS: u64 = 220_000;
const HOP_GAS: u64 = 120_000;

/// What somebody wants to swap.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub from: Coin,
    pub to: Coin,
    /// None: as much as there is.
    pub wei: Option<U256>,
    /// Hundredths of a percent.
    pub slippage: u16,
}

/// What a swap would bring, read from the chain.
#[derive(Clone, Debug)]
pub struct Plan {
    pub standing: Standing,
    pub exchange: Exchange,
    pub asked: Asked,
    pub wei: U256,
    pub most: U256,
    /// None while nothing is to be swapped.
    pub way: Option<Way>,
    pub impact: u64,
    /// The router must be allowed to take the coins first.
    pub approval: bool,
    pub gas: u64,
    pub price: u128,
}

impl Plan {
    #[must_use]
    pub fn fee(&self) -> U256 {
        orders::gas_most(self.gas, self.price)
    }

    #[must_use]
    pub fn fee_most(&self) -> U256 {
        orders::gas_most(self.gas, orders::price_most(self.price))
    }

    /// The coins along the way.
    #[must_use]
    pub fn coins(&self, chain: &Chain) -> Vec<Coin> {
        let path = self
            .way
            .as_ref()
            .map(|way| way.path.as_slice())
            .unwrap_or_default();
        path.iter()
            .filter_map(|contract| {
                if *contract == self.exchange.wrapped {
                    Some(Coin::Bnb)
                } else {
                    chain.contracts.coin(*contract)
                }
            })
            .collect()
    }
}

/// As people read it and codes bind it.
#[must_use]
pub fn amount(coin: Coin, wei: U256) -> String {
    format!("{} {}", rules::shown(wei), coin.as_str().to_uppercase())
}

/// The destination that a swap's code binds: what comes back.
#[must_use]
pub fn destination(coin: Coin) -> String {
    coin.as_str().to_uppercase()
}

fn refuse(field: &str, code: ErrorCode) -> Error {
    Error::code(code).field(field, code)
}

const fn gas_of(hops: usize, approval: bool) -> u64 {
    let more = hops.saturating_sub(2) as u64 * HOP_GAS;
    SWAP_GAS + more + if approval { APPROVE_GAS } else { 0 }
}

/// Looks at the wallet and the exchange.
///
/// # Errors
/// `chain.coin_unavailable`, `wallet.swap_pair`, `chain.unavailable`.
pub async fn plan(context: &Context, user: UserId, asked: Asked) -> Result<Plan, Error> {
    let chain = chain(context)?;
    for (field, coin) in [("coin", asked.from), ("coinOut", asked.to)] {
        if !chain.contracts.offers(coin) {
            return Err(refuse(field, ErrorCode::CoinUnavailable));
        }
    }
    if asked.from == asked.to {
        return Err(refuse("coinOut", ErrorCode::SwapPair));
    }
    let exchange = Exchange::of(chain).await?;
    let standing = standing(context, chain, user).await?;
    let price = orders::price(standing.account.gas_price);
    let token = chain.contracts.token(asked.from);
    // Three pairs cost the most: "as much as there is" leaves enough for them.
    let kept = orders::gas_most(gas_of(3, false), orders::price_most(price));
    let most = orders::most(&standing, chain, asked.from, kept);
    let wei = asked.wei.unwrap_or(most);
    let (way, impact) = if wei.is_zero() {
        (None, 0)
    } else {
        let way = exchange.best(chain, asked.from, asked.to, wei).await?;
        let impact = exchange.impact(chain, &way, wei).await?;
        (Some(way), impact)
    };
    let approval = match token {
        None => false,
        // Another open swap may use up what is allowed now.
        Some(_) if standing.aside.swaps > 0 => true,
        Some(token) => exchange.allowance(chain, token, standing.wallet.address).await? != wei,
    };
    let hops = way.as_ref().map_or(2, |way| way.path.len());
    Ok(Plan {
        gas: gas_of(hops, approval),
        standing,
        exchange,
        asked,
        wei,
        most,
        way,
        impact,
        approval,
        price,
    })
}

/// The quote that a plan is, under our seal.
#[must_use]
pub fn quoted(context: &Context, user: UserId, plan: &Plan) -> Quoted {
    Quoted {
        user,
        from: plan.asked.from,
        to: plan.asked.to,
        wei: plan.wei,
        out: plan.way.as_ref().map(|way| way.out).unwrap_or_default(),
        slippage: plan.asked.slippage,
        at: millis(context.now()),
    }
}

/// Swaps for at least what the accepted quote less its tolerance says, or not at all.
///
/// # Errors
/// As [`plan`]; `wallet.swap_quote_old`, `wallet.swap_price_moved`, `amount.not_positive`, `balance.insufficient`,
/// `wallet.gas_missing`, `wallet.busy`, and whatever the guard refuses.
pub async fn swap(
    context: &Context,
    key: &Key,
    user: UserId,
    asked: Asked,
    wei: U256,
    quote: &str,
    code: Option<&str>,
) -> Result<HttpResponse, Error> {
    for _ in 0..TRIES {
        if let Some(first) = idempotency::answered(&context.db, key).await? {
            return Ok(first);
        }
        let chain = chain(context)?;
        if wei.is_zero() {
            return Err(refuse("value", ErrorCode::AmountNotPositive));
        }
        let order = Quoted {
            user,
            from: asked.from,
            to: asked.to,
            wei,
            out: U256::ZERO,
            slippage: asked.slippage,
            at: 0,
        };
        let accepted = Quoted::read(context, &order, quote, context.now())?;
        let plan = plan(
            context,
            user,
            Asked {
                wei: Some(wei),
                ..asked
            },
        )
        .await?;
        orders::room(&plan.standing, chain, asked.from, wei, plan.fee_most())?;
        let minimum = rules::minimum(accepted.out, asked.slippage);
        let Some(way) = plan.way.as_ref().filter(|way| way.out >= minimum) else {
            return Err(Error::code(ErrorCode::SwapPriceMoved));
        };
        let made = idempotency::run(&context.db, key, StatusCode::CREATED, async |tx| {
            if !orders::unchanged(tx, &plan.standing).await? {
                return Err(orders::busy());
            }
            let verdict = guard::outbound(
                context,
                tx,
                &Outbound {
                    user,
                    action: Action::Swap,
                    destination: &destination(asked.to),
                    amount: &amount(asked.from, wei),
                    // It stays one's own.
                    usdt: Usdt::ZERO,
                    drawn: None,
                    counterparty: None,
                    security_code: code,
                },
            )
            .await?;
            let deadline = plan.standing.account.time + rules::DEADLINE;
            let order = NewMove {
                id: WalletMoveId::fresh(),
                owner: user,
                kind: WalletMoveKind::Swap,
                coin: asked.from,
                wei,
                counterparty: None,
                swap: Some(NewSwap {
                    coin_out: asked.to,
                    quoted: accepted.out,
                    minimum,
                    slippage: asked.slippage,
                    deadline: service::moment(deadline),
                }),
                gas_most: plan.fee_most(),
                outbound: orders::passed(&verdict)?,
                case: verdict.case.map(|case| case.0),
                usdt: Usdt::ZERO,
            };
            let steps = transactions(chain, &plan, &way.path, minimum, deadline);
            let from = plan.standing.wallet.address;
            orders::write(tx, chain, from, &order, steps, None, &verdict).await
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

/// The allowance, exactly of what is swapped, then the swap into the wallet itself.
fn transactions(chain: &Chain, plan: &Plan, path: &[Address], minimum: U256, deadline: i64) -> Vec<NewStep> {
    let own = plan.standing.wallet.address;
    let price_most = orders::price_most(plan.price);
    let step = |kind, recipient, value, data: Bytes, gas_limit| NewStep {
        id: Uuid::now_v7(),
        kind,
        recipient,
        value,
        data,
        gas_limit,
        price_most,
        usdt: Usdt::ZERO,
    };
    let router = plan.exchange.router;
    let deadline = U256::from(u64::try_from(deadline).unwrap_or(0));
    let path = path.to_vec();
    let gas = gas_of(path.len(), false);
    let mut steps = Vec::with_capacity(2);
    if let Some(token) = chain.contracts.token(plan.asked.from).filter(|_| plan.approval) {
        let allow = approveCall {
            spender: router,
            amount: plan.wei,
        };
        steps.push(step(
            StepKind::Approve,
            token,
            U256::ZERO,
            allow.abi_encode().into(),
            APPROVE_GAS,
        ));
    }
    let (value, data) = match (plan.asked.from, plan.asked.to) {
        (Coin::Bnb, _) => {
            let call = swapExactETHForTokensCall {
                amountOutMin: minimum,
                path,
                to: own,
                deadline,
            };
            (plan.wei, call.abi_encode())
        }
        (_, Coin::Bnb) => {
            let call = swapExactTokensForETHCall {
                amountIn: plan.wei,
                amountOutMin: minimum,
                path,
                to: own,
                deadline,
            };
            (U256::ZERO, call.abi_encode())
        }
        _ => {
            let call = swapExactTokensForTokensCall {
                amountIn: plan.wei,
                amountOutMin: minimum,
                path,
                to: own,
                deadline,
            };
            (U256::ZERO, call.abi_encode())
        }
    };
    steps.push(step(StepKind::Swap, router, value, data.into(), gas));
    steps
}

/// What an amount is worth, for the screen; none where nobody says.
pub async fn worth(context: &Context, coin: Coin, wei: U256) -> Option<Usdt> {
    let chain = chain(context).ok()?;
    if wei.is_zero() {
        return Some(Usdt::ZERO);
    }
    exchange::worth(context, chain, coin, wei).await.ok()
}
