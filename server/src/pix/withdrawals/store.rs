//! SQL of withdrawals, their payments and the holders' documents.

use crate::{
    error::{Error, violates},
    foundation::{http::Paging, listing},
    identity::{caller::Scope, roles},
    pix::{
        keys::{Document, HolderMatch},
        rules::Rate,
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, HoldId, OutboundId, PixWithdrawalId, TransferId, UserId},
    money::{Brl, Usdt},
    views::{PixKeyKind, PixOffer, PixWithdrawalStatus as Status, PixWithdrawalView},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// A holder's document as it is kept.
pub struct HolderRow {
    pub kind: String,
    pub sealed: Vec<u8>,
    pub masked: String,
    pub created_at: OffsetDateTime,
}

pub async fn holder(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<HolderRow>, Error> {
    Ok(sqlx::query_as!(
        HolderRow,
        "SELECT kind, sealed, masked, created_at FROM pix.holder WHERE account = $1",
        user.0
    )
    .fetch_optional(db)
    .await?)
}

/// Keeps a document unless there is one; whether it was kept.
pub async fn keep_holder(
    conn: &mut PgConnection,
    user: UserId,
    document: &Document,
    sealed: &[u8],
    mac: &[u8; 32],
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let done = sqlx::query!(
        "INSERT INTO pix.holder (account, kind, sealed, mac, masked, created_at) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        user.0,
        document.kind().as_str(),
        sealed,
        mac.as_slice(),
        document.masked(),
        now
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn drop_holder(conn: &mut PgConnection, user: UserId) -> Result<bool, Error> {
    let done = sqlx::query!("DELETE FROM pix.holder WHERE account = $1", user.0)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub struct NewWithdrawal {
    pub id: PixWithdrawalId,
    pub owner: UserId,
    pub key_kind: PixKeyKind,
    pub key_sealed: Vec<u8>,
    pub key_mac: [u8; 32],
    pub key_masked: String,
    pub holder_match: HolderMatch,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub brl: Brl,
    pub rate: Rate,
    pub rate_source: &'static str,
    pub hold: HoldId,
    pub outbound: Option<OutboundId>,
    pub settings_version: i32,
    pub review: bool,
    pub approvals_needed: i16,
    pub expires_at: OffsetDateTime,
}

pub async fn insert(conn: &mut PgConnection, new: &NewWithdrawal, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.withdrawal (id, owner, key_kind, key_sealed, key_mac, key_masked, holder_match, usdt, fee, net, brl, rate,
             rate_source, hold, outbound, settings_version, review, status, approvals_needed, created_at, waiting_since, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'pending', $18, $19, $19, $20)",
        new.id.0,
        new.owner.0,
        new.key_kind.as_str(),
        new.key_sealed,
        new.key_mac.as_slice(),
        new.key_masked,
        new.holder_match.as_str(),
        new.value.0,
        new.fee.0,
        new.net.0,
        new.brl.0,
        new.rate.0,
        new.rate_source,
        new.hold.0,
        new.outbound.map(|o| o.0),
        new.settings_version,
        new.review,
        new.approvals_needed,
        now,
        new.expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A withdrawal as its row stands, locked.
pub struct Locked {
    pub id: PixWithdrawalId,
    pub owner: UserId,
    pub key_kind: PixKeyKind,
    pub key_sealed: Vec<u8>,
    pub key_mac: Vec<u8>,
    pub key_masked: String,
    pub holder_match: HolderMatch,
    pub value: Usdt,
    pub fee: Usdt,
    pub net: Usdt,
    pub brl: Brl,
    pub rate: Rate,
    pub offer: Option<(Brl, Rate)>,
    pub hold: HoldId,
    pub outbound: Option<OutboundId>,
    pub settings_version: i32,
    pub status: Status,
    pub reason: Option<String>,
    pub digest: Option<Vec<u8>>,
    pub paid: bool,
    pub version: i64,
}

pub async fn lock(
    conn: &mut PgConnection,
    scope: Scope,
    id: PixWithdrawalId,
) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        "SELECT id, owner, key_kind, key_sealed, key_mac, key_masked, holder_match, usdt, fee, net, brl, rate, offer_brl, offer_rate, hold,
             outbound, settings_version, status, reason, digest, paid_at, version
         FROM pix.withdrawal WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE",
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Locked {
            id: r.id.into(),
            owner: r.owner.into(),
            key_kind: kind(&r.key_kind)?,
            key_sealed: r.key_sealed,
            key_mac: r.key_mac,
            key_masked: r.key_masked,
            holder_match: HolderMatch::parse(&r.holder_match)
                .ok_or_else(|| Error::internal("an unknown relation to the holder"))?,
            value: Usdt(r.usdt),
            fee: Usdt(r.fee),
            net: Usdt(r.net),
            brl: Brl(r.brl),
            rate: Rate(r.rate),
            offer: r.offer_brl.zip(r.offer_rate).map(|(b, r)| (Brl(b), Rate(r))),
            hold: r.hold.into(),
            outbound: r.outbound.map(OutboundId::from),
            settings_version: r.settings_version,
            status: status(&r.status)?,
            reason: r.reason,
            digest: r.digest,
            paid: r.paid_at.is_some(),
            version: r.version,
        })
    })
    .transpose()
}

fn kind(stored: &str) -> Result<PixKeyKind, Error> {
    stored
        .parse()
        .map_err(|()| Error::internal("a key of an unknown kind"))
}

fn status(stored: &str) -> Result<Status, Error> {
    stored
        .parse()
        .map_err(|()| Error::internal("a withdrawal of an unknown status"))
}

pub async fn set_status(
    conn: &mut PgConnection,
    id: PixWithdrawalId,
    status: Status,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.withdrawal SET status = $2, reason = $3, decided_at = $4, offer_brl = NULL, offer_rate = NULL, version = version + 1
         WHERE id = $1",
        id.0,
        status.as_str(),
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The rate moved: what was approved so far is void, its user is asked.
pub async fn offer(conn: &mut PgConnection, id: PixWithdrawalId, brl: Brl, rate: Rate) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.withdrawal SET status = 'awaiting_confirmation', offer_brl = $2, offer_rate = $3, approvals = 0, digest = NULL,
             holder_checked = false, version = version + 1 WHERE id = $1",
        id.0,
        brl.0,
        rate.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Its user takes the offer: back into the queue.
pub async fn take_offer(
    conn: &mut PgConnection,
    id: PixWithdrawalId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.withdrawal SET status = 'pending', brl = offer_brl, rate = offer_rate, offer_brl = NULL, offer_rate = NULL,
             waiting_since = $2, version = version + 1 WHERE id = $1",
        id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_approvals(
    conn: &mut PgConnection,
    id: PixWithdrawalId,
    digest: &[u8; 32],
    approvals: i16,
    needed: i16,
    holder_checked: bool,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.withdrawal SET digest = $2, approvals = $3, approvals_needed = $4, holder_checked = holder_checked OR $5,
             version = version + 1 WHERE id = $1",
        id.0,
        digest.as_slice(),
        approvals,
        needed,
        holder_checked
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub struct NewPayment<'a> {
    pub withdrawal: PixWithdrawalId,
    pub end_to_end_id: Option<&'a str>,
    pub proof: Option<FileId>,
    pub transfer: TransferId,
    pub brl: Brl,
    pub by: UserId,
}

/// The payment takes the bank's id; a second withdrawal with the same one is refused here, whoever was first.
pub async fn pay(conn: &mut PgConnection, new: &NewPayment<'_>, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.payment (withdrawal, end_to_end_id, proof, transfer, brl, paid_by, at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        new.withdrawal.0,
        new.end_to_end_id,
        new.proof.map(|p| p.0),
        new.transfer.0,
        new.brl.0,
        new.by.0,
        now
    )
    .execute(&mut *conn)
    .await
    .map_err(|e| {
        if violates(&e, "payment_end_to_end_id_key") {
            Error::code(ErrorCode::PixPaymentUsed).field("endToEndId", ErrorCode::PixPaymentUsed)
        } else {
            e.into()
        }
    })?;
    sqlx::query!(
        "UPDATE pix.withdrawal SET paid_at = $2, version = version + 1 WHERE id = $1",
        new.withdrawal.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Undecided ones past their time, locked.
pub async fn overdue(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    max: i64,
) -> Result<Vec<PixWithdrawalId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM pix.withdrawal WHERE status IN ('pending', 'awaiting_confirmation') AND expires_at <= $1
         ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED",
        now,
        max
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(PixWithdrawalId::from).collect())
}

/// What a person has asked for and not got: oldest first.
pub async fn unsent(conn: &mut PgConnection, owner: UserId) -> Result<Vec<PixWithdrawalId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM pix.withdrawal WHERE owner = $1 AND paid_at IS NULL AND status IN ('pending', 'awaiting_confirmation', 'approved')
         ORDER BY created_at, id FOR UPDATE",
        owner.0
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(PixWithdrawalId::from).collect())
}

/// A line of `pix.withdrawal_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    id: Uuid,
    owner: Uuid,
    key_kind: String,
    key_masked: String,
    pub holder_match: String,
    usdt: i64,
    fee: i64,
    net: i64,
    brl: i64,
    rate: i64,
    offer_brl: Option<i64>,
    offer_rate: Option<i64>,
    pub review: bool,
    status: String,
    reason: Option<String>,
    approvals: i16,
    approvals_needed: i16,
    paid_at: Option<OffsetDateTime>,
    version: i64,
    created_at: OffsetDateTime,
    waiting_since: OffsetDateTime,
    expires_at: OffsetDateTime,
    decided_at: Option<OffsetDateTime>,
    username: String,
    pub full_name: String,
    pub email: String,
    pub member_since: OffsetDateTime,
    end_to_end_id: Option<String>,
    proof: Option<Uuid>,
    proof_mime: Option<String>,
    pub document_masked: Option<String>,
    pub document_shared: bool,
    pub paid_before: i64,
    pub key_known: bool,
    pub key_shared: bool,
    pub day_before: i64,
    pub fresh_deposit: bool,
}

impl Shown {
    pub fn view(&self) -> Result<PixWithdrawalView, Error> {
        Ok(PixWithdrawalView {
            id: self.id.into(),
            user: self.owner.into(),
            username: self.username.clone(),
            value: Usdt(self.usdt),
            fee: Usdt(self.fee),
            net: Usdt(self.net),
            brl: Brl(self.brl),
            rate: Rate(self.rate).to_string(),
            key_kind: kind(&self.key_kind)?,
            key: self.key_masked.clone(),
            status: status(&self.status)?,
            reason: self.reason.clone(),
            offer: self.offer_brl.zip(self.offer_rate).map(|(brl, rate)| PixOffer {
                brl: Brl(brl),
                rate: Rate(rate).to_string(),
            }),
            end_to_end_id: self.end_to_end_id.clone(),
            proof: self.proof.map(FileId::from),
            proof_kind: self.proof_mime.clone(),
            paid_at: self.paid_at,
            approvals: self.approvals,
            approvals_needed: self.approvals_needed,
            waiting_since: self.waiting_since,
            expires_at: self.expires_at,
            decided_at: self.decided_at,
            created_at: self.created_at,
            version: self.version,
        })
    }
}

/// What a list is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<Status>,
    /// Of approved ones: paid, or yet to be paid.
    pub paid: Option<bool>,
    pub search: Option<String>,
    /// Name of a role that the customer holds; for staff.
    pub function: Option<String>,
    pub from: Option<OffsetDateTime>,
    pub until: Option<OffsetDateTime>,
}

fn restrict(query: &mut QueryBuilder<Postgres>, scope: Scope, filter: &Filter) {
    query.push(" WHERE true");
    if let Some(owner) = scope.owner() {
        query.push(" AND owner = ").push_bind(owner);
    }
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str());
    }
    match filter.paid {
        Some(true) => {
            query.push(" AND paid_at IS NOT NULL");
        }
        Some(false) => {
            query.push(" AND paid_at IS NULL");
        }
        None => {}
    }
    if let (Some(role), Scope::Staff(_)) = (&filter.function, scope) {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    if let Some(search) = &filter.search {
        let columns: &[&'static str] = match scope {
            Scope::Staff(_) => &["end_to_end_id", "key_masked", "username", "full_name", "email"],
            _ => &["end_to_end_id", "key_masked"],
        };
        listing::any_like(query, columns, search);
        query.push(")");
    }
}

/// A page of withdrawals and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    listing::page(conn, "pix.withdrawal_shown", paging, sort, |query| {
        restrict(query, scope, filter)
    })
    .await
}

pub async fn shown(
    conn: &mut PgConnection,
    scope: Scope,
    id: PixWithdrawalId,
) -> Result<Option<Shown>, Error> {
    listing::find(conn, "pix.withdrawal_shown", id.0, |query| {
        restrict(query, scope, &Filter::default());
    })
    .await
}

/// Length of the staff's queue (to decide or to pay) and since when its oldest waits.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(waiting_since) AS oldest FROM pix.withdrawal
           WHERE status = 'pending' OR status = 'approved' AND paid_at IS NULL"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.pending, row.oldest))
}

/// Changes of the queue one after another, so that the length that each reports is the length at its commit.
pub async fn lock_queue(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('pix-withdrawals', 8))")
        .execute(conn)
        .await?;
    Ok(())
}

/// Whose withdrawal a receipt of payment belongs to.
pub async fn payment_owner(db: impl PgExecutor<'_>, file: FileId) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT w.owner FROM pix.payment p JOIN pix.withdrawal w ON w.id = p.withdrawal WHERE p.proof = $1",
        file.0
    )
    .fetch_optional(db)
    .await?
    .map(UserId::from))
}
