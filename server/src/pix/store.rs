//! SQL of PIX deposits.

use super::rules::Rate;
use crate::{
    approvals::{foresight::Waits, service::Standing},
    error::{Error, violates},
    foundation::{
        files::FileRow,
        http::Paging,
        listing::{self, Came, DaysReport, Summed},
    },
    identity::{caller::Scope, roles},
};
use protocol::{
    ErrorCode,
    ids::{FileId, PixDepositId, TransferId, UserId},
    money::{Brl, Usdt},
    views::{PixDepositStatus, PixDepositView},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

pub struct NewDeposit {
    pub id: PixDepositId,
    pub owner: UserId,
    pub txid: String,
    pub br_code: String,
    pub usdt: Usdt,
    pub brl: Brl,
    pub rate: Rate,
    pub rate_source: &'static str,
    pub rate_locked_until: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    pub settings_version: i32,
    pub approvals_needed: i16,
}

/// A deposit as its row stands, locked.
pub struct Locked {
    pub id: PixDepositId,
    pub owner: UserId,
    pub usdt: Usdt,
    pub brl: Brl,
    pub rate: Rate,
    pub rate_locked_until: OffsetDateTime,
    pub status: PixDepositStatus,
    pub reversed: bool,
    pub created_at: OffsetDateTime,
}

/// What an approver read off the statement, with what it credits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub end_to_end_id: String,
    pub payer_name: String,
    pub brl: Brl,
    pub rate: Rate,
    pub usdt: Usdt,
}

/// A line of `pix.shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    id: Uuid,
    owner: Uuid,
    txid: String,
    br_code: String,
    usdt: i64,
    brl: i64,
    rate: i64,
    rate_locked_until: OffsetDateTime,
    expires_at: OffsetDateTime,
    status: String,
    reason: Option<String>,
    proof: Option<Uuid>,
    approvals: i16,
    approvals_needed: i16,
    reversed_at: Option<OffsetDateTime>,
    version: i64,
    created_at: OffsetDateTime,
    waiting_since: Option<OffsetDateTime>,
    username: String,
    pub full_name: String,
    pub email: String,
    pub member_since: OffsetDateTime,
    proof_mime: Option<String>,
    brl_received: Option<i64>,
    credited: Option<i64>,
    pub claim_id: Option<String>,
    pub claim_payer: Option<String>,
    pub claim_brl: Option<i64>,
    pub claim_usdt: Option<i64>,
    pub claim_by: Option<String>,
    pub line_id: Option<String>,
    pub line_payer: Option<String>,
    pub line_brl: Option<i64>,
    pub proof_seen_before: bool,
    pub approved_before: i64,
    pub day_before: i64,
    reversal_asked_by: Option<String>,
    reversal_reason: Option<String>,
}

/// Who looks at a deposit: the owner has the BR Code, staff the warnings, who looks at the owner's screens neither.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum For {
    Owner,
    Staff,
    Look,
}

impl Shown {
    /// What nobody has approved of yet.
    pub fn waits(&self) -> Option<Waits> {
        let open = self.approvals == 0 && self.status == "pending_approval";
        open.then_some(Waits {
            id: self.id,
            customer: UserId(self.owner),
            usdt: Usdt(self.usdt),
        })
    }

    pub fn view(&self, whom: For) -> Result<PixDepositView, Error> {
        let status: PixDepositStatus = self
            .status
            .parse()
            .map_err(|()| Error::internal("a deposit of an unknown status"))?;
        let payable = whom == For::Owner && status == PixDepositStatus::Pending;
        Ok(PixDepositView {
            id: self.id.into(),
            user: self.owner.into(),
            username: self.username.clone(),
            usdt: Usdt(self.usdt),
            brl: Brl(self.brl),
            rate: Rate(self.rate).to_string(),
            txid: self.txid.clone(),
            br_code: payable.then(|| self.br_code.clone()),
            proof: self.proof.map(FileId::from),
            proof_kind: self.proof_mime.clone(),
            proof_seen_before: whom == For::Staff && self.proof_seen_before,
            status,
            reason: self.reason.clone(),
            brl_received: self.brl_received.map(Brl),
            credited: self.credited.map(Usdt),
            reversed: self.reversed_at.is_some(),
            reversal_asked_by: self.reversal_asked_by.clone().filter(|_| whom == For::Staff),
            reversal_reason: self.reversal_reason.clone().filter(|_| whom == For::Staff),
            waiting_since: self.waiting_since,
            approvals: self.approvals,
            approvals_needed: self.approvals_needed,
            rate_locked_until: self.rate_locked_until,
            expires_at: self.expires_at,
            created_at: self.created_at,
            version: self.version,
        })
    }
}

/// What a list is restricted to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<PixDepositStatus>,
    pub search: Option<String>,
    /// Name of a role that the customer holds.
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
    if let Some(role) = &filter.function {
        roles::held(query, "owner", role);
    }
    listing::between(query, "created_at", filter.from, filter.until);
    if let Some(search) = &filter.search {
        let columns: &[&'static str] = match scope {
            Scope::Staff(_) => &["txid", "username", "full_name", "email", "claim_id"],
            _ => &["txid"],
        };
        listing::any_like(query, columns, search);
        query.push(")");
    }
}

/// A page of deposits and how many there are in all.
pub async fn list(
    conn: &mut PgConnection,
    scope: Scope,
    filter: &Filter,
    paging: &Paging,
    sort: &'static str,
) -> Result<(Vec<Shown>, i64), Error> {
    listing::page(conn, "pix.shown", paging, sort, |query| {
        restrict(query, scope, filter)
    })
    .await
}

/// What was credited and not taken back, with what lists are searched by; nothing of what only a queue's row shows.
const CREDITED: Summed = Summed {
    of: "(SELECT d.owner, d.txid, d.status, d.reversed_at, d.created_at, a.username, a.full_name, a.email, k.end_to_end_id AS claim_id,
             c.usdt AS credited
         FROM pix.deposit d JOIN pix.credit c ON c.deposit = d.id JOIN identity.account a ON a.id = d.owner
         LEFT JOIN pix.claim k ON k.deposit = d.id) s",
    came: Came::At("created_at"),
    amount: "credited",
    counted: "status = 'approved' AND reversed_at IS NULL",
};

pub async fn credited(conn: &mut PgConnection, scope: Scope, filter: &Filter) -> Result<DaysReport, Error> {
    listing::by_day(conn, CREDITED, |query| restrict(query, scope, filter)).await
}

pub async fn shown(conn: &mut PgConnection, scope: Scope, id: PixDepositId) -> Result<Option<Shown>, Error> {
    listing::find(conn, "pix.shown", id.0, |query| {
        restrict(query, scope, &Filter::default());
    })
    .await
}

/// Length of the approvers' queue and since when its oldest waits.
pub async fn queue(conn: &mut PgConnection) -> Result<(i64, Option<OffsetDateTime>), Error> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "pending!", min(waiting_since) AS oldest FROM pix.deposit WHERE status = 'pending_approval'"#
    )
    .fetch_one(conn)
    .await?;
    Ok((row.pending, row.oldest))
}

/// The queue's length. Changes of the queue follow one another, so that the length that each reports is the length at its commit.
pub async fn pending(conn: &mut PgConnection) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(r#"SELECT pix.pending() AS "n!""#)
        .fetch_one(conn)
        .await?)
}

/// One new deposit at a time per owner: the number of open ones is checked behind it.
pub async fn lock_owner(conn: &mut PgConnection, owner: UserId) -> Result<(), Error> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended($1, 8))",
        owner.to_string()
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn open_count(conn: &mut PgConnection, owner: UserId, now: OffsetDateTime) -> Result<i64, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT count(*) AS "n!" FROM pix.deposit WHERE owner = $1 AND status = 'pending' AND expires_at > $2"#,
        owner.0,
        now
    )
    .fetch_one(conn)
    .await?)
}

pub async fn insert(conn: &mut PgConnection, new: &NewDeposit, now: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.deposit (id, owner, txid, br_code, usdt, brl, rate, rate_source, rate_locked_until, expires_at,
             settings_version, status, approvals_needed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'pending', $12, $13)",
        new.id.0,
        new.owner.0,
        new.txid,
        new.br_code,
        new.usdt.0,
        new.brl.0,
        new.rate.0,
        new.rate_source,
        new.rate_locked_until,
        new.expires_at,
        new.settings_version,
        new.approvals_needed,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn lock(conn: &mut PgConnection, scope: Scope, id: PixDepositId) -> Result<Option<Locked>, Error> {
    let row = sqlx::query!(
        "SELECT id, owner, usdt, brl, rate, rate_locked_until, status, reversed_at, created_at FROM pix.deposit
         WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE",
        id.0,
        scope.owner()
    )
    .fetch_optional(conn)
    .await?;
    row.map(|r| {
        Ok(Locked {
            id: r.id.into(),
            owner: r.owner.into(),
            usdt: Usdt(r.usdt),
            brl: Brl(r.brl),
            rate: Rate(r.rate),
            rate_locked_until: r.rate_locked_until,
            status: r
                .status
                .parse()
                .map_err(|()| Error::internal("a deposit of an unknown status"))?,
            reversed: r.reversed_at.is_some(),
            created_at: r.created_at,
        })
    })
    .transpose()
}

/// A proof came: the deposit waits for the approvers; what was approved of it so far is void.
pub async fn attach_proof(
    conn: &mut PgConnection,
    id: PixDepositId,
    file: &FileRow,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.proof (file, deposit, sha256, pixels, at) VALUES ($1, $2, $3, $4, $5)",
        file.id.0,
        id.0,
        file.sha256,
        file.pixels,
        now
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "UPDATE pix.deposit SET proof = $2, status = 'pending_approval', waiting_since = COALESCE(waiting_since, $3),
             version = version + 1 WHERE id = $1",
        id.0,
        file.id.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn set_status(
    conn: &mut PgConnection,
    id: PixDepositId,
    status: PixDepositStatus,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.deposit SET status = $2, reason = $3, decided_at = $4, version = version + 1 WHERE id = $1",
        id.0,
        status.as_str(),
        reason,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn claim(conn: &mut PgConnection, id: PixDepositId) -> Result<Option<Claim>, Error> {
    let row = sqlx::query!(
        "SELECT end_to_end_id, payer_name, brl, rate, usdt FROM pix.claim WHERE deposit = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| Claim {
        end_to_end_id: r.end_to_end_id,
        payer_name: r.payer_name,
        brl: Brl(r.brl),
        rate: Rate(r.rate),
        usdt: Usdt(r.usdt),
    }))
}

/// What is known of a payment before it is decided on: what an approver read before, and whether the bank's id is that of a payment in the books.
pub struct Known {
    pub claim: Option<Claim>,
    pub is_used: bool,
    /// Its owner has closed the account.
    pub has_left: bool,
}

/// Call it behind the deposit's lock.
pub async fn known(
    conn: &mut PgConnection,
    id: PixDepositId,
    owner: UserId,
    end_to_end_id: &str,
) -> Result<Known, Error> {
    let row = sqlx::query!(
        r#"SELECT c.end_to_end_id AS "end_to_end_id?", c.payer_name AS "payer_name?", c.brl AS "brl?", c.rate AS "rate?", c.usdt AS "usdt?",
                  EXISTS (SELECT FROM pix.used_id WHERE id = upper($2)) AS "is_used!",
                  EXISTS (SELECT FROM identity.account WHERE id = $3 AND status = 'closed') AS "has_left!"
           FROM (VALUES ($1::uuid)) AS d(id) LEFT JOIN pix.claim c ON c.deposit = d.id"#,
        id.0,
        end_to_end_id,
        owner.0
    )
    .fetch_one(conn)
    .await?;
    let claim = match (row.end_to_end_id, row.payer_name, row.brl, row.rate, row.usdt) {
        (Some(end_to_end_id), Some(payer_name), Some(brl), Some(rate), Some(usdt)) => Some(Claim {
            end_to_end_id,
            payer_name,
            brl: Brl(brl),
            rate: Rate(rate),
            usdt: Usdt(usdt),
        }),
        _ => None,
    };
    Ok(Known {
        claim,
        is_used: row.is_used,
        has_left: row.has_left,
    })
}

/// An approval of a claim.
pub struct Approved {
    pub digest: [u8; 32],
    pub standing: Standing,
    /// The transfer that credited it, once all have approved.
    pub credit: Option<TransferId>,
}

/// Keeps what an approver read, what was approved of it, and its credit. The credit takes the bank's id; a second payment with the same
/// one, in or out, is refused here, whoever was first.
pub async fn keep_claim(
    conn: &mut PgConnection,
    id: PixDepositId,
    claim: &Claim,
    by: UserId,
    approved: Option<&Approved>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    // The deposit is updated from the rows of its credit, so that the credit is there when its status is checked.
    sqlx::query!(
        "WITH claimed AS (
             INSERT INTO pix.claim (deposit, end_to_end_id, payer_name, brl, rate, usdt, claimed_by, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (deposit) DO UPDATE SET end_to_end_id = EXCLUDED.end_to_end_id, payer_name = EXCLUDED.payer_name,
                 brl = EXCLUDED.brl, rate = EXCLUDED.rate, usdt = EXCLUDED.usdt, claimed_by = EXCLUDED.claimed_by, at = EXCLUDED.at
         ), credited AS (
             INSERT INTO pix.credit (end_to_end_id, deposit, transfer, brl, rate, usdt, at)
             SELECT $2, $1, $12, $4, $5, $6, $8 WHERE $12::uuid IS NOT NULL
             RETURNING deposit
         )
         UPDATE pix.deposit d SET digest = $9, approvals = $10, approvals_needed = $11, version = version + 1,
             status = CASE WHEN c.deposit IS NULL THEN status ELSE 'approved' END,
             reason = CASE WHEN c.deposit IS NULL THEN reason END,
             decided_at = CASE WHEN c.deposit IS NULL THEN decided_at ELSE $8 END
         FROM (VALUES ($1::uuid)) AS v(id) LEFT JOIN credited c ON c.deposit = v.id
         WHERE d.id = v.id AND $9::bytea IS NOT NULL",
        id.0,
        claim.end_to_end_id,
        claim.payer_name,
        claim.brl.0,
        claim.rate.0,
        claim.usdt.0,
        by.0,
        now,
        approved.map(|a| a.digest.as_slice()),
        approved.map(|a| a.standing.approvals),
        approved.map(|a| a.standing.needed),
        approved.and_then(|a| a.credit).map(|t| t.0)
    )
    .execute(conn)
    .await
    .map_err(|e| {
        if violates(&e, "used_id_pkey") {
            Error::code(ErrorCode::EndToEndIdUsed).field("endToEndId", ErrorCode::EndToEndIdUsed)
        } else {
            e.into()
        }
    })?;
    Ok(())
}

/// The transfer that credited a deposit, and when.
/// What a deposit credited, by which transfer and when.
pub async fn credit(
    conn: &mut PgConnection,
    id: PixDepositId,
) -> Result<Option<(TransferId, OffsetDateTime, Claim)>, Error> {
    let row = sqlx::query!(
        "SELECT c.transfer, c.at, k.end_to_end_id, k.payer_name, k.brl, k.rate, k.usdt
         FROM pix.credit c JOIN pix.claim k ON k.deposit = c.deposit WHERE c.deposit = $1",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| {
        let claim = Claim {
            end_to_end_id: r.end_to_end_id,
            payer_name: r.payer_name,
            brl: Brl(r.brl),
            rate: Rate(r.rate),
            usdt: Usdt(r.usdt),
        };
        (r.transfer.into(), r.at, claim)
    }))
}

pub async fn set_reversed(
    conn: &mut PgConnection,
    id: PixDepositId,
    reason: &str,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.deposit SET reversed_at = $2, reason = $3, version = version + 1 WHERE id = $1",
        id.0,
        now,
        reason
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Its owner sees nothing new, those who decide do.
pub async fn touch(conn: &mut PgConnection, id: PixDepositId) -> Result<(), Error> {
    sqlx::query!("UPDATE pix.deposit SET version = version + 1 WHERE id = $1", id.0)
        .execute(conn)
        .await?;
    Ok(())
}

/// A word was taken back: how many stand.
pub async fn count_words(conn: &mut PgConnection, id: PixDepositId) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.deposit SET approvals = approvals.words('pix_deposit', id, digest), version = version + 1 WHERE id = $1",
        id.0
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Up to `max` deposits whose day ended without a proof are closed; their ids.
pub async fn time_out(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    max: i64,
) -> Result<Vec<PixDepositId>, Error> {
    let ids = sqlx::query_scalar!(
        "UPDATE pix.deposit SET status = 'cancelled_timed_out', decided_at = $1, version = version + 1
         WHERE id IN (SELECT id FROM pix.deposit WHERE status = 'pending' AND expires_at <= $1
                      ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING id",
        now,
        max
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(PixDepositId::from).collect())
}

/// The owner of the deposit whose proof a file is or was.
pub async fn proof_owner(db: impl PgExecutor<'_>, file: FileId) -> Result<Option<UserId>, Error> {
    Ok(sqlx::query_scalar!(
        "SELECT d.owner FROM pix.proof p JOIN pix.deposit d ON d.id = p.deposit WHERE p.file = $1",
        file.0
    )
    .fetch_optional(db)
    .await?
    .map(UserId::from))
}

pub async fn last_rate(db: impl PgExecutor<'_>) -> Result<Option<(Rate, OffsetDateTime)>, Error> {
    let row = sqlx::query!("SELECT rate, at FROM pix.rate")
        .fetch_optional(db)
        .await?;
    Ok(row.map(|r| (Rate(r.rate), r.at)))
}

pub async fn keep_rate(db: impl PgExecutor<'_>, rate: Rate, at: OffsetDateTime) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.rate (rate, at) VALUES ($1, $2)
         ON CONFLICT (singleton) DO UPDATE SET rate = EXCLUDED.rate, at = EXCLUDED.at WHERE pix.rate.at <= EXCLUDED.at",
        rate.0,
        at
    )
    .execute(db)
    .await?;
    Ok(())
}
