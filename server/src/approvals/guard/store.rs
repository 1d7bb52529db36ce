//! SQL of the guard: what stands against outgoing money, the rolling limits, young money.

use super::Outbound;
use crate::{
    approvals::{
        compliance::{self, Movement, Pause, rules::Evidence},
        restraint::Stored,
        whitelist,
    },
    error::Error,
    foundation::mail::Recipient,
    identity::service::Mailbox,
    ledger::{
        amount::{Amount, Currency},
        model::{AccountRef, UserAccount},
    },
};
use protocol::{
    ids::{OutboundId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use std::collections::{BTreeMap, HashMap};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// All that the guard looks at, as of one moment.
pub struct Standing {
    /// A hold of the account: until when, and why.
    pub hold_until: Option<OffsetDateTime>,
    pub hold_reason: Option<String>,
    /// The end of the person's time out.
    pub excluded_until: Option<OffsetDateTime>,
    pub pause: Option<Pause>,
    pub available: Amount,
    pub debt: Amount,
    /// PIX credits that a bank may still take back.
    pub young: Usdt,
    pub young_until: Option<OffsetDateTime>,
    /// What left within the last day.
    pub used: Usdt,
    /// The person's own limits.
    pub per_transaction: Stored,
    pub per_day: Stored,
    /// The list of destinations is in force.
    pub listed: bool,
    /// Since when the destination that was asked about may be used, where the list is in force and holds it.
    pub usable_at: Option<OffsetDateTime>,
}

/// A standing from a row of the statements below, whose types differ.
macro_rules! standing {
    ($row:ident, $usable_at:expr) => {
        Standing {
            hold_until: $row.hold_until,
            hold_reason: $row.hold_reason,
            excluded_until: $row.excluded_until,
            pause: pause($row.pause_reason, $row.pause_review_at),
            available: $row.available,
            debt: $row.debt,
            young: Usdt($row.young),
            young_until: $row.young_until,
            used: Usdt($row.used),
            per_transaction: limit($row.request_usdt, $row.request_next, $row.request_next_at),
            per_day: limit($row.day_usdt, $row.day_next, $row.day_next_at),
            listed: $row.listed,
            usable_at: $usable_at,
        }
    };
}

/// What the guard reads about: who, and where to.
#[derive(Clone, Copy)]
pub struct About<'a> {
    pub user: UserId,
    /// Take the person's lock first; the standing is read behind it.
    pub locked: bool,
    pub destination: Option<(whitelist::Kind, &'a str)>,
}

pub async fn standing(
    conn: &mut PgConnection,
    about: &About<'_>,
    now: OffsetDateTime,
) -> Result<Standing, Error> {
    let row = |account| AccountRef::User(about.user, account).row_id(Currency::Usdt, 0);
    let r = sqlx::query!(
        r#"SELECT hold_until, hold_reason, excluded_until, pause_reason, pause_review_at, available AS "available!: Amount", debt AS "debt!: Amount", young AS "young!", young_until,
                  used AS "used!", request_usdt, request_next, request_next_at, day_usdt, day_next, day_next_at, listed AS "listed!", usable_at
           FROM approvals.standing($1, $2, $3, $4, $5, $6, $7, $8)"#,
        about.user.0,
        about.locked,
        now,
        now - Duration::DAY,
        row(UserAccount::Available),
        row(UserAccount::Debt),
        about.destination.map(|(kind, _)| kind.as_str()),
        about.destination.map(|(_, destination)| destination)
    )
    .fetch_one(conn)
    .await?;
    Ok(standing!(r, r.usable_at))
}

/// The same, with what the compliance rules look at of the movement: both behind the lock.
pub async fn inquiry(
    conn: &mut PgConnection,
    about: &About<'_>,
    movement: &Movement<'_>,
    now: OffsetDateTime,
) -> Result<(Standing, Evidence), Error> {
    let row = |account| AccountRef::User(about.user, account).row_id(Currency::Usdt, 0);
    let r = sqlx::query!(
        r#"SELECT hold_until, hold_reason, excluded_until, pause_reason, pause_review_at, available AS "available!: Amount", debt AS "debt!: Amount", young AS "young!", young_until,
                  used AS "used!", request_usdt, request_next, request_next_at, day_usdt, day_next, day_next_at, listed AS "listed!", usable_at,
                  outs_last_hour AS "outs_last_hour!", out_last_day AS "out_last_day!", in_last_day AS "in_last_day!: Amount",
                  device_accounts AS "device_accounts!", payer_accounts AS "payer_accounts!", same_device AS "same_device!",
                  same_document AS "same_document!", same_payer AS "same_payer!", refused_before AS "refused_before!"
           FROM approvals.inquiry($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"#,
        about.user.0,
        about.locked,
        now,
        now - Duration::HOUR,
        now - Duration::DAY,
        now - Duration::days(30),
        row(UserAccount::Available),
        row(UserAccount::Debt),
        about.destination.map(|(kind, _)| kind.as_str()),
        about.destination.map(|(_, destination)| destination),
        &compliance::money_in() as &[&str],
        movement.counterparty.map(|c| c.0)
    )
    .fetch_one(conn)
    .await?;
    let evidence = compliance::facts!(r).evidence(movement);
    Ok((standing!(r, r.usable_at), evidence))
}

/// Whose money it is: the account's state, and where its mail goes.
pub struct Owner {
    pub status: String,
    pub recipient: Recipient,
}

/// The same without any lock, and whose money it is: as of one moment.
pub async fn recheck(
    conn: &mut PgConnection,
    about: &About<'_>,
    movement: &Movement<'_>,
    now: OffsetDateTime,
) -> Result<Option<(Standing, Evidence, Owner)>, Error> {
    let row = |account| AccountRef::User(about.user, account).row_id(Currency::Usdt, 0);
    let r = sqlx::query!(
        r#"SELECT i.hold_until, i.hold_reason, excluded_until, pause_reason, pause_review_at, available AS "available!: Amount", debt AS "debt!: Amount", young AS "young!", young_until,
                  used AS "used!", request_usdt, request_next, request_next_at, day_usdt, day_next, day_next_at, listed AS "listed!", usable_at,
                  outs_last_hour AS "outs_last_hour!", out_last_day AS "out_last_day!", in_last_day AS "in_last_day!: Amount",
                  device_accounts AS "device_accounts!", payer_accounts AS "payer_accounts!", same_device AS "same_device!",
                  same_document AS "same_document!", same_payer AS "same_payer!", refused_before AS "refused_before!",
                  a.status, a.email, a.full_name, a.locale, a.anti_phishing, a.time_zone, a.quiet_mail, a.quiet_from, a.quiet_until
           FROM approvals.inquiry($1, false, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) i
           JOIN identity.account a ON a.id = $1 AND NOT a.is_house"#,
        about.user.0,
        now,
        now - Duration::HOUR,
        now - Duration::DAY,
        now - Duration::days(30),
        row(UserAccount::Available),
        row(UserAccount::Debt),
        about.destination.map(|(kind, _)| kind.as_str()),
        about.destination.map(|(_, destination)| destination),
        &compliance::money_in() as &[&str],
        movement.counterparty.map(|c| c.0)
    )
    .fetch_optional(conn)
    .await?;
    let Some(r) = r else { return Ok(None) };
    let evidence = compliance::facts!(r).evidence(movement);
    let standing = standing!(r, r.usable_at);
    let mailbox = Mailbox {
        user: about.user,
        email: r.email,
        full_name: r.full_name,
        locale: r.locale,
        anti_phishing: r.anti_phishing,
        time_zone: r.time_zone,
        quiet_mail: r.quiet_mail,
        quiet_from: r.quiet_from,
        quiet_until: r.quiet_until,
    };
    let owner = Owner {
        status: r.status,
        recipient: mailbox.into(),
    };
    Ok(Some((standing, evidence, owner)))
}

fn limit(usdt: Option<i64>, next: Option<i64>, next_at: Option<OffsetDateTime>) -> Stored {
    Stored {
        usdt: usdt.map(Usdt),
        next: next.map(Usdt),
        next_at,
    }
}

fn pause(reason: Option<String>, review_at: Option<OffsetDateTime>) -> Option<Pause> {
    let (reason, review_at) = reason.zip(review_at)?;
    Some(Pause { reason, review_at })
}

/// The same of several people, behind the locks of all of them, which last until the transaction ends.
pub async fn standings(
    conn: &mut PgConnection,
    people: &[UserId],
    now: OffsetDateTime,
) -> Result<BTreeMap<UserId, Standing>, Error> {
    let ids: Vec<Uuid> = people.iter().map(|user| user.0).collect();
    let row = |user: &UserId, account| AccountRef::User(*user, account).row_id(Currency::Usdt, 0);
    let available: Vec<Uuid> = people
        .iter()
        .map(|user| row(user, UserAccount::Available))
        .collect();
    let debt: Vec<Uuid> = people.iter().map(|user| row(user, UserAccount::Debt)).collect();
    let rows = sqlx::query!(
        r#"SELECT person AS "person!: UserId", hold_until, hold_reason, excluded_until, pause_reason, pause_review_at, available AS "available!: Amount",
                  debt AS "debt!: Amount", young AS "young!", young_until, used AS "used!", request_usdt, request_next, request_next_at,
                  day_usdt, day_next, day_next_at, listed AS "listed!"
           FROM approvals.standings($1, $2, $3, $4, $5)"#,
        &ids,
        now,
        now - Duration::DAY,
        &available,
        &debt
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let person = r.person;
            (person, standing!(r, None))
        })
        .collect())
}

/// What leaves, as the columns of its rows.
struct Rows<'a> {
    ids: Vec<Uuid>,
    users: Vec<Uuid>,
    actions: Vec<&'a str>,
    amounts: Vec<i64>,
    others: Vec<Option<Uuid>>,
}

impl Rows<'_> {
    fn of(leaving: &[(OutboundId, Outbound<'_>)]) -> Self {
        Self {
            ids: leaving.iter().map(|(id, _)| id.0).collect(),
            users: leaving.iter().map(|(_, out)| out.user.0).collect(),
            actions: leaving.iter().map(|(_, out)| out.action.as_str()).collect(),
            amounts: leaving.iter().map(|(_, out)| out.usdt.0).collect(),
            others: leaving
                .iter()
                .map(|(_, out)| out.counterparty.map(|c| c.0))
                .collect(),
        }
    }
}

/// Counts what leaves, each with its id.
pub async fn insert(
    conn: &mut PgConnection,
    leaving: &[(OutboundId, Outbound<'_>)],
    now: OffsetDateTime,
) -> Result<(), Error> {
    let rows = Rows::of(leaving);
    sqlx::query!(
        "INSERT INTO approvals.outbound (id, user_id, action, usdt, counterparty, at)
         SELECT n.*, $6 FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::uuid[]) AS n(id, user_id, action, usdt, counterparty)",
        &rows.ids,
        &rows.users,
        &rows.actions as &[&str],
        &rows.amounts,
        &rows.others as &[Option<Uuid>],
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The same, and what a person has in `available` and how much of it is young. What is counted changes neither.
pub async fn insert_and_age(
    conn: &mut PgConnection,
    leaving: &[(OutboundId, Outbound<'_>)],
    user: UserId,
    now: OffsetDateTime,
) -> Result<(Amount, Usdt), Error> {
    let rows = Rows::of(leaving);
    let row = |account| AccountRef::User(user, account).row_id(Currency::Usdt, 0);
    let found = sqlx::query!(
        r#"WITH lost AS (
               INSERT INTO approvals.outbound (id, user_id, action, usdt, counterparty, at)
               SELECT n.*, $6 FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::uuid[]) AS n(id, user_id, action, usdt, counterparty)
           )
           SELECT available AS "available!: Amount", young AS "young!" FROM approvals.standing($7, false, $6, $8, $9, $10, NULL, NULL)"#,
        &rows.ids,
        &rows.users,
        &rows.actions as &[&str],
        &rows.amounts,
        &rows.others as &[Option<Uuid>],
        now,
        user.0,
        now - Duration::DAY,
        row(UserAccount::Available),
        row(UserAccount::Debt)
    )
    .fetch_one(conn)
    .await?;
    Ok((found.available, Usdt(found.young)))
}

pub async fn release(conn: &mut PgConnection, id: OutboundId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.outbound SET released_at = $2 WHERE id = $1 AND released_at IS NULL",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Until when the last of these people's young money is young; those without are absent.
pub async fn young_among(
    conn: &mut PgConnection,
    users: &[UserId],
    now: OffsetDateTime,
) -> Result<HashMap<UserId, OffsetDateTime>, Error> {
    let ids: Vec<Uuid> = users.iter().map(|user| user.0).collect();
    let rows = sqlx::query!(
        r#"SELECT user_id AS "user: UserId", max(until) AS "until!" FROM approvals.young_credit
           WHERE user_id = ANY($1) AND ended_at IS NULL AND until > $2 GROUP BY user_id"#,
        &ids,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|r| (r.user, r.until)).collect())
}

pub async fn note_young(
    conn: &mut PgConnection,
    user: UserId,
    source: Uuid,
    usdt: Usdt,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO approvals.young_credit (source, user_id, usdt, at, until)
         SELECT $1, $2, $3, $4, CASE WHEN EXISTS (SELECT FROM approvals.young_credit WHERE user_id = $2) THEN $5::timestamptz ELSE $6::timestamptz END
         ON CONFLICT (source) DO NOTHING",
        source,
        user.0,
        usdt.0,
        now,
        now + Duration::hours(24),
        now + Duration::hours(72)
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn end_young(conn: &mut PgConnection, source: Uuid, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE approvals.young_credit SET ended_at = $2 WHERE source = $1 AND ended_at IS NULL",
        source,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}
