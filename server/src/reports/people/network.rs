//! A person's place in the network.

use super::store;
use crate::{
    affiliates::network::{
        model::{LegPoints, NetworkDashboard},
        service::dashboard,
    },
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{caller::Caller, people},
    licences::service as licences,
};
use actix_web::{get, web};
use protocol::{
    ErrorCode, Permission,
    ids::UserId,
    money::Usdt,
    views::{BinaryNeed, BonusKind, Rank},
};
use serde::Serialize;

/// A member above.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SponsorAbove {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    pub full_name: String,
    /// Steps up.
    pub level: i32,
    /// The root of the network.
    pub is_house: bool,
}

/// What one type of bonus brought, ever; what was taken back left out.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusOfType {
    pub kind: BonusKind,
    pub level: i16,
    pub count: i64,
    pub paid: Usdt,
    pub waiting: Usdt,
}

/// A leg.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct LegOfMember {
    /// Members at the last closing.
    pub members: i64,
    pub points: LegPoints,
}

/// A person's place in the network.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonNetwork {
    /// Who brought them, who brought those, up to the house; at most fifty.
    pub sponsors: Vec<SponsorAbove>,
    pub referrals: i64,
    pub active_referrals: i64,
    pub left: LegOfMember,
    pub right: LegOfMember,
    /// The day that was closed last: counts and carried points are of its end.
    pub closed_day: Option<String>,
    /// The network base: own capital at work now; only for those who hold `admin_permissions`.
    pub n: Option<Usdt>,
    /// The most that the base ever was; for the same people.
    pub highest_n: Option<Usdt>,
    pub rank: Option<Rank>,
    /// Points that were matched and paid, ever: what ranks count.
    pub paid_points: Usdt,
    pub binary_active: bool,
    pub binary_needs: Vec<BinaryNeed>,
    /// By type; only for those who hold `admin_permissions`.
    pub bonuses: Option<Vec<BonusOfType>>,
}

async fn member(context: &Context, user: UserId) -> Result<Option<NetworkDashboard>, Error> {
    match dashboard(context, user).await {
        Ok(found) => Ok(Some(found)),
        // No member yet.
        Err(error) if error.error_code() == ErrorCode::RequestNotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether matched points of somebody are paid, and what is missing for it.
pub(super) async fn binary(context: &Context, user: UserId) -> Result<(bool, Vec<BinaryNeed>), Error> {
    Ok(match member(context, user).await? {
        Some(found) => (found.tonight.binary_active, found.tonight.binary_needs),
        None => (
            false,
            vec![
                BinaryNeed::Activity,
                BinaryNeed::LeftReferral,
                BinaryNeed::RightReferral,
            ],
        ),
    })
}

/// A person's place in the network: who brought them, whom they brought, legs, rank, bonuses.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = PersonNetwork), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/user/{id}/network")]
pub async fn network(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<PersonNetwork>, Error> {
    caller.staff(Permission::UserView)?;
    let user = people::named(&context.db, &id).await?.id;
    let found = member(&context, user)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    let mut tx = context.db.snapshot().await?;
    let sponsors = store::sponsors(tx.conn(), user).await?;
    // Money is for those who decide about it.
    let (n, highest_n, bonuses) = if caller.permissions.holds(Permission::AdminPermissions) {
        (
            Some(licences::network_base(&mut tx, user).await?),
            Some(store::highest_base(tx.conn(), user).await?),
            Some(store::bonuses(tx.conn(), user).await?),
        )
    } else {
        (None, None, None)
    };
    tx.rollback().await?;
    Ok(web::Json(PersonNetwork {
        sponsors,
        referrals: found.referrals,
        active_referrals: found.active_referrals,
        left: LegOfMember {
            members: found.left_members,
            points: found.left,
        },
        right: LegOfMember {
            members: found.right_members,
            points: found.right,
        },
        closed_day: found.closed_day,
        n,
        highest_n,
        rank: found.rank,
        paid_points: found.paid_points,
        binary_active: found.tonight.binary_active,
        binary_needs: found.tonight.binary_needs,
        bonuses,
    }))
}
