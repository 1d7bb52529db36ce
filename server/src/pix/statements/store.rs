//! SQL of statements.

use super::{
    csv::Line,
    matching::{Books, Deposit, Finding, Outcome, Spoken},
};
use crate::{
    error::{Error, violates},
    foundation::{http::Paging, listing},
    pix::rules::bank_key,
};
use protocol::{
    ErrorCode,
    ids::{PixDepositId, PixStatementId, PixWithdrawalId, UserId},
    money::Brl,
    views::PixDepositStatus,
};
use sqlx::{PgConnection, PgPool, Postgres, QueryBuilder};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

fn status(stored: &str) -> Result<PixDepositStatus, Error> {
    stored
        .parse()
        .map_err(|()| Error::internal("a deposit of an unknown status"))
}

/// Statements are taken in and judged one after the other.
pub async fn lock(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SELECT pg_advisory_xact_lock(hashtextextended('pix.statements', 46))")
        .execute(conn)
        .await?;
    Ok(())
}

/// The deposits that lines name, in the order of their ids: nobody decides them while they are judged to come before the approvers.
pub async fn hold_named(conn: &mut PgConnection, lines: &[Line]) -> Result<(), Error> {
    let txids: Vec<String> = lines.iter().filter_map(|l| l.txid.clone()).collect();
    sqlx::query_scalar!(
        "SELECT id FROM pix.deposit WHERE txid = ANY($1) ORDER BY id FOR UPDATE",
        &txids
    )
    .fetch_all(conn)
    .await?;
    Ok(())
}

/// What our books know of the ids in a file.
pub async fn books(
    conn: &mut PgConnection,
    statement: PixStatementId,
    lines: &[Line],
) -> Result<Books, Error> {
    let ids: Vec<String> = lines.iter().filter_map(Line::key).collect();
    let txids: Vec<String> = lines.iter().filter_map(|l| l.txid.clone()).collect();
    let mut books = Books::default();
    let rows = sqlx::query!(
        r#"SELECT upper(c.end_to_end_id) AS "key!", c.brl, d.id, d.status, d.reversed_at IS NOT NULL AS "reversed!" FROM pix.credit c
           JOIN pix.deposit d ON d.id = c.deposit WHERE upper(c.end_to_end_id) = ANY($1)"#,
        &ids
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in rows {
        let deposit = Deposit {
            id: r.id.into(),
            status: status(&r.status)?,
            brl: Brl(r.brl),
            reversed: r.reversed,
        };
        books.credits.insert(r.key, deposit);
    }
    let rows = sqlx::query!(
        r#"SELECT upper(k.end_to_end_id) AS "key!", d.id, d.brl, d.status FROM pix.claim k JOIN pix.deposit d ON d.id = k.deposit
           WHERE upper(k.end_to_end_id) = ANY($1) AND d.status <> 'approved'"#,
        &ids
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in rows {
        let deposit = Deposit {
            id: r.id.into(),
            status: status(&r.status)?,
            brl: Brl(r.brl),
            reversed: false,
        };
        books.claims.insert(r.key, deposit);
    }
    let rows = sqlx::query!(
        r#"SELECT txid, id, brl, status, reversed_at IS NOT NULL AS "reversed!" FROM pix.deposit WHERE txid = ANY($1)"#,
        &txids
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in rows {
        let deposit = Deposit {
            id: r.id.into(),
            status: status(&r.status)?,
            brl: Brl(r.brl),
            reversed: r.reversed,
        };
        books.txids.insert(r.txid, deposit);
    }
    let rows = sqlx::query!(
        r#"SELECT upper(end_to_end_id) AS "key!", withdrawal, brl FROM pix.payment WHERE upper(end_to_end_id) = ANY($1)"#,
        &ids
    )
    .fetch_all(&mut *conn)
    .await?;
    for r in rows {
        books
            .payments
            .insert(r.key, (PixWithdrawalId(r.withdrawal), Brl(r.brl)));
    }
    let named: Vec<Uuid> = books
        .txids
        .values()
        .chain(books.claims.values())
        .map(|d| d.id.0)
        .collect();
    let rows = sqlx::query!(
        r#"SELECT d.id AS "id!", l.end_to_end_id, l.day AS "day!", l.brl AS "brl!" FROM pix.deposit d JOIN pix.statement_line l ON l.id = d.statement_line
           WHERE d.id = ANY($1) AND l.statement <> $2"#,
        &named,
        statement.0
    )
    .fetch_all(conn)
    .await?;
    for r in rows {
        let spoken = Spoken {
            end_to_end_id: r.end_to_end_id,
            day: r.day,
            brl: Brl(r.brl),
        };
        books.spoken.insert(PixDepositId(r.id), spoken);
    }
    Ok(books)
}

/// Something of the books that has moved.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moved {
    Deposit(PixDepositId),
    Withdrawal(PixWithdrawalId),
}

impl Moved {
    const fn ids(self) -> (Option<Uuid>, Option<Uuid>) {
        match self {
            Self::Deposit(id) => (Some(id.0), None),
            Self::Withdrawal(id) => (None, Some(id.0)),
        }
    }
}

/// The bank's ids under which something is in the books now, as they were written.
pub async fn bank_ids(conn: &mut PgConnection, moved: Moved) -> Result<Vec<String>, Error> {
    let (deposit, withdrawal) = moved.ids();
    Ok(sqlx::query_scalar!(
        r#"SELECT end_to_end_id AS "id!" FROM pix.credit WHERE deposit = $1
           UNION SELECT end_to_end_id FROM pix.claim WHERE deposit = $1
           UNION SELECT end_to_end_id FROM pix.payment WHERE withdrawal = $2 AND end_to_end_id IS NOT NULL"#,
        deposit,
        withdrawal
    )
    .fetch_all(conn)
    .await?)
}

/// Statements that name it, or whose days are those of its payments.
pub async fn concerned(
    conn: &mut PgConnection,
    moved: Moved,
    bank_ids: &[String],
    days: &[Date],
) -> Result<Vec<PixStatementId>, Error> {
    let (deposit, withdrawal) = moved.ids();
    let keys: Vec<String> = bank_ids.iter().map(|id| bank_key(id)).collect();
    let rows = sqlx::query_scalar!(
        r#"SELECT s.id FROM pix.statement s
           WHERE s.id IN (SELECT l.statement FROM pix.statement_line l WHERE l.deposit = $1
                          UNION SELECT l.statement FROM pix.statement_line l WHERE l.withdrawal = $2
                          UNION SELECT l.statement FROM pix.statement_line l WHERE upper(l.end_to_end_id) = ANY($3)
                          UNION SELECT l.statement FROM pix.statement_line l JOIN pix.deposit d ON d.txid = l.txid WHERE d.id = $1)
              OR EXISTS (SELECT FROM unnest($4::date[]) AS day WHERE day BETWEEN s.first_day AND s.last_day)
           ORDER BY s.id"#,
        deposit,
        withdrawal,
        &keys,
        days
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(PixStatementId).collect())
}

/// A finding as it is stored: its id, what was listed, and what was said of it.
pub struct Stored {
    pub id: Uuid,
    /// None for what the file lacks.
    pub number: Option<usize>,
    pub line: Line,
    pub finding: Finding,
}

/// All findings of a statement, its lines in their order.
pub async fn stored(conn: &mut PgConnection, statement: PixStatementId) -> Result<Vec<Stored>, Error> {
    let rows = sqlx::query!(
        "SELECT id, number, day, end_to_end_id, txid, payer_name, brl, outcome, booked_brl, deposit, withdrawal FROM pix.statement_line
         WHERE statement = $1 ORDER BY number, id",
        statement.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|r| {
            let number = r.number.and_then(|n| usize::try_from(n).ok());
            Ok(Stored {
                id: r.id,
                number,
                line: Line {
                    number: number.unwrap_or(0),
                    day: r.day,
                    end_to_end_id: r.end_to_end_id,
                    txid: r.txid,
                    payer: r.payer_name,
                    brl: Brl(r.brl),
                },
                finding: Finding {
                    outcome: Outcome::parse(&r.outcome)
                        .ok_or_else(|| Error::internal("a finding of an unknown kind"))?,
                    deposit: r.deposit.map(PixDepositId),
                    withdrawal: r.withdrawal.map(PixWithdrawalId),
                    booked: r.booked_brl.map(Brl),
                },
            })
        })
        .collect()
}

/// Findings that are others now.
pub async fn judge_anew(conn: &mut PgConnection, changed: &[(Uuid, Finding)]) -> Result<(), Error> {
    let ids: Vec<Uuid> = changed.iter().map(|(id, _)| *id).collect();
    let outcomes: Vec<&str> = changed.iter().map(|(_, f)| f.outcome.as_str()).collect();
    let booked: Vec<Option<i64>> = changed.iter().map(|(_, f)| f.booked.map(|b| b.0)).collect();
    let deposits: Vec<Option<Uuid>> = changed.iter().map(|(_, f)| f.deposit.map(|d| d.0)).collect();
    let withdrawals: Vec<Option<Uuid>> = changed.iter().map(|(_, f)| f.withdrawal.map(|w| w.0)).collect();
    sqlx::query!(
        "UPDATE pix.statement_line l SET outcome = n.outcome, booked_brl = n.booked, deposit = n.deposit, withdrawal = n.withdrawal
         FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::uuid[], $5::uuid[]) AS n (id, outcome, booked, deposit, withdrawal)
         WHERE l.id = n.id",
        &ids,
        &outcomes as &[&str],
        &booked as &[Option<i64>],
        &deposits as &[Option<Uuid>],
        &withdrawals as &[Option<Uuid>]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Something booked whose bank's id is not in a file.
pub struct Booked {
    pub end_to_end_id: String,
    pub deposit: Option<PixDepositId>,
    pub withdrawal: Option<PixWithdrawalId>,
    /// Below zero: it left.
    pub brl: Brl,
}

/// Credits and payments booked within a span whose bank's ids are not among these, which are as they are compared.
pub async fn booked_without(
    conn: &mut PgConnection,
    from: OffsetDateTime,
    until: OffsetDateTime,
    ids: &[String],
) -> Result<Vec<Booked>, Error> {
    let rows = sqlx::query!(
        r#"SELECT c.end_to_end_id AS "id!", c.deposit AS "deposit: Uuid", NULL::uuid AS "withdrawal: Uuid", c.brl AS "brl!" FROM pix.credit c
           JOIN pix.deposit d ON d.id = c.deposit
           WHERE c.at >= $1 AND c.at < $2 AND upper(c.end_to_end_id) <> ALL($3) AND d.reversed_at IS NULL
           UNION ALL
           SELECT p.end_to_end_id, NULL, p.withdrawal, -p.brl FROM pix.payment p
           WHERE p.at >= $1 AND p.at < $2 AND p.end_to_end_id IS NOT NULL AND upper(p.end_to_end_id) <> ALL($3)"#,
        from,
        until,
        ids
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| Booked {
            end_to_end_id: r.id,
            deposit: r.deposit.map(PixDepositId),
            withdrawal: r.withdrawal.map(PixWithdrawalId),
            brl: Brl(r.brl),
        })
        .collect())
}

pub struct NewStatement<'a> {
    pub id: PixStatementId,
    pub sha256: &'a [u8],
    pub name: &'a str,
    pub by: UserId,
    pub first_day: Date,
    pub last_day: Date,
    pub lines: i32,
}

pub async fn insert(
    conn: &mut PgConnection,
    new: &NewStatement<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO pix.statement (id, sha256, name, uploaded_by, first_day, last_day, lines, at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        new.id.0,
        new.sha256,
        new.name,
        new.by.0,
        new.first_day,
        new.last_day,
        new.lines,
        now
    )
    .execute(conn)
    .await
    .map_err(|e| {
        if violates(&e, "statement_sha256_key") {
            Error::code(ErrorCode::StatementTwice).field("file", ErrorCode::StatementTwice)
        } else {
            e.into()
        }
    })?;
    Ok(())
}

/// A finding to be kept.
pub struct NewLine {
    pub id: Uuid,
    /// None for what the file lacks.
    pub number: Option<i32>,
    pub day: Date,
    pub end_to_end_id: Option<String>,
    pub txid: Option<String>,
    pub payer: Option<String>,
    pub brl: Brl,
    pub finding: Finding,
}

/// All findings of a statement with one statement.
pub async fn insert_lines(
    conn: &mut PgConnection,
    statement: PixStatementId,
    lines: &[NewLine],
) -> Result<(), Error> {
    let ids: Vec<Uuid> = lines.iter().map(|l| l.id).collect();
    let numbers: Vec<Option<i32>> = lines.iter().map(|l| l.number).collect();
    let days: Vec<Date> = lines.iter().map(|l| l.day).collect();
    let bank_ids: Vec<Option<String>> = lines.iter().map(|l| l.end_to_end_id.clone()).collect();
    let txids: Vec<Option<String>> = lines.iter().map(|l| l.txid.clone()).collect();
    let payers: Vec<Option<String>> = lines.iter().map(|l| l.payer.clone()).collect();
    let amounts: Vec<i64> = lines.iter().map(|l| l.brl.0).collect();
    let outcomes: Vec<String> = lines
        .iter()
        .map(|l| l.finding.outcome.as_str().to_owned())
        .collect();
    let booked: Vec<Option<i64>> = lines.iter().map(|l| l.finding.booked.map(|b| b.0)).collect();
    let deposits: Vec<Option<Uuid>> = lines.iter().map(|l| l.finding.deposit.map(|d| d.0)).collect();
    let withdrawals: Vec<Option<Uuid>> = lines.iter().map(|l| l.finding.withdrawal.map(|w| w.0)).collect();
    sqlx::query!(
        "INSERT INTO pix.statement_line (id, statement, number, day, end_to_end_id, txid, payer_name, brl, outcome, booked_brl, deposit, withdrawal)
         SELECT id, $1, number, day, e2e, txid, payer, brl, outcome, booked, deposit, withdrawal
         FROM UNNEST($2::uuid[], $3::integer[], $4::date[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::bigint[], $11::uuid[],
             $12::uuid[]) AS l (id, number, day, e2e, txid, payer, brl, outcome, booked, deposit, withdrawal)",
        statement.0,
        &ids,
        &numbers as &[Option<i32>],
        &days,
        &bank_ids as &[Option<String>],
        &txids as &[Option<String>],
        &payers as &[Option<String>],
        &amounts,
        &outcomes,
        &booked as &[Option<i64>],
        &deposits as &[Option<Uuid>],
        &withdrawals as &[Option<Uuid>]
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A line speaks for a deposit that waits; one without proof comes before the approvers.
pub async fn point_at(
    conn: &mut PgConnection,
    deposit: PixDepositId,
    line: Uuid,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "UPDATE pix.deposit SET statement_line = $2, status = 'pending_approval', waiting_since = COALESCE(waiting_since, $3),
             version = version + 1 WHERE id = $1 AND status IN ('pending', 'pending_approval', 'cancelled_timed_out')",
        deposit.0,
        line,
        now
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The days of a statement.
pub async fn days(conn: &mut PgConnection, id: PixStatementId) -> Result<(Date, Date), Error> {
    let row = sqlx::query!(
        "SELECT first_day, last_day FROM pix.statement WHERE id = $1",
        id.0
    )
    .fetch_one(conn)
    .await?;
    Ok((row.first_day, row.last_day))
}

/// A statement in the list.
#[derive(sqlx::FromRow)]
pub struct Listed {
    pub id: Uuid,
    pub name: String,
    pub by: String,
    pub first_day: Date,
    pub last_day: Date,
    pub lines: i32,
    pub open: i64,
    pub at: OffsetDateTime,
}

pub async fn list(pool: &PgPool, paging: &Paging) -> Result<(Vec<Listed>, i64), Error> {
    let total = sqlx::query_scalar!(r#"SELECT count(*) AS "n!" FROM pix.statement"#)
        .fetch_one(pool)
        .await?;
    let rows = sqlx::query_as!(
        Listed,
        r#"SELECT s.id, s.name, a.full_name AS by, s.first_day, s.last_day, s.lines, s.at,
               (SELECT count(*) FROM pix.statement_line l WHERE l.statement = s.id AND l.outcome NOT IN ('matched', 'reversed')) AS "open!"
           FROM pix.statement s JOIN identity.account a ON a.id = s.uploaded_by
           ORDER BY s.at DESC, s.id DESC LIMIT $1 OFFSET $2"#,
        paging.limit,
        paging.offset
    )
    .fetch_all(pool)
    .await?;
    Ok((rows, total))
}

pub async fn one(pool: &PgPool, id: PixStatementId) -> Result<Option<Listed>, Error> {
    Ok(sqlx::query_as!(
        Listed,
        r#"SELECT s.id, s.name, a.full_name AS by, s.first_day, s.last_day, s.lines, s.at,
               (SELECT count(*) FROM pix.statement_line l WHERE l.statement = s.id AND l.outcome NOT IN ('matched', 'reversed')) AS "open!"
           FROM pix.statement s JOIN identity.account a ON a.id = s.uploaded_by WHERE s.id = $1"#,
        id.0
    )
    .fetch_optional(pool)
    .await?)
}

/// A finding with whose money it is.
#[derive(sqlx::FromRow)]
pub struct Found {
    pub id: Uuid,
    pub number: Option<i32>,
    pub day: Date,
    pub end_to_end_id: Option<String>,
    pub txid: Option<String>,
    pub payer_name: Option<String>,
    pub brl: i64,
    pub outcome: String,
    pub booked_brl: Option<i64>,
    pub deposit: Option<Uuid>,
    pub withdrawal: Option<Uuid>,
    pub username: Option<String>,
    /// Where the deposit stands now.
    pub deposit_status: Option<String>,
}

const FOUND: &str = " FROM pix.statement_line l
    LEFT JOIN pix.deposit d ON d.id = l.deposit LEFT JOIN pix.withdrawal w ON w.id = l.withdrawal
    LEFT JOIN identity.account a ON a.id = COALESCE(d.owner, w.owner) WHERE l.statement = ";

fn restrict(
    query: &mut QueryBuilder<Postgres>,
    statement: PixStatementId,
    outcome: Option<Outcome>,
    search: Option<&str>,
) {
    query.push(FOUND).push_bind(statement.0);
    if let Some(outcome) = outcome {
        query.push(" AND l.outcome = ").push_bind(outcome.as_str());
    }
    if let Some(search) = search {
        listing::any_like(
            query,
            &["l.end_to_end_id", "l.txid", "l.payer_name", "a.username"],
            search,
        );
        query.push(")");
    }
}

pub async fn lines(
    pool: &PgPool,
    statement: PixStatementId,
    outcome: Option<Outcome>,
    search: Option<&str>,
    paging: &Paging,
) -> Result<(Vec<Found>, i64), Error> {
    let mut all = QueryBuilder::new("SELECT count(*)");
    restrict(&mut all, statement, outcome, search);
    let total = listing::count(pool, all, paging).await?;
    let mut query = QueryBuilder::new(
        "SELECT l.id, l.number, l.day, l.end_to_end_id, l.txid, l.payer_name, l.brl, l.outcome, l.booked_brl, l.deposit, l.withdrawal,
             a.username, d.status AS deposit_status",
    );
    restrict(&mut query, statement, outcome, search);
    // What needs a person first.
    query.push(" ORDER BY (l.outcome IN ('matched', 'reversed')), l.number NULLS FIRST, l.id");
    Ok((listing::rows(pool, query, paging).await?, total))
}
