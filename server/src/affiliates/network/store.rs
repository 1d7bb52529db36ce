//! SQL of the network's pages. Who is `active` is asked alike everywhere: an active account with an active licence.

use super::model::{BonusMonth, Reference, TeamMonth};
use crate::{
    affiliates::rules::Leg,
    error::Error,
    foundation::{http::Paging, listing},
};
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{BonusKind, MemberStatus, Rank},
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// A member by its number.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub no: i32,
    pub parent: Option<i32>,
    pub placed: bool,
}

pub async fn node(db: impl PgExecutor<'_>, member: UserId) -> Result<Option<Node>, Error> {
    Ok(sqlx::query_as!(
        Node,
        r#"SELECT no, parent, depth IS NOT NULL AS "placed!" FROM affiliates.node WHERE member = $1"#,
        member.0
    )
    .fetch_optional(db)
    .await?)
}

/// A member by its username's key.
pub async fn node_named(db: impl PgExecutor<'_>, key: &str) -> Result<Option<Node>, Error> {
    Ok(sqlx::query_as!(
        Node,
        r#"SELECT n.no, n.parent, n.depth IS NOT NULL AS "placed!"
           FROM identity.account a JOIN affiliates.node n ON n.member = a.id WHERE a.username_key = $1"#,
        key
    )
    .fetch_optional(db)
    .await?)
}

/// Whether one stands below another in the binary tree.
pub async fn stands_below(db: impl PgExecutor<'_>, of: i32, above: i32) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT affiliates.child_towards($1, $2) IS NOT NULL AS "below!""#,
        of,
        above
    )
    .fetch_one(db)
    .await?)
}

/// Whether one came by another, or by those whom it brought.
pub async fn brought_by(db: impl PgExecutor<'_>, of: i32, above: i32) -> Result<bool, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT affiliates.brought_by($1, $2) AS "below!""#, of, above)
            .fetch_one(db)
            .await?,
    )
}

pub async fn member_of(db: impl PgExecutor<'_>, no: i32) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT member AS "member: UserId" FROM affiliates.node WHERE no = $1"#,
        no
    )
    .fetch_optional(db)
    .await?)
}

/// The ancestor of a member at a depth of the binary tree.
pub async fn ancestor(conn: &mut PgConnection, of: i32, depth: i64) -> Result<i32, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT affiliates.ancestor_at($1, $2) AS "no!""#, of, depth)
            .fetch_one(conn)
            .await?,
    )
}

/// Usernames from who stands so many steps above a member in the binary tree down to the member.
pub async fn down(conn: &mut PgConnection, to: i32, steps: i64) -> Result<Vec<String>, Error> {
    Ok(sqlx::query_scalar!(
        "WITH RECURSIVE up AS (
             SELECT no, member, parent, 0::bigint AS step FROM affiliates.node WHERE no = $1
             UNION ALL
             SELECT n.no, n.member, n.parent, u.step + 1 FROM up u JOIN affiliates.node n ON n.no = u.parent WHERE u.step < $2)
         SELECT a.username FROM up JOIN identity.account a ON a.id = up.member ORDER BY up.step DESC",
        to,
        steps
    )
    .fetch_all(conn)
    .await?)
}

/// How many steps from the root of the binary tree a member with a place stands.
pub async fn depth(conn: &mut PgConnection, no: i32) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT coalesce(depth, 0)::bigint AS "depth!" FROM affiliates.node WHERE no = $1"#,
        no
    )
    .fetch_one(conn)
    .await?)
}

pub async fn last_closed(db: impl PgExecutor<'_>) -> Result<Option<Date>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT max(day) FROM affiliates.closing WHERE step = 'done'")
            .fetch_one(db)
            .await?,
    )
}

/// The last day whose points stand on the legs: a closing that is at its binary step has written them before its first bonus.
pub async fn last_carried(db: impl PgExecutor<'_>) -> Result<Option<Date>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT max(day) FROM affiliates.closing c
         WHERE step NOT IN ('residual', 'binary')
            OR (step = 'binary' AND (done_through IS NOT NULL OR EXISTS (SELECT FROM affiliates.leg_points l WHERE l.day = c.day)))"
    )
    .fetch_one(db)
    .await?)
}

pub struct TreeRow {
    pub no: i32,
    pub above: Option<i32>,
    pub depth: i64,
    /// Points of the sums, since the last closing.
    pub left_summed: i64,
    pub right_summed: i64,
    pub member: UserId,
    pub parent: Option<UserId>,
    pub on_right: Option<bool>,
    pub level: i32,
    pub username: String,
    pub rank: i16,
    pub active: bool,
    pub left_points: i64,
    pub right_points: i64,
    pub left_active: bool,
    pub right_active: bool,
    pub has_left: bool,
    pub has_right: bool,
}

/// A member and those below it, so many levels; `closed`: the day whose points stand on the legs.
pub async fn tree(
    db: impl PgExecutor<'_>,
    top: i32,
    levels: i32,
    closed: Option<Date>,
) -> Result<Vec<TreeRow>, Error> {
    Ok(sqlx::query_as!(
        TreeRow,
        r#"WITH RECURSIVE shown AS (
               SELECT n.no, n.member, NULL::uuid AS above, NULL::integer AS up, n.depth, NULL::boolean AS on_right, 0 AS level, 0 AS place
               FROM affiliates.node n WHERE n.no = $1
               UNION ALL
               SELECT c.no, c.member, s.member, s.no, c.depth, c.on_right, s.level + 1, s.place * 2 + c.on_right::integer
               FROM shown s JOIN affiliates.node c ON c.parent = s.no WHERE s.level < $2)
           SELECT s.no AS "no!", s.up AS above, s.depth::bigint AS "depth!", s.member AS "member!: UserId", s.above AS "parent: UserId", s.on_right, s.level AS "level!", a.username,
                  coalesce(r.rank, 0::smallint) AS "rank!", affiliates.is_active(s.member) AS "active!",
                  coalesce(p.left_points[s.no % 256 + 1], 0) AS "left_points!",
                  coalesce(p.right_points[s.no % 256 + 1], 0) AS "right_points!",
                  coalesce(t.left_points[s.no % 256 + 1], 0) AS "left_summed!",
                  coalesce(t.right_points[s.no % 256 + 1], 0) AS "right_summed!",
                  k.active_left > 0 AS "left_active!", k.active_right > 0 AS "right_active!",
                  EXISTS (SELECT FROM affiliates.node c WHERE c.parent = s.no AND NOT c.on_right) AS "has_left!",
                  EXISTS (SELECT FROM affiliates.node c WHERE c.parent = s.no AND c.on_right) AS "has_right!"
           FROM shown s JOIN identity.account a ON a.id = s.member
           CROSS JOIN LATERAL affiliates.directs_of(s.no) k
           LEFT JOIN affiliates.standing r ON r.member = s.member
           LEFT JOIN LATERAL (SELECT left_points, right_points FROM affiliates.leg_points WHERE segment = s.no / 256
                              ORDER BY day DESC LIMIT 1) p ON true
           LEFT JOIN affiliates.day_points t ON t.segment = s.no / 256
                AND EXISTS (SELECT FROM affiliates.day_sum d WHERE d.after IS NOT DISTINCT FROM $3)
           ORDER BY s.level, s.place"#,
        top,
        levels,
        closed
    )
    .fetch_all(db)
    .await?)
}

/// Which of the members that somebody brought are asked for.
pub struct ReferenceFilter {
    /// Whose.
    pub of: i32,
    /// Steps down the sponsor tree.
    pub level: i32,
    pub search: Option<String>,
    pub status: Option<MemberStatus>,
    /// Those whom the asker brought: what they tell their network is shown.
    pub direct: bool,
}

#[derive(FromRow)]
struct ReferenceRow {
    id: Uuid,
    username: String,
    rank: i16,
    on_right: Option<bool>,
    active: bool,
    points: i64,
    brought: i64,
}

impl From<ReferenceRow> for Reference {
    fn from(row: ReferenceRow) -> Self {
        Self {
            id: UserId(row.id),
            username: row.username,
            rank: Rank::numbered(row.rank),
            leg: row.on_right.map(leg),
            status: status(row.active),
            points: Usdt(row.points),
            references: row.brought,
            social: None,
        }
    }
}

pub const fn leg(on_right: bool) -> Leg {
    if on_right { Leg::Right } else { Leg::Left }
}

pub const fn status(active: bool) -> MemberStatus {
    if active {
        MemberStatus::Active
    } else {
        MemberStatus::Inactive
    }
}

fn references_from(select: &'static str, filter: &ReferenceFilter) -> QueryBuilder<Postgres> {
    if filter.level == 1 {
        // By who brought them and when they came, as the index has them: a page costs the same however many they are.
        let mut query = QueryBuilder::new(select);
        query
            .push(
                " FROM affiliates.member m JOIN affiliates.node n ON n.member = m.id
                  JOIN identity.account a ON a.id = m.id LEFT JOIN affiliates.standing r ON r.member = m.id
                  WHERE m.sponsor = (SELECT o.member FROM affiliates.node o WHERE o.no = ",
            )
            .push_bind(filter.of)
            .push(")");
        restrict(&mut query, filter);
        return query;
    }
    let mut query =
        QueryBuilder::new("WITH RECURSIVE below AS (SELECT no, 0 AS level FROM affiliates.node WHERE no = ");
    query
        .push_bind(filter.of)
        .push(" UNION ALL SELECT c.no, b.level + 1 FROM below b JOIN affiliates.node c ON c.sponsor = b.no WHERE b.level < ")
        .push_bind(filter.level)
        .push(") ")
        .push(select)
        .push(
            " FROM below b JOIN affiliates.node n ON n.no = b.no JOIN affiliates.member m ON m.id = n.member
              JOIN identity.account a ON a.id = n.member LEFT JOIN affiliates.standing r ON r.member = n.member
              WHERE b.level = ",
        )
        .push_bind(filter.level);
    restrict(&mut query, filter);
    query
}

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &ReferenceFilter) {
    if let Some(search) = &filter.search {
        listing::any_like(query, &["a.username_key"], search);
        query.push(")");
    }
    if let Some(status) = filter.status {
        query
            .push(" AND affiliates.is_active(n.member) = ")
            .push_bind(status == MemberStatus::Active);
    }
}

/// How many there are: of all whom somebody brought the counters know.
fn references_counted(filter: &ReferenceFilter) -> QueryBuilder<Postgres> {
    if filter.level > 1 || filter.search.is_some() || filter.status.is_some() {
        return references_from("SELECT count(*)", filter);
    }
    let mut query = QueryBuilder::new("SELECT referrals FROM affiliates.directs_of(");
    query.push_bind(filter.of).push(")");
    query
}

/// Members whom somebody brought, at one level of the sponsor tree.
pub async fn references(
    pool: &PgPool,
    filter: &ReferenceFilter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Reference>, i64), Error> {
    let total = listing::count(pool, references_counted(filter), paging).await?;
    let mut query = references_from(
        "SELECT m.id, a.username, coalesce(r.rank, 0::smallint) AS rank, n.on_right, affiliates.is_active(n.member) AS active,
                (SELECT foundation.clamped(coalesce(sum(p.points), 0)) FROM affiliates.points p WHERE p.member = n.member) AS points,
                (SELECT k.referrals FROM affiliates.directs_of(n.no) k) AS brought",
        filter,
    );
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, m.id {direction}"));
    let rows: Vec<ReferenceRow> = listing::rows(pool, query, paging).await?;
    Ok((rows.into_iter().map(Reference::from).collect(), total))
}

pub struct Own {
    pub active: bool,
    pub left_active: bool,
    pub right_active: bool,
    pub referrals: i64,
    pub active_referrals: i64,
    pub left_points: i64,
    pub right_points: i64,
    pub left_members: i32,
    pub right_members: i32,
    pub paid_points: i64,
    pub rank: i16,
    /// Of active licences.
    pub value: i64,
    pub ceiling_left: i64,
}

/// A member's own figures: of the last closing, and as they are now.
pub async fn own(db: impl PgExecutor<'_>, no: i32) -> Result<Own, Error> {
    Ok(sqlx::query_as!(
        Own,
        r#"SELECT affiliates.is_active(n.member) AS "active!",
                  d.active_left > 0 AS "left_active!", d.active_right > 0 AS "right_active!",
                  d.referrals AS "referrals!", d.active AS "active_referrals!",
                  coalesce(p.left_points[n.no % 256 + 1], 0) AS "left_points!",
                  coalesce(p.right_points[n.no % 256 + 1], 0) AS "right_points!",
                  coalesce(t.left_members[n.no % 256 + 1], 0) AS "left_members!",
                  coalesce(t.right_members[n.no % 256 + 1], 0) AS "right_members!",
                  coalesce(s.paid_points, 0) AS "paid_points!", coalesce(s.rank, 0::smallint) AS "rank!",
                  (SELECT foundation.clamped(coalesce(sum(l.value), 0)) FROM affiliates.member_licence l
                   WHERE l.member = n.member AND l.active) AS "value!",
                  (SELECT foundation.clamped(coalesce(sum(c.ceiling - c.used), 0)) FROM affiliates.network_ceiling c
                   JOIN affiliates.member_licence l ON l.licence = c.licence AND l.active
                   WHERE c.member = n.member) AS "ceiling_left!"
           FROM affiliates.node n
           LEFT JOIN affiliates.standing s ON s.member = n.member
           LEFT JOIN LATERAL (SELECT left_points, right_points FROM affiliates.leg_points WHERE segment = n.no / 256
                              ORDER BY day DESC LIMIT 1) p ON true
           LEFT JOIN LATERAL (SELECT left_members, right_members FROM affiliates.team WHERE segment = n.no / 256
                              ORDER BY month DESC LIMIT 1) t ON true
           CROSS JOIN LATERAL affiliates.directs_of(n.no) d
           WHERE n.no = $1"#,
        no
    )
    .fetch_one(db)
    .await?)
}

/// Points that came on each leg of a member since a closing, or since ever: what was sold below it, less what was taken back. Of the sums,
/// and of what came since they were made.
pub async fn fresh_points(
    db: impl PgExecutor<'_>,
    no: i32,
    after: Option<Date>,
) -> Result<(i64, i64), Error> {
    let row = sqlx::query!(
        r#"SELECT foundation.clamped(coalesce(d.left_points[$1 % 256 + 1], 0) + coalesce(p.left, 0)) AS "left!",
                  foundation.clamped(coalesce(d.right_points[$1 % 256 + 1], 0) + coalesce(p.right, 0)) AS "right!"
           FROM (SELECT sum(u.points) FILTER (WHERE NOT c.on_right) AS left, sum(u.points) FILTER (WHERE c.on_right) AS right
                 FROM affiliates.unsummed($2) u
                 JOIN affiliates.node c ON c.no = affiliates.child_towards(u.no, $1)) p
           LEFT JOIN affiliates.day_points d ON d.segment = $1 / 256
                AND EXISTS (SELECT FROM affiliates.day_sum s WHERE s.after IS NOT DISTINCT FROM $2)"#,
        no,
        after
    )
    .fetch_one(db)
    .await?;
    Ok((row.left, row.right))
}

/// Points that came since a closing and are in no sum, by the place of their seller, or of its ancestor just below a depth.
pub struct Unsummed {
    pub parent: Option<i32>,
    pub on_right: Option<bool>,
    pub points: i64,
}

pub async fn unsummed(
    db: impl PgExecutor<'_>,
    after: Option<Date>,
    deepest: i64,
) -> Result<Vec<Unsummed>, Error> {
    Ok(sqlx::query_as!(
        Unsummed,
        r#"SELECT n.parent, n.on_right, foundation.clamped(sum(u.points)) AS "points!"
           FROM affiliates.unsummed($1) u JOIN affiliates.node n ON n.no = affiliates.ancestor_at(u.no, $2)
           GROUP BY n.no"#,
        after,
        deepest
    )
    .fetch_all(db)
    .await?)
}

/// Owners of results that are in no sum yet whom a look adds up by itself.
const LEFT: i64 = 500;

/// What residual bonuses would be paid on if the day that is closed next ended now.
pub struct GainsBelow {
    /// Of those whom a member brought, step by step.
    pub bases: [Usdt; 3],
    /// Since when results are not in them; none while all are.
    pub since: Option<OffsetDateTime>,
}

/// The same, of a member.
pub async fn gains_below(db: impl PgExecutor<'_>, member: UserId, today: Date) -> Result<GainsBelow, Error> {
    let row = sqlx::query!(
        r#"SELECT first AS "first!", second AS "second!", third AS "third!", since AS "since?"
           FROM affiliates.gains_of($1, coalesce((SELECT max(k.day) + 1 FROM affiliates.closing k), $2), $3)"#,
        member.0,
        today,
        LEFT
    )
    .fetch_one(db)
    .await?;
    Ok(GainsBelow {
        bases: [Usdt(row.first), Usdt(row.second), Usdt(row.third)],
        since: row.since,
    })
}

/// The team's months, oldest first.
pub async fn growth(
    db: impl PgExecutor<'_>,
    no: i32,
    from: Date,
    until: Date,
) -> Result<Vec<TeamMonth>, Error> {
    Ok(sqlx::query_as!(
        TeamMonth,
        r#"SELECT to_char(g.month, 'YYYY-MM') AS "month!",
                  coalesce((SELECT t.left_members[$1 % 256 + 1] FROM affiliates.team t WHERE t.segment = $1 / 256 AND t.month <= g.month
                            ORDER BY t.month DESC LIMIT 1), 0)::bigint AS "left!",
                  coalesce((SELECT t.right_members[$1 % 256 + 1] FROM affiliates.team t WHERE t.segment = $1 / 256 AND t.month <= g.month
                            ORDER BY t.month DESC LIMIT 1), 0)::bigint AS "right!",
                  coalesce((SELECT d.referrals FROM affiliates.directs_month d WHERE d.sponsor = $1 AND d.month = g.month), 0)
                      + (SELECT count(*) FROM affiliates.uncounted($1) u WHERE u.fresh AND u.month = g.month) AS "referrals!"
           FROM (SELECT generate_series($2::date, $3::date, interval '1 month')::date AS month) g ORDER BY g.month"#,
        no,
        from,
        until
    )
    .fetch_all(db)
    .await?)
}

/// What each type of bonus brought in each month.
pub async fn bonus_months(db: impl PgExecutor<'_>, no: i32, from: Date) -> Result<Vec<BonusMonth>, Error> {
    let rows = sqlx::query!(
        r#"SELECT to_char(month, 'YYYY-MM') AS "month!", kind, level, paid, waiting FROM affiliates.bonus_month
           WHERE no = $1 AND month >= $2 AND (paid > 0 OR waiting > 0) ORDER BY month, kind, level"#,
        no,
        from
    )
    .fetch_all(db)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(BonusMonth {
                month: r.month,
                kind: r
                    .kind
                    .parse::<BonusKind>()
                    .map_err(|()| Error::internal("a bonus of an unknown kind"))?,
                level: r.level,
                paid: Usdt(r.paid),
                waiting: Usdt(r.waiting),
            })
        })
        .collect()
}
