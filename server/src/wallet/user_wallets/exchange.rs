//! The V2 router: which way a swap goes and what it would bring. Quotes are signed, so that what was shown is what counts.

use super::rules;
use crate::{
    error::Error,
    foundation::context::Context,
    identity::secrets,
    wallet::chain::{
        Chain, ChainError, Coin,
        contracts::{
            Erc20::allowanceCall,
            Router::{WETHCall, getAmountsOutCall},
        },
    },
};
use alloy::{
    primitives::{Address, U256},
    sol_types::SolCall,
};
use protocol::{ErrorCode, ids::UserId, money::Usdt};
use std::sync::{Mutex, PoisonError};
use time::OffsetDateTime;

/// A chain that does not answer, as the caller hears it.
pub fn silent(error: ChainError) -> Error {
    tracing::warn!(%error, "the chain does not answer a wallet's question");
    Error::code(ErrorCode::ChainUnavailable).retry_after(5)
}

fn no_pair() -> Error {
    Error::code(ErrorCode::SwapPair).field("coinOut", ErrorCode::SwapPair)
}

/// A way through the exchange with what comes out of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub path: Vec<Address>,
    pub out: U256,
}

/// The router with its wrapped native coin.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    pub router: Address,
    pub wrapped: Address,
}

/// What routers said about their wrapped coin: it never changes.
static WRAPPED: Mutex<Vec<(u64, Address, Address)>> = Mutex::new(Vec::new());

impl Exchange {
    /// # Errors
    /// `wallet.swap_pair` without a router, `chain.unavailable`.
    pub async fn of(chain: &Chain) -> Result<Self, Error> {
        let router = chain.contracts.router.ok_or_else(no_pair)?;
        let id = chain.client.id();
        let known = WRAPPED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|(chain, of, _)| *chain == id && *of == router)
            .map(|(_, _, wrapped)| *wrapped);
        if let Some(wrapped) = known {
            return Ok(Self { router, wrapped });
        }
        let answers = chain
            .client
            .calls(&[(router, WETHCall {}.abi_encode())])
            .await
            .map_err(silent)?;
        let wrapped = answers
            .first()
            .and_then(Option::as_ref)
            .and_then(|bytes| WETHCall::abi_decode_returns(bytes).ok())
            .ok_or_else(no_pair)?;
        WRAPPED
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((id, router, wrapped));
        Ok(Self { router, wrapped })
    }

    /// The contract that stands for a coin in a path.
    fn leg(&self, chain: &Chain, coin: Coin) -> Result<Address, Error> {
        match coin {
            Coin::Bnb => Ok(self.wrapped),
            other => chain.contracts.token(other).ok_or_else(no_pair),
        }
    }

    /// The best of the ways: straight, or over USDT or the native coin.
    ///
    /// # Errors
    /// `wallet.swap_pair` when there is none, `chain.unavailable`.
    pub async fn best(&self, chain: &Chain, from: Coin, to: Coin, wei: U256) -> Result<Way, Error> {
        let (first, last) = (self.leg(chain, from)?, self.leg(chain, to)?);
        if first == last {
            return Err(no_pair());
        }
        let mut paths = vec![vec![first, last]];
        for hub in [chain.contracts.usdt, Some(self.wrapped)].into_iter().flatten() {
            if hub != first && hub != last {
                paths.push(vec![first, hub, last]);
            }
        }
        let found = self.along(chain, &paths, &[wei]).await?;
        let (path, out) = paths
            .into_iter()
            .zip(found)
            .filter_map(|(path, out)| Some((path, out.first().copied().flatten()?)))
            .filter(|(_, out)| !out.is_zero())
            // Of equal ones the shorter: it costs less.
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .ok_or_else(no_pair)?;
        Ok(Way { path, out })
    }

    /// What each amount brings along each path; none where there is no such pair.
    async fn along(
        &self,
        chain: &Chain,
        paths: &[Vec<Address>],
        amounts: &[U256],
    ) -> Result<Vec<Vec<Option<U256>>>, Error> {
        let calls: Vec<(Address, Vec<u8>)> = paths
            .iter()
            .flat_map(|path| {
                amounts.iter().map(|amount| {
                    let ask = getAmountsOutCall {
                        amountIn: *amount,
                        path: path.clone(),
                    };
                    (self.router, ask.abi_encode())
                })
            })
            .collect();
        let answers = chain.client.calls(&calls).await.map_err(silent)?;
        let outs: Vec<Option<U256>> = answers
            .iter()
            .map(|answer| {
                getAmountsOutCall::abi_decode_returns(answer.as_ref()?)
                    .ok()?
                    .last()
                    .copied()
            })
            .collect();
        Ok(outs.chunks(amounts.len().max(1)).map(<[_]>::to_vec).collect())
    }

    /// How much the size of this swap worsens its price, in hundredths of a percent.
    ///
    /// # Errors
    /// `chain.unavailable`.
    pub async fn impact(&self, chain: &Chain, way: &Way, wei: U256) -> Result<u64, Error> {
        let small = (wei / U256::from(10_000u64)).max(U256::from(1u64));
        let found = self
            .along(chain, std::slice::from_ref(&way.path), &[small])
            .await?;
        let out = found.into_iter().flatten().next().flatten();
        Ok(out.map_or(0, |out| rules::impact(wei, way.out, small, out)))
    }

    /// How much of a token the router may take of a wallet already.
    ///
    /// # Errors
    /// `chain.unavailable`.
    pub async fn allowance(&self, chain: &Chain, token: Address, owner: Address) -> Result<U256, Error> {
        let ask = allowanceCall {
            owner,
            spender: self.router,
        };
        let answers = chain
            .client
            .calls(&[(token, ask.abi_encode())])
            .await
            .map_err(silent)?;
        answers
            .first()
            .and_then(Option::as_ref)
            .and_then(|bytes| allowanceCall::abi_decode_returns(bytes).ok())
            .ok_or_else(|| silent(ChainError::Nonsense("an allowance")))
    }
}

/// What an amount is worth: by the market, else by the exchange itself. For limits and screens, never for the books.
///
/// # Errors
/// `chain.unavailable` when nobody says.
pub async fn worth(context: &Context, chain: &Chain, coin: Coin, wei: U256) -> Result<Usdt, Error> {
    let beyond = || Error::code(ErrorCode::AmountInvalid).field("value", ErrorCode::AmountInvalid);
    if let Some(rate) = crate::wallet::deposits::rates::current(context, coin) {
        return rules::worth(wei, rate).ok_or_else(beyond);
    }
    let way = Exchange::of(chain)
        .await?
        .best(chain, coin, Coin::Usdt, wei)
        .await?;
    rules::worth(way.out, Usdt::whole(1)).ok_or_else(beyond)
}

/// What a quote says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted {
    pub user: UserId,
    pub from: Coin,
    pub to: Coin,
    pub wei: U256,
    pub out: U256,
    pub slippage: u16,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Quoted {
    fn mac(&self, context: &Context) -> [u8; 32] {
        secrets::mac(
            &context.keys,
            "swap quote",
            &[
                self.user.0.as_bytes(),
                self.from.as_str().as_bytes(),
                self.to.as_str().as_bytes(),
                &self.wei.to_be_bytes::<32>(),
                &self.out.to_be_bytes::<32>(),
                &self.slippage.to_be_bytes(),
                &self.at.to_be_bytes(),
            ],
        )
    }

    /// What the browser gives back with its order: amount, moment, and our seal on all.
    #[must_use]
    pub fn token(&self, context: &Context) -> String {
        format!("{}.{}.{}", self.out, self.at, hex::encode(self.mac(context)))
    }

    /// Reads what was given back for an order of this user, these coins, amount and tolerance.
    ///
    /// # Errors
    /// `wallet.swap_quote_old` for one that is not ours, of something else, or too old.
    pub fn read(context: &Context, order: &Self, token: &str, now: OffsetDateTime) -> Result<Self, Error> {
        let old = || Error::code(ErrorCode::SwapQuoteOld);
        let mut parts = token.splitn(3, '.');
        let out = parts
            .next()
            .filter(|t| t.len() <= 60)
            .and_then(|t| U256::from_str_radix(t, 10).ok())
            .ok_or_else(old)?;
        let at: i64 = parts.next().and_then(|t| t.parse().ok()).ok_or_else(old)?;
        let seal = parts.next().and_then(|t| hex::decode(t).ok()).ok_or_else(old)?;
        let quoted = Self { out, at, ..*order };
        let age = millis(now).saturating_sub(at);
        let fresh = (0..=i64::try_from(rules::QUOTE_LIFE.whole_milliseconds()).unwrap_or(0)).contains(&age);
        if fresh && secrets::same(&seal, &quoted.mac(context)) {
            Ok(quoted)
        } else {
            Err(old())
        }
    }
}

/// Milliseconds since 1970.
#[must_use]
pub fn millis(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}
