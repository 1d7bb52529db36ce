//! Bytes of a file that has no row yet. Dropped before they are anybody's, they go.

use super::{Part, incoming::Temporary, shelves::Shelves};
use crate::error::Error;
use protocol::ids::FileId;

/// A file's bytes on their way to the shelves. To those of this machine they are moved with the change that they belong to; to a bucket
/// they are sent before it, so that no change waits for the network.
#[derive(Debug)]
pub(super) struct Laid {
    id: FileId,
    waiting: Vec<(Part, Temporary)>,
    sent: Option<Sent>,
}

/// What lies in a bucket and is nobody's.
#[derive(Debug)]
struct Sent {
    id: FileId,
    /// None: it is somebody's now.
    shelves: Option<Shelves>,
}

impl Laid {
    /// # Errors
    /// `service.unavailable` while the bucket cannot be reached.
    pub(super) async fn lay(
        shelves: &Shelves,
        id: FileId,
        waiting: Vec<(Part, Temporary)>,
    ) -> Result<Self, Error> {
        if !shelves.are_away() {
            let sent = None;
            return Ok(Self { id, waiting, sent });
        }
        // Before the first byte: what was sent when the next one fails goes, too.
        let sent = Sent {
            id,
            shelves: Some(shelves.clone()),
        };
        for (part, bytes) in waiting {
            shelves.keep(bytes, id, part).await?;
        }
        Ok(Self {
            id,
            waiting: Vec::new(),
            sent: Some(sent),
        })
    }

    /// The bytes are in their place, and stay there.
    ///
    /// # Errors
    /// When the disk refuses.
    pub(super) async fn settle(self, shelves: &Shelves) -> Result<(), Error> {
        for (part, bytes) in self.waiting {
            shelves.keep(bytes, self.id, part).await?;
        }
        if let Some(mut sent) = self.sent {
            sent.shelves = None;
        }
        Ok(())
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        let Some(shelves) = self.shelves.take() else {
            return;
        };
        // Where nothing runs any more, the sweep finds it.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let id = self.id;
            runtime.spawn(async move {
                if let Err(error) = shelves.forget(id).await {
                    tracing::warn!(file = %id, ?error, "what was not kept stays for the sweep");
                }
            });
        }
    }
}
