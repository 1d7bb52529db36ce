//! One round: each sender's open transactions are followed, its nonces compared, then what waits is signed and sent.

use super::{
    Cause, LEASE, Policy, Purse, Settled,
    causes::{self, Ready, Wait},
    follow, recovery,
    store::{self, Item, Place, Sender},
};
use crate::{
    error::Error,
    foundation::{context::Context, lease, transaction::Tx},
    wallet::{
        carried,
        chain::{
            Chain, Coin,
            signer::{Signed, Signer, SignerError, Signers, Warrant},
        },
        graduation_bonuses::GraduationBonus,
        hot,
        watcher::Trouble,
        withdrawals::Crypto,
    },
};
use alloy::{
    consensus::TxLegacy,
    primitives::{Address, TxKind, U256},
};
use std::sync::Arc;

/// Transactions of one sender under way at once.
const WIDTH: usize = 8;
/// Waiting ones that are looked at in a round.
const LOOK: i64 = 50;
/// Blocks between two notes that chain and table agree.
const CHECKED: u64 = 20;
/// Gas is never offered below this: some nodes answer zero.
const CHEAPEST: u128 = 1_000_000_000;

/// What sending needs. Part of the context wherever there is a chain.
#[derive(Clone)]
pub struct Sending {
    /// None: a process of its own signs and sends (`server signer`), and this one does neither.
    pub signers: Option<Signers>,
    /// The hot wallet; none: withdrawals are taken and wait.
    pub hot: Option<Address>,
    /// What fills deposit addresses with gas, where its key is known of.
    pub gas: Option<Address>,
    pub vault: hot::Vault,
    pub policy: Policy,
}

impl Sending {
    /// Who signs for a purse, if its key is here.
    #[must_use]
    pub fn signer(&self, purse: Purse) -> Option<&Arc<dyn Signer>> {
        self.signers.as_ref()?.of(purse.key())
    }
}

/// What a round met, for those who look after the hot wallet.
#[derive(Clone, Debug, Default)]
pub struct Met {
    pub held: bool,
    pub capped: bool,
    pub refused: bool,
    pub dear: bool,
    pub stuck: bool,
    pub books: Vec<Coin>,
}

/// All that the steps of a round share.
pub struct Round<'a> {
    pub context: &'a Context,
    pub chain: &'a Chain,
    pub sending: &'a Sending,
    pub fence: i64,
    pub head: u64,
    /// The newest block that is final; none yet.
    pub final_block: Option<u64>,
    pub gas_price: u128,
}

impl Round<'_> {
    /// A change that only the holder of the lease can make.
    ///
    /// # Errors
    /// `request.conflict` when another node has taken over.
    pub async fn begin(&self) -> Result<Tx, Error> {
        let mut tx = self.context.db.begin().await?;
        lease::check(&mut tx, LEASE, self.fence).await?;
        Ok(tx)
    }
}

/// Looks after everything that goes out.
///
/// # Errors
/// When the chain or the database does not answer; the next round goes on where this one ended.
pub async fn round(context: &Context, chain: &Chain, sending: &Sending, fence: i64) -> Result<(), Trouble> {
    let head = chain.client.head().await?;
    let gas_price = chain.client.gas_price().await?.max(CHEAPEST);
    let round = Round {
        context,
        chain,
        sending,
        fence,
        head,
        final_block: chain.final_block(head).await?,
        gas_price,
    };
    let mut met = Met::default();
    if let Some(hot) = sending.hot {
        met.refused |= carried::queue_approved::<Crypto>(&round, hot).await?;
        met.refused |= carried::queue_approved::<GraduationBonus>(&round, hot).await?;
        begin_hot(&round, hot).await?;
    }
    for sender in store::senders(context.db.pool()).await? {
        if let Err(error) = one(&round, &sender, &mut met).await {
            tracing::warn!(%error, sender = %sender.address, "a sender is looked at again");
        }
    }
    hot::service::look(&round, &met).await
}

/// The hot wallet is compared from the first start on, not from the first payment: a used key with an empty table is suspicious.
async fn begin_hot(round: &Round<'_>, hot: Address) -> Result<(), Trouble> {
    let mut tx = round.begin().await?;
    let known = store::lock_place(tx.conn(), hot).await?.is_some();
    tx.rollback().await?;
    if !known {
        begin(round, hot, Purse::Hot).await?;
    }
    Ok(())
}

async fn begin(round: &Round<'_>, address: Address, purse: Purse) -> Result<(), Trouble> {
    let client = &round.chain.client;
    let used = client
        .nonce(address)
        .await?
        .max(client.pending_nonce(address).await?);
    let mut tx = round.begin().await?;
    let now = tx.now();
    let (next, halted) = match purse {
        Purse::Hot if used > 0 => (0, Some(recovery::USED)),
        _ => (used, None),
    };
    store::begin(tx.conn(), address, purse, next, round.head, halted, now).await?;
    tx.commit().await?;
    Ok(())
}

async fn one(round: &Round<'_>, sender: &Sender, met: &mut Met) -> Result<(), Trouble> {
    let pool = round.context.db.pool();
    let client = &round.chain.client;
    // Asked before the receipts: what it counts, they must show.
    let nonce = client.nonce(sender.address).await?;
    let pending = client.pending_nonce(sender.address).await?;
    if sender.place.is_none() {
        begin(round, sender.address, sender.purse).await?;
    }
    let followed = follow::follow(round, sender, nonce).await?;
    if sender.purse == Purse::Hot {
        met.stuck |= followed.stuck;
    }
    let mut tx = round.begin().await?;
    let place = store::lock_place(tx.conn(), sender.address).await?;
    let Some(place) = place else { return Ok(()) };
    let strange = nonce.max(pending) > place.next_nonce || !followed.lost.is_empty();
    if strange || place.halted.is_some() {
        tx.rollback().await?;
        if !recovery::resolve(round, sender, &place, &followed.lost, nonce, pending).await? {
            return Ok(());
        }
    } else if round.head >= place.checked_block + CHECKED {
        store::checked(tx.conn(), sender.address, round.head).await?;
        tx.commit().await?;
    } else {
        tx.rollback().await?;
    }
    let open = store::open(pool, sender.address).await?.len();
    send_waiting(round, sender, WIDTH.saturating_sub(open), met).await
}

/// Signs and sends what waits, oldest first; what must wait lets others pass.
async fn send_waiting(
    round: &Round<'_>,
    sender: &Sender,
    mut room: usize,
    met: &mut Met,
) -> Result<(), Trouble> {
    let pool = round.context.db.pool();
    for item in store::queued(pool, sender.address, LOOK).await? {
        if recovery::claim(round, &item).await? {
            continue;
        }
        if room == 0 {
            return Ok(());
        }
        if round.gas_price > round.sending.policy.gas_price_cap {
            met.dear |= sender.purse == Purse::Hot;
            return Ok(());
        }
        if !affordable(round, &item).await? {
            // What a failed swap allowed is taken back as soon as there is gas for it.
            if sender.purse != Purse::Hot && !matches!(item.cause, Cause::WalletRevoke(_)) {
                give_up(round, &item).await?;
            }
            continue;
        }
        let mut tx = round.begin().await?;
        let ready = match causes::ready(round.context, &mut tx, &item).await {
            Ok(ready) => ready,
            Err(error) => {
                tracing::error!(?error, id = %item.id.0, "a transaction is not signed");
                met.refused = true;
                continue;
            }
        };
        tx.commit().await?;
        let warrant = match ready {
            Ready::Go(warrant) => warrant,
            Ready::Dropped => continue,
            Ready::Wait(Wait::Held) => {
                met.held = true;
                continue;
            }
            Ready::Wait(Wait::Books) => {
                met.books.extend(item.coin);
                continue;
            }
        };
        match sign_and_send(round, &item, warrant).await? {
            Signing::Sent => room -= 1,
            Signing::TakenBack | Signing::NoKey => {}
            Signing::Capped => met.capped = true,
            Signing::Refused => met.refused = true,
            Signing::Halted => return Ok(()),
        }
    }
    Ok(())
}

/// What there is on the chain, without what is signed and in no block yet, pays for it with its gas.
async fn affordable(round: &Round<'_>, item: &Item) -> Result<bool, Trouble> {
    let pool = round.context.db.pool();
    let client = &round.chain.client;
    let gas = U256::from(round.gas_price) * U256::from(item.gas_limit);
    let native = client.balance(item.sender, None).await?;
    let reserved = store::under_way(pool, item.sender, Coin::Bnb, false).await?;
    if native < reserved.saturating_add(item.value).saturating_add(gas) {
        return Ok(false);
    }
    let Some(token) = item.coin.and_then(|coin| round.chain.contracts.token(coin)) else {
        return Ok(true);
    };
    let coin = item.coin.unwrap_or(Coin::Bnb);
    let held = client.token_balance(token, item.sender, None).await?;
    let reserved = store::under_way(pool, item.sender, coin, false).await?;
    Ok(held >= reserved.saturating_add(item.amount))
}

/// A customer's own wallet lacks what they asked for: told at once, not waited for.
async fn give_up(round: &Round<'_>, item: &Item) -> Result<(), Trouble> {
    let mut tx = round.begin().await?;
    causes::lock(&mut tx, item.cause).await?;
    if super::drop_queued(&mut tx, item.id).await? {
        let settled = Settled {
            success: false,
            tx_hash: None,
            block: None,
            gas_wei: U256::ZERO,
        };
        causes::settled(round.context, &mut tx, item.id, item.cause, &settled).await?;
        tx.commit().await?;
    }
    Ok(())
}

enum Signing {
    Sent,
    TakenBack,
    NoKey,
    Capped,
    Refused,
    Halted,
}

/// The transaction of an item, with a nonce and a price.
pub fn unsigned(chain: u64, item: &Item, nonce: u64, gas_price: u128) -> TxLegacy {
    TxLegacy {
        chain_id: Some(chain),
        nonce,
        gas_price,
        gas_limit: item.gas_limit,
        to: TxKind::Call(item.recipient),
        value: item.value,
        input: item.data.clone(),
    }
}

async fn sign_and_send(round: &Round<'_>, item: &Item, warrant: Option<Warrant>) -> Result<Signing, Trouble> {
    let Some(signer) = round.sending.signer(item.purse) else {
        return Ok(Signing::NoKey);
    };
    let place = {
        let mut tx = round.begin().await?;
        let place = store::lock_place(tx.conn(), item.sender).await?;
        tx.rollback().await?;
        place
    };
    let Some(place) = place.filter(|p| p.halted.is_none()) else {
        return Ok(Signing::Halted);
    };
    let unsigned = unsigned(round.chain.client.id(), item, place.next_nonce, round.gas_price);
    let signed = match signer.sign(item.purse.key(), unsigned, warrant).await {
        Ok(signed) => signed,
        Err(SignerError::NoKey) => return Ok(Signing::NoKey),
        Err(SignerError::Capped) => return Ok(Signing::Capped),
        Err(error) => {
            tracing::error!(%error, id = %item.id.0, "the signer refuses");
            return Ok(Signing::Refused);
        }
    };
    if !keep(round, item, &place, &signed).await? {
        return Ok(Signing::TakenBack);
    }
    follow::send(round, item.id, signed.hash, &signed.raw).await?;
    Ok(Signing::Sent)
}

/// Stores what was signed, before anybody else sees it; false when the item was taken back meanwhile.
async fn keep(round: &Round<'_>, item: &Item, place: &Place, signed: &Signed) -> Result<bool, Trouble> {
    let mut tx = round.begin().await?;
    causes::lock(&mut tx, item.cause).await?;
    let now = tx.now();
    let current = store::lock_place(tx.conn(), item.sender).await?;
    if current.is_none_or(|p| p.halted.is_some() || p.next_nonce != place.next_nonce) {
        return Ok(false);
    }
    let nonce = place.next_nonce;
    store::keep_attempt(tx.conn(), item.id, nonce, round.gas_price, signed, now).await?;
    if !store::sign(tx.conn(), item.id, nonce, now).await? {
        tx.rollback().await?;
        return Ok(false);
    }
    store::set_next(tx.conn(), item.sender, nonce + 1).await?;
    causes::signed(round.context, &mut tx, item.cause).await?;
    tx.commit().await?;
    Ok(true)
}
