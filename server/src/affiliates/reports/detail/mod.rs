//! One bonus whole: what it follows from, the path of sponsors down to there, its place in the fund's line, the movements that paid it.

pub mod sales;
mod store;

use crate::{
    affiliates::{bonuses, network},
    error::{Error, ErrorBody},
    foundation::{context::Context, transaction::Tx},
    identity::caller::{Caller, Scope},
};
use actix_web::{get, web};
use protocol::{
    ErrorCode, Permission,
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::Usdt,
    views::{BonusKind, BonusView, Mode},
};
use serde::Serialize;
use time::OffsetDateTime;

/// The licence that was sold, or to which capital was allocated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusLicence {
    #[serde(rename = "_id")]
    pub id: LicenceId,
    pub number: i32,
    pub value: Usdt,
}

/// What stood on both legs of the receiver when they were matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusMatch {
    pub left_points: Usdt,
    pub right_points: Usdt,
    pub matched: Usdt,
    /// Matched points that were not paid.
    pub lost: Usdt,
    /// The day of the match before; none when this was the first.
    pub since: Option<String>,
    /// What that match left on each leg; all else was sold since then: `{bonus}/sales`.
    pub left_carried: Usdt,
    pub right_carried: Usdt,
    /// The bonus of that match.
    pub before: Option<BonusId>,
}

impl From<store::Legs> for BonusMatch {
    fn from(legs: store::Legs) -> Self {
        Self {
            left_points: Usdt(legs.left),
            right_points: Usdt(legs.right),
            matched: Usdt(legs.matched),
            lost: Usdt(legs.lost),
            since: legs.since.map(|day| day.to_string()),
            left_carried: Usdt(legs.left_carried),
            right_carried: Usdt(legs.right_carried),
            before: legs.before,
        }
    }
}

/// What a robot brought on the business day of a residual bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusRobot {
    pub licence: BonusLicence,
    pub mode: Mode,
    /// Of booked operations.
    pub gain: Usdt,
    pub loss: Usdt,
    pub operations: i64,
}

/// What a residual bonus was reckoned from. A day that is closed stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusResults {
    /// Whose robots they are.
    pub member: UserId,
    pub robots: Vec<BonusRobot>,
    /// Gains less losses of all of them.
    pub result: Usdt,
    /// Losses of earlier days that were set off; what is left is the bonus's base.
    pub set_off: Usdt,
}

/// A deferred bonus in the fund's line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusPlace {
    /// 1 is the next.
    pub place: i64,
    /// What the fund owes those before it.
    pub ahead: Usdt,
}

/// A movement of the ledger that paid of a bonus, or took of it back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct BonusMovement {
    /// `GET /statement/{transfer}` tells it whole to its receiver.
    pub transfer: TransferId,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// `bonus` or `claw_back`.
    pub kind: String,
    /// Of this bonus: below zero what went back.
    pub amount: Usdt,
    /// One movement of a closing, with other bonuses in it.
    pub together: bool,
}

/// A bonus with all that it follows from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BonusDetail {
    pub bonus: BonusView,
    pub receiver: UserId,
    /// The receiver's.
    pub username: String,
    /// The settings that said the percentage.
    pub settings_version: i32,
    /// When the sale was final, the capital was allocated or the closing began.
    #[serde(with = "time::serde::rfc3339")]
    pub caused_at: OffsetDateTime,
    /// For staff alone.
    pub licence: Option<BonusLicence>,
    /// Usernames down the sponsor tree, from the receiver to whom it comes from; empty for a binary bonus.
    pub path: Vec<String>,
    /// Of a binary bonus.
    pub legs: Option<BonusMatch>,
    /// Of a residual bonus, for staff alone.
    pub results: Option<BonusResults>,
    /// While a part of it waits.
    pub line: Option<BonusPlace>,
    /// Oldest first.
    pub movements: Vec<BonusMovement>,
}

/// One of one's own bonuses, with what it follows from.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path)), responses(
    (status = 200, body = BonusDetail), (status = 404, body = ErrorBody)))]
#[get("/affiliates/bonus-log/{bonus}")]
pub async fn own_bonus(
    context: web::Data<Context>,
    caller: Caller,
    bonus: web::Path<BonusId>,
) -> Result<web::Json<BonusDetail>, Error> {
    Ok(web::Json(read(&context, caller.own(), *bonus).await?))
}

/// Anybody's bonus, with what it follows from.
#[utoipa::path(tag = "affiliates", security(("bearer" = [])), params(("bonus" = BonusId, Path)), responses(
    (status = 200, body = BonusDetail), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/bonus-report/{bonus}")]
pub async fn any_bonus(
    context: web::Data<Context>,
    caller: Caller,
    bonus: web::Path<BonusId>,
) -> Result<web::Json<BonusDetail>, Error> {
    let scope = caller.staff(Permission::AdminPermissions)?;
    Ok(web::Json(read(&context, scope, *bonus).await?))
}

/// A bonus whole.
///
/// # Errors
/// `request.not_found` for one that the scope does not reach.
pub async fn read(context: &Context, scope: Scope, id: BonusId) -> Result<BonusDetail, Error> {
    let mut tx = context.db.snapshot().await?;
    let now = tx.now();
    let unknown = || Error::code(ErrorCode::RequestNotFound);
    let head = store::head(tx.conn(), id, scope).await?.ok_or_else(unknown)?;
    let row = bonuses::store::rows(tx.conn(), &[id.0])
        .await?
        .pop()
        .ok_or_else(unknown)?;
    let bonus = bonuses::rules::view(row, now);
    let path = match head.source {
        Some(source) => store::path(tx.conn(), source, bonus.level).await?,
        None => Vec::new(),
    };
    let legs = match bonus.kind {
        BonusKind::Binary => store::legs(tx.conn(), head.cause, head.receiver).await?,
        _ => None,
    };
    let results = match head.source.filter(|_| scope.owner().is_none()) {
        Some(source) if bonus.kind == BonusKind::Residual => {
            let modes = network::modes(context.world);
            let robots = store::robots(tx.conn(), source, head.business_day, modes).await?;
            Some(results(source, robots, bonus.base))
        }
        _ => None,
    };
    let line = if bonus.waiting.is_positive() {
        Some(store::line(tx.conn(), id).await?)
    } else {
        None
    };
    let movements = movements(&mut tx, id, &head, &bonus).await?;
    tx.rollback().await?;
    Ok(BonusDetail {
        bonus,
        receiver: head.receiver,
        username: head.username,
        settings_version: head.settings_version,
        caused_at: head.caused_at,
        licence: head.licence.filter(|_| scope.owner().is_none()),
        path,
        legs: legs.map(Into::into),
        results,
        line,
        movements,
    })
}

fn results(member: UserId, robots: Vec<BonusRobot>, base: Usdt) -> BonusResults {
    let result: Usdt = robots.iter().map(|robot| robot.gain - robot.loss).sum();
    BonusResults {
        member,
        robots,
        result,
        set_off: result - base,
    }
}

/// The movements of a bonus: its own, and of what a closing paid at once the one in which it was booked with others.
async fn movements(
    tx: &mut Tx,
    id: BonusId,
    head: &store::Head,
    bonus: &BonusView,
) -> Result<Vec<BonusMovement>, Error> {
    let own = store::movements(tx.conn(), id, head.receiver).await?;
    let parts: Usdt = own.iter().filter(|m| m.kind == "bonus").map(|m| m.amount).sum();
    let at_once = bonus.paid - parts;
    let mut all = Vec::new();
    if at_once.is_positive() {
        let booked =
            store::booked_with_others(tx.conn(), head.cause, bonus.kind, head.receiver, head.source).await?;
        all.extend(booked.map(|(transfer, at)| BonusMovement {
            transfer,
            at,
            kind: "bonus".to_owned(),
            amount: at_once,
            together: true,
        }));
    }
    all.extend(own);
    Ok(all)
}
