//! SQL of withdrawals, their payments and the holders' documents.

use super::service::Pix;
use crate::{
    error::{Error, violates},
    identity::caller::Scope,
    payouts::{
        kind::{New, Payout},
        rules::State,
        store::{Line, Rows, Table},
    },
    pix::{
        keys::{Document, HolderMatch},
        rules::Rate,
    },
};
use protocol::{
    ErrorCode,
    ids::{FileId, OutboundId, PixWithdrawalId, TransferId, UserId},
    money::{Brl, Usdt},
    views::{PixKeyKind, PixOffer, PixWithdrawalView},
};
use sqlx::{PgConnection, PgExecutor, Postgres, QueryBuilder};
use time::OffsetDateTime;
use uuid::Uuid;

/// A holder's document as it is kept.
pub struct HolderRow {
    pub kind: String,
    pub masked: String,
    pub created_at: OffsetDateTime,
}

pub async fn holder(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<HolderRow>, Error> {
    Ok(sqlx::query_as!(
        HolderRow,
        "SELECT kind, masked, created_at FROM pix.holder WHERE account = $1",
        user.0
    )
    .fetch_optional(db)
    .await?)
}

/// The MAC of a person's document.
pub async fn holder_mac(db: impl PgExecutor<'_>, user: UserId) -> Result<Option<Vec<u8>>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT mac FROM pix.holder WHERE account = $1", user.0)
            .fetch_optional(db)
            .await?,
    )
}

/// What a quote looks at: the holder's document, sealed, and the rate service's last answer.
pub struct QuoteRow {
    pub document: Option<Vec<u8>>,
    pub rate: Option<i64>,
    pub rate_at: Option<OffsetDateTime>,
}

pub async fn for_quote(conn: &mut PgConnection, user: UserId) -> Result<QuoteRow, Error> {
    Ok(sqlx::query_as!(
        QuoteRow,
        r#"SELECT (SELECT sealed FROM pix.holder WHERE account = $1) AS document, r.rate AS "rate?", r.at AS "rate_at?"
           FROM (VALUES (1)) AS one LEFT JOIN pix.rate r ON true"#,
        user.0
    )
    .fetch_one(conn)
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

/// What a withdrawal's row holds beside.
pub struct Own {
    pub key_kind: PixKeyKind,
    pub sealed: Vec<u8>,
    pub mac: Vec<u8>,
    pub holder_match: HolderMatch,
    pub created_at: OffsetDateTime,
}

fn kind(stored: &str) -> Result<PixKeyKind, Error> {
    stored
        .parse()
        .map_err(|()| Error::internal("a key of an unknown kind"))
}

impl Rows for Pix {
    const TABLE: Table = Table {
        rows: "pix.withdrawal",
        shown: "pix.withdrawal_shown",
        amount: "brl",
        undecided: "status IN ('pending', 'awaiting_confirmation')",
        // Whose key was seen may be paid already: what a reversal finds missing is owed, and comes back with the word that it was not.
        unsent: "paid_at IS NULL AND (status IN ('pending', 'awaiting_confirmation')
            OR status = 'approved' AND NOT EXISTS (SELECT FROM pix.key_look k WHERE k.withdrawal = pix.withdrawal.id))",
        waiting: "(status = 'pending' OR status = 'approved' AND paid_at IS NULL)",
        paid: "paid_at IS NOT NULL",
        waits_anew: &[],
        ends: "",
        voids: ", holder_checked = false",
        searched: &["end_to_end_id", "key_masked"],
    };
    type Shown = Shown;

    async fn insert(conn: &mut PgConnection, new: &New<'_, Self>, now: OffsetDateTime) -> Result<(), Error> {
        let quote = new.quote;
        sqlx::query!(
            "INSERT INTO pix.withdrawal (id, owner, key_kind, key_sealed, key_mac, key_masked, holder_match, usdt, fee, net, brl, rate,
                 rate_source, hold, outbound, settings_version, review, status, approvals_needed, created_at, waiting_since, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'pending', $18, $19, $19, $20)",
            new.id.0,
            new.owner.0,
            quote.to.kind().as_str(),
            new.opening.sealed,
            new.opening.mac.as_slice(),
            quote.to.masked(),
            quote.beside.holder.as_str(),
            quote.value.0,
            quote.parts.fee.0,
            quote.parts.net.0,
            quote.amount.0,
            quote.rate.0,
            quote.beside.current.source.as_str(),
            new.held.0,
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

    async fn lock(
        conn: &mut PgConnection,
        scope: Scope,
        id: PixWithdrawalId,
    ) -> Result<Option<Payout<Self>>, Error> {
        let row = sqlx::query!(
            "SELECT id, owner, key_kind, key_sealed, key_mac, holder_match, usdt, fee, net, brl, rate, offer_brl, offer_rate, hold,
                 outbound, review, status, digest, paid_at, expires_at, created_at
             FROM pix.withdrawal WHERE id = $1 AND ($2::uuid IS NULL OR owner = $2) FOR UPDATE",
            id.0,
            scope.owner()
        )
        .fetch_optional(conn)
        .await?;
        row.map(|r| {
            // Approved and paid is all there is.
            let state = match State::read(&r.status) {
                Some(State::Approved) if r.paid_at.is_some() => State::Complete,
                Some(state) => state,
                None => return Err(Error::internal("a withdrawal of an unknown status")),
            };
            Ok(Payout {
                id: r.id.into(),
                owner: r.owner.into(),
                value: Usdt(r.usdt),
                fee: Usdt(r.fee),
                net: Usdt(r.net),
                amount: Brl(r.brl),
                rate: Rate(r.rate),
                offer: r.offer_brl.zip(r.offer_rate).map(|(b, r)| (Brl(b), Rate(r))),
                held: r.hold.into(),
                outbound: r.outbound.map(OutboundId::from),
                has_case: r.review,
                state,
                digest: r.digest,
                expires_at: r.expires_at,
                own: Own {
                    key_kind: kind(&r.key_kind)?,
                    sealed: r.key_sealed,
                    mac: r.key_mac,
                    holder_match: HolderMatch::parse(&r.holder_match)
                        .ok_or_else(|| Error::internal("an unknown relation to the holder"))?,
                    created_at: r.created_at,
                },
            })
        })
        .transpose()
    }

    fn push_amount(query: &mut QueryBuilder<Postgres>, amount: Brl) -> Result<(), Error> {
        query.push_bind(amount.0);
        Ok(())
    }

    fn push_rate(query: &mut QueryBuilder<Postgres>, rate: Rate) {
        query.push_bind(rate.0);
    }

    fn push_word(query: &mut QueryBuilder<Postgres>, word: &super::service::Word) {
        query
            .push(", holder_checked = holder_checked OR ")
            .push_bind(word.holder_checked);
    }

    fn narrow(query: &mut QueryBuilder<Postgres>, paid: &Option<bool>) {
        match paid {
            Some(true) => {
                query.push(" AND paid_at IS NOT NULL");
            }
            Some(false) => {
                query.push(" AND paid_at IS NULL");
            }
            None => {}
        }
    }
}

pub struct NewPayment<'a> {
    pub withdrawal: PixWithdrawalId,
    pub end_to_end_id: Option<&'a str>,
    pub proof: Option<FileId>,
    pub transfer: TransferId,
    pub brl: Brl,
    pub by: UserId,
}

/// The payment takes the bank's id; a second one with the same, in or out, is refused here, whoever was first.
pub async fn pay(conn: &mut PgConnection, new: &NewPayment<'_>, now: OffsetDateTime) -> Result<(), Error> {
    let paid = sqlx::query!(
        "WITH payment AS (
               INSERT INTO pix.payment (withdrawal, end_to_end_id, proof, transfer, brl, paid_by, at) VALUES ($1, $2, $3, $4, $5, $6, $7)
               RETURNING withdrawal
           )
           UPDATE pix.withdrawal w SET paid_at = $7, version = version + 1 FROM payment p WHERE w.id = p.withdrawal",
        new.withdrawal.0,
        new.end_to_end_id,
        new.proof.map(|p| p.0),
        new.transfer.0,
        new.brl.0,
        new.by.0,
        now
    )
    .execute(conn)
    .await
    .map_err(|e| {
        if violates(&e, "used_id_pkey") {
            Error::code(ErrorCode::PixPaymentUsed).field("endToEndId", ErrorCode::PixPaymentUsed)
        } else {
            e.into()
        }
    })?;
    if paid.rows_affected() == 1 {
        Ok(())
    } else {
        Err(Error::internal("a payment of no withdrawal"))
    }
}

/// A line of `pix.withdrawal_shown`.
#[derive(sqlx::FromRow)]
pub struct Shown {
    #[sqlx(flatten)]
    pub line: Line,
    key_kind: String,
    key_masked: String,
    pub holder_match: String,
    brl: i64,
    offer_brl: Option<i64>,
    paid_at: Option<OffsetDateTime>,
    end_to_end_id: Option<String>,
    proof: Option<Uuid>,
    proof_mime: Option<String>,
    pub document_masked: Option<String>,
    pub document_shared: bool,
    pub key_known: bool,
    pub key_shared: bool,
    pub fresh_deposit: bool,
}

impl AsRef<Line> for Shown {
    fn as_ref(&self) -> &Line {
        &self.line
    }
}

impl Shown {
    pub fn view(&self) -> Result<PixWithdrawalView, Error> {
        let line = &self.line;
        Ok(PixWithdrawalView {
            id: line.id.into(),
            user: line.owner.into(),
            username: line.username.clone(),
            value: Usdt(line.usdt),
            fee: Usdt(line.fee),
            net: Usdt(line.net),
            brl: Brl(self.brl),
            rate: Rate(line.rate).to_string(),
            key_kind: kind(&self.key_kind)?,
            key: self.key_masked.clone(),
            status: line.status()?,
            reason: line.reason.clone(),
            offer: self.offer_brl.zip(line.offer_rate).map(|(brl, rate)| PixOffer {
                brl: Brl(brl),
                rate: Rate(rate).to_string(),
            }),
            end_to_end_id: self.end_to_end_id.clone(),
            proof: self.proof.map(FileId::from),
            proof_kind: self.proof_mime.clone(),
            paid_at: self.paid_at,
            approvals: line.approvals,
            approvals_needed: line.approvals_needed,
            waiting_since: line.waiting_since,
            expires_at: line.expires_at,
            decided_at: line.decided_at,
            created_at: line.created_at,
            version: line.version,
        })
    }
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

/// Somebody has seen the whole key.
pub async fn key_seen(
    conn: &mut PgConnection,
    id: PixWithdrawalId,
    by: UserId,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.key_look AS k (withdrawal, seen_by, at) VALUES ($1, $2, $3)
         ON CONFLICT (withdrawal, seen_by) DO UPDATE SET at = excluded.at",
        id.0,
        by.0,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether others than this person have seen it.
pub async fn seen_by_others(conn: &mut PgConnection, id: PixWithdrawalId, by: UserId) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM pix.key_look WHERE withdrawal = $1 AND seen_by <> $2) AS "others!""#,
        id.0,
        by.0
    )
    .fetch_one(conn)
    .await?)
}
