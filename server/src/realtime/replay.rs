//! What a reconnecting client missed, read from the stored facts.

use crate::{
    error::Error,
    foundation::{outbox, transaction::Db},
};
use actors::{Head, Range, Refusal, Replay};
use async_trait::async_trait;
use protocol::StreamId;

/// Answers from the outbox.
pub struct OutboxReplay {
    db: Db,
}

impl OutboxReplay {
    #[must_use]
    pub const fn new(db: Db) -> Self {
        Self { db }
    }
}

/// Clients come back later: sessions stay open while the database is away.
fn unavailable(error: Error) -> Refusal {
    tracing::warn!(?error, "stored facts cannot be read");
    Refusal::Unavailable
}

#[async_trait]
impl Replay for OutboxReplay {
    async fn range(&self, stream: StreamId, epoch: i32, from_seq: i64, max: usize) -> Result<Range, Refusal> {
        let head = self.head(stream).await?;
        if head.epoch != epoch || from_seq > head.seq + 1 {
            return Ok(Range::Gone);
        }
        let limit = i64::try_from(max).unwrap_or(i64::MAX);
        let facts = outbox::range(self.db.pool(), stream, epoch, from_seq, limit)
            .await
            .map_err(unavailable)?;
        // Pruned or unreadable in between: never a partial replay.
        let whole = facts.iter().zip(from_seq..).all(|(fact, seq)| fact.seq == seq);
        let expected = (head.seq + 1 - from_seq).min(limit);
        let complete = i64::try_from(facts.len()).unwrap_or(0) >= expected;
        Ok(if whole && complete {
            Range::Facts(facts)
        } else {
            Range::Gone
        })
    }

    async fn head(&self, stream: StreamId) -> Result<Head, Refusal> {
        let (epoch, seq) = outbox::head(self.db.pool(), stream).await.map_err(unavailable)?;
        Ok(Head { epoch, seq })
    }
}
