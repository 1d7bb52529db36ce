//! Whether the audit is what it was: recomputes the chain and compares it with the signed heads.

use super::{
    chain::{self, START},
    heads::SignedHead,
    store,
};
use crate::{
    error::Error,
    foundation::transaction::{Db, Tx},
};
use time::{Duration, OffsetDateTime};

/// Links read at once.
const PAGE: i64 = 5_000;
/// A line must be linked after so long; a schedule does so within a minute.
const LINKED_WITHIN: Duration = Duration::hours(1);

/// What the verification found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub links: i64,
    /// Heads whose signature and digest are right.
    pub heads: usize,
    pub last_signed: Option<OffsetDateTime>,
    /// The first thing that is not as it must be.
    pub first_difference: Option<String>,
}

impl Report {
    /// Nothing differs.
    #[must_use]
    pub const fn whole(&self) -> bool {
        self.first_difference.is_none()
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.first_difference {
            Some(found) => write!(
                f,
                "the audit is NOT whole: {found} ({} lines in the chain)",
                self.links
            ),
            None => write!(
                f,
                "the audit is whole: {} lines in the chain, {} signed heads{}",
                self.links,
                self.heads,
                self.last_signed.map_or(String::new(), |at| format!(
                    ", the last of {:04}-{:02}-{:02}",
                    at.year(),
                    u8::from(at.month()),
                    at.day()
                ))
            ),
        }
    }
}

/// Verifies the whole chain on one snapshot. `heads` are the file's lines in their order, `key` the public key that must have
/// signed them (hexadecimal).
///
/// # Errors
/// When the database cannot be read; what differs is a report, not an error.
pub async fn verify(
    db: &Db,
    heads: &[Result<SignedHead, String>],
    key: &str,
    now: OffsetDateTime,
) -> Result<Report, Error> {
    let mut tx = db.snapshot().await?;
    store::take_time(tx.conn()).await?;
    let mut report = Report::default();
    report.first_difference = differs(&mut tx, &mut report, heads, key, now).await?;
    tx.rollback().await?;
    Ok(report)
}

async fn differs(
    tx: &mut Tx,
    report: &mut Report,
    heads: &[Result<SignedHead, String>],
    key: &str,
    now: OffsetDateTime,
) -> Result<Option<String>, Error> {
    let mut before = START;
    loop {
        let links = store::links(tx.conn(), report.links, PAGE).await?;
        for link in &links {
            let seq = report.links + 1;
            if link.seq != seq {
                return Ok(Some(format!("link {seq} is missing")));
            }
            let Some(line) = &link.line else {
                return Ok(Some(format!("line {} of link {seq} is gone", link.audit)));
            };
            let digest = chain::link(&before, seq, line);
            if digest[..] != link.digest[..] {
                return Ok(Some(format!(
                    "line {} (link {seq}, {}) or its link was changed",
                    link.audit, line.action
                )));
            }
            (before, report.links) = (digest, seq);
        }
        if links.is_empty() {
            break;
        }
    }
    if let Some(line) = store::forgotten(tx.conn(), now - LINKED_WITHIN).await? {
        return Ok(Some(format!("line {line} is older than an hour and in no link")));
    }
    for (number, head) in heads.iter().enumerate() {
        let number = number + 1;
        let head = match head {
            Ok(head) => head,
            Err(error) => return Ok(Some(format!("signed head {number} cannot be read ({error})"))),
        };
        if !head.is_signed_by(key) {
            return Ok(Some(format!(
                "signed head {number} is not signed by the key {key}"
            )));
        }
        let stands = store::digest(tx.conn(), head.seq).await?;
        if stands.map(hex::encode).as_deref() != Some(head.digest.as_str()) {
            return Ok(Some(format!(
                "link {} is not the one that was signed as head {number}",
                head.seq
            )));
        }
        report.heads += 1;
        report.last_signed = report.last_signed.max(Some(head.at));
    }
    Ok(None)
}
