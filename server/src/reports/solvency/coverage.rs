//! What a withdrawal does to the coverage, for whoever decides on it.

use super::{read, store};
use crate::{
    error::{Error, ErrorBody},
    foundation::{context::Context, settings::percent_of},
    identity::caller::Caller,
};
use actix_web::{get, web};
use protocol::{ErrorCode, Permission, money::Usdt};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// How long sums are good: a queue is gone through row by row, and the books are large.
const FRESH: Duration = Duration::seconds(10);

/// What we hold and owe, at a moment.
#[derive(Clone, Copy)]
pub struct Sums {
    at: OffsetDateTime,
    pub held: Usdt,
    pub owed: Usdt,
    /// The chain was read.
    whole: bool,
}

impl Sums {
    /// Held of what is owed, in percent; none where nothing is owed or the chain was never read.
    #[must_use]
    pub fn percent(&self) -> Option<String> {
        self.without(Usdt::ZERO, Usdt::ZERO)
    }

    fn without(&self, leaves: Usdt, owed: Usdt) -> Option<String> {
        self.whole
            .then(|| percent_of(self.held - leaves, self.owed - owed))
            .flatten()
    }
}

/// The newest sums. Part of the context.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Option<Sums>>>);

/// The coverage as it is, and as it would be without the withdrawal's money.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutCoverage {
    #[serde(with = "time::serde::rfc3339")]
    pub as_of: OffsetDateTime,
    /// Percent with two decimals; none where nothing is owed or the chain was never read.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// What a withdrawal that waits would do to the coverage. Of PYX, which stand apart, their fee alone counts.
#[utoipa::path(tag = "reports", params(("kind" = String, Path, description = "`crypto` or `pix`"), ("id" = String, Path)), responses(
    (status = 200, body = PayoutCoverage), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/coverage/{kind}/{id}")]
pub async fn payout_coverage(
    context: web::Data<Context>,
    caller: Caller,
    path: web::Path<(String, String)>,
) -> Result<web::Json<PayoutCoverage>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let unknown = || Error::code(ErrorCode::RequestNotFound);
    let (kind, id) = path.into_inner();
    let id = Uuid::parse_str(&id).map_err(|_| unknown())?;
    let pool = context.db.pool();
    let payout = match kind.as_str() {
        "crypto" => store::crypto_payout(pool, id).await?,
        "pix" => store::pix_payout(pool, id).await?,
        _ => None,
    }
    .ok_or_else(unknown)?;
    let sums = sums(&context).await?;
    Ok(web::Json(PayoutCoverage {
        as_of: sums.at,
        before: sums.percent(),
        after: sums.without(payout.leaves, payout.owed),
    }))
}

/// The sums, at most ten seconds old.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sums(context: &Context) -> Result<Sums, Error> {
    let kept = context.part::<Kept>();
    let now = context.now();
    let old = kept.and_then(|k| *k.0.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(sums) = old.filter(|s| now - s.at < FRESH) {
        return Ok(sums);
    }
    let report = read(context).await?;
    let sums = Sums {
        at: report.as_of,
        held: report.held_total,
        owed: report.owed_total,
        whole: report.chain_read_at.is_some(),
    };
    if let Some(kept) = kept {
        *kept.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(sums);
    }
    Ok(sums)
}
