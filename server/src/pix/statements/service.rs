//! Taking a statement in and comparing it.

use super::{
    csv::{LONGEST_LINE, Line, MOST_BYTES, MOST_LINES, Problem, Reader},
    matching::{self, Finding, Outcome},
    store::{self, Found, Listed, NewLine, NewStatement, Stored},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        http::Paging,
        job_queue::{self, Claimed, NewJob},
        text,
        transaction::Tx,
    },
    pix::{rules::EndToEndId, service as deposits},
};
use actix_multipart::Multipart;
use futures_util::StreamExt;
use protocol::{
    ErrorCode,
    ids::{PixDepositId, PixStatementId, UserId},
};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use time::{Date, Duration};
use uuid::Uuid;

pub use super::store::Moved;

/// The job that judges anew.
pub const JUDGE: &str = "pix.statements_judge";

/// A statement as it was sent.
pub struct Uploaded {
    pub name: String,
    pub sha256: Vec<u8>,
    pub lines: Vec<Line>,
}

/// Credits are booked some days after the bank's payment: that far a file's period is looked around.
const BOOKED_AFTER: Duration = Duration::days(8);

fn problem(problem: Problem) -> Error {
    match problem {
        Problem::Malformed { line, column } => Error::code(ErrorCode::StatementMalformed)
            .field("file", ErrorCode::StatementMalformed)
            .with("line", line)
            .with("column", column),
        Problem::Cells { line } => Error::code(ErrorCode::StatementCells)
            .field("file", ErrorCode::StatementCells)
            .with("line", line),
        Problem::ColumnTwice { column } => Error::code(ErrorCode::StatementColumnTwice)
            .field("file", ErrorCode::StatementColumnTwice)
            .with("column", column),
        Problem::LongLine { line } => Error::code(ErrorCode::StatementLongLine)
            .field("file", ErrorCode::StatementLongLine)
            .with("line", line)
            .with("kilobytes", LONGEST_LINE / 1024),
        Problem::TooLong => Error::code(ErrorCode::BankStatementTooLong)
            .field("file", ErrorCode::BankStatementTooLong)
            .with("lines", MOST_LINES)
            .with("megabytes", MOST_BYTES / 1024 / 1024),
        Problem::Empty => Error::code(ErrorCode::FileEmpty).field("file", ErrorCode::FileEmpty),
    }
}

/// Reads the first file of a form, line by line as it comes; nothing of it touches the disk.
///
/// # Errors
/// `request.*`, `file.empty`, `pix.statement_*`.
pub async fn receive(mut payload: Multipart) -> Result<Uploaded, Error> {
    let field = payload
        .next()
        .await
        .ok_or_else(|| problem(Problem::Empty))?
        .map_err(|_| Error::code(ErrorCode::RequestMalformed))?;
    let mut field = field;
    let name = field
        .content_disposition()
        .and_then(|d| d.get_filename())
        .map(|name| text::cut(&text::cleaned(name), 120))
        .filter(|n| !n.is_empty())
        .unwrap_or_else(|| "extrato.csv".to_owned());
    let (mut reader, mut hash) = (Reader::default(), Sha256::new());
    while let Some(chunk) = field.next().await {
        let chunk = chunk.map_err(|_| Error::code(ErrorCode::RequestMalformed))?;
        hash.update(&chunk);
        reader.feed(&chunk).map_err(problem)?;
    }
    Ok(Uploaded {
        name,
        sha256: hash.finalize().to_vec(),
        lines: reader.finish().map_err(problem)?,
    })
}

/// Compares a statement with the books and keeps what was found; deposits whose money is there come before the approvers.
///
/// # Errors
/// `pix.statement_twice`; whatever the database refuses.
pub async fn reconcile(context: &Context, by: UserId, uploaded: Uploaded) -> Result<PixStatementId, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let id = PixStatementId::fresh();
    let lines = &uploaded.lines;
    let days = || lines.iter().map(|l| l.day);
    let (Some(first_day), Some(last_day)) = (days().min(), days().max()) else {
        return Err(problem(Problem::Empty));
    };
    let new = NewStatement {
        id,
        sha256: &uploaded.sha256,
        name: &uploaded.name,
        by,
        first_day,
        last_day,
        lines: i32::try_from(lines.len()).map_err(|_| Error::internal("more lines than a file may have"))?,
    };
    store::lock(tx.conn()).await?;
    store::insert(tx.conn(), &new, now).await?;
    store::hold_named(tx.conn(), lines).await?;
    let books = store::books(tx.conn(), id, lines).await?;
    let mut kept: Vec<NewLine> = lines
        .iter()
        .zip(matching::judge(lines, &books))
        .map(|(line, finding)| kept(line, finding))
        .collect();
    kept.extend(missing(&mut tx, lines, first_day, last_day).await?);
    store::insert_lines(tx.conn(), id, &kept).await?;
    let touched = point(&mut tx, &kept).await?;
    let details = json!({ "statement": id, "lines": lines.len(), "deposits": touched.len() });
    audit::record(
        &mut tx,
        Some(by),
        None,
        Category::Money,
        "pix_statement.reconcile",
        details,
    )
    .await?;
    for deposit in touched {
        deposits::tell(&mut tx, deposit, true).await?;
    }
    tx.commit().await?;
    Ok(id)
}

fn kept(line: &Line, finding: Finding) -> NewLine {
    NewLine {
        id: Uuid::now_v7(),
        number: i32::try_from(line.number).ok(),
        day: line.day,
        end_to_end_id: line.end_to_end_id.clone(),
        txid: line.txid.clone(),
        payer: line.payer.clone(),
        brl: line.brl,
        finding,
    }
}

/// What we booked for a payment of the file's days that the file lacks.
async fn missing(
    tx: &mut Tx,
    lines: &[Line],
    first_day: Date,
    last_day: Date,
) -> Result<Vec<NewLine>, Error> {
    let ids: Vec<String> = lines.iter().filter_map(Line::key).collect();
    let (from, until) = (
        business_day::start(first_day),
        business_day::start(last_day) + BOOKED_AFTER,
    );
    let booked = store::booked_without(tx.conn(), from, until, &ids).await?;
    Ok(booked
        .into_iter()
        .filter_map(|b| {
            let day = day_of(&b.end_to_end_id)?;
            (first_day..=last_day).contains(&day).then(|| NewLine {
                id: Uuid::now_v7(),
                number: None,
                day,
                end_to_end_id: Some(b.end_to_end_id),
                txid: None,
                payer: None,
                brl: b.brl,
                finding: Finding {
                    outcome: Outcome::WithoutLine,
                    deposit: b.deposit,
                    withdrawal: b.withdrawal,
                    booked: Some(b.brl),
                },
            })
        })
        .collect())
}

/// Something in the books has moved: statements that know of it are judged anew, a moment later and apart from the change.
///
/// # Errors
/// When the job cannot be written.
pub fn moved(tx: &mut Tx, what: Moved) -> Result<(), Error> {
    let effect = format!("{JUDGE}:{}", Uuid::now_v7());
    tx.enqueue(NewJob::new(JUDGE, effect, &what)?);
    Ok(())
}

/// Judges the statements anew that know of what has moved.
///
/// # Errors
/// Whatever the database refuses; the job comes back.
pub async fn judge(context: &Context, job: &Claimed) -> Result<(), Error> {
    let moved: Moved = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::lock(tx.conn()).await?;
    let bank_ids = store::bank_ids(tx.conn(), moved).await?;
    let days: Vec<Date> = bank_ids.iter().filter_map(|id| day_of(id)).collect();
    for id in store::concerned(tx.conn(), moved, &bank_ids, &days).await? {
        judge_anew(&mut tx, id).await?;
    }
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

fn day_of(end_to_end_id: &str) -> Option<Date> {
    EndToEndId::read(end_to_end_id).map(|id| business_day::of(id.at))
}

/// Judges all findings of a statement against each other and against the books as they are. Nothing is held meanwhile: what moves comes
/// with a job of its own.
async fn judge_anew(tx: &mut Tx, id: PixStatementId) -> Result<(), Error> {
    let (listed, lacking): (Vec<Stored>, Vec<Stored>) = store::stored(tx.conn(), id)
        .await?
        .into_iter()
        .partition(|stored| stored.number.is_some());
    let lines: Vec<Line> = listed.iter().map(|stored| stored.line.clone()).collect();
    let books = store::books(tx.conn(), id, &lines).await?;
    let mut changed: Vec<(Uuid, Finding)> = listed
        .iter()
        .zip(matching::judge(&lines, &books))
        .map(|(stored, finding)| (stored, as_it_came(&stored.finding, finding)))
        .filter(|(stored, finding)| stored.finding != *finding)
        .map(|(stored, finding)| (stored.id, finding))
        .collect();
    let (first_day, last_day) = store::days(tx.conn(), id).await?;
    let mut missing = missing(tx, &lines, first_day, last_day).await?;
    for stored in lacking {
        let at = missing
            .iter()
            .position(|new| new.end_to_end_id == stored.line.end_to_end_id);
        let outcome = if at.is_some() {
            Outcome::WithoutLine
        } else {
            Outcome::Reversed
        };
        if let Some(at) = at {
            missing.swap_remove(at);
        }
        if stored.finding.outcome != outcome {
            changed.push((
                stored.id,
                Finding {
                    outcome,
                    ..stored.finding
                },
            ));
        }
    }
    if !changed.is_empty() {
        store::judge_anew(tx.conn(), &changed).await?;
    }
    if !missing.is_empty() {
        store::insert_lines(tx.conn(), id, &missing).await?;
    }
    Ok(())
}

/// A line that brought a deposit before the approvers is shown as that for as long as they have not decided.
fn as_it_came(before: &Finding, now: Finding) -> Finding {
    let waits = matches!(now.outcome, Outcome::MissingApproval | Outcome::AmountDiffers);
    if before.outcome == Outcome::Reopened && waits && before.deposit == now.deposit {
        Finding {
            outcome: Outcome::Reopened,
            ..now
        }
    } else {
        now
    }
}

/// Lines that speak for deposits which wait, or wait again; the deposits.
async fn point(tx: &mut Tx, lines: &[NewLine]) -> Result<BTreeSet<PixDepositId>, Error> {
    let now = tx.now();
    let mut touched = BTreeSet::new();
    for line in lines {
        let speaks = matches!(
            line.finding.outcome,
            Outcome::Reopened | Outcome::MissingApproval | Outcome::AmountDiffers
        );
        if let Some(deposit) = line.finding.deposit
            && speaks
            && touched.insert(deposit)
        {
            store::point_at(tx.conn(), deposit, line.id, now).await?;
        }
    }
    Ok(touched)
}

/// Statements, newest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, paging: &Paging) -> Result<(Vec<Listed>, i64), Error> {
    store::list(context.db.pool(), paging).await
}

/// One statement.
///
/// # Errors
/// `request.not_found`.
pub async fn one(context: &Context, id: PixStatementId) -> Result<Listed, Error> {
    store::one(context.db.pool(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))
}

/// A page of a statement's findings.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lines(
    context: &Context,
    id: PixStatementId,
    outcome: Option<Outcome>,
    search: Option<&str>,
    paging: &Paging,
) -> Result<(Vec<Found>, i64), Error> {
    store::lines(context.db.pool(), id, outcome, search, paging).await
}
