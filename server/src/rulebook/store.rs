//! SQL of the rulebook.

use crate::{affiliates::payout::service::Past, error::Error};
use protocol::{
    ids::{PlanId, RuleChangeId, UserId},
    money::Usdt,
    views::{RuleChangeKind, RuleChangeStatus, RuleChangeView, RuleItem},
};
use sqlx::{PgConnection, PgPool, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

/// The revision, locked: one change at a time.
pub async fn lock(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!("SELECT revision FROM rulebook.book FOR UPDATE")
            .fetch_one(conn)
            .await?,
    )
}

pub async fn revision(pool: &PgPool) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!("SELECT revision FROM rulebook.book")
        .fetch_one(pool)
        .await?)
}

/// The next revision.
pub async fn turn(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(
        sqlx::query_scalar!("UPDATE rulebook.book SET revision = revision + 1 RETURNING revision")
            .fetch_one(conn)
            .await?,
    )
}

/// A change as the service works with it.
#[derive(Clone, Debug)]
pub struct Change {
    pub id: RuleChangeId,
    pub kind: RuleChangeKind,
    pub plan: Option<PlanId>,
    pub items: Vec<RuleItem>,
    pub money: bool,
    pub reason: String,
    pub status: RuleChangeStatus,
    pub ordered_by: UserId,
    pub effective_at: Option<OffsetDateTime>,
}

pub async fn insert(
    conn: &mut PgConnection,
    change: &Change,
    digest: &[u8; 32],
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO rulebook.change (id, kind, plan, items, money, reason, digest, status, ordered_by, created_at, effective_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        change.id.0,
        change.kind.as_str(),
        change.plan.map(|p| p.0),
        Json(&change.items) as _,
        change.money,
        change.reason,
        digest.as_slice(),
        change.status.as_str(),
        change.ordered_by.0,
        now,
        change.effective_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

struct Row {
    id: Uuid,
    kind: String,
    plan: Option<Uuid>,
    items: Json<Vec<RuleItem>>,
    money: bool,
    reason: String,
    status: String,
    ordered_by: Uuid,
    effective_at: Option<OffsetDateTime>,
}

impl Row {
    fn read(self) -> Result<Change, Error> {
        let unknown = |()| Error::internal("a change in an unknown state");
        Ok(Change {
            id: RuleChangeId(self.id),
            kind: self.kind.parse().map_err(unknown)?,
            plan: self.plan.map(PlanId),
            items: self.items.0,
            money: self.money,
            reason: self.reason,
            status: self.status.parse().map_err(unknown)?,
            ordered_by: UserId(self.ordered_by),
            effective_at: self.effective_at,
        })
    }
}

pub async fn find(conn: &mut PgConnection, id: RuleChangeId) -> Result<Option<Change>, Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, kind, plan, items AS "items: Json<Vec<RuleItem>>", money, reason, status, ordered_by, effective_at
           FROM rulebook.change WHERE id = $1"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    row.map(Row::read).transpose()
}

/// Changes that wait for a second person or for their hour, in the order in which they take effect.
pub async fn open(conn: &mut PgConnection) -> Result<Vec<Change>, Error> {
    let rows = sqlx::query_as!(
        Row,
        r#"SELECT id, kind, plan, items AS "items: Json<Vec<RuleItem>>", money, reason, status, ordered_by, effective_at
           FROM rulebook.change WHERE status IN ('waiting', 'agreed') ORDER BY effective_at NULLS LAST, created_at, id"#
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Row::read).collect()
}

pub async fn agree(
    conn: &mut PgConnection,
    id: RuleChangeId,
    status: RuleChangeStatus,
    by: UserId,
    now: OffsetDateTime,
    effective_at: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE rulebook.change SET status = $2, agreed_by = $3, agreed_at = $4, effective_at = $5, version = version + 1 WHERE id = $1",
        id.0,
        status.as_str(),
        by.0,
        now,
        effective_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn withdraw(
    conn: &mut PgConnection,
    id: RuleChangeId,
    by: UserId,
    reason: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE rulebook.change SET status = 'withdrawn', withdrawn_by = $2, withdrawn_reason = $3, version = version + 1 WHERE id = $1",
        id.0,
        by.0,
        reason
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks a change whose hour has come; false when it was marked or withdrawn before.
pub async fn begin(conn: &mut PgConnection, id: RuleChangeId, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE rulebook.change SET status = 'in_force', version = version + 1
         WHERE id = $1 AND status = 'agreed' AND effective_at <= $2",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

struct Shown {
    id: Uuid,
    kind: String,
    plan: Option<Uuid>,
    items: Json<Vec<RuleItem>>,
    money: bool,
    reason: String,
    status: String,
    ordered_by: String,
    agreed_by: Option<String>,
    withdrawn_by: Option<String>,
    withdrawn_reason: Option<String>,
    created_at: OffsetDateTime,
    agreed_at: Option<OffsetDateTime>,
    effective_at: Option<OffsetDateTime>,
    version: i64,
}

impl Shown {
    fn view(self) -> Result<RuleChangeView, Error> {
        let unknown = |()| Error::internal("a change in an unknown state");
        Ok(RuleChangeView {
            id: RuleChangeId(self.id),
            kind: self.kind.parse().map_err(unknown)?,
            plan: self.plan.map(PlanId),
            items: self.items.0,
            money: self.money,
            reason: self.reason,
            status: self.status.parse().map_err(unknown)?,
            ordered_by: self.ordered_by,
            agreed_by: self.agreed_by,
            withdrawn_by: self.withdrawn_by,
            withdrawn_reason: self.withdrawn_reason,
            created_at: self.created_at,
            agreed_at: self.agreed_at,
            effective_at: self.effective_at,
            version: self.version,
        })
    }
}

/// Changes, newest first; all of them, those of one key, or one; and how many there are.
pub async fn history(
    conn: &mut PgConnection,
    id: Option<RuleChangeId>,
    key: Option<&str>,
    limit: i64,
    offset: i64,
) -> Result<(Vec<RuleChangeView>, i64), Error> {
    let rows = sqlx::query_as!(
        Shown,
        r#"SELECT c.id, c.kind, c.plan, c.items AS "items: Json<Vec<RuleItem>>", c.money, c.reason, c.status, o.username AS ordered_by,
                  a.username AS "agreed_by?", w.username AS "withdrawn_by?", c.withdrawn_reason, c.created_at, c.agreed_at,
                  c.effective_at, c.version
           FROM rulebook.change c JOIN identity.account o ON o.id = c.ordered_by
           LEFT JOIN identity.account a ON a.id = c.agreed_by LEFT JOIN identity.account w ON w.id = c.withdrawn_by
           WHERE ($1::uuid IS NULL OR c.id = $1)
             AND ($2::text IS NULL OR (c.kind = 'settings' AND c.items @> jsonb_build_array(jsonb_build_object('key', $2::text))))
           ORDER BY c.created_at DESC, c.id DESC LIMIT $3 OFFSET $4"#,
        id.map(|i| i.0),
        key,
        limit,
        offset
    )
    .fetch_all(&mut *conn)
    .await?;
    let total = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM rulebook.change c
           WHERE ($1::uuid IS NULL OR c.id = $1)
             AND ($2::text IS NULL OR (c.kind = 'settings' AND c.items @> jsonb_build_array(jsonb_build_object('key', $2::text))))"#,
        id.map(|i| i.0),
        key
    )
    .fetch_one(conn)
    .await?;
    let views = rows.into_iter().map(Shown::view).collect::<Result<_, _>>()?;
    Ok((views, total))
}

/// Changes that wait, oldest first.
pub async fn open_views(conn: &mut PgConnection) -> Result<Vec<RuleChangeView>, Error> {
    let rows = sqlx::query_as!(
        Shown,
        r#"SELECT c.id, c.kind, c.plan, c.items AS "items: Json<Vec<RuleItem>>", c.money, c.reason, c.status, o.username AS ordered_by,
                  a.username AS "agreed_by?", w.username AS "withdrawn_by?", c.withdrawn_reason, c.created_at, c.agreed_at,
                  c.effective_at, c.version
           FROM rulebook.change c JOIN identity.account o ON o.id = c.ordered_by
           LEFT JOIN identity.account a ON a.id = c.agreed_by LEFT JOIN identity.account w ON w.id = c.withdrawn_by
           WHERE c.status IN ('waiting', 'agreed') ORDER BY c.created_at, c.id"#
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter().map(Shown::view).collect()
}

/// Who last changed a setting that is in force, and since when.
pub struct LastChange {
    pub key: String,
    pub by: String,
    pub at: OffsetDateTime,
}

pub async fn last_changes(conn: &mut PgConnection, now: OffsetDateTime) -> Result<Vec<LastChange>, Error> {
    let rows = sqlx::query!(
        r#"SELECT DISTINCT ON (i.item ->> 'key') i.item ->> 'key' AS "key!", o.username, c.effective_at AS "at!"
           FROM rulebook.change c CROSS JOIN LATERAL jsonb_array_elements(c.items) AS i(item)
           JOIN identity.account o ON o.id = c.ordered_by
           WHERE c.kind = 'settings' AND c.status IN ('agreed', 'in_force') AND c.effective_at <= $1
           ORDER BY i.item ->> 'key', c.effective_at DESC, c.created_at DESC"#,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| LastChange {
            key: r.key,
            by: r.username,
            at: r.at,
        })
        .collect())
}

/// What stands under the present rules and is asked about before they change.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    pub active_licences: i64,
    pub open_sales: i64,
    pub locked_lots: i64,
    pub open_intents: i64,
    pub open_withdrawals: i64,
    pub trading: i64,
    /// Robots at work with less than this allocated.
    pub below: i64,
    /// Under the daily cap of now and the new one; read when it changes.
    pub cuts: [Cut; 2],
    /// By step of the new ladder; read when it changes.
    pub reach: Vec<Reach>,
    /// Of the last 30 days; read when the ceiling or the share of fees changes.
    pub past: Past,
}

pub async fn counts(pool: &PgPool, minimum: i64, now: OffsetDateTime) -> Result<Counts, Error> {
    let row = sqlx::query!(
        r#"SELECT (SELECT count(*) FROM licences.licence WHERE state = 'active') AS "active!",
                  (SELECT count(*) FROM licences.licence WHERE state = 'active' AND final_at IS NULL) AS "sales!",
                  (SELECT count(*) FROM licences.lot WHERE amount > 0 AND free_at > $2) AS "lots!",
                  (SELECT count(*) FROM wallet.deposit WHERE status IN ('waiting_for_buyer_funds', 'pending')) AS "intents!",
                  (SELECT count(*) FROM wallet.withdrawal WHERE status IN ('awaiting_email', 'awaiting_confirmation', 'pending'))
                    + (SELECT count(*) FROM pix.withdrawal WHERE status IN ('awaiting_confirmation', 'pending')) AS "withdrawals!",
                  (SELECT count(*) FROM licences.licence WHERE state = 'active' AND allocated > 0 AND NOT paused) AS "trading!",
                  (SELECT count(*) FROM licences.licence WHERE state = 'active' AND allocated > 0 AND allocated < $1 AND NOT paused) AS "below!""#,
        minimum,
        now
    )
    .fetch_one(pool)
    .await?;
    Ok(Counts {
        active_licences: row.active,
        open_sales: row.sales,
        locked_lots: row.lots,
        open_intents: row.intents,
        open_withdrawals: row.withdrawals,
        trading: row.trading,
        below: row.below,
        ..Counts::default()
    })
}

/// What the daily cap took of binary bonuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cut {
    pub members: i64,
    pub amount: Usdt,
}

/// Closings that a change of the daily cap is held against.
const CLOSINGS: i64 = 7;

/// What two daily caps (parts per million of the value of active licences) would have taken of the last closings' bonuses: of those whom
/// nothing else barred, what the network ceilings took left out. The value is that of then: the cap that was copied, by the share of then.
pub async fn cuts(pool: &PgPool, shares: [i64; 2]) -> Result<[Cut; 2], Error> {
    let row = sqlx::query!(
        r#"WITH last AS MATERIALIZED (
               SELECT c.id, nullif(coalesce((s.body ->> 'binaryDailyCap')::bigint, 1000000), 0) AS share
               FROM affiliates.closing c JOIN foundation.settings s ON s.version = c.settings_version
               ORDER BY c.day DESC LIMIT $3),
             due AS (
               SELECT b.receiver, CASE b.lost_reason WHEN 'network_ceiling' THEN b.gross - b.lost ELSE b.gross END AS most,
                      floor(v.value * $1::bigint / 1000000) AS one, floor(v.value * $2::bigint / 1000000) AS two
               FROM last l
               JOIN affiliates.bonus b ON b.cause = l.id AND b.kind = 'binary'
                    AND (b.lost_reason IS NULL OR b.lost_reason IN ('network_ceiling', 'daily_cap'))
               JOIN affiliates.closing_member m ON m.closing = l.id AND m.member = b.receiver
               CROSS JOIN LATERAL (SELECT ceil(m.daily_cap * 1000000::numeric / l.share) AS value) v)
           SELECT count(DISTINCT receiver) FILTER (WHERE most > one) AS "members_one!",
                  foundation.clamped(coalesce(sum(most - one) FILTER (WHERE most > one), 0)) AS "amount_one!",
                  count(DISTINCT receiver) FILTER (WHERE most > two) AS "members_two!",
                  foundation.clamped(coalesce(sum(most - two) FILTER (WHERE most > two), 0)) AS "amount_two!"
           FROM due"#,
        shares[0],
        shares[1],
        CLOSINGS
    )
    .fetch_one(pool)
    .await?;
    let cut = |members, amount| Cut {
        members,
        amount: Usdt(amount),
    };
    Ok([
        cut(row.members_one, row.amount_one),
        cut(row.members_two, row.amount_two),
    ])
}

/// Who reaches a step of the ladder when its threshold moves, at the next closing that pays them for points, and who stands on it
/// without having the points any more: a rank is not taken away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    pub reach: i64,
    pub keep: i64,
}

/// By step, from the first, going from these thresholds to those, in whole points; nothing of a step that stays.
pub async fn reach(pool: &PgPool, before: &[i64], after: &[i64]) -> Result<Vec<Reach>, Error> {
    Ok(sqlx::query_as!(
        Reach,
        r#"SELECT count(s.member) FILTER (WHERE s.rank < t.step) AS "reach!", count(s.member) FILTER (WHERE s.rank >= t.step) AS "keep!"
           FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS t(was, points, step)
           LEFT JOIN affiliates.standing s ON t.points <> t.was
                AND (s.rank < t.step AND s.paid_points >= t.points * 1000000 OR s.rank >= t.step AND s.paid_points < t.points * 1000000)
           GROUP BY t.step ORDER BY t.step"#,
        before,
        after
    )
    .fetch_all(pool)
    .await?)
}
