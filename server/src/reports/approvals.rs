//! What a decision would come to if the caller approved now: asked before the press, answered by the rule that the decision follows.

use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Approver, Waiting},
    },
    error::{Error, ErrorBody},
    foundation::{context::Context, transaction::Tx},
    identity::caller::Caller,
    payouts::decisions,
    pix,
    pix::withdrawals::Pix,
    pools, sponsorship, transfers, treasury, wallet,
    wallet::graduation_bonuses::GraduationBonus,
    wallet::withdrawals::Crypto,
};
use actix_web::{get, web};
use protocol::{ErrorCode, Permission, ids::UserId, money::Usdt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// What is about to be decided on, or ordered.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct PreviewParams {
    /// `pix_deposit`, `pix_withdrawal`, `crypto_withdrawal`, `crypto_deposit`, `sponsorship`, `transfer`, `pool_revenue`,
    /// `declared_holdings`, `graduation_bonus`.
    pub kind: String,
    /// Of what waits; none for an order that is about to be given.
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
    let kind = Kind::ALL
        .into_iter()
        .find(|kind| kind.as_str() == params.kind)
        .ok_or_else(|| invalid("kind"))?;
    // Read as the decision reads, with the thing's row kept, and nothing written.
    let mut tx = context.db.begin().await?;
    let waiting = match params.id {
        Some(id) => waiting(&context, &mut tx, &caller, kind, id, params.usdt).await?,
        None => Waiting {
            kind,
            id: Uuid::nil(),
            customer: params.customer,
            digest: [0; 32],
            usdt: params.usdt.ok_or_else(|| invalid("usdt"))?,
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
        _ => return Err(invalid("kind")),
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
