//! Use cases of a wallet that move nothing: opening it, its balances, its history, its words.

use super::{
    exchange::{self, silent},
    store::{self, Aside, Filter, Row},
};
use crate::{
    approvals::guard::{self, Action, Outbound},
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        transaction::Tx,
    },
    wallet::{
        chain::{Account, Chain, ChainError, Coin, address},
        intents::service::chain,
        keys::{Phrase, Vault, Wallet},
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{UserId, WalletMoveId},
    money::Usdt,
    views::WalletMoveView,
};
use serde_json::json;
use std::{sync::Arc, time::Duration as Span};
use time::{Duration, OffsetDateTime};

/// How long a balance that nothing moved is believed.
const CACHED: Span = Span::from_secs(5);
/// Words are shown so often a day.
const SHOWN_A_DAY: usize = 3;

/// What this room keeps: the vault, and balances that were just read. Part of the context.
#[derive(Clone)]
pub struct Wallets {
    pub vault: Vault,
    read: moka::future::Cache<(Address, i64), Arc<Account>>,
}

impl Wallets {
    #[must_use]
    pub fn new(vault: Vault) -> Self {
        Self {
            vault,
            read: moka::future::Cache::builder()
                .max_capacity(20_000)
                .time_to_live(CACHED)
                .build(),
        }
    }
}

fn wallets(context: &Context) -> Result<&Wallets, Error> {
    context
        .part::<Wallets>()
        .ok_or_else(|| Error::code(ErrorCode::ChainUnavailable))
}

/// Coins of this chain, and of which contracts; BNB has none.
#[must_use]
pub fn coins(chain: &Chain) -> Vec<(Coin, Option<Address>)> {
    [Coin::Bnb, Coin::Usdt, Coin::Busd, Coin::Pyx]
        .into_iter()
        .filter(|coin| chain.contracts.offers(*coin))
        .map(|coin| (coin, chain.contracts.token(coin)))
        .collect()
}

/// One's own wallet, made at its first opening.
///
/// # Errors
/// `chain.unavailable` where no wallets are kept.
pub async fn open(context: &Context, user: UserId) -> Result<Wallet, Error> {
    let wallets = wallets(context)?;
    chain(context)?;
    let mut tx = context.db.begin().await?;
    let wallet = wallets.vault.wallet(&mut tx, user).await?;
    tx.commit().await?;
    Ok(wallet)
}

/// The wallet behind a path's address, if it is the caller's own; another's is as unknown as none.
///
/// # Errors
/// `request.not_found`.
pub async fn own(context: &Context, user: UserId, param: &str) -> Result<Wallet, Error> {
    let unknown = || Error::code(ErrorCode::RequestNotFound);
    let asked = address::read(param).ok_or_else(unknown)?;
    crate::wallet::keys::wallet(context.db.pool(), user)
        .await?
        .filter(|wallet| wallet.address == asked)
        .ok_or_else(unknown)
}

/// One coin of a wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    pub coin: Coin,
    pub wei: U256,
    /// What open orders will take, gas among it.
    pub aside: U256,
    pub usdt: Option<Usdt>,
}

/// A wallet's balances.
///
/// # Errors
/// `request.not_found` for an address that is not one's own, `chain.unavailable`.
pub async fn balances(context: &Context, user: UserId, param: &str) -> Result<(Wallet, Vec<Balance>), Error> {
    let wallet = own(context, user, param).await?;
    let chain = chain(context)?;
    let account = recent(context, chain, &wallet).await?;
    let (_, aside) = standing_of(context, user).await?;
    let mut all = Vec::new();
    for (coin, wei) in held(chain, &account) {
        let usdt = if wei.is_zero() {
            Some(Usdt::ZERO)
        } else {
            exchange::worth(context, chain, coin, wei).await.ok()
        };
        let mut kept = aside.of(coin);
        if coin == Coin::Bnb {
            kept = kept.saturating_add(aside.gas);
        }
        all.push(Balance {
            coin,
            wei,
            aside: kept.min(wei),
            usdt,
        });
    }
    Ok((wallet, all))
}

/// The account as it was read a moment ago, or now.
async fn recent(context: &Context, chain: &Chain, wallet: &Wallet) -> Result<Arc<Account>, Error> {
    let read = &wallets(context)?.read;
    read.try_get_with((wallet.address, wallet.version), async {
        account(chain, wallet.address).await.map(Arc::new)
    })
    .await
    .map_err(|error: Arc<ChainError>| silent((*error).clone()))
}

async fn account(chain: &Chain, of: Address) -> Result<Account, ChainError> {
    let tokens: Vec<Address> = coins(chain).into_iter().filter_map(|(_, token)| token).collect();
    chain.client.account(of, &tokens).await
}

/// Amounts by coin.
#[must_use]
pub fn held(chain: &Chain, account: &Account) -> Vec<(Coin, U256)> {
    let mut tokens = account.tokens.iter();
    coins(chain)
        .into_iter()
        .map(|(coin, token)| {
            let wei = match token {
                None => Some(account.native),
                Some(_) => tokens.next().copied(),
            };
            (coin, wei.unwrap_or_default())
        })
        .collect()
}

/// A wallet as it stands before an order: read before the transaction, and valid only while its version is this one.
#[derive(Clone, Debug)]
pub struct Standing {
    pub wallet: Wallet,
    pub account: Account,
    pub aside: Aside,
}

impl Standing {
    /// What of a coin no open order needs; of BNB without the gas of those.
    #[must_use]
    pub fn free(&self, chain: &Chain, coin: Coin) -> U256 {
        let all = held(chain, &self.account)
            .into_iter()
            .find(|(c, _)| *c == coin)
            .map_or(U256::ZERO, |(_, wei)| wei);
        let free = all.saturating_sub(self.aside.of(coin));
        if coin == Coin::Bnb {
            free.saturating_sub(self.aside.gas)
        } else {
            free
        }
    }
}

/// Reads a wallet and the chain.
///
/// # Errors
/// `request.not_found` before the wallet's first opening, `chain.unavailable`.
pub async fn standing(context: &Context, chain: &Chain, user: UserId) -> Result<Standing, Error> {
    // The version before what is read: whatever changes meanwhile changes it.
    let (wallet, aside) = standing_of(context, user).await?;
    let account = account(chain, wallet.address).await.map_err(silent)?;
    Ok(Standing {
        wallet,
        account,
        aside,
    })
}

async fn standing_of(context: &Context, user: UserId) -> Result<(Wallet, Aside), Error> {
    store::standing(context.db.pool(), user)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// One's own history.
///
/// # Errors
/// `request.not_found` for an address that is not one's own.
pub async fn history(
    context: &Context,
    user: UserId,
    param: &str,
    filter: &Filter,
    paging: &Paging,
) -> Result<(Vec<Row>, i64), Error> {
    own(context, user, param).await?;
    store::list(context.db.pool(), user, filter, paging).await
}

/// Tells the owner where a move stands.
///
/// # Errors
/// Whatever the database refuses.
pub async fn tell(tx: &mut Tx, id: WalletMoveId) -> Result<WalletMoveView, Error> {
    let row = store::find(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::internal("a wallet's move that is not there"))?;
    store::touch(tx.conn(), row.owner()).await?;
    told(tx, &row)
}

/// The same of one that was written just now, and its wallet with it.
///
/// # Errors
/// `service.internal` for what cannot be shown.
pub fn told(tx: &mut Tx, row: &Row) -> Result<WalletMoveView, Error> {
    let view = row.view()?;
    tx.emit(
        StreamId::User(row.owner()),
        LiveEvent::WalletChanged {
            moved: Box::new(view.clone()),
        },
    );
    Ok(view)
}

/// The twelve words, once, for their owner.
///
/// # Errors
/// `request.not_found` without a wallet, `request.rate_limited` after three showings a day, and whatever the guard refuses.
pub async fn reveal(context: &Context, user: UserId, code: Option<&str>) -> Result<Phrase, Error> {
    let wallets = wallets(context)?;
    let mut tx = context.db.begin().await?;
    if store::lock_wallet(tx.conn(), user).await?.is_none() {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    let now = tx.now();
    let shown = store::shown_since(tx.conn(), user, now - Duration::DAY).await?;
    if let Some(first) = shown.get(SHOWN_A_DAY - 1) {
        return Err(Error::code(ErrorCode::RateLimited).retry_after(seconds(*first + Duration::DAY - now)));
    }
    let verdict = guard::outbound(
        context,
        &mut tx,
        &Outbound {
            user,
            action: Action::RevealPhrase,
            destination: "",
            amount: "",
            usdt: Usdt::ZERO,
            drawn: None,
            counterparty: None,
            security_code: code,
        },
    )
    .await?;
    let phrase = wallets.vault.reveal(&mut tx, user, &verdict).await?;
    store::note_shown(tx.conn(), user, now).await?;
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Money,
        "wallet.phrase_revealed",
        json!({}),
    )
    .await?;
    tx.commit().await?;
    Ok(phrase)
}

fn seconds(left: Duration) -> u32 {
    u32::try_from(left.whole_seconds().max(1)).unwrap_or(u32::MAX)
}

/// The moment of a chain's second.
#[must_use]
pub fn moment(seconds: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}
