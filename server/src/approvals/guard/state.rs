//! What stands between a person and outgoing money right now, for forms that say it before somebody types.

use super::{limits, own_standing, trading, usdt};
use crate::{
    approvals::{compliance::Pause, routes::CodeMethod},
    error::Error,
    foundation::{context::Context, locale::Locale},
    identity::{caller::Caller, service as identity},
};
use protocol::money::Usdt;
use serde::Serialize;
use time::OffsetDateTime;

/// A hold with its end.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HoldView {
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
    /// In the caller's language.
    pub reason: String,
    pub reason_code: String,
}

/// A pause with its day of review.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PausedView {
    pub reason: String,
    #[serde(with = "time::serde::rfc3339")]
    pub review_at: OffsetDateTime,
}

impl From<Pause> for PausedView {
    fn from(pause: Pause) -> Self {
        Self {
            reason: pause.reason,
            review_at: pause.review_at,
        }
    }
}

/// One's own state.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OutboundState {
    /// What a code dialog asks for.
    pub factor: CodeMethod,
    pub hold: Option<HoldView>,
    pub pause: Option<PausedView>,
    /// What is owed; zero when nothing is.
    pub debt: Usdt,
    /// What may leave now: `available` without young PIX money.
    pub spendable: Usdt,
    pub young: Usdt,
    #[serde(with = "time::serde::rfc3339::option")]
    pub young_until: Option<OffsetDateTime>,
    /// The platform's limits, or one's own below them.
    pub per_transaction: Usdt,
    pub per_day: Usdt,
    /// What is left of the last 24 hours.
    pub left_today: Usdt,
    pub transfer_fee: Usdt,
    pub whitelist_on: bool,
    /// Orders of PYX must be at the anchors of the book (`fairBuy`, `fairSell`) or better: the whitelist or a limit of one's own is on.
    pub orders_bound: bool,
}

/// One's own state.
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(context: &Context, caller: &Caller) -> Result<OutboundState, Error> {
    let user = caller.user;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let in_force = context.settings.within(&mut tx).await?;
    let settings = &in_force.settings;
    let account = identity::account_within(&mut tx, user).await?;
    let hold = identity::hold_of(&account, now).map(|(until, code)| {
        let code = caller.hold_reason(code);
        HoldView {
            until,
            reason: Locale::current().text("holds", code).to_owned(),
            reason_code: code.to_owned(),
        }
    });
    let standing = own_standing(&mut tx, user).await?;
    tx.rollback().await?;
    let (per_transaction, per_day) = limits(&standing, settings, now);
    let orders_bound = trading::bound(&standing, now);
    Ok(OutboundState {
        factor: if account.totp_secret.is_some() {
            CodeMethod::App
        } else {
            CodeMethod::Email
        },
        hold,
        debt: -usdt(standing.debt)?,
        spendable: (usdt(standing.available)? - standing.young).max(Usdt::ZERO),
        young: standing.young,
        young_until: standing.young_until,
        per_transaction,
        per_day,
        left_today: (per_day - standing.used).max(Usdt::ZERO),
        transfer_fee: settings.transfer_fee,
        whitelist_on: standing.listed,
        orders_bound,
        pause: standing.pause.map(Into::into),
    })
}
