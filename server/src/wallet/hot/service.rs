//! How the hot wallet stands, told live; its surplus; going on after a person has looked at what is not ours.

use super::store;
use crate::{
    approvals::{
        rules::Kind as ApprovalKind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        text,
        transaction::Tx,
    },
    wallet::{
        carried,
        chain::{Chain, Coin, address},
        deposits::rates,
        sender::{
            self, Carries, Cause, Outgoing, OutgoingId, Purse, Settled, TOKEN_GAS,
            service::{Met, Round, Sending},
            store::{self as outgoing, Place},
        },
        watcher::Trouble,
        withdrawals::rules::{COINS, receives},
    },
};
use alloy::primitives::{Address, U256};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::UserId,
    money::Usdt,
    stream_id::Queue,
    views::{ForeignTransaction, HotAlert, HotAlertKind as Kind, HotCoin, HotWalletView},
};
use serde_json::json;
use time::OffsetDateTime;
use uuid::Uuid;

const fn alert(kind: Kind) -> HotAlert {
    HotAlert {
        kind,
        coin: None,
        amount: None,
    }
}

fn about(kind: Kind, coin: Coin, amount: Option<U256>) -> HotAlert {
    HotAlert {
        kind,
        coin: Some(coin),
        amount: amount.map(|a| a.to_string()),
    }
}

/// One coin as it was read.
struct Seen {
    coin: Coin,
    balance: U256,
    waiting: U256,
    count: i64,
    under_way: U256,
}

/// Looks at the wallet after a round, tells what is new, sends surplus away.
///
/// # Errors
/// When the chain or the database does not answer.
pub async fn look(round: &Round<'_>, met: &Met) -> Result<(), Trouble> {
    let pool = round.context.db.pool();
    let waiting = carried::waiting(pool).await?;
    let mut seen = Vec::new();
    for coin in COINS {
        let (wei, count) = waiting
            .iter()
            .find(|(c, _, _)| *c == coin)
            .map_or((U256::ZERO, 0), |(_, wei, count)| (*wei, *count));
        let (balance, under_way) = match round.sending.hot {
            Some(hot) => (
                balance(round.chain, coin, hot).await?,
                outgoing::under_way(pool, hot, coin, false).await?,
            ),
            None => (U256::ZERO, U256::ZERO),
        };
        if round.chain.contracts.offers(coin) || count > 0 {
            seen.push(Seen {
                coin,
                balance,
                waiting: wei,
                count,
                under_way,
            });
        }
    }
    let mut alerts = alerts(round, met, &seen);
    let (mut halted, mut foreign, mut resume_asked_by) = (false, Vec::new(), None);
    if let Some(hot) = round.sending.hot {
        let mut tx = round.begin().await?;
        let place = outgoing::lock_place(tx.conn(), hot).await?;
        let stopped = place.and_then(|p| p.halted_at).map(|at| halt(hot, at));
        if let Some(stopped) = stopped {
            resume_asked_by = asked_by(&mut tx, stopped).await?;
        }
        tx.rollback().await?;
        halted = stopped.is_some();
        if halted {
            alerts.push(alert(Kind::Foreign));
            foreign = strangers(round.context, hot).await?;
        }
        alerts.extend(gather(round, hot, &seen).await?);
    }
    let view = HotWalletView {
        address: round.sending.hot.map(address::write),
        cold_address: round.sending.vault.cold.map(address::write),
        coins: seen
            .iter()
            .map(|s| HotCoin {
                coin: s.coin,
                balance: s.balance.to_string(),
                waiting: s.waiting.to_string(),
                waiting_count: s.count,
                under_way: s.under_way.to_string(),
            })
            .collect(),
        alerts,
        halted,
        resume_asked_by,
        foreign,
        version: 0,
    };
    Ok(tell(round.context, view).await?)
}

async fn balance(chain: &Chain, coin: Coin, of: Address) -> Result<U256, Trouble> {
    Ok(match chain.contracts.token(coin) {
        Some(token) => chain.client.token_balance(token, of, None).await?,
        None if coin == Coin::Bnb => chain.client.balance(of, None).await?,
        None => U256::ZERO,
    })
}

fn alerts(round: &Round<'_>, met: &Met, seen: &[Seen]) -> Vec<HotAlert> {
    let mut alerts = Vec::new();
    if round.sending.hot.is_none() {
        alerts.push(alert(Kind::NoKey));
        return alerts;
    }
    let gas = U256::from(round.gas_price) * U256::from(TOKEN_GAS);
    let waiting: i64 = seen.iter().map(|s| s.count).sum();
    for one in seen {
        let wanted = one.waiting.saturating_add(one.under_way);
        if one.count > 0 && wanted > one.balance {
            alerts.push(about(Kind::Low, one.coin, Some(wanted - one.balance)));
        }
        if one.coin == Coin::Bnb {
            let wanted = gas * U256::from(u64::try_from(waiting).unwrap_or(0).max(1));
            if one.balance < wanted {
                alerts.push(about(Kind::Gas, Coin::Bnb, Some(wanted - one.balance)));
            }
        }
        if met.books.contains(&one.coin) {
            alerts.push(about(Kind::Books, one.coin, None));
        }
    }
    for (is, kind) in [
        (met.capped, Kind::Capped),
        (met.refused, Kind::Refused),
        (met.dear, Kind::Dear),
        (met.stuck, Kind::Stuck),
        (met.held, Kind::Held),
    ] {
        if is {
            alerts.push(alert(kind));
        }
    }
    alerts
}

async fn strangers(context: &Context, hot: Address) -> Result<Vec<ForeignTransaction>, Error> {
    let found = outgoing::foreign(context.db.pool(), hot).await?;
    Ok(found
        .into_iter()
        .filter(|f| !f.acknowledged)
        .map(|f| ForeignTransaction {
            transaction: f.tx.to_string(),
            nonce: i64::try_from(f.nonce).unwrap_or(i64::MAX),
            to: address::write(f.recipient),
            block: i64::try_from(f.block).unwrap_or(i64::MAX),
        })
        .collect())
}

/// Sends to the cold address what is more than the maximum and waited for by nobody; what cannot be sent is told.
async fn gather(round: &Round<'_>, hot: Address, seen: &[Seen]) -> Result<Vec<HotAlert>, Trouble> {
    let Some(maximum) = round.sending.vault.maximum else {
        return Ok(Vec::new());
    };
    let mut told = Vec::new();
    let busy = store::gathering(round.context.db.pool(), hot).await?;
    for one in seen {
        let Some(keep) = rates::current(round.context, one.coin).and_then(|rate| receives(maximum, rate))
        else {
            continue;
        };
        let keep = keep.saturating_add(one.waiting).saturating_add(one.under_way);
        // A tenth more, so that small change does not travel.
        if one.balance <= keep.saturating_add(keep / U256::from(10)) {
            continue;
        }
        let surplus = one.balance - keep;
        let Some(cold) = round.sending.vault.cold else {
            told.push(about(Kind::Surplus, one.coin, Some(surplus)));
            continue;
        };
        if busy {
            continue;
        }
        let carries = Carries {
            coin: one.coin,
            to: cold,
            wei: surplus,
        };
        let token = round.chain.contracts.token(one.coin);
        let outgoing = Outgoing::transfer(Purse::Hot, hot, token, carries, Cause::Cold(Uuid::now_v7()));
        let mut tx = round.begin().await?;
        sender::enqueue(&mut tx, &outgoing).await?;
        let details = json!({ "coin": one.coin, "wei": surplus.to_string(), "cold": address::write(cold) });
        audit::record(
            &mut tx,
            None,
            None,
            Category::Money,
            "hot_wallet.surplus",
            details,
        )
        .await?;
        tx.commit().await?;
    }
    Ok(told)
}

/// Surplus has arrived, or not. Custody is custody: the books do not move.
///
/// # Errors
/// Whatever the database refuses.
pub async fn gathered(tx: &mut Tx, id: OutgoingId, settled: &Settled) -> Result<(), Error> {
    let details = json!({
        "outgoing": id.0, "success": settled.success, "transaction": settled.tx_hash.map(|h| h.to_string()),
    });
    audit::record(tx, None, None, Category::Money, "hot_wallet.gathered", details).await
}

/// Tells the signer what was signed within the day.
///
/// # Errors
/// Whatever the database refuses.
pub async fn remember(context: &Context, sending: &Sending) -> Result<(), Error> {
    let Some(signers) = &sending.signers else {
        return Ok(());
    };
    let since = context.now() - time::Duration::DAY;
    let signed = carried::signed_since(context.db.pool(), since).await?;
    signers.house.remember(&signed);
    Ok(())
}

/// Nothing new can be seen (the chain does not answer, nobody signs): what was seen before stands, with that.
///
/// # Errors
/// Whatever the database refuses.
pub async fn silent(context: &Context, why: Kind) -> Result<(), Error> {
    let view = view(context).await?;
    let alerts = vec![alert(why)];
    tell(context, HotWalletView { alerts, ..view }).await
}

async fn tell(context: &Context, view: HotWalletView) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let alerts: Vec<Kind> = view.alerts.iter().map(|alert| alert.kind).collect();
    if show(&mut tx, view).await? {
        for kind in alerts {
            metrics::counter!("hot_wallet_alerts_total", "kind" => kind.as_str()).increment(1);
        }
        tx.commit().await?;
    }
    Ok(())
}

/// Keeps and tells what is seen now; whether anything of it is new.
async fn show(tx: &mut Tx, view: HotWalletView) -> Result<bool, Error> {
    let now = tx.now();
    let Some(version) = store::save(tx.conn(), &view, now).await? else {
        return Ok(false);
    };
    let wallet = Box::new(HotWalletView { version, ..view });
    tx.emit(
        StreamId::Queue(Queue::CryptoWithdrawals),
        LiveEvent::HotWalletChanged { wallet },
    );
    Ok(true)
}

/// What was last seen of it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context) -> Result<HotWalletView, Error> {
    if let Some(view) = store::view(context.db.pool()).await? {
        return Ok(view);
    }
    let hot = context.part::<Sending>().and_then(|s| s.hot);
    let kind = if context.part::<Chain>().is_none() {
        Some(Kind::Unreachable)
    } else {
        hot.is_none().then_some(Kind::NoKey)
    };
    Ok(HotWalletView {
        address: hot.map(address::write),
        cold_address: None,
        coins: Vec::new(),
        alerts: kind.map(alert).into_iter().collect(),
        halted: false,
        resume_asked_by: None,
        foreign: Vec::new(),
        version: 0,
    })
}

/// The id of one stop of a wallet: the same for both who let it go on.
fn halt(hot: Address, at: OffsetDateTime) -> Uuid {
    let stop = format!("{hot}{}", at.unix_timestamp_nanos());
    let hash = alloy::primitives::keccak256(stop);
    Uuid::from_slice(&hash[..16]).unwrap_or_default()
}

async fn asked_by(tx: &mut Tx, stopped: Uuid) -> Result<Option<String>, Error> {
    let asked = approvals::asked(tx.conn(), ApprovalKind::HotWallet, stopped).await?;
    Ok(asked.map(|asked| asked.username))
}

/// The stop of the wallet that signs, with what was found: what those agree to who let it go on.
async fn stop(context: &Context, tx: &mut Tx) -> Result<Stop, Error> {
    let state = || Error::code(ErrorCode::HotWalletState);
    let hot = context
        .part::<Sending>()
        .and_then(|s| s.hot)
        .ok_or_else(|| Error::code(ErrorCode::ChainUnavailable).retry_after(5))?;
    let place = outgoing::lock_place(tx.conn(), hot).await?.ok_or_else(state)?;
    let id = place.halted_at.map(|at| halt(hot, at)).ok_or_else(state)?;
    let found = strangers(context, hot).await?;
    Ok(Stop {
        id,
        hot: address::write(hot),
        found: found.into_iter().map(|f| f.transaction).collect(),
        place,
    })
}

struct Stop {
    id: Uuid,
    hot: String,
    found: Vec<String>,
    place: Place,
}

impl Stop {
    fn subject(&self) -> Subject<'_> {
        Subject {
            kind: ApprovalKind::HotWallet,
            id: self.id,
            customer: None,
            coin: "",
            destination: &self.hot,
            amount: self.found.join(","),
            usdt: Usdt::ZERO,
        }
    }

    /// Whether these are all that was found, and no others.
    fn is_of(&self, seen: &[String]) -> bool {
        let sorted = |all: &[String]| {
            let mut all = all.to_vec();
            all.sort_unstable();
            all.dedup();
            all
        };
        sorted(&self.found) == sorted(seen)
    }
}

/// The stop that waits for two.
///
/// # Errors
/// `hot_wallet.state` when nothing is halted; `chain.unavailable`.
pub async fn waiting(context: &Context, tx: &mut Tx) -> Result<Waiting, Error> {
    Ok(stop(context, tx).await?.subject().waiting())
}

/// Who spoke the first of two words takes it back.
///
/// # Errors
/// As [`waiting`]; `decision.no_word`.
pub async fn take_back(context: &Context, tx: &mut Tx, by: UserId) -> Result<(), Error> {
    let waiting = waiting(context, tx).await?;
    approvals::take_back(tx, &waiting, by).await?;
    let resume_asked_by = asked_by(tx, waiting.id).await?;
    if let Some(view) = store::view(&mut *tx.conn()).await? {
        let view = HotWalletView {
            resume_asked_by,
            ..view
        };
        show(tx, view).await?;
    }
    Ok(())
}

/// Two have looked at what is not ours: signing goes on behind it. Only once the chain was looked through, so that nothing that
/// waits here was paid by one of them. The first of two says why; what is found behind them is looked at anew.
///
/// # Errors
/// `hot_wallet.state` when nothing is halted, or the look is not finished; `decision.*`; `decision.changed` when others were found than those
/// that were seen; `chain.unavailable`.
pub async fn resume(
    context: &Context,
    by: UserId,
    reason: &str,
    seen: &[String],
) -> Result<HotWalletView, Error> {
    let unavailable = || Error::code(ErrorCode::ChainUnavailable).retry_after(5);
    let state = || Error::code(ErrorCode::HotWalletState);
    let (Some(chain), Some(hot)) = (
        context.part::<Chain>(),
        context.part::<Sending>().and_then(|s| s.hot),
    ) else {
        return Err(unavailable());
    };
    let ask = async {
        let client = &chain.client;
        let nonce = client.nonce(hot).await?;
        let pending = client.pending_nonce(hot).await?;
        Ok::<_, crate::wallet::chain::ChainError>((client.head().await?, nonce, pending))
    };
    let (head, nonce, pending) = ask.await.map_err(|_| unavailable())?;
    let mut tx = context.db.begin().await?;
    let stop = stop(context, &mut tx).await?;
    let (place, stopped) = (&stop.place, stop.id);
    if !looked_through(place, head, chain.confirmations) || pending > nonce.max(place.next_nonce) {
        return Err(state());
    }
    let first = approvals::asked(tx.conn(), ApprovalKind::HotWallet, stopped).await?;
    // Who agrees to what another asked for need not say why again.
    let said = first
        .and_then(|asked| asked.reason)
        .filter(|_| reason.trim().is_empty());
    let reason = text::reason(said.as_deref().unwrap_or(reason), "reason")?;
    if !stop.is_of(seen) {
        return Err(Error::code(ErrorCode::DecisionChanged));
    }
    let in_force = context.settings.within(&mut tx).await?;
    let standing = approvals::approve_because(&mut tx, &in_force, &stop.subject(), by, &reason).await?;
    if !standing.is_complete() {
        let details =
            json!({ "hot": address::write(hot), "reason": reason, "approvals": standing.approvals });
        let action = "hot_wallet.resume_asked";
        audit::record(&mut tx, Some(by), None, Category::Money, action, details).await?;
        let resume_asked_by = asked_by(&mut tx, stopped).await?;
        tx.commit().await?;
        let view = view(context).await?;
        tell(
            context,
            HotWalletView {
                resume_asked_by,
                ..view
            },
        )
        .await?;
        return self::view(context).await;
    }
    let now = tx.now();
    let seen = outgoing::acknowledge(tx.conn(), hot, by, now).await?;
    outgoing::set_next(tx.conn(), hot, nonce).await?;
    outgoing::checked(tx.conn(), hot, head).await?;
    let details = json!({ "hot": address::write(hot), "next": nonce, "foreign": seen, "reason": reason });
    audit::record(
        &mut tx,
        Some(by),
        None,
        Category::Money,
        "hot_wallet.resume",
        details,
    )
    .await?;
    tx.commit().await?;
    let view = view(context).await?;
    let alerts = view
        .alerts
        .iter()
        .filter(|a| a.kind != Kind::Foreign)
        .cloned()
        .collect();
    tell(
        context,
        HotWalletView {
            alerts,
            halted: false,
            resume_asked_by: None,
            foreign: Vec::new(),
            ..view
        },
    )
    .await?;
    self::view(context).await
}

/// Blocks come faster than a person reads: a look that ended shortly before the head is finished.
fn looked_through(place: &Place, head: u64, confirmations: u64) -> bool {
    place.halted.is_some()
        && place
            .scanned
            .is_some_and(|at| at + 2 * confirmations + 20 >= head)
}

/// The worth of an amount, where a rate says it.
#[must_use]
pub fn worth(context: &Context, coin: Coin, wei: U256) -> Option<Usdt> {
    let rate = rates::current(context, coin)?;
    let micro =
        wei.checked_mul(U256::from(u64::try_from(rate.0).ok()?))? / U256::from(10u64).pow(U256::from(18));
    i64::try_from(micro).ok().map(Usdt)
}
