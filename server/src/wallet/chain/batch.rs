//! Several questions in one request, for screens that would otherwise ask many.

use super::{ChainError, Client, contracts::Erc20::balanceOfCall};
use alloy::{
    eips::BlockNumberOrTag,
    primitives::{Address, Bytes, U64, U128, U256},
    providers::Provider,
    rpc::{client::BatchRequest, types::TransactionRequest},
    sol_types::SolCall,
};
use serde::Deserialize;

/// An account at the head, with what a transaction would need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub native: U256,
    /// In the order in which tokens were asked for.
    pub tokens: Vec<U256>,
    pub gas_price: u128,
    /// Seconds since 1970 of the newest block.
    pub time: i64,
}

#[derive(Clone, Debug, Deserialize)]
struct Head {
    timestamp: U64,
}

fn question(to: Address, input: Vec<u8>) -> (TransactionRequest, BlockNumberOrTag) {
    let call = TransactionRequest::default().to(to).input(input.into());
    (call, BlockNumberOrTag::Latest)
}

impl Client {
    /// An account's native coin and its tokens.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn account(&self, of: Address, tokens: &[Address]) -> Result<Account, ChainError> {
        self.any(|p| {
            let tokens = tokens.to_vec();
            async move {
                let mut batch = BatchRequest::new(p.client());
                let native = batch.add_call::<_, U256>("eth_getBalance", &(of, BlockNumberOrTag::Latest))?;
                let price = batch.add_call::<_, U128>("eth_gasPrice", &[(); 0])?;
                let head =
                    batch.add_call::<_, Head>("eth_getBlockByNumber", &(BlockNumberOrTag::Latest, false))?;
                let mut held = Vec::with_capacity(tokens.len());
                for token in tokens {
                    let ask = question(token, balanceOfCall { account: of }.abi_encode());
                    held.push(batch.add_call::<_, Bytes>("eth_call", &ask)?);
                }
                batch.send().await?;
                let mut tokens = Vec::with_capacity(held.len());
                for answer in held {
                    let answer: Bytes = answer.await?;
                    let balance = balanceOfCall::abi_decode_returns(&answer)
                        .map_err(|_| ChainError::Nonsense("a token's balance"))?;
                    tokens.push(balance);
                }
                let time = i64::try_from(head.await?.timestamp.to::<u64>())
                    .map_err(|_| ChainError::Nonsense("a block's time"))?;
                Ok(Account {
                    native: native.await?,
                    tokens,
                    gas_price: price.await?.to(),
                    time,
                })
            }
        })
        .await
    }

    /// Calls that change nothing, each with its own answer: none for one that was refused.
    ///
    /// # Errors
    /// As [`ChainError`] says, when nothing was answered at all.
    pub async fn calls(&self, calls: &[(Address, Vec<u8>)]) -> Result<Vec<Option<Bytes>>, ChainError> {
        self.any(|p| {
            let calls = calls.to_vec();
            async move {
                let mut batch = BatchRequest::new(p.client());
                let mut asked = Vec::with_capacity(calls.len());
                for (to, input) in calls {
                    asked.push(batch.add_call::<_, Bytes>("eth_call", &question(to, input))?);
                }
                batch.send().await?;
                let mut answers = Vec::with_capacity(asked.len());
                for answer in asked {
                    answers.push(match answer.await.map_err(ChainError::from) {
                        Ok(bytes) => Some(bytes),
                        Err(ChainError::Refused { .. }) => None,
                        Err(error) => return Err(error),
                    });
                }
                Ok(answers)
            }
        })
        .await
    }
}
