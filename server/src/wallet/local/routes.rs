//! Play money over HTTP. Exists only in a demo on its own chain; a production router has no such call.

use super::Faucet;
use crate::{
    error::{Error, ErrorBody},
    foundation::{amounts::WrittenAmount, context::Context, settings::Settings},
    identity::caller::Caller,
    wallet::{
        chain::{ChainError, Coin, address, wei},
        deposits::{rates, rules, store},
        intents::service as intents,
    },
};
use actix_web::{post, web};
use alloy::primitives::{Address, U256};
use protocol::{ErrorCode, ids::ChainDepositId, money::Usdt};
use serde::{Deserialize, Serialize};

pub fn configure(cfg: &mut utoipa_actix_web::service_config::ServiceConfig) {
    cfg.service(give);
}

/// Most that is given at once, in whole coins.
const MOST: Usdt = Usdt::whole(1_000_000);
/// What a BNB is taken for while the market is silent.
const BNB: Usdt = Usdt::whole(600);

/// Either one's own deposit, which is paid (all that is missing, or `value`), or an address with a coin and a value.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FaucetOrder {
    #[serde(default)]
    pub deposit: Option<ChainDepositId>,
    #[serde(default)]
    pub address: Option<String>,
    #[serde(default)]
    pub coin: Option<Coin>,
    /// In whole coins, at most six decimals.
    #[serde(default)]
    pub value: Option<WrittenAmount>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FaucetAnswer {
    /// Hash of the payment.
    pub transaction: String,
}

fn wrong(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

fn coins(text: &str) -> Result<U256, Error> {
    let bad = |code| Error::code(code).field("value", code);
    let value: Usdt = text.parse().map_err(|_| bad(ErrorCode::AmountInvalid))?;
    if !value.is_positive() {
        return Err(bad(ErrorCode::AmountNotPositive));
    }
    if value > MOST {
        return Err(bad(ErrorCode::AmountInvalid));
    }
    Ok(wei::of(value.0))
}

/// What one's own deposit still waits for.
async fn missing(
    context: &Context,
    caller: &Caller,
    settings: &Settings,
    id: ChainDepositId,
) -> Result<(Coin, Address, U256), Error> {
    let mut tx = context.db.begin().await?;
    let deposit = store::lock(tx.conn(), caller.own(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    tx.rollback().await?;
    let coin = deposit.coin.ok_or_else(|| wrong("deposit"))?;
    let to = intents::chain(context)?
        .deposits
        .as_ref()
        .and_then(|keys| u32::try_from(deposit.address).ok().and_then(|n| keys.address(n)))
        .ok_or_else(|| Error::code(ErrorCode::ChainUnavailable))?;
    let due = match (deposit.due, deposit.value) {
        (Some(due), _) => due.saturating_sub(deposit.received).saturating_sub(deposit.seen),
        (None, Some(value)) => {
            let usdt = rules::due(value, settings).ok_or_else(|| wrong("deposit"))?;
            let rate = rates::current(context, coin).unwrap_or(match coin {
                Coin::Bnb => BNB,
                _ => Usdt::whole(1),
            });
            // Rounded up to a hundred-thousandth of a coin.
            let grain = U256::from(10u64).pow(U256::from(13));
            let exact = wei::of(usdt.0) * U256::from(1_000_000u64) / wei::of(rate.0).max(U256::from(1))
                * U256::from(10u64).pow(U256::from(12));
            exact.div_ceil(grain) * grain
        }
        _ => U256::ZERO,
    };
    if due.is_zero() {
        return Err(Error::code(ErrorCode::DepositState));
    }
    Ok((coin, to, due))
}

/// Gives play money: pays one's own deposit, or fills any address.
#[utoipa::path(tag = "wallet", responses((status = 200, body = FaucetAnswer), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 503, body = ErrorBody)))]
#[post("/dev/faucet")]
pub async fn give(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<FaucetOrder>,
) -> Result<web::Json<FaucetAnswer>, Error> {
    let faucet = context
        .part::<Faucet>()
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    let settings = context.settings.current(context.now()).await?;
    let given = body.value.as_deref().map(coins).transpose()?;
    let (coin, to, due) = match (&body.deposit, &body.address) {
        (Some(id), None) => missing(&context, &caller, &settings.settings, *id).await?,
        (None, Some(text)) => (
            body.coin.ok_or_else(|| wrong("coin"))?,
            address::read(text).ok_or_else(|| wrong("address"))?,
            given.ok_or_else(|| wrong("value"))?,
        ),
        _ => return Err(wrong("deposit")),
    };
    let paid = faucet.give(coin, to, given.unwrap_or(due)).await;
    let transaction = paid.map_err(|error: ChainError| {
        tracing::warn!(%error, "the faucet gave nothing");
        Error::code(ErrorCode::ChainUnavailable).retry_after(5)
    })?;
    Ok(web::Json(FaucetAnswer {
        transaction: transaction.to_string(),
    }))
}
