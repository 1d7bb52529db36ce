//! The sales behind a binary bonus: what was sold below its receiver on a leg since the match before, and the way down to a seller.
//!
//! With what that match left of the leg they are exactly the points that stood on it (docs/rules/affiliates.md#sales-of-a-binary-bonus).
//! Who stands below somebody is known of one member at a time (docs/decisions/0056-jump-pointers.md), so there are two ways, and each
//! costs at most so much: of a leg with few members, what each of them sold; of a larger one, of the newest sales of everybody those below
//! it. What a page has not looked at is behind the next one (2026-11-27).
//!
//! Where a page ends is sealed: numbers of rows count the sales of the whole house.

mod store;

pub use store::{OF_DAYS, OF_MEMBERS};

use super::{BonusLicence, store as bonuses};
use crate::{
    affiliates::{
        network::{self, Node, way},
        rules::Leg,
    },
    error::{Error, ErrorBody},
    foundation::{
        context::{Context, Keys},
        http::given,
    },
    identity::{
        caller::{Caller, Scope},
        secrets,
    },
};
use actix_web::{get, web};
use data_encoding::BASE64URL_NOPAD;
use protocol::{
    ErrorCode, Permission,
    ids::{BonusId, UserId},
    money::Usdt,
    views::BonusKind,
};
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use store::Range;
use time::Date;

/// How much one page may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Members of a leg whose sales are looked up one by one.
    pub members: i64,
    /// Sales of everybody that are looked at for a larger leg.
    pub looked: i64,
    /// Sales of a page.
    pub page: i64,
}

pub const BOUNDS: Bounds = Bounds {
    members: 2_000,
    looked: 2_000,
    page: 20,
};
/// Names at each end of a way down; what lies between them is counted.
const NAMES: i64 = 10;

/// A sale below the receiver, or what was taken back of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusSale {
    /// 1 is the newest of the leg.
    pub place: i64,
    /// Who bought.
    pub member: UserId,
    pub username: String,
    /// Below zero: of a sale that was taken back.
    pub points: Usdt,
    /// The closing that counted it.
    pub business_day: String,
    /// For staff alone.
    pub licence: Option<BonusLicence>,
}

/// Some of the sales on a leg, the newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusSales {
    pub data: Vec<BonusSale>,
    /// What the next page is asked with (`after`); none when this is the last one. A page may be short, or empty, before the last one.
    pub next: Option<String>,
    /// Back to which day sales have been looked at, while there is more.
    pub through: Option<String>,
}

/// The way from the receiver of a binary bonus down the binary tree to somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusPlacement {
    pub leg: Leg,
    /// Usernames from the receiver on.
    pub path: Vec<String>,
    /// How many stand between these and the last ones.
    pub between: i64,
    /// The last usernames, down to the seller; empty where `path` reaches that far.
    pub last: Vec<String>,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SalesParams {
    pub leg: Leg,
    /// `next` of the page before.
    #[serde(default)]
    #[param(max_length = 200)]
    pub after: Option<String>,
}

/// What was sold below oneself on a leg, since the match before that of one's own binary bonus.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path), SalesParams), responses(
    (status = 200, body = BonusSales), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/affiliates/bonus-log/{bonus}/sales")]
pub async fn own_sales(
    context: web::Data<Context>,
    caller: Caller,
    bonus: web::Path<BonusId>,
    params: web::Query<SalesParams>,
) -> Result<web::Json<BonusSales>, Error> {
    let after = given(params.after.as_deref());
    let page = page(&context, caller.own(), *bonus, params.leg, after, BOUNDS).await?;
    Ok(web::Json(page))
}

/// What was sold below the receiver of a binary bonus on a leg, since the match before.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path), SalesParams), responses(
    (status = 200, body = BonusSales), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/bonus-report/{bonus}/sales")]
pub async fn any_sales(
    context: web::Data<Context>,
    caller: Caller,
    bonus: web::Path<BonusId>,
    params: web::Query<SalesParams>,
) -> Result<web::Json<BonusSales>, Error> {
    let scope = caller.staff(Permission::AdminPermissions)?;
    let after = given(params.after.as_deref());
    let page = page(&context, scope, *bonus, params.leg, after, BOUNDS).await?;
    Ok(web::Json(page))
}

/// The way from oneself down the binary tree to somebody who stands below.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path), ("member" = UserId, Path)), responses(
    (status = 200, body = BonusPlacement), (status = 404, body = ErrorBody)))]
#[get("/affiliates/bonus-log/{bonus}/path/{member}")]
pub async fn own_placement(
    context: web::Data<Context>,
    caller: Caller,
    path: web::Path<(BonusId, UserId)>,
) -> Result<web::Json<BonusPlacement>, Error> {
    let (bonus, member) = path.into_inner();
    Ok(web::Json(placement(&context, caller.own(), bonus, member).await?))
}

/// The way from the receiver of a binary bonus down the binary tree to somebody who stands below.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path), ("member" = UserId, Path)), responses(
    (status = 200, body = BonusPlacement), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/bonus-report/{bonus}/path/{member}")]
pub async fn any_placement(
    context: web::Data<Context>,
    caller: Caller,
    path: web::Path<(BonusId, UserId)>,
) -> Result<web::Json<BonusPlacement>, Error> {
    let scope = caller.staff(Permission::AdminPermissions)?;
    let (bonus, member) = path.into_inner();
    Ok(web::Json(placement(&context, scope, bonus, member).await?))
}

/// Where a page ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    day: Date,
    id: i64,
    /// Sales that have been shown.
    shown: i64,
}

impl End {
    /// It opens for the same bonus and leg only.
    fn of(bonus: BonusId, leg: Leg) -> String {
        format!("bonus-sales:{bonus}:{}", leg.as_str())
    }

    fn seal(self, keys: &Keys, bonus: BonusId, leg: Leg) -> Result<String, Error> {
        let mut bytes = self.day.to_julian_day().to_be_bytes().to_vec();
        bytes.extend_from_slice(&self.id.to_be_bytes());
        bytes.extend_from_slice(&self.shown.to_be_bytes());
        let sealed = secrets::seal(keys, Self::of(bonus, leg).as_bytes(), &bytes)?;
        Ok(BASE64URL_NOPAD.encode(&sealed))
    }

    fn open(keys: &Keys, bonus: BonusId, leg: Leg, text: &str) -> Option<Self> {
        let sealed = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let bytes = secrets::open(keys, Self::of(bonus, leg).as_bytes(), &sealed).ok()?;
        let (day, rest) = bytes.split_first_chunk::<4>()?;
        let (id, rest) = rest.split_first_chunk::<8>()?;
        let (shown, _) = rest.split_first_chunk::<8>()?;
        Some(Self {
            day: Date::from_julian_day(i32::from_be_bytes(*day)).ok()?,
            id: i64::from_be_bytes(*id),
            shown: i64::from_be_bytes(*shown),
        })
    }
}

/// What was matched: the receiver, and the days whose sales have come since the match before.
struct Matched {
    receiver: Node,
    day: Date,
    since: Option<Date>,
}

fn unknown() -> Error {
    Error::code(ErrorCode::RequestNotFound)
}

async fn matched(conn: &mut PgConnection, bonus: BonusId, scope: Scope) -> Result<Matched, Error> {
    let head = bonuses::head(conn, bonus, scope).await?.ok_or_else(unknown)?;
    if head.kind != BonusKind::Binary {
        return Err(unknown());
    }
    let legs = bonuses::legs(conn, head.cause, head.receiver)
        .await?
        .ok_or_else(unknown)?;
    Ok(Matched {
        receiver: network::node(conn, head.receiver).await?.ok_or_else(unknown)?,
        day: head.business_day,
        since: legs.since,
    })
}

/// A page of the sales on a leg.
///
/// # Errors
/// `request.not_found` for a bonus that the scope does not reach, or that is not binary; `request.invalid` at `after`.
pub async fn page(
    context: &Context,
    scope: Scope,
    bonus: BonusId,
    leg: Leg,
    after: Option<&str>,
    bounds: Bounds,
) -> Result<BonusSales, Error> {
    let wrong = || Error::code(ErrorCode::RequestInvalid).field("after", ErrorCode::RequestInvalid);
    let from = after
        .map(|text| End::open(&context.keys, bonus, leg, text).ok_or_else(wrong))
        .transpose()?;
    let mut tx = context.db.snapshot().await?;
    let of = matched(tx.conn(), bonus, scope).await?;
    let (rows, end) = read(tx.conn(), &of, leg, from, bounds).await?;
    tx.rollback().await?;
    let staff = scope.owner().is_none();
    let shown = from.map_or(0, |end| end.shown);
    let data = (shown + 1..)
        .zip(rows)
        .map(|(place, row)| BonusSale {
            place,
            member: row.member(),
            points: row.points(),
            business_day: row.business_day.to_string(),
            licence: row.licence().filter(|_| staff),
            username: row.username,
        })
        .collect();
    Ok(BonusSales {
        data,
        next: end.map(|end| end.seal(&context.keys, bonus, leg)).transpose()?,
        through: end.map(|end| end.day.to_string()),
    })
}

/// The sales of a page, and where it ends if it is not the last one.
async fn read(
    conn: &mut PgConnection,
    of: &Matched,
    leg: Leg,
    from: Option<End>,
    bounds: Bounds,
) -> Result<(Vec<store::Row>, Option<End>), Error> {
    let Some(child) = store::child(conn, of.receiver.no, leg == Leg::Right).await? else {
        return Ok((Vec::new(), None));
    };
    let next_day = of
        .day
        .next_day()
        .ok_or_else(|| Error::internal("the last day of time"))?;
    let range = Range {
        after: of.since,
        below: from.map_or((next_day, 0), |end| (end.day, end.id)),
    };
    let team = store::team(conn, child, bounds.members + 1).await?;
    let few = i64::try_from(team.len()).is_ok_and(|count| count <= bounds.members);
    // One more says whether there is more.
    let mut rows = if few {
        store::of_members(conn, &team, range, bounds.page + 1).await?
    } else {
        let branch = (of.receiver.no, child);
        store::of_days(conn, branch, range, bounds.looked, bounds.page + 1).await?
    };
    let full = usize::try_from(bounds.page).unwrap_or(usize::MAX);
    let more = rows.len() > full;
    rows.truncate(full);
    let shown = from.map_or(0, |end| end.shown) + i64::try_from(rows.len()).unwrap_or(0);
    let at = if more {
        rows.last().map(|row| (row.business_day, row.id))
    } else if few {
        None
    } else {
        store::last_looked(conn, range, bounds.looked).await?
    };
    let end = at.map(|(day, id)| End { day, id, shown });
    Ok((rows, end))
}

/// The way down to somebody, of no more names than fit on a screen however deep it is.
///
/// # Errors
/// `request.not_found` for a bonus that the scope does not reach, or that is not binary; `user.unknown` for whoever does not stand below
/// its receiver.
pub async fn placement(
    context: &Context,
    scope: Scope,
    bonus: BonusId,
    member: UserId,
) -> Result<BonusPlacement, Error> {
    let mut tx = context.db.snapshot().await?;
    let top = matched(tx.conn(), bonus, scope).await?.receiver;
    let below = store::below(tx.conn(), member, top.no)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))?;
    let way = way::down(tx.conn(), below.no, (below.top, below.depth), NAMES).await?;
    tx.rollback().await?;
    Ok(BonusPlacement {
        leg: network::leg(below.on_right),
        path: way.path,
        between: way.between,
        last: way.last,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    #[test]
    fn an_end_opens_for_its_bonus_and_leg_only() {
        let keys = Keys::of_installation(2);
        let (one, other) = (BonusId::fresh(), BonusId::fresh());
        let end = End {
            day: date!(2026 - 11 - 27),
            id: 4_711,
            shown: 20,
        };
        let text = end.seal(&keys, one, Leg::Left).unwrap();
        assert!(text.len() <= 200);
        assert_eq!(End::open(&keys, one, Leg::Left, &text), Some(end));
        assert_eq!(End::open(&keys, one, Leg::Right, &text), None);
        assert_eq!(End::open(&keys, other, Leg::Left, &text), None);
        for wrong in ["", "?", "AAAA", &text[1..]] {
            assert_eq!(End::open(&keys, one, Leg::Left, wrong), None);
        }
    }
}
