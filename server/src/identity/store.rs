//! SQL of accounts: people, their addresses, factors, holds.

mod factors;

pub use factors::{
    confirm_totp, drop_totp, has_recovery_code, offer_totp, replace_recovery_codes, set_email_factor,
    spend_recovery_code, spend_step, unused_recovery_codes, used_recovery_code,
};

use crate::error::Error;
use protocol::ids::{RoleId, UserId};
use sqlx::{PgConnection, PgExecutor};
use time::{Date, OffsetDateTime};

/// An account as this room's use cases need it. Has no `Debug`: it carries secrets.
#[derive(Clone)]
pub struct Account {
    pub id: UserId,
    pub email: String,
    pub username: String,
    pub full_name: String,
    pub mobile_number: Option<String>,
    pub password_hash: Option<String>,
    pub status: String,
    pub locale: String,
    pub email_confirmed_at: Option<OffsetDateTime>,
    /// Since when somebody has shown to read its mail, at whichever address.
    pub proven_at: Option<OffsetDateTime>,
    pub terms_accepted_at: Option<OffsetDateTime>,
    pub terms_version: Option<String>,
    pub risk_accepted_at: Option<OffsetDateTime>,
    pub adult_declared_at: Option<OffsetDateTime>,
    pub avatar: Option<uuid::Uuid>,
    pub two_factor_email: bool,
    pub totp_secret: Option<Vec<u8>>,
    pub totp_last_step: i64,
    pub totp_pending: Option<Vec<u8>>,
    pub totp_pending_at: Option<OffsetDateTime>,
    pub has_passkey: bool,
    pub hold_until: Option<OffsetDateTime>,
    pub hold_reason: Option<String>,
    pub anti_phishing: Option<String>,
    pub frozen_at: Option<OffsetDateTime>,
    /// Since when its password opens nothing: staff put another e-mail in place.
    pub password_ended_at: Option<OffsetDateTime>,
    pub birth_date: Option<Date>,
    /// An IANA name.
    pub time_zone: Option<String>,
    /// Groups of notices that are not mailed.
    pub quiet_mail: Vec<String>,
    /// Minutes of the day between which what can wait is not mailed.
    pub quiet_from: Option<i16>,
    pub quiet_until: Option<i16>,
    pub created_at: OffsetDateTime,
}

impl Account {
    /// Whether the password alone does not sign in.
    #[must_use]
    pub const fn has_factor(&self) -> bool {
        self.two_factor_email || self.totp_secret.is_some() || self.has_passkey
    }
}

/// Which account: the house member is never found, it does not sign in.
pub enum By<'a> {
    Id(UserId),
    EmailKey(&'a str),
    UsernameKey(&'a str),
}

/// An account of those that this condition names.
macro_rules! account {
    ($which:tt, $($bind:expr),+) => {
        sqlx::query_as!(
            Account,
            r#"SELECT id AS "id: UserId", email, username, full_name, mobile_number, password_hash, status, locale, email_confirmed_at, proven_at,
                  terms_accepted_at, terms_version, risk_accepted_at, adult_declared_at, avatar, two_factor_email, totp_secret, totp_last_step, totp_pending, totp_pending_at,
                  EXISTS (SELECT FROM identity.passkey p WHERE p.account = identity.account.id) AS "has_passkey!",
                  hold_until, hold_reason, anti_phishing, frozen_at, password_ended_at, birth_date, time_zone, quiet_mail, quiet_from, quiet_until,
                  created_at
           FROM identity.account
           WHERE NOT is_house AND "# + $which,
            $($bind),+
        )
    };
}

pub async fn account(db: impl PgExecutor<'_>, by: By<'_>) -> Result<Option<Account>, Error> {
    let (id, email, username) = match by {
        By::Id(id) => (Some(id.0), None, None),
        By::EmailKey(key) => (None, Some(key), None),
        By::UsernameKey(key) => (None, None, Some(key)),
    };
    let found = account!(
        "(id = $1 OR email_key = $2 OR username_key = $3)",
        id,
        email,
        username
    );
    Ok(found.fetch_optional(db).await?)
}

/// An account with its row locked: changes of one person come one after another.
pub async fn locked(conn: &mut PgConnection, id: UserId) -> Result<Option<Account>, Error> {
    Ok(account!("id = $1 FOR UPDATE", id.0).fetch_optional(conn).await?)
}

/// Locks an account's row: changes of one person come one after another.
pub async fn lock(conn: &mut PgConnection, id: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT 1 AS one FROM identity.account WHERE id = $1 FOR UPDATE",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(())
}

/// Locks an account's row if its password still is this one and opens something: that of an account that is closed, frozen, or was given
/// another e-mail by staff since it was checked opens nothing.
pub async fn lock_with_password(
    conn: &mut PgConnection,
    id: UserId,
    hash: Option<&str>,
) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT password_hash IS NOT DISTINCT FROM $2 AND status <> 'closed' AND frozen_at IS NULL AND password_ended_at IS NULL AS "same!"
           FROM identity.account WHERE id = $1 FOR UPDATE"#,
        id.0,
        hash
    )
    .fetch_optional(conn)
    .await?
    .unwrap_or(false))
}

#[derive(Clone, Copy)]
pub struct NewAccount<'a> {
    pub id: UserId,
    pub email: &'a str,
    pub email_key: &'a str,
    pub username: &'a str,
    pub full_name: &'a str,
    pub mobile_number: Option<&'a str>,
    pub password_hash: Option<&'a str>,
    pub locale: &'a str,
    pub confirmed_at: Option<OffsetDateTime>,
    pub accepted_at: Option<OffsetDateTime>,
    pub terms_version: Option<&'a str>,
}

/// `false` when the username is taken. A taken address violates `account_email_key_key`.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewAccount<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, mobile_number, password_hash, locale,
             email_confirmed_at, terms_accepted_at, risk_accepted_at, adult_declared_at, terms_version, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $10, $10, $11, $12, $12)
         ON CONFLICT (username_key) DO NOTHING",
        new.id.0,
        new.email,
        new.email_key,
        new.username,
        new.full_name,
        new.mobile_number,
        new.password_hash,
        new.locale,
        new.confirmed_at,
        new.accepted_at,
        new.terms_version,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A postal address.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Address {
    pub country: String,
    pub state: String,
    pub city: String,
    pub street: String,
    pub number: String,
    #[serde(default)]
    pub complement: Option<String>,
    pub district: String,
    pub postal_code: String,
}

pub async fn put_address(
    conn: &mut PgConnection,
    id: UserId,
    a: &Address,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO identity.address (account, country, state, city, street, number, complement, district, postal_code, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (account) DO UPDATE SET country = $2, state = $3, city = $4, street = $5, number = $6, complement = $7,
             district = $8, postal_code = $9, updated_at = $10",
        id.0,
        a.country,
        a.state,
        a.city,
        a.street,
        a.number,
        a.complement,
        a.district,
        a.postal_code,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn address(db: impl PgExecutor<'_>, id: UserId) -> Result<Option<Address>, Error> {
    Ok(sqlx::query_as!(
        Address,
        "SELECT country, state, city, street, number, complement, district, postal_code FROM identity.address WHERE account = $1",
        id.0
    )
    .fetch_optional(db)
    .await?)
}

/// Terms and risk notice of this version are accepted; whoever had not said so is 18 or older.
pub async fn accept(
    conn: &mut PgConnection,
    id: UserId,
    version: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET terms_accepted_at = $3, risk_accepted_at = $3, terms_version = $2,
             adult_declared_at = COALESCE(adult_declared_at, $3), version = version + 1, updated_at = $3
         WHERE id = $1",
        id.0,
        version,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Marks the address as confirmed; `false` when it was already.
pub async fn confirm_email(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<bool, Error> {
    let done = sqlx::query!(
        "UPDATE identity.account SET email_confirmed_at = $2, version = version + 1, updated_at = $2 WHERE id = $1 AND email_confirmed_at IS NULL",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Another address in place of one that nobody has ever shown to read; `false` when somebody has. A taken one violates `account_email_key_key`.
pub async fn correct_email(
    conn: &mut PgConnection,
    id: UserId,
    email: &str,
    email_key: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE identity.account SET email = $2, email_key = $3, version = version + 1, updated_at = $4
         WHERE id = $1 AND email_confirmed_at IS NULL AND proven_at IS NULL",
        id.0,
        email,
        email_key,
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// A new password; it also lifts a freeze and stands for one that had ended, because it came by the owner's mail or with the old one.
pub async fn set_password(
    conn: &mut PgConnection,
    id: UserId,
    hash: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET password_hash = $2, frozen_at = NULL, password_ended_at = NULL, version = version + 1, updated_at = $3 WHERE id = $1",
        id.0,
        hash,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Holds outgoing money until then, or longer if it is already held longer.
pub async fn hold(
    conn: &mut PgConnection,
    id: UserId,
    until: OffsetDateTime,
    reason: &str,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET hold_reason = CASE WHEN hold_until IS NULL OR hold_until <= $2 THEN $3 ELSE hold_reason END,
             hold_until = GREATEST(hold_until, $2) WHERE id = $1",
        id.0,
        until,
        reason
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Since when the hourly counts of an account's mailed codes begin anew.
pub async fn codes_anew(conn: &mut PgConnection, id: UserId) -> Result<Option<OffsetDateTime>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT codes_anew_at FROM identity.account WHERE id = $1", id.0)
            .fetch_optional(conn)
            .await?
            .flatten(),
    )
}

pub async fn begin_codes_anew(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET codes_anew_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn freeze(conn: &mut PgConnection, id: UserId, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET frozen_at = $2, version = version + 1, updated_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What is none stays.
#[derive(Default)]
pub struct ProfilePatch<'a> {
    pub full_name: Option<&'a str>,
    /// Outer: whether to change it; inner: to what.
    pub mobile_number: Option<Option<&'a str>>,
    pub locale: Option<&'a str>,
    pub anti_phishing: Option<Option<&'a str>>,
    pub birth_date: Option<Option<Date>>,
    pub time_zone: Option<Option<&'a str>>,
}

pub async fn patch(
    conn: &mut PgConnection,
    id: UserId,
    p: &ProfilePatch<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET full_name = COALESCE($2, full_name),
             mobile_number = CASE WHEN $3 THEN $4 ELSE mobile_number END,
             locale = COALESCE($5, locale),
             anti_phishing = CASE WHEN $6 THEN $7 ELSE anti_phishing END,
             birth_date = CASE WHEN $9 THEN $10 ELSE birth_date END,
             time_zone = CASE WHEN $11 THEN $12 ELSE time_zone END,
             version = version + 1, updated_at = $8
         WHERE id = $1",
        id.0,
        p.full_name,
        p.mobile_number.is_some(),
        p.mobile_number.flatten(),
        p.locale,
        p.anti_phishing.is_some(),
        p.anti_phishing.flatten(),
        now,
        p.birth_date.is_some(),
        p.birth_date.flatten(),
        p.time_zone.is_some(),
        p.time_zone.flatten()
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Mails notices of a group no longer, or again.
pub async fn set_quiet_mail(
    conn: &mut PgConnection,
    id: UserId,
    group: &str,
    quiet: bool,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET quiet_mail = array_remove(quiet_mail, $2) || CASE WHEN $3 THEN ARRAY[$2] ELSE '{}'::text[] END,
             updated_at = $4 WHERE id = $1",
        id.0,
        group,
        quiet,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Holds mail that can wait between these minutes of the day; at no time without any.
pub async fn set_quiet_hours(
    conn: &mut PgConnection,
    id: UserId,
    minutes: Option<(i16, i16)>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE identity.account SET quiet_from = $2, quiet_until = $3, updated_at = $4 WHERE id = $1",
        id.0,
        minutes.map(|(from, _)| from),
        minutes.map(|(_, until)| until),
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts a picture in the place of another, which is answered; or takes it off.
pub async fn set_avatar(
    conn: &mut PgConnection,
    id: UserId,
    file: Option<uuid::Uuid>,
    now: OffsetDateTime,
) -> Result<Option<uuid::Uuid>, Error> {
    let before = sqlx::query_scalar!(
        r#"WITH before AS (SELECT id, avatar FROM identity.account WHERE id = $1 FOR UPDATE)
           UPDATE identity.account a SET avatar = $2, updated_at = $3 FROM before WHERE a.id = before.id
           RETURNING before.avatar AS "avatar?""#,
        id.0,
        file,
        now
    )
    .fetch_optional(conn)
    .await?;
    Ok(before.flatten())
}

/// Gives a role by its name; `origin`, of one that decides, is where it came from.
pub async fn give_role(
    conn: &mut PgConnection,
    id: UserId,
    role: &str,
    by: Option<UserId>,
    origin: Option<&str>,
    now: OffsetDateTime,
) -> Result<Option<RoleId>, Error> {
    Ok(sqlx::query_scalar!(
        r#"INSERT INTO identity.account_role (account, role, granted_by, origin, granted_at)
           SELECT $1, r.id, $3, $5, $4 FROM identity.role r WHERE r.name = $2
           ON CONFLICT (account, role) DO UPDATE SET granted_at = account_role.granted_at
           RETURNING role AS "role: RoleId""#,
        id.0,
        role,
        by.map(|u| u.0),
        now,
        origin
    )
    .fetch_optional(conn)
    .await?)
}

/// Active, confirmed members by exact e-mail or beginning of the username: username, full name, picture.
pub async fn search(
    db: impl PgExecutor<'_>,
    by: UserId,
    email: Option<&str>,
    prefix: Option<&str>,
    limit: i64,
) -> Result<Vec<(String, String, Option<uuid::Uuid>)>, Error> {
    let rows = sqlx::query!(
        "SELECT username, full_name, avatar FROM identity.account
         WHERE NOT is_house AND id <> $1 AND email_confirmed_at IS NOT NULL AND status = 'active'
           AND (email_key = $2 OR username_key LIKE $3)
         ORDER BY username_key LIMIT $4",
        by.0,
        email,
        prefix,
        limit
    )
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| (r.username, r.full_name, r.avatar))
        .collect())
}
