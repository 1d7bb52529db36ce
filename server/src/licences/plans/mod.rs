//! What is sold, as those who administer it see it. A plan's terms are never changed: another plan takes its place, so that what
//! was sold or ordered under the old one keeps its terms. Who may order that is the rulebook's to say.

mod store;

use super::rules;
use crate::{error::Error, foundation::transaction::Tx};
use protocol::{ErrorCode, ids::PlanId, money::Usdt};
use serde::Serialize;
use sqlx::PgPool;

pub(super) use store::sold;

/// A plan's terms; shares in parts per million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    pub value: Usdt,
    pub is_high_risk: bool,
    pub maximum_return_ppm: i64,
    pub network_ceiling_ppm: i64,
    pub allocation_factor: i64,
    pub active: bool,
}

/// A plan in the administration's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanRow {
    #[serde(rename = "_id")]
    pub id: PlanId,
    pub value: Usdt,
    pub is_high_risk: bool,
    /// Percent of the capital put in.
    pub maximum_return: String,
    /// Percent of the value.
    pub network_ceiling: String,
    pub allocation_factor: i64,
    pub active: bool,
    /// Active licences sold under exactly these terms, and what they cost together.
    pub licences: i64,
    pub sold: Usdt,
}

/// Plans that were not replaced: those on offer, then those taken off.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rows(pool: &PgPool) -> Result<Vec<PlanRow>, Error> {
    let found = store::rows(pool).await?;
    Ok(found
        .into_iter()
        .map(|(id, t, licences, sold)| PlanRow {
            id,
            value: t.value,
            is_high_risk: t.is_high_risk,
            maximum_return: rules::percent(t.maximum_return_ppm),
            network_ceiling: rules::percent(t.network_ceiling_ppm),
            allocation_factor: t.allocation_factor,
            active: t.active,
            licences,
            sold,
        })
        .collect())
}

/// A plan's terms, when it was not replaced.
///
/// # Errors
/// `plan.unknown`.
pub async fn terms(tx: &mut Tx, id: PlanId) -> Result<Terms, Error> {
    store::terms(tx.conn(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::PlanUnknown))
}

/// Puts a plan with these terms in the place of another, or beside all others; terms that are not on offer only take the other one
/// off sale. The caller has the approvals.
///
/// # Errors
/// `plan.unknown`, `plan.twice` when one of that value and risk is already on offer.
pub async fn put(tx: &mut Tx, old: Option<PlanId>, terms: &Terms) -> Result<PlanId, Error> {
    let now = tx.now();
    let id = PlanId::fresh();
    if let Some(old) = old.filter(|_| !terms.active) {
        if store::retire(tx.conn(), old).await? {
            return Ok(old);
        }
        return Err(Error::code(ErrorCode::PlanUnknown));
    }
    if let Some(old) = old
        && !store::retire(tx.conn(), old).await?
    {
        return Err(Error::code(ErrorCode::PlanUnknown));
    }
    store::insert(tx.conn(), id, terms, now).await?;
    if let Some(old) = old {
        store::replaced(tx.conn(), old, id).await?;
    }
    Ok(id)
}
