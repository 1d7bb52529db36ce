//! What a change says of itself at its end, gathered while it runs and written with one call.

use super::store;
use crate::{error::Error, foundation::job_queue::NewJob};
use protocol::{LiveEvent, StreamId, live_event::Numbered};
use sqlx::PgConnection;
use std::collections::BTreeMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// A line of the audit log.
#[derive(Clone, Debug)]
pub struct AuditLine {
    pub actor: Option<Uuid>,
    pub subject: Option<Uuid>,
    pub category: &'static str,
    pub action: String,
    pub details: serde_json::Value,
}

/// A line of the things that others may point at; the last one of a thing counts.
#[derive(Clone, Debug)]
pub struct SubjectLine {
    pub kind: &'static str,
    pub id: Uuid,
    pub owner: Uuid,
    pub amount: i64,
    pub currency: &'static str,
    pub status: String,
}

/// What a key is answered from now on.
#[derive(Clone, Debug)]
pub struct Answer {
    pub user: Uuid,
    pub route: String,
    pub key: String,
    pub body_hash: Vec<u8>,
    pub status: u16,
    pub body: serde_json::Value,
}

#[derive(Default)]
pub struct Ending {
    pub audit: Vec<AuditLine>,
    pub subjects: Vec<SubjectLine>,
    pub jobs: Vec<NewJob>,
    pub answer: Option<Answer>,
    pub facts: Vec<(StreamId, LiveEvent)>,
}

impl Ending {
    const fn is_empty(&self) -> bool {
        self.audit.is_empty()
            && self.subjects.is_empty()
            && self.jobs.is_empty()
            && self.answer.is_none()
            && self.facts.is_empty()
    }

    /// Writes it and gives the facts their numbers. Nothing comes behind it but the commit: it holds the stream heads.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn write(self, conn: &mut PgConnection, at: OffsetDateTime) -> Result<Vec<Numbered>, Error> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let streams: Vec<String> = self.facts.iter().map(|(stream, _)| stream.to_string()).collect();
        let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
        // From the end, so that each fact knows how many of its stream come behind it.
        let mut behind: Vec<i64> = streams
            .iter()
            .rev()
            .map(|stream| {
                let count = counts.entry(stream).or_default();
                *count += 1;
                *count - 1
            })
            .collect();
        behind.reverse();
        let heads = store::finish(conn, &self, &counts, &streams, &behind, at).await?;
        self.facts
            .into_iter()
            .zip(streams.iter().zip(behind))
            .map(|((stream, event), (name, behind))| {
                let (epoch, newest) = *heads
                    .get(name)
                    .ok_or_else(|| Error::internal("a stream head was not returned"))?;
                Ok(Numbered {
                    stream,
                    epoch,
                    seq: newest - behind,
                    at,
                    event,
                })
            })
            .collect()
    }
}
