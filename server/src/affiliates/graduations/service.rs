//! Use cases of ranks.

use super::{
    rules,
    store::{self, Filter, Standing},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        http::{Meta, Paging},
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode,
    ids::{GraduationId, GraduationPayoutId, UserId},
    money::Usdt,
    views::{GraduationPayoutStatus, Rank, RankBonusState},
};
use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

/// A member's rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Graduation {
    pub name: Rank,
    #[serde(with = "time::serde::rfc3339::option")]
    pub reached_at: Option<OffsetDateTime>,
}

/// The next rank, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NextGraduation {
    pub name: Rank,
    /// Points that were matched and paid, ever; and how many the rank takes.
    pub points: Usdt,
    pub threshold: Usdt,
    pub missing: Usdt,
    /// The way from nothing to the threshold, in whole percent.
    pub progress: i64,
    /// What reaching it brings.
    pub bonus: Usdt,
}

/// A member's rank, and the next one; none after the last.
///
/// # Errors
/// Whatever the database refuses.
pub async fn progress(
    context: &Context,
    user: UserId,
) -> Result<(Option<Graduation>, Option<NextGraduation>), Error> {
    let settings = context.settings.current(context.now()).await?;
    let (points, number, reached_at) = store::standing(context.db.pool(), user)
        .await?
        .unwrap_or((0, 0, None));
    let rank = Rank::numbered(number).map(|name| Graduation { name, reached_at });
    let next = rules::next(number, Usdt(points), &settings.settings);
    Ok((rank, next))
}

/// A rank that somebody reached, with its bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraduationItem {
    #[serde(rename = "_id")]
    pub id: GraduationId,
    pub user: UserId,
    pub username: String,
    pub full_name: String,
    pub rank: Rank,
    /// Points that the rank took.
    pub threshold: Usdt,
    pub bonus: Usdt,
    /// An active account with an active licence, now.
    pub is_active: bool,
    /// Final on the chain and in the books.
    pub is_bonus_paid: bool,
    /// The transaction that pays it, from the moment it is signed; of a replaced one the newest.
    pub bonus_payment_hash: Option<String>,
    /// The last payment that was asked for.
    pub payment: Option<GraduationPayment>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub paid_at: Option<OffsetDateTime>,
    /// Its member closed their account and left it to the house.
    #[serde(with = "time::serde::rfc3339::option")]
    pub given_up_at: Option<OffsetDateTime>,
    /// The day whose closing reached it.
    pub business_day: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// The last payment of a rank's bonus that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraduationPayment {
    #[serde(rename = "_id")]
    pub id: GraduationPayoutId,
    pub status: GraduationPayoutStatus,
    pub approvals: i16,
    pub approvals_needed: i16,
    pub reason: Option<String>,
    /// Also of one that the chain refused.
    pub transaction: Option<String>,
    pub version: i64,
}

/// A rank that one reached oneself, with what became of its bonus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OwnGraduation {
    #[serde(rename = "_id")]
    pub id: GraduationId,
    pub rank: Rank,
    /// Points that the rank took.
    pub threshold: Usdt,
    pub bonus: Usdt,
    pub status: RankBonusState,
    /// The transaction that pays it, from the moment it is signed; of a replaced one the newest.
    pub bonus_payment_hash: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub paid_at: Option<OffsetDateTime>,
    /// The day whose closing reached it.
    pub business_day: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl From<GraduationItem> for OwnGraduation {
    fn from(item: GraduationItem) -> Self {
        use GraduationPayoutStatus::{Complete, Failed, Sent};
        let payment = item.payment.map(|payment| payment.status);
        let status = match payment {
            _ if item.is_bonus_paid => RankBonusState::Paid,
            _ if item.bonus.0 == 0 => RankBonusState::Empty,
            // On the chain, and not yet in the books.
            Some(Sent | Complete) => RankBonusState::Sent,
            Some(Failed) => RankBonusState::Failed,
            _ => RankBonusState::Waiting,
        };
        Self {
            id: item.id,
            rank: item.rank,
            threshold: item.threshold,
            bonus: item.bonus,
            status,
            bonus_payment_hash: item.bonus_payment_hash,
            paid_at: item.paid_at,
            business_day: item.business_day,
            created_at: item.created_at,
        }
    }
}

/// How often a rank was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraduationMetric {
    pub rank: Rank,
    pub count: i64,
    /// Of them, whose bonus is not paid yet.
    pub unpaid: i64,
    /// Paid and unpaid; what was given up is none of it.
    pub bonus: Usdt,
}

/// A page of reached ranks, with the metrics of all that the filters let through, most often first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct GraduationPage {
    pub data: Vec<GraduationItem>,
    pub meta: Meta,
    pub metrics: Vec<GraduationMetric>,
}

/// A member with a rank, or on the way to the first one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankedMember {
    #[serde(rename = "_id")]
    pub user: UserId,
    pub username: String,
    pub full_name: String,
    pub rank: Option<Rank>,
    /// Points that were matched and paid, ever.
    pub paid_points: Usdt,
    /// The next rank, and how far it is; none after the last.
    pub next: Option<NextGraduation>,
    pub is_active: bool,
}

/// How many stand at a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankCount {
    pub rank: Rank,
    pub count: i64,
}

/// A page of members with a rank or on the way to one, with how many stand at each rank, most first.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct RankedPage {
    pub data: Vec<RankedMember>,
    pub meta: Meta,
    pub metrics: Vec<RankCount>,
}

/// A rank's bonus, as whoever pays it needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    pub id: GraduationId,
    pub member: UserId,
    pub rank: Rank,
    pub amount: Usdt,
    /// The payment that is under way, or was made.
    pub payout: Option<GraduationPayoutId>,
}

/// A rank's bonus, locked: before the row of its payment, by whoever comes.
///
/// # Errors
/// `request.not_found`.
pub async fn lock(tx: &mut Tx, id: GraduationId) -> Result<Due, Error> {
    lock_row(tx.conn(), id).await
}

/// The same for a store that locks its own row next.
///
/// # Errors
/// `request.not_found`.
pub async fn lock_row(conn: &mut PgConnection, id: GraduationId) -> Result<Due, Error> {
    store::lock(conn, id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// Its payment was asked for. The database refuses a second one while this one has not ended.
///
/// # Errors
/// Whatever the database refuses.
pub async fn payment_begins(tx: &mut Tx, id: GraduationId, payout: GraduationPayoutId) -> Result<(), Error> {
    store::set_payout(tx.conn(), id, Some(payout)).await
}

/// Its payment has ended without having paid: it may be asked for anew.
///
/// # Errors
/// Whatever the database refuses.
pub async fn payment_ended(tx: &mut Tx, id: GraduationId) -> Result<(), Error> {
    store::set_payout(tx.conn(), id, None).await
}

/// It is paid, by this transaction on the chain, for good.
///
/// # Errors
/// Whatever the database refuses.
pub async fn paid(tx: &mut Tx, id: GraduationId, hash: &str) -> Result<(), Error> {
    let now = tx.now();
    store::set_paid(tx.conn(), id, hash, now).await
}

/// A member gives up the bonuses that nobody has asked to be paid: they leave, and say so. Their value stays in the fund.
///
/// # Errors
/// Whatever the database refuses.
pub async fn give_up(tx: &mut Tx, member: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::give_up(tx.conn(), member, now).await
}

/// Ranks that were reached.
///
/// # Errors
/// Whatever the database refuses.
pub async fn items(
    context: &Context,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<GraduationItem>, i64), Error> {
    store::items(context.db.pool(), filter, paging, sort).await
}

/// How often each rank was reached.
///
/// # Errors
/// Whatever the database refuses.
pub async fn metrics(context: &Context, filter: &Filter) -> Result<Vec<GraduationMetric>, Error> {
    store::metrics(context.db.pool(), filter).await
}

/// Members with a rank or on the way to the first one, each with the next one, as they see it themselves.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ranked(
    context: &Context,
    filter: &Standing,
    paging: &Paging,
) -> Result<(Vec<RankedMember>, i64), Error> {
    let settings = context.settings.current(context.now()).await?;
    store::members(context.db.pool(), filter, paging, &settings.settings).await
}

/// How many stand at each rank.
///
/// # Errors
/// Whatever the database refuses.
pub async fn counts(context: &Context, search: Option<&str>) -> Result<Vec<RankCount>, Error> {
    let counts = store::ranks(context.db.pool(), search).await?;
    Ok(counts
        .into_iter()
        .map(|(rank, count)| RankCount { rank, count })
        .collect())
}
