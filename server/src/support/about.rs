//! What a ticket is about changed: whoever has the ticket open sees it as it stands.

use super::{reading, store};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        subjects,
    },
};
use protocol::{LiveEvent, StreamId};
use serde::Deserialize;
use uuid::Uuid;

/// A thing that some ticket is about.
#[derive(Deserialize)]
struct Moved {
    kind: String,
    id: Uuid,
}

/// Tells a thing's state on the streams of the tickets that are about it. Its line is held until the end, so that of two changes the newer one
/// is told last.
///
/// # Errors
/// Whatever the database refuses; it is tried again.
pub async fn changed(context: &Context, job: &Claimed) -> Result<(), Error> {
    let moved: Moved = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if let Some(subject) = subjects::held(&mut tx, &moved.kind, moved.id).await? {
        let about = reading::shown(subject);
        for ticket in store::tickets_about(tx.conn(), &moved.kind, moved.id).await? {
            tx.emit(
                StreamId::Ticket(ticket),
                LiveEvent::TicketAboutChanged {
                    ticket,
                    about: Box::new(about.clone()),
                },
            );
        }
    }
    // Done by another process meanwhile: it is told already.
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
