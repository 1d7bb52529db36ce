//! Typed calls to the chain's nodes, each with a time limit.
//!
//! Invariants: a node of another chain is never believed; with `agreement` (production) at least two providers must give the
//! same answer to whatever money depends on, otherwise nothing is answered; nothing here keeps a nonce or sends twice.

use crate::foundation::outbound::{self, NoClient, Purpose};
use alloy::{
    consensus::{BlockHeader, Transaction as _},
    eips::{BlockId, BlockNumberOrTag},
    network::TransactionResponse,
    primitives::{Address, B256, Bytes, TxHash, U256},
    providers::{Provider, RootProvider},
    rpc::{
        client::RpcClient,
        types::{Filter, Log, TransactionReceipt, TransactionRequest},
    },
    transports::{RpcError, TransportErrorKind, http::Http},
};
use futures_util::future::join_all;
use std::{
    future::{Future, IntoFuture},
    sync::Arc,
    time::Duration,
};

/// How long one question may take.
pub const TIMEOUT: Duration = Duration::from_secs(8);

/// Why the chain gave no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ChainError {
    #[error("no provider answers: {0}")]
    Unreachable(String),
    /// The node understood and refuses: too many results, a revert, a nonce that is too low.
    #[error("refused by the node ({code}): {message}")]
    Refused { code: i64, message: String },
    #[error("the providers disagree")]
    Disagree,
    #[error("a provider is on chain {found}, not on {wanted}")]
    WrongChain { found: u64, wanted: u64 },
    #[error("an answer that makes no sense: {0}")]
    Nonsense(&'static str),
    #[error(transparent)]
    NoClient(#[from] NoClient),
}

impl From<RpcError<TransportErrorKind>> for ChainError {
    fn from(error: RpcError<TransportErrorKind>) -> Self {
        match error {
            RpcError::ErrorResp(payload) => Self::Refused {
                code: payload.code,
                message: payload.message.into_owned(),
            },
            // Neither the address nor the answer: the one may hold a key, the other is a stranger's text.
            RpcError::Transport(TransportErrorKind::HttpError(http)) => {
                Self::Unreachable(format!("HTTP {}", http.status))
            }
            RpcError::DeserError { .. } | RpcError::SerError(_) => Self::Nonsense("unreadable"),
            RpcError::NullResp => Self::Nonsense("nothing"),
            RpcError::Transport(TransportErrorKind::Custom(call)) => {
                Self::Unreachable(outbound::told(&*call))
            }
            _ => Self::Unreachable("no connection, or no answer in time".into()),
        }
    }
}

/// A block as the watcher keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub number: u64,
    pub hash: B256,
    pub parent: B256,
    /// Seconds since 1970, as the block says.
    pub time: i64,
}

/// Native coin that a transaction carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    pub tx: TxHash,
    pub from: Address,
    pub to: Address,
    pub wei: U256,
}

/// A transaction as its sender signed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    pub tx: TxHash,
    pub nonce: u64,
    /// None: it makes a contract.
    pub to: Option<Address>,
    pub value: U256,
    pub data: Bytes,
}

/// What became of a mined transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub block: u64,
    pub block_hash: B256,
    pub success: bool,
    pub gas_used: u64,
    pub gas_price: u128,
}

/// The chain through its providers. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    id: u64,
    providers: Arc<[RootProvider]>,
    agreement: bool,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Client(chain {}, {} providers)", self.id, self.providers.len())
    }
}

impl Client {
    /// # Errors
    /// When an address is none, or there is none at all.
    pub fn new(id: u64, urls: &[&str], agreement: bool, timeout: Duration) -> Result<Self, ChainError> {
        let http = outbound::client(Purpose::within(timeout))?;
        let providers: Arc<[RootProvider]> = urls
            .iter()
            .map(|url| {
                let url = url
                    .parse()
                    .map_err(|_| ChainError::Nonsense("a provider's address"))?;
                Ok(RootProvider::new(RpcClient::new(
                    Http::with_client(http.clone(), url),
                    false,
                )))
            })
            .collect::<Result<_, ChainError>>()?;
        if providers.is_empty() {
            return Err(ChainError::Nonsense("no provider"));
        }
        Ok(Self {
            id,
            providers,
            agreement,
        })
    }

    #[must_use]
    pub const fn id(&self) -> u64 {
        self.id
    }

    /// The first provider: for contract calls that no money depends on (quotes, names).
    #[must_use]
    pub fn provider(&self) -> &RootProvider {
        // `new` refuses an empty list.
        &self.providers[0]
    }

    /// Asks one provider after the other until one answers.
    pub(super) async fn any<T, F, A>(&self, ask: F) -> Result<T, ChainError>
    where
        F: Fn(RootProvider) -> A,
        A: Future<Output = Result<T, ChainError>>,
    {
        let mut last = ChainError::Unreachable("none asked".into());
        for provider in self.providers.iter() {
            match ask(provider.clone()).await {
                Err(error @ ChainError::Refused { .. }) => return Err(error),
                Err(error) => last = error,
                answer => return answer,
            }
        }
        Err(last)
    }

    /// Asks all and wants one answer from at least two; without `agreement` as [`Self::any`].
    async fn agreed<T, F, A>(&self, ask: F) -> Result<T, ChainError>
    where
        T: PartialEq,
        F: Fn(RootProvider) -> A,
        A: Future<Output = Result<T, ChainError>>,
    {
        if !self.agreement {
            return self.any(ask).await;
        }
        let mut first = None;
        let mut same = 0u32;
        let mut failed = None;
        for answer in join_all(self.providers.iter().map(|p| ask(p.clone()))).await {
            match (answer, &first) {
                (Err(error @ ChainError::Refused { .. }), _) => return Err(error),
                (Err(error), _) => failed = Some(error),
                (Ok(answer), None) => {
                    first = Some(answer);
                    same = 1;
                }
                (Ok(answer), Some(one)) if answer == *one => same += 1,
                (Ok(_), Some(_)) => return Err(ChainError::Disagree),
            }
        }
        match first {
            Some(answer) if same >= 2 => Ok(answer),
            _ => Err(failed.unwrap_or_else(|| ChainError::Unreachable("two must answer".into()))),
        }
    }

    /// Every provider that answers is on this chain, and one does.
    ///
    /// # Errors
    /// `WrongChain`, or that nobody answers.
    pub async fn check(&self) -> Result<(), ChainError> {
        let answers = join_all(self.providers.iter().map(|p| p.get_chain_id())).await;
        let mut answered = false;
        let mut failed = Vec::new();
        for answer in answers {
            match answer {
                Ok(found) if found != self.id => {
                    return Err(ChainError::WrongChain {
                        found,
                        wanted: self.id,
                    });
                }
                Ok(_) => answered = true,
                Err(error) => failed.push(match error.into() {
                    ChainError::Unreachable(reason) => reason,
                    other => other.to_string(),
                }),
            }
        }
        if answered {
            Ok(())
        } else {
            Err(ChainError::Unreachable(failed.join("; ")))
        }
    }

    /// The newest block that all answering providers know; two must answer under `agreement`.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn head(&self) -> Result<u64, ChainError> {
        let answers = join_all(self.providers.iter().map(|p| p.get_block_number())).await;
        let wanted = if self.agreement { 2 } else { 1 };
        let mut heads = Vec::new();
        let mut failed = None;
        for answer in answers {
            match answer {
                Ok(head) => heads.push(head),
                Err(error) => failed = Some(error.into()),
            }
        }
        match heads.iter().min() {
            Some(head) if heads.len() >= wanted => Ok(*head),
            _ => Err(failed.unwrap_or_else(|| ChainError::Unreachable("two must answer".into()))),
        }
    }

    /// The newest block that cannot be undone as all answering providers say; two must answer under `agreement`.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn finalized(&self) -> Result<Option<u64>, ChainError> {
        let answers = join_all(
            self.providers
                .iter()
                .map(|p| p.get_block_by_number(BlockNumberOrTag::Finalized).into_future()),
        )
        .await;
        let wanted = if self.agreement { 2 } else { 1 };
        let mut known = Vec::new();
        let mut failed = None;
        for answer in answers {
            match answer {
                Ok(block) => known.push(block.map(|b| b.header.number())),
                Err(error) => failed = Some(error.into()),
            }
        }
        // One that knows of none is behind: none is what all of them agree on.
        match known.iter().min() {
            Some(least) if known.len() >= wanted => Ok(*least),
            _ => Err(failed.unwrap_or_else(|| ChainError::Unreachable("two must answer".into()))),
        }
    }

    /// # Errors
    /// As [`ChainError`] says.
    pub async fn block(&self, number: u64) -> Result<Option<Block>, ChainError> {
        self.agreed(|p| async move {
            let found = p.get_block_by_number(number.into()).await?;
            let block = found.as_ref().map(|b| read_block(&b.header)).transpose()?;
            if block.is_some_and(|b| b.number != number) {
                return Err(ChainError::Nonsense("another block than was asked for"));
            }
            Ok(block)
        })
        .await
    }

    /// A block with every transaction of it that carries native coin.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn block_with_native(&self, number: u64) -> Result<Option<(Block, Vec<Native>)>, ChainError> {
        self.agreed(|p| async move {
            let Some(found) = p.get_block_by_number(number.into()).full().await? else {
                return Ok(None);
            };
            let block = read_block(&found.header)?;
            if block.number != number {
                return Err(ChainError::Nonsense("another block than was asked for"));
            }
            let native = found
                .transactions
                .txns()
                .filter_map(|tx| {
                    let to = tx.to()?;
                    (!tx.value().is_zero()).then(|| Native {
                        tx: tx.tx_hash(),
                        from: tx.from(),
                        to,
                        wei: tx.value(),
                    })
                })
                .collect();
            Ok(Some((block, native)))
        })
        .await
    }

    /// What an address sent in a block, by nonce.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn sent_by(&self, of: Address, number: u64) -> Result<Vec<Sent>, ChainError> {
        self.agreed(|p| async move {
            let Some(found) = p.get_block_by_number(number.into()).full().await? else {
                return Err(ChainError::Nonsense("a block is missing"));
            };
            let mut sent: Vec<Sent> = found
                .transactions
                .txns()
                .filter(|tx| tx.from() == of)
                .map(|tx| Sent {
                    tx: tx.tx_hash(),
                    nonce: tx.nonce(),
                    to: tx.to(),
                    value: tx.value(),
                    data: tx.input().clone(),
                })
                .collect();
            sent.sort_by_key(|s| s.nonce);
            Ok(sent)
        })
        .await
    }

    /// Logs of a range of blocks, both ends included.
    ///
    /// # Errors
    /// `Refused` when the range holds too much for the node: ask for less.
    pub async fn logs(&self, from: u64, to: u64, filter: &Filter) -> Result<Vec<Log>, ChainError> {
        let filter = filter.clone().from_block(from).to_block(to);
        self.agreed(|p| {
            let filter = filter.clone();
            async move {
                let logs = p.get_logs(&filter).await?;
                let inside = |l: &Log| l.block_number.is_some_and(|n| (from..=to).contains(&n));
                if logs.iter().all(inside) {
                    // What only one node adds (its own clock) must not look like a disagreement.
                    Ok(logs
                        .into_iter()
                        .map(|l| Log {
                            block_timestamp: None,
                            ..l
                        })
                        .collect())
                } else {
                    Err(ChainError::Nonsense("a log outside the range"))
                }
            }
        })
        .await
    }

    /// What became of a transaction; `None` while it is not in a block.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn outcome(&self, tx: TxHash) -> Result<Option<Outcome>, ChainError> {
        self.agreed(|p| async move {
            let receipt = p.get_transaction_receipt(tx).await?;
            Ok(receipt.and_then(|r| {
                Some(Outcome {
                    block: r.block_number?,
                    block_hash: r.block_hash?,
                    success: r.status(),
                    gas_used: r.gas_used,
                    gas_price: r.effective_gas_price,
                })
            }))
        })
        .await
    }

    /// The receipt itself, from whichever provider answers.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn receipt(&self, tx: TxHash) -> Result<Option<TransactionReceipt>, ChainError> {
        self.any(|p| async move { Ok(p.get_transaction_receipt(tx).await?) })
            .await
    }

    /// Whether the node knows the transaction, mined or waiting.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn knows(&self, tx: TxHash) -> Result<bool, ChainError> {
        self.any(|p| async move { Ok(p.get_transaction_by_hash(tx).await?.is_some()) })
            .await
    }

    /// Native balance, at a block or at the head.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn balance(&self, of: Address, at: Option<u64>) -> Result<U256, ChainError> {
        self.any(|p| async move { Ok(p.get_balance(of).block_id(at_block(at)).await?) })
            .await
    }

    /// A token's balance, at a block or at the head.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn token_balance(
        &self,
        token: Address,
        of: Address,
        at: Option<u64>,
    ) -> Result<U256, ChainError> {
        use super::contracts::Erc20::balanceOfCall;
        use alloy::sol_types::SolCall;
        let call = TransactionRequest::default()
            .to(token)
            .input(balanceOfCall { account: of }.abi_encode().into());
        let answer = self.call(&call, at).await?;
        balanceOfCall::abi_decode_returns(&answer).map_err(|_| ChainError::Nonsense("a token's balance"))
    }

    /// A call that changes nothing.
    ///
    /// # Errors
    /// `Refused` for a revert.
    pub async fn call(&self, call: &TransactionRequest, at: Option<u64>) -> Result<Bytes, ChainError> {
        self.any(|p| async move { Ok(p.call(call.clone()).block(at_block(at)).await?) })
            .await
    }

    /// Gas that a transaction would use now.
    ///
    /// # Errors
    /// `Refused` for a revert.
    pub async fn estimate_gas(&self, call: &TransactionRequest) -> Result<u64, ChainError> {
        self.any(|p| async move { Ok(p.estimate_gas(call.clone()).await?) })
            .await
    }

    /// Transactions of an address that are in blocks.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn nonce(&self, of: Address) -> Result<u64, ChainError> {
        self.any(|p| async move { Ok(p.get_transaction_count(of).await?) })
            .await
    }

    /// Transactions of an address, those that wait included.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn pending_nonce(&self, of: Address) -> Result<u64, ChainError> {
        self.any(|p| async move { Ok(p.get_transaction_count(of).pending().await?) })
            .await
    }

    /// # Errors
    /// As [`ChainError`] says.
    pub async fn gas_price(&self) -> Result<u128, ChainError> {
        self.any(|p| async move { Ok(p.get_gas_price().await?) }).await
    }

    /// Whether there is code at an address.
    ///
    /// # Errors
    /// As [`ChainError`] says.
    pub async fn has_code(&self, at: Address) -> Result<bool, ChainError> {
        self.any(|p| async move { Ok(!p.get_code_at(at).await?.is_empty()) })
            .await
    }

    /// Hands a signed transaction to every provider. An error other than `Refused` is uncertain: look it up by its hash.
    ///
    /// # Errors
    /// As [`ChainError`] says; accepted by one provider is accepted.
    pub async fn send_raw(&self, raw: &[u8]) -> Result<TxHash, ChainError> {
        let mut outcome = Err(ChainError::Unreachable("none asked".into()));
        for provider in self.providers.iter() {
            let sent = provider.send_raw_transaction(raw).await;
            match (sent, &outcome) {
                (Ok(pending), _) => outcome = Ok(*pending.tx_hash()),
                (Err(error), Err(_)) => outcome = Err(error.into()),
                (Err(_), Ok(_)) => {}
            }
        }
        outcome
    }
}

fn at_block(at: Option<u64>) -> BlockId {
    at.map_or_else(BlockId::latest, BlockId::from)
}

fn read_block(header: &alloy::rpc::types::Header) -> Result<Block, ChainError> {
    Ok(Block {
        number: header.number(),
        hash: header.hash,
        parent: header.parent_hash(),
        time: i64::try_from(header.timestamp()).map_err(|_| ChainError::Nonsense("a block's time"))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::outbound::stranger;

    #[tokio::test]
    async fn a_start_is_told_which_provider_fails_and_why() {
        let stranger = stranger::listen().await;
        let url = format!("https://{stranger}/v3/key-in-the-path");
        let client = Client::new(56, &[&url], true, TIMEOUT).unwrap();
        assert_eq!(
            client.check().await.unwrap_err().to_string(),
            format!(
                "no provider answers: could not connect to https://{stranger}: certificate refused: it was issued by nobody whom this program trusts"
            )
        );
    }
}
