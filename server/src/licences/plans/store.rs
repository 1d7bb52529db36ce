//! SQL of the plans' administration.

use super::Terms;
use crate::{
    error::{Error, violates},
    licences::store::Plan,
};
use protocol::{ErrorCode, ids::PlanId, money::Usdt};
use sqlx::{PgConnection, PgPool};
use time::OffsetDateTime;

/// Plans that were not replaced, with the active licences sold under them.
pub async fn rows(pool: &PgPool) -> Result<Vec<(PlanId, Terms, i64, Usdt)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT p.id, p.value, p.is_high_risk, p.maximum_return_ppm, p.network_ceiling_ppm, p.allocation_factor, p.active,
                  coalesce(s.count, 0) AS "count!", foundation.clamped(coalesce(s.sold, 0)) AS "sold!"
           FROM licences.plan p
           LEFT JOIN (SELECT plan, count(*) AS count, sum(value) AS sold FROM licences.licence WHERE state = 'active' GROUP BY plan) s ON s.plan = p.id
           WHERE p.replaced_by IS NULL ORDER BY p.active DESC, p.is_high_risk, p.value, p.id"#
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let terms = Terms {
                value: Usdt(r.value),
                is_high_risk: r.is_high_risk,
                maximum_return_ppm: r.maximum_return_ppm,
                network_ceiling_ppm: r.network_ceiling_ppm,
                allocation_factor: r.allocation_factor,
                active: r.active,
            };
            (PlanId(r.id), terms, r.count, Usdt(r.sold))
        })
        .collect())
}

/// The terms of a plan that was not replaced, locked.
pub async fn terms(conn: &mut PgConnection, id: PlanId) -> Result<Option<Terms>, Error> {
    let row = sqlx::query!(
        "SELECT value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor, active
         FROM licences.plan WHERE id = $1 AND replaced_by IS NULL",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Terms {
        value: Usdt(r.value),
        is_high_risk: r.is_high_risk,
        maximum_return_ppm: r.maximum_return_ppm,
        network_ceiling_ppm: r.network_ceiling_ppm,
        allocation_factor: r.allocation_factor,
        active: r.active,
    }))
}

/// Takes a plan off sale; false when it is gone already.
pub async fn retire(conn: &mut PgConnection, id: PlanId) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE licences.plan SET active = false WHERE id = $1 AND replaced_by IS NULL",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn replaced(conn: &mut PgConnection, old: PlanId, new: PlanId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE licences.plan SET replaced_by = $2 WHERE id = $1",
        old.0,
        new.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn insert(
    conn: &mut PgConnection,
    id: PlanId,
    terms: &Terms,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO licences.plan (id, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor, active, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id.0,
        terms.value.0,
        terms.is_high_risk,
        terms.maximum_return_ppm,
        terms.network_ceiling_ppm,
        terms.allocation_factor,
        terms.active,
        now
    )
    .execute(conn)
    .await
    .map_err(|error| {
        if violates(&error, "plan_offered") {
            Error::code(ErrorCode::PlanTwice).field("value", ErrorCode::PlanTwice)
        } else {
            error.into()
        }
    })?;
    Ok(())
}

/// The plan that an order was made under: on offer, or replaced since by another. One that was taken off sale is gone.
pub async fn sold(conn: &mut PgConnection, id: PlanId) -> Result<Option<Plan>, Error> {
    let row = sqlx::query!(
        "SELECT id, value, is_high_risk, maximum_return_ppm, network_ceiling_ppm, allocation_factor
         FROM licences.plan WHERE id = $1 AND (active OR replaced_by IS NOT NULL)",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Plan {
        id: PlanId(r.id),
        value: Usdt(r.value),
        is_high_risk: r.is_high_risk,
        maximum_return_ppm: r.maximum_return_ppm,
        network_ceiling_ppm: r.network_ceiling_ppm,
        allocation_factor: r.allocation_factor,
    }))
}
