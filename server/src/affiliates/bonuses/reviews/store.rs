//! SQL of reviews.

use super::{
    Before, Below, MatchedBonus, Open, Pair, RelatedSeller,
    below::{Group, Sharer},
};
use crate::{
    approvals::compliance::{self, service::Decision},
    error::Error,
};
use protocol::{
    ids::{BonusId, CaseId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use std::collections::{BTreeMap, BTreeSet};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// What came before of each of these pairs of a receiver and a source; of those at whom nobody ever looked, or is to look, nothing came. Read
/// under the fund's lock, under which reviews stand still.
pub async fn before(conn: &mut PgConnection, pairs: &[Pair]) -> Result<BTreeMap<Pair, Before>, Error> {
    let receivers: Vec<Uuid> = pairs.iter().map(|(receiver, _)| receiver.0).collect();
    let sources: Vec<Uuid> = pairs.iter().map(|(_, source)| source.0).collect();
    let rows = sqlx::query!(
        r#"SELECT p.receiver AS "receiver!: UserId", p.source AS "source!: UserId", o.id AS "open?", o.case_id AS "case?: CaseId",
                  o.reasons AS "reasons?", affiliates.cleared_of(p.receiver, p.source) AS "cleared!"
           FROM unnest($1::uuid[], $2::uuid[]) AS p(receiver, source)
           LEFT JOIN affiliates.review o
             ON o.receiver = p.receiver AND o.source = p.source AND o.status = 'open' AND o.closed_at IS NULL
           WHERE EXISTS (SELECT FROM affiliates.review r WHERE r.receiver = p.receiver AND r.source = p.source)"#,
        &receivers,
        &sources
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let open = match (r.open, r.case, r.reasons) {
                (Some(review), Some(case), Some(reasons)) => Some(Open {
                    review,
                    case,
                    reasons: compliance::relations_named(&reasons)?,
                }),
                _ => None,
            };
            let before = Before {
                open,
                cleared: r.cleared.into_iter().collect(),
            };
            Ok(((r.receiver, r.source), before))
        })
        .collect()
}

/// All that a pair was ever cleared of.
pub async fn cleared(conn: &mut PgConnection, (receiver, source): Pair) -> Result<BTreeSet<String>, Error> {
    let words = sqlx::query_scalar!(
        r#"SELECT affiliates.cleared_of($1, $2) AS "cleared!""#,
        receiver.0,
        source.0
    )
    .fetch_one(conn)
    .await?;
    Ok(words.into_iter().collect())
}

pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    (receiver, source): Pair,
    reasons: &[String],
    case: CaseId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO affiliates.review (id, receiver, source, reasons, case_id, opened_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id,
        receiver.0,
        source.0,
        reasons,
        case.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// More relates the two than their open review was about. The bonuses that wait for it, of which something stands: whoever hears of them hears of
/// something newer.
pub async fn add_reasons(
    conn: &mut PgConnection,
    review: Uuid,
    reasons: &[String],
) -> Result<Vec<BonusId>, Error> {
    sqlx::query!(
        "UPDATE affiliates.review SET reasons = reasons || $2::text[] WHERE id = $1",
        review,
        reasons
    )
    .execute(&mut *conn)
    .await?;
    Ok(sqlx::query_scalar!(
        r#"UPDATE affiliates.bonus SET version = version + 1 WHERE review = $1 AND paid + waiting > returned RETURNING id AS "id: BonusId""#,
        review
    )
    .fetch_all(conn)
    .await?)
}

/// Nothing joins it any more: its case is decided.
pub async fn close(conn: &mut PgConnection, review: Uuid, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.review SET closed_at = $2 WHERE id = $1",
        review,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The review of a case whose decision has still to be acted on.
pub async fn lock_of_case(conn: &mut PgConnection, case: CaseId) -> Result<Option<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT id FROM affiliates.review WHERE case_id = $1 AND status = 'open' FOR UPDATE",
        case.0
    )
    .fetch_optional(conn)
    .await?)
}

pub async fn decide(
    conn: &mut PgConnection,
    review: Uuid,
    decision: &Decision,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.review SET status = CASE WHEN $2 THEN 'cleared' ELSE 'refused' END, decided_by = $3, decided_at = $4, note = $5
         WHERE id = $1",
        review,
        decision.cleared,
        decision.by.0,
        now,
        decision.note
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Everybody with a place who has something that one of these receivers has too, thing by thing: whether it is one of them, and whether it had
/// sold what stood at the end of a day.
pub async fn sharers(
    conn: &mut PgConnection,
    receivers: &[UserId],
    since: OffsetDateTime,
    day: Date,
) -> Result<Vec<Vec<Sharer>>, Error> {
    let receivers: Vec<Uuid> = receivers.iter().map(|receiver| receiver.0).collect();
    let rows = sqlx::query!(
        r#"SELECT reason AS "reason!", thing AS "thing!", member AS "member!: UserId", no AS "no!", earns AS "earns!", sells AS "sells!"
           FROM affiliates.sharers($1, $2, $3)"#,
        &receivers,
        since,
        day
    )
    .fetch_all(conn)
    .await?;
    let mut things: Vec<Vec<Sharer>> = Vec::new();
    let mut last: Option<(String, Vec<u8>)> = None;
    for row in rows {
        let reason = compliance::relation_named(&row.reason)?;
        let sharer = Sharer {
            reason,
            member: row.member,
            no: u32::try_from(row.no).map_err(|_| Error::internal("a member below zero"))?,
            earns: row.earns,
            sells: row.sells,
        };
        let thing = Some((row.reason, row.thing));
        match things.last_mut().filter(|_| last == thing) {
            Some(others) => others.push(sharer),
            None => things.push(vec![sharer]),
        }
        last = thing;
    }
    Ok(things)
}

/// Writes down for whom bonuses are held, which were written before.
pub async fn keep(conn: &mut PgConnection, kept: &[(BonusId, RelatedSeller)]) -> Result<(), Error> {
    let (mut bonuses, mut sellers, mut reasons) = (Vec::new(), Vec::new(), Vec::new());
    for (bonus, seller) in kept {
        for reason in &seller.reasons {
            bonuses.push(bonus.0);
            sellers.push(seller.id.0);
            reasons.push(reason.as_str());
        }
    }
    sqlx::query!(
        "INSERT INTO affiliates.related_seller (bonus, seller, reasons)
         SELECT bonus, seller, array_agg(reason ORDER BY reason) FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS n(bonus, seller, reason)
         GROUP BY bonus, seller",
        &bonuses as &[Uuid],
        &sellers as &[Uuid],
        &reasons as &[&str]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down who shared one thing when bonuses were booked, of which some are held for many of them.
pub async fn keep_groups(conn: &mut PgConnection, groups: &[Group]) -> Result<(), Error> {
    let (mut ids, mut places) = (Vec::new(), Vec::new());
    let (mut sellers, mut reasons) = (Vec::new(), Vec::new());
    for group in groups {
        for (comes, seller) in &group.sellers {
            ids.push(group.id);
            places.push(moment(*comes)?);
            sellers.push(seller.0);
            reasons.push(group.reason.as_str());
        }
    }
    sqlx::query!(
        "INSERT INTO affiliates.related_group (id, place, seller, reason)
         SELECT id, place, seller, reason FROM unnest($1::uuid[], $2::integer[], $3::uuid[], $4::text[]) AS n(id, place, seller, reason)",
        &ids as &[Uuid],
        &places as &[i32],
        &sellers as &[Uuid],
        &reasons as &[&str]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Writes down for whom of these groups, which were written before, bonuses are held.
pub async fn keep_below(conn: &mut PgConnection, below: &[Below]) -> Result<(), Error> {
    let (mut bonuses, mut groups) = (Vec::new(), Vec::new());
    let (mut afters, mut throughs) = (Vec::new(), Vec::new());
    for one in below {
        bonuses.push(one.bonus.0);
        groups.push(one.group);
        afters.push(moment(one.after)?);
        throughs.push(moment(one.through)?);
    }
    sqlx::query!(
        r#"INSERT INTO affiliates.related_below (bonus, related, "after", through)
           SELECT bonus, related, earliest, latest
           FROM unnest($1::uuid[], $2::uuid[], $3::integer[], $4::integer[]) AS n(bonus, related, earliest, latest)"#,
        &bonuses as &[Uuid],
        &groups as &[Uuid],
        &afters as &[i32],
        &throughs as &[i32]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A moment of the walk: there are no more of them than members.
fn moment(comes: u32) -> Result<i32, Error> {
    i32::try_from(comes).map_err(|_| Error::internal("more members than numbers"))
}

/// The bonuses on matched points of a review of which something stands, and that were booked for sellers whom nobody has cleared yet.
pub async fn held_for_others(conn: &mut PgConnection, review: Uuid) -> Result<Vec<MatchedBonus>, Error> {
    let rows = sqlx::query!(
        r#"SELECT b.id AS "id: BonusId", b.receiver AS "receiver: UserId", b.paid + b.waiting - b.returned AS "left!",
                  s.seller AS "seller!: UserId", s.reasons AS "reasons!"
           FROM affiliates.bonus b CROSS JOIN LATERAL affiliates.held_for(b.id) s
           WHERE b.review = $1 AND b.paid + b.waiting > b.returned AND NOT s.reasons <@ affiliates.cleared_of(b.receiver, s.seller)
           ORDER BY b.id, s.seller"#,
        review
    )
    .fetch_all(conn)
    .await?;
    let mut bonuses: Vec<MatchedBonus> = Vec::new();
    for row in rows {
        let seller = RelatedSeller {
            id: row.seller,
            reasons: compliance::relations_named(&row.reasons)?,
            more: false,
        };
        match bonuses.last_mut().filter(|bonus| bonus.id == row.id) {
            Some(bonus) => bonus.sellers.push(seller),
            None => bonuses.push(MatchedBonus {
                id: row.id,
                receiver: row.receiver,
                left: Usdt(row.left),
                sellers: vec![seller],
            }),
        }
    }
    Ok(bonuses)
}

/// What a cleared review held is free: whoever hears of it hears of something newer.
pub async fn set_free(conn: &mut PgConnection, review: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.bonus SET version = version + 1 WHERE review = $1",
        review
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A bonus waits for another look.
pub async fn look_again(conn: &mut PgConnection, bonus: BonusId, review: Uuid) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE affiliates.bonus SET review = $2, version = version + 1 WHERE id = $1",
        bonus.0,
        review
    )
    .execute(conn)
    .await?;
    Ok(())
}
