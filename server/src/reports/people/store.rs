//! SQL of people as staff see them.

use super::{
    list::{FactorsOn, PersonSponsor, UserRow},
    network::{BonusOfType, SponsorAbove},
    view::is_editable,
};
use crate::{
    error::Error,
    foundation::{http::Paging, listing, mail::address},
    identity::{caller::Caller, roles},
};
use protocol::{
    Permission,
    ids::{FileId, UserId},
    money::Usdt,
    permission::Permissions,
    views::StaffPerson,
};
use sqlx::{FromRow, PgConnection, PgExecutor, PgPool, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// Which people are asked for.
pub struct Filter {
    pub search: Option<String>,
    pub status: Option<String>,
    pub role: Option<String>,
    /// Whether their e-mail is confirmed; who has left is asked for by `status` alone.
    pub confirmed: Option<bool>,
    /// When they came.
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
    /// With their balances.
    pub money: bool,
    /// Who asks: what they may change is told.
    pub asking: Caller,
}

#[derive(FromRow)]
struct PersonRow {
    id: Uuid,
    full_name: String,
    username: String,
    avatar: Option<Uuid>,
    email: String,
    roles: Vec<String>,
    sponsor: Option<Uuid>,
    sponsor_name: Option<String>,
    balance: Option<i64>,
    created_at: OffsetDateTime,
    status: String,
    confirmed: bool,
    invited: bool,
    by_email: bool,
    by_app: bool,
    by_passkey: bool,
    binary_active: bool,
    in_line: bool,
    /// Of all roles, in force or not.
    permissions: Vec<String>,
}

/// The permissions of these names.
fn permissions(names: &[String]) -> Permissions {
    names
        .iter()
        .filter_map(|p| p.parse::<Permission>().ok())
        .collect()
}

impl PersonRow {
    fn seen_by(self, caller: &Caller) -> UserRow {
        let r = self;
        let id = UserId(r.id);
        UserRow {
            id,
            editable: is_editable(caller, id, &r.status, r.in_line, permissions(&r.permissions)),
            full_name: r.full_name,
            username: r.username,
            avatar: r.avatar.map(FileId),
            email: r.email,
            roles: r.roles,
            sponsor: r.sponsor.zip(r.sponsor_name).map(|(id, username)| PersonSponsor {
                id: UserId(id),
                username,
            }),
            balance: r.balance.map(Usdt),
            created_at: r.created_at,
            status: r.status,
            email_confirmed: r.confirmed,
            invited: r.invited,
            two_factor: FactorsOn {
                email: r.by_email,
                app: r.by_app,
                passkey: r.by_passkey,
            },
            binary_active: r.binary_active,
        }
    }
}

fn restrict(query: &mut QueryBuilder<Postgres>, filter: &Filter, paging: &Paging) {
    query.push(" WHERE NOT a.is_house");
    if let Some(search) = &filter.search {
        query
            .push(" AND identity.found_by(a.full_name, a.username, a.email) @@ identity.searched(")
            .push_bind(address::searched(search))
            .push(")");
    }
    if let Some(status) = &filter.status {
        query.push(" AND a.status = ").push_bind(status.clone());
    }
    if let Some(role) = &filter.role {
        roles::held(query, "a.id", role);
    }
    if let Some(confirmed) = filter.confirmed {
        query
            .push(" AND a.status <> 'closed' AND (a.email_confirmed_at IS NOT NULL) = ")
            .push_bind(confirmed);
    }
    listing::between(query, "a.created_at", filter.from, filter.until);
    listing::there(query, "a.created_at", paging);
}

/// What is available, in USDT, to all whom the filter lets through.
pub async fn available(pool: &PgPool, filter: &Filter, paging: &Paging) -> Result<Usdt, Error> {
    let mut query = QueryBuilder::new(
        "SELECT foundation.clamped(COALESCE(sum(l.balance), 0)) FROM identity.account a
         JOIN ledger.account l ON l.owner = a.id AND l.name = 'available' AND l.currency = 'USDT'",
    );
    restrict(&mut query, filter, paging);
    let (sum,): (i64,) = query.build_query_as().fetch_one(pool).await?;
    Ok(Usdt(sum))
}

/// People, and how many there are. `sort` is a column of the list's closed set.
pub async fn people(
    pool: &PgPool,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<UserRow>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*) FROM identity.account a");
    restrict(&mut all, filter, paging);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT a.id, a.full_name, a.username, a.avatar, a.email, a.created_at, a.status, a.email_confirmed_at IS NOT NULL AS confirmed,
                a.password_hash IS NULL AND a.email_confirmed_at IS NULL AS invited, a.two_factor_email AS by_email,
                a.totp_secret IS NOT NULL AS by_app, EXISTS (SELECT FROM identity.passkey k WHERE k.account = a.id) AS by_passkey,
                ARRAY(SELECT r.name FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role
                      WHERE ar.account = a.id ORDER BY r.position) AS roles,
                m.sponsor, s.username AS sponsor_name, affiliates.is_active(a.id) AND (
                    SELECT count(DISTINCT d.on_right) = 2 FROM affiliates.node n JOIN affiliates.node d ON d.sponsor = n.no
                    WHERE n.member = a.id AND d.on_right IS NOT NULL AND affiliates.is_active(d.member)) AS binary_active,
                ARRAY(SELECT DISTINCT p FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role, unnest(r.permissions) AS p
                      WHERE ar.account = a.id) AS permissions, approvals.in_line(",
    );
    query.push_bind(filter.asking.user.0).push(", a.id) AS in_line, ");
    query.push(if filter.money {
        "COALESCE((SELECT l.balance FROM ledger.account l WHERE l.owner = a.id AND l.name = 'available' AND l.currency = 'USDT'), 0)::bigint AS balance"
    } else {
        "NULL::bigint AS balance"
    });
    query.push(
        " FROM identity.account a LEFT JOIN affiliates.member m ON m.id = a.id LEFT JOIN identity.account s ON s.id = m.sponsor",
    );
    restrict(&mut query, filter, paging);
    let direction = if paging.descending { "DESC" } else { "ASC" };
    query.push(format!(" ORDER BY {sort} {direction}, a.id {direction}"));
    let rows: Vec<PersonRow> = listing::rows(pool, query, paging).await?;
    let seen = rows.into_iter().map(|row| row.seen_by(&filter.asking)).collect();
    Ok((seen, total))
}

/// What a person's own profile does not say.
pub struct Beside {
    pub invited: bool,
    pub frozen: bool,
    pub password_ended: bool,
    /// Somebody has shown to read its mail.
    pub proven: bool,
    /// The asking person and this one stand in each other's direct line.
    pub in_line: bool,
    pub status_reason: Option<String>,
    pub status_by: Option<StaffPerson>,
    pub status_at: Option<OffsetDateTime>,
    pub closed_at: Option<OffsetDateTime>,
    pub closing_reason: Option<String>,
    pub last_sign_in_at: Option<OffsetDateTime>,
    pub sponsor: Option<PersonSponsor>,
    /// Of all roles, in force or not.
    pub permissions: Permissions,
}

fn person(id: Option<Uuid>, username: Option<String>, full_name: Option<String>) -> Option<StaffPerson> {
    Some(StaffPerson {
        id: UserId(id?),
        username: username?,
        full_name: full_name?,
    })
}

pub async fn beside(db: impl PgExecutor<'_>, asking: UserId, user: UserId) -> Result<Beside, Error> {
    let r = sqlx::query!(
        r#"SELECT a.password_hash IS NULL AND a.email_confirmed_at IS NULL AS "invited!", a.frozen_at IS NOT NULL AS "frozen!",
                  a.password_hash IS NOT NULL AND a.password_ended_at IS NOT NULL AS "password_ended!",
                  a.proven_at IS NOT NULL AS "proven!", approvals.in_line($2, a.id) AS "in_line!",
                  a.status_reason, a.status_at, a.closed_at, a.closing_reason, b.id AS "by?", b.username AS "by_username?", b.full_name AS "by_name?",
                  (SELECT max(s.created_at) FROM identity.session s WHERE s.account = a.id) AS last_sign_in_at,
                  s.id AS "sponsor?", s.username AS "sponsor_name?",
                  ARRAY(SELECT DISTINCT p FROM identity.account_role ar JOIN identity.role r ON r.id = ar.role, unnest(r.permissions) AS p
                        WHERE ar.account = a.id) AS "permissions!"
           FROM identity.account a LEFT JOIN identity.account b ON b.id = a.status_by
           LEFT JOIN affiliates.member m ON m.id = a.id LEFT JOIN identity.account s ON s.id = m.sponsor
           WHERE a.id = $1"#,
        user.0,
        asking.0
    )
    .fetch_one(db)
    .await?;
    Ok(Beside {
        invited: r.invited,
        frozen: r.frozen,
        password_ended: r.password_ended,
        proven: r.proven,
        in_line: r.in_line,
        status_reason: r.status_reason,
        status_by: person(r.by, r.by_username, r.by_name),
        status_at: r.status_at,
        closed_at: r.closed_at,
        closing_reason: r.closing_reason,
        last_sign_in_at: r.last_sign_in_at,
        sponsor: r.sponsor.zip(r.sponsor_name).map(|(id, username)| PersonSponsor {
            id: UserId(id),
            username,
        }),
        permissions: permissions(&r.permissions),
    })
}

/// The most members above that are shown.
const ABOVE: i32 = 50;

/// Who brought somebody, who brought those, up to the house.
pub async fn sponsors(conn: &mut PgConnection, user: UserId) -> Result<Vec<SponsorAbove>, Error> {
    Ok(sqlx::query_as!(
        SponsorAbove,
        r#"WITH RECURSIVE above AS (
               SELECT m.sponsor AS id, 1 AS level FROM affiliates.member m WHERE m.id = $1 AND m.sponsor IS NOT NULL
               UNION ALL
               SELECT m.sponsor, b.level + 1 FROM above b JOIN affiliates.member m ON m.id = b.id
               WHERE m.sponsor IS NOT NULL AND b.level < $2)
           SELECT a.id AS "id: UserId", a.username, a.full_name, b.level AS "level!", a.is_house
           FROM above b JOIN identity.account a ON a.id = b.id ORDER BY b.level"#,
        user.0,
        ABOVE
    )
    .fetch_all(conn)
    .await?)
}

/// The most of own capital that ever was at work.
pub async fn highest_base(conn: &mut PgConnection, user: UserId) -> Result<Usdt, Error> {
    let peak = sqlx::query_scalar!("SELECT peak FROM affiliates.peak WHERE member = $1", user.0)
        .fetch_optional(conn)
        .await?;
    Ok(Usdt(peak.unwrap_or(0)))
}

/// What each type of bonus brought somebody, ever.
pub async fn bonuses(conn: &mut PgConnection, user: UserId) -> Result<Vec<BonusOfType>, Error> {
    let rows = sqlx::query!(
        r#"SELECT kind, level, count(*) AS "count!", foundation.clamped(sum(paid - returned)) AS "paid!", foundation.clamped(sum(waiting)) AS "waiting!"
           FROM affiliates.bonus WHERE receiver = $1 GROUP BY kind, level ORDER BY kind, level"#,
        user.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            Ok(BonusOfType {
                kind: r
                    .kind
                    .parse()
                    .map_err(|()| Error::internal("a bonus of an unknown kind"))?,
                level: r.level,
                count: r.count,
                paid: Usdt(r.paid),
                waiting: Usdt(r.waiting),
            })
        })
        .collect()
}
