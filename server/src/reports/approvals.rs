//! What a decision would come to if the caller approved now: asked before the press, answered by the rule that the decision follows. And the
//! first of two words taken back, whatever it is about: each room has its door for that.

use crate::{
    approvals::{
        compliance::{pauses, service as cases},
        grants,
        rules::{Kind, Persons},
        service::{self as approvals, Approver, Waiting},
    },
    error::{Error, ErrorBody},
    foundation::{context::Context, transaction::Tx},
    identity::caller::Caller,
    payouts::decisions,
    pix,
    pix::withdrawals::Pix,
    pools, presale,
    robots::{live, reversals},
    rulebook, sponsorship, transfers, treasury, wallet,
    wallet::graduation_bonuses::GraduationBonus,
    wallet::withdrawals::Crypto,
};
use actix_web::{HttpResponse, get, post, web};
use protocol::{ErrorCode, Permission, ids::UserId, money::Usdt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What is about to be decided on, or ordered.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PreviewParams {
    /// Any kind of decision (docs/rules/approvals.md#second-person).
    #[param(value_type = Kind)]
    pub kind: String,
    /// Of what waits; none for an order that is about to be given, and for the one stop of the hot wallet. One person's acts have none.
    pub id: Option<Uuid>,
    /// Whose money an order is about.
    pub customer: Option<UserId>,
    /// What an order is worth; what a deposit credits where who decides says it.
    pub usdt: Option<Usdt>,
}

/// Where a decision would stand after the caller's approval now.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalPreview {
    /// Approvals that it needs.
    pub needed: i16,
    /// With the caller's all are there: it takes effect at once.
    pub completes: bool,
    /// Who has approved of exactly this.
    pub given: Vec<Approver>,
}

/// How many approvals a decision needs if the caller approves now, and who has approved. It promises nothing: what others decide
/// meanwhile counts.
#[utoipa::path(tag = "reports", params(PreviewParams), responses(
    (status = 200, body = ApprovalPreview), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody),
    (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/approvals/preview")]
pub async fn preview(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<PreviewParams>,
) -> Result<web::Json<ApprovalPreview>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let params = params.into_inner();
    let kind = kind(&params.kind)?;
    // Read as the decision reads, with the thing's row kept, and nothing written.
    let mut tx = context.db.begin().await?;
    let waiting = match params.id {
        Some(id) if kind == Kind::PixUnpaid => {
            match decisions::unpaid::<Pix>(&context, &mut tx, caller.user, id.into()).await? {
                Some(waiting) => waiting,
                // Nobody else can have paid it: one's own word is enough.
                None => {
                    return Ok(web::Json(ApprovalPreview {
                        needed: 1,
                        completes: true,
                        given: Vec::new(),
                    }));
                }
            }
        }
        Some(id) => waiting(&context, &mut tx, &caller, kind, id, params.usdt).await?,
        None if kind == Kind::HotWallet => wallet::hot::service::waiting(&context, &mut tx).await?,
        None => Waiting {
            kind,
            id: Uuid::nil(),
            customer: params.customer,
            digest: [0; 32],
            usdt: match kind.persons() {
                Persons::ByAmount => params.usdt.ok_or_else(|| invalid("usdt"))?,
                Persons::One | Persons::Two => params.usdt.unwrap_or_default(),
            },
        },
    };
    let in_force = context.settings.within(&mut tx).await?;
    let (after, given) = approvals::preview(&mut tx, &in_force, &waiting, caller.user).await?;
    tx.rollback().await?;
    Ok(web::Json(ApprovalPreview {
        needed: after.needed,
        completes: after.is_complete(),
        given,
    }))
}

fn invalid(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

fn kind(word: &str) -> Result<Kind, Error> {
    Kind::ALL
        .into_iter()
        .find(|kind| kind.as_str() == word)
        .ok_or_else(|| invalid("kind"))
}

/// What waits under an id. Every kind is named: one that is added has to be.
async fn waiting(
    context: &Context,
    tx: &mut Tx,
    caller: &Caller,
    kind: Kind,
    id: Uuid,
    said: Option<Usdt>,
) -> Result<Waiting, Error> {
    let by = caller.user;
    let waiting = match kind {
        Kind::PixDeposit => pix::service::waiting(tx, by, id.into()).await?,
        Kind::PixWithdrawal => decisions::waiting::<Pix>(context, tx, by, id.into()).await?,
        Kind::CryptoWithdrawal => decisions::waiting::<Crypto>(context, tx, by, id.into()).await?,
        Kind::GraduationBonus => decisions::waiting::<GraduationBonus>(context, tx, by, id.into()).await?,
        Kind::CryptoDeposit => wallet::deposits::service::waiting(context, tx, by, id.into(), said).await?,
        Kind::Sponsorship => sponsorship::service::waiting(tx, id.into()).await?,
        Kind::Transfer => transfers::service::waiting(tx, id.into()).await?,
        Kind::PoolRevenue => pools::service::waiting(tx, id.into()).await?,
        Kind::DeclaredHoldings => treasury::service::waiting(tx, id.into()).await?,
        Kind::MoneySettings => money_settings(tx, id).await?,
        Kind::LiveTrading => live::switch::waiting(tx, id).await?,
        Kind::AdminGrant => admin_grant(tx, by, id).await?,
        Kind::PauseLift => pauses::waiting(tx, id.into()).await?,
        Kind::PixReversal => pix::reversal::waiting(tx, by, id.into()).await?,
        Kind::HeldBonus => cases::waiting(tx, id.into()).await?,
        Kind::HotWallet => hot_wallet(context, tx, id).await?,
        Kind::ResultReversal => reversals::waiting(tx, id).await?,
        Kind::PixUnpaid => decisions::unpaid::<Pix>(context, tx, by, id.into())
            .await?
            .ok_or_else(|| Error::code(ErrorCode::DecisionNoWord))?,
        // Done by one word, so that nothing waits.
        Kind::OutboundPause
        | Kind::PixPayment
        | Kind::PixKey
        | Kind::PixHolder
        | Kind::PayoutRetry
        | Kind::ManualKey => return Err(invalid("id")),
    };
    // Another amount than the one that was approved is approved anew.
    Ok(match said {
        Some(usdt) if kind == Kind::PixDeposit && usdt != waiting.usdt => Waiting {
            digest: [0; 32],
            usdt,
            ..waiting
        },
        _ => waiting,
    })
}

/// What is not there under one of two meanings of an id.
fn is_unknown(error: &Error) -> bool {
    error.error_code().status() == 404
}

/// A change of settings or plans, or a round of the pre-sale.
async fn money_settings(tx: &mut Tx, id: Uuid) -> Result<Waiting, Error> {
    match rulebook::service::waiting(tx, id.into()).await {
        Err(error) if is_unknown(&error) => presale::staff::waiting(tx, id.into()).await,
        found => found,
    }
}

/// A request, or the end of a freeze.
async fn admin_grant(tx: &mut Tx, by: UserId, id: Uuid) -> Result<Waiting, Error> {
    match grants::service::waiting(tx, by, id.into()).await {
        Err(error) if is_unknown(&error) => grants::freeze_waiting(tx, id.into()).await,
        found => found,
    }
}

async fn hot_wallet(context: &Context, tx: &mut Tx, id: Uuid) -> Result<Waiting, Error> {
    let waiting = wallet::hot::service::waiting(context, tx).await?;
    if waiting.id == id {
        Ok(waiting)
    } else {
        Err(Error::code(ErrorCode::RequestNotFound))
    }
}

/// Whose first word is taken back, of what.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WordBody {
    /// The kind of the decision.
    #[schema(value_type = Kind)]
    pub kind: String,
    /// Of what waits; none for the stop of the hot wallet.
    #[serde(default)]
    pub id: Option<Uuid>,
}

/// Takes back one's own word, the first of two, while a second one is awaited: what waits needs two again.
#[utoipa::path(tag = "approvals", security(("bearer" = [])), responses(
    (status = 204), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 409, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[post("/admin/approvals/take-back")]
pub async fn take_back(
    context: web::Data<Context>,
    caller: Caller,
    body: web::Json<WordBody>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let (kind, by) = (kind(&body.kind)?, caller.user);
    let mut tx = context.db.begin().await?;
    let id = match body.id {
        Some(id) => id,
        None if kind == Kind::HotWallet => Uuid::nil(),
        None => return Err(invalid("id")),
    };
    match kind {
        Kind::PixDeposit => pix::service::take_back(&mut tx, by, id.into()).await?,
        Kind::PixWithdrawal => decisions::take_back::<Pix>(&context, &mut tx, by, id.into()).await?,
        Kind::CryptoWithdrawal => decisions::take_back::<Crypto>(&context, &mut tx, by, id.into()).await?,
        Kind::GraduationBonus => {
            decisions::take_back::<GraduationBonus>(&context, &mut tx, by, id.into()).await?;
        }
        Kind::CryptoDeposit => {
            wallet::deposits::service::take_back(&context, &mut tx, by, id.into()).await?;
        }
        Kind::Sponsorship => sponsorship::service::take_back(&mut tx, by, id.into()).await?,
        Kind::Transfer => transfers::service::take_back(&mut tx, by, id.into()).await?,
        Kind::PoolRevenue => pools::service::take_back_word(&mut tx, by, id.into()).await?,
        Kind::DeclaredHoldings => treasury::service::take_back(&mut tx, by, id.into()).await?,
        Kind::PixReversal => pix::reversal::take_back_word(&mut tx, by, id.into()).await?,
        Kind::HeldBonus => cases::take_back(&mut tx, by, id.into()).await?,
        Kind::HotWallet => wallet::hot::service::take_back(&context, &mut tx, by).await?,
        Kind::ResultReversal => reversals::take_back_word(&mut tx, by, id).await?,
        // What shows the word asks for it; these keep no number of words.
        Kind::MoneySettings | Kind::LiveTrading | Kind::AdminGrant | Kind::PauseLift | Kind::PixUnpaid => {
            let waiting = waiting(&context, &mut tx, &caller, kind, id, None).await?;
            approvals::take_back(&mut tx, &waiting, by).await?;
        }
        Kind::OutboundPause
        | Kind::PixPayment
        | Kind::PixKey
        | Kind::PixHolder
        | Kind::PayoutRetry
        | Kind::ManualKey => return Err(invalid("kind")),
    }
    tx.commit().await?;
    Ok(HttpResponse::NoContent().finish())
}
