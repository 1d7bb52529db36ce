//! SQL of a change's end.

use super::ending::{Ending, SubjectLine};
use crate::error::Error;
use sqlx::PgConnection;
use std::collections::{BTreeMap, HashMap};
use time::OffsetDateTime;
use uuid::Uuid;

/// All that follows sees one state of the database.
pub async fn snapshot(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        .execute(conn)
        .await?;
    Ok(())
}

/// Writes what was gathered, moves the heads of `counts` forward in the map's order and stores the facts; returns each stream's epoch
/// and newest number. `behind` says how many facts of its own stream come after each.
pub async fn finish(
    conn: &mut PgConnection,
    ending: &Ending,
    counts: &BTreeMap<&str, i64>,
    streams: &[String],
    behind: &[i64],
    at: OffsetDateTime,
) -> Result<HashMap<String, (i32, i64)>, Error> {
    let audit = &ending.audit;
    let actors: Vec<Option<Uuid>> = audit.iter().map(|l| l.actor).collect();
    let whose: Vec<Option<Uuid>> = audit.iter().map(|l| l.subject).collect();
    let categories: Vec<&str> = audit.iter().map(|l| l.category).collect();
    let actions: Vec<&str> = audit.iter().map(|l| l.action.as_str()).collect();
    let details: Vec<serde_json::Value> = audit.iter().map(|l| l.details.clone()).collect();

    let newest: BTreeMap<(&str, Uuid), &SubjectLine> =
        ending.subjects.iter().map(|l| ((l.kind, l.id), l)).collect();
    let kinds: Vec<&str> = newest.values().map(|l| l.kind).collect();
    let ids: Vec<Uuid> = newest.values().map(|l| l.id).collect();
    let owners: Vec<Uuid> = newest.values().map(|l| l.owner).collect();
    let amounts: Vec<i64> = newest.values().map(|l| l.amount).collect();
    let currencies: Vec<&str> = newest.values().map(|l| l.currency).collect();
    let statuses: Vec<&str> = newest.values().map(|l| l.status.as_str()).collect();

    let jobs = &ending.jobs;
    let job_kinds: Vec<&str> = jobs.iter().map(|j| j.kind).collect();
    let effects: Vec<&str> = jobs.iter().map(|j| j.effect.as_str()).collect();
    let payloads: Vec<serde_json::Value> = jobs.iter().map(|j| j.payload.clone()).collect();
    let run_ats: Vec<OffsetDateTime> = jobs.iter().map(|j| j.run_at.unwrap_or(at)).collect();

    let answer = ending.answer.as_ref();

    let heads: Vec<&str> = counts.keys().copied().collect();
    let by: Vec<i64> = counts.values().copied().collect();
    let mut fact_kinds = Vec::with_capacity(ending.facts.len());
    let mut facts = Vec::with_capacity(ending.facts.len());
    for (_, event) in &ending.facts {
        fact_kinds.push(event.kind());
        facts.push(serde_json::to_string(event)?);
    }
    let rows = sqlx::query!(
        r#"SELECT stream AS "stream!", epoch AS "epoch!", seq AS "seq!"
           FROM foundation.finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
               $23, $24, $25, $26, $27, $28)"#,
        at,
        &actors as &[Option<Uuid>],
        &whose as &[Option<Uuid>],
        &categories as &[&str],
        &actions as &[&str],
        &details,
        &kinds as &[&str],
        &ids,
        &owners,
        &amounts,
        &currencies as &[&str],
        &statuses as &[&str],
        &job_kinds as &[&str],
        &effects as &[&str],
        &payloads,
        &run_ats,
        answer.map(|a| a.user),
        answer.map(|a| a.route.as_str()),
        answer.map(|a| a.key.as_str()),
        answer.map(|a| a.body_hash.as_slice()),
        answer.map(|a| i16::try_from(a.status).unwrap_or(200)),
        answer.map(|a| a.body.clone()),
        &heads as &[&str],
        &by,
        streams,
        behind,
        &fact_kinds as &[&str],
        &facts
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.stream, (r.epoch, r.seq))).collect())
}
