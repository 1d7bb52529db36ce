//! Opening, quoting and withdrawing intents.

use crate::{
    approvals::restraint,
    error::Error,
    foundation::{
        audit::{self, Category},
        context::{Context, World},
        settings::InForce,
        transaction::Tx,
    },
    identity::{
        acceptances::{self, Accepted},
        caller::Scope,
    },
    licences::{model::PlanView, service as licences},
    pools::service as pools,
    wallet::{
        chain::{Chain, Coin, wei},
        deposits::{
            rules,
            service::{needed, tell, unknown},
            store::{self, Deposit},
        },
    },
};
use protocol::{
    ErrorCode,
    ids::{ChainDepositId, PlanId, UserId},
    money::Usdt,
    views::{ChainDepositStatus as Status, ChainDepositView, DepositProduct},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use time::Duration;

/// The chain, or a refusal that says to try again.
///
/// # Errors
/// `chain.unavailable` where there is none.
pub fn chain(context: &Context) -> Result<&Chain, Error> {
    context
        .part::<Chain>()
        .ok_or_else(|| Error::code(ErrorCode::ChainUnavailable).retry_after(60))
}

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Asked {
    License {
        value: Usdt,
        is_high_risk: bool,
        plan: Option<PlanId>,
        /// The risk notice was accepted for this payment; else what the account accepted stands for it.
        risk_said: bool,
    },
    Pool {
        value: Usdt,
        plan: Option<PlanId>,
        risk_said: bool,
    },
    Plain {
        coin: Coin,
        value: Usdt,
    },
}

/// The plan on offer that an intent names: by id, or by value and risk.
///
/// # Errors
/// `plan.unknown`.
pub async fn plan(
    context: &Context,
    value: Usdt,
    is_high_risk: Option<bool>,
    plan: Option<PlanId>,
) -> Result<PlanView, Error> {
    licences::plans(context)
        .await?
        .into_iter()
        .find(|p| {
            p.value == value
                && plan.is_none_or(|id| id == p.id)
                && is_high_risk.is_none_or(|risk| risk == p.is_high_risk)
        })
        .ok_or_else(|| Error::code(ErrorCode::PlanUnknown))
}

/// What a value would cost now.
///
/// # Errors
/// `amount.invalid` beyond what can be paid.
pub fn price(value: Usdt, in_force: &InForce) -> Result<Usdt, Error> {
    rules::due(value, &in_force.settings).ok_or_else(|| Error::code(ErrorCode::AmountInvalid))
}

fn positive(value: Usdt, field: &str) -> Result<(), Error> {
    if value.is_positive() {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::AmountNotPositive).field(field, ErrorCode::AmountNotPositive))
    }
}

/// Opens an intent with an address of its own.
///
/// # Errors
/// `plan.unknown`, `deposit.too_many`, `deposit.too_small`, `deposit.too_large`, `chain.unavailable`, `chain.coin_unavailable`,
/// `risk.not_recorded` where no risk notice was accepted, for it or by the account.
pub async fn create(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    asked: Asked,
) -> Result<ChainDepositView, Error> {
    let chain = chain(context)?;
    let keys = chain
        .deposits
        .as_ref()
        .ok_or_else(|| Error::code(ErrorCode::ChainUnavailable))?;
    let in_force = context.settings.current(context.now()).await?;
    let settings = &in_force.settings;
    let now = tx.now();
    let (product, coin, value, plan) = match asked {
        Asked::License {
            value,
            is_high_risk,
            plan: id,
            ..
        } => {
            positive(value, "licenseValue")?;
            restraint::require_no_time_out(tx, owner).await?;
            let plan = plan(context, value, Some(is_high_risk), id).await?;
            let plan = (plan.id.0, plan.is_high_risk);
            (DepositProduct::License, Coin::Usdt, value, Some(plan))
        }
        Asked::Pool { value, plan, .. } => {
            positive(value, "licenseValue")?;
            restraint::require_no_time_out(tx, owner).await?;
            let pool = pools::offered(context, value, plan.map(|p| p.0)).await?;
            (DepositProduct::Pool, Coin::Usdt, value, Some((pool.0, false)))
        }
        Asked::Plain { coin, value } => {
            positive(value, "value")?;
            if coin == Coin::Pyx {
                return Err(Error::code(ErrorCode::CoinUnavailable).field("coin", ErrorCode::CoinUnavailable));
            }
            if value < settings.deposit_minimum {
                return Err(Error::code(ErrorCode::DepositTooSmall)
                    .field("value", ErrorCode::DepositTooSmall)
                    .with("minimum", whole(settings.deposit_minimum)));
            }
            (DepositProduct::Plain, coin, value, None)
        }
    };
    if value > settings.deposit_maximum {
        return Err(Error::code(ErrorCode::DepositTooLarge)
            .field("value", ErrorCode::DepositTooLarge)
            .with("maximum", whole(settings.deposit_maximum)));
    }
    if !chain.contracts.offers(coin) {
        return Err(Error::code(ErrorCode::CoinUnavailable).field("coin", ErrorCode::CoinUnavailable));
    }
    store::lock_owner(tx.conn(), owner).await?;
    let open = store::open_count(tx.conn(), owner, now).await?;
    if open >= settings.open_deposits {
        return Err(Error::code(ErrorCode::DepositTooMany).with("count", open));
    }
    let number = store::next_number(tx.conn()).await?;
    let address = u32::try_from(number)
        .ok()
        .and_then(|n| keys.address(n))
        .ok_or_else(|| Error::internal("no deposit address left"))?;
    store::insert_address(tx.conn(), number, address, owner, now).await?;
    let mut deposit = Deposit::new(owner, number, product, Status::Waiting, now);
    deposit.coin = Some(coin);
    deposit.contract = chain.contracts.token(coin);
    deposit.value = Some(value);
    deposit.expires_at = Some(now + Duration::minutes(settings.deposit_minutes));
    deposit.settings_version = in_force.version;
    if let Some((plan, is_high_risk)) = plan {
        deposit.plan = Some(plan);
        deposit.is_high_risk = is_high_risk;
        deposit.due = Some(wei::of(price(value, &in_force)?.0));
    }
    store::save(tx.conn(), &deposit).await?;
    match asked {
        Asked::License { risk_said: true, .. } | Asked::Pool { risk_said: true, .. } => {
            acceptances::record(tx, owner, &[Accepted::Risk], Some(deposit.id.0)).await?;
        }
        Asked::License { .. } | Asked::Pool { .. } => acceptances::require_risk(tx, owner).await?,
        Asked::Plain { .. } => {}
    }
    let details = json!({ "deposit": deposit.id, "usdt": value, "product": product.as_str() });
    audit::record(
        tx,
        Some(owner),
        Some(owner.0),
        Category::Money,
        "crypto_deposit.create",
        details,
    )
    .await?;
    tell(context, tx, deposit.id, false).await
}

/// Withdraws one's own intent while nothing was seen; doing it twice changes nothing.
///
/// # Errors
/// `request.not_found`; `deposit.state` once a payment was seen.
pub async fn cancel(
    context: &Context,
    tx: &mut Tx,
    owner: UserId,
    id: ChainDepositId,
) -> Result<ChainDepositView, Error> {
    let mut deposit = store::lock(tx.conn(), Scope::Own(owner), id)
        .await?
        .ok_or_else(unknown)?;
    match deposit.status {
        Status::Canceled => {}
        Status::Waiting => {
            deposit.status = Status::Canceled;
            deposit.decided_at = Some(tx.now());
            store::save(tx.conn(), &deposit).await?;
            let details = json!({ "deposit": id });
            audit::record(
                tx,
                Some(owner),
                Some(owner.0),
                Category::Money,
                "crypto_deposit.cancel",
                details,
            )
            .await?;
        }
        _ => return Err(Error::code(ErrorCode::DepositState)),
    }
    tell(context, tx, id, false).await
}

/// One's open intent for exactly this, if there is one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(
    context: &Context,
    owner: UserId,
    product: DepositProduct,
    plan: PlanId,
    value: Usdt,
) -> Result<Option<ChainDepositView>, Error> {
    let in_force = context.settings.current(context.now()).await?;
    let mut conn = context.db.pool().acquire().await?;
    let scanned = store::scanned(&mut *conn).await?;
    store::open_like(&mut conn, owner, product, plan.0, value)
        .await?
        .map(|shown| shown.view(scanned, needed(context), &in_force.settings))
        .transpose()
}

/// The addresses of this database come from the branch of the first start: another one would continue their numbers.
///
/// # Errors
/// A sentence for the operator.
pub async fn check_branch(context: &Context) -> anyhow::Result<()> {
    let Some(chain) = context.part::<Chain>() else {
        return Ok(());
    };
    let Some(keys) = &chain.deposits else {
        return Ok(());
    };
    let first = keys
        .address(0)
        .ok_or_else(|| anyhow::anyhow!("the deposit key makes no addresses"))?;
    let fingerprint: [u8; 32] = Sha256::digest(first.as_slice()).into();
    let id = i64::try_from(chain.client.id())?;
    if store::branch(context.db.pool(), &fingerprint, id, context.now()).await? {
        return Ok(());
    }
    let name = match context.world {
        World::Production => "ARBORA_DEPOSIT_XPUB",
        World::Demo => "the deposit seed in the secrets folder",
    };
    anyhow::bail!("{name} is not the one that this database's deposit addresses came from")
}

/// A limit as a sentence shows it: without decimals that say nothing.
fn whole(limit: Usdt) -> String {
    let text = limit.to_string();
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
