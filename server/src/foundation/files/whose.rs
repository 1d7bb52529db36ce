//! Whose the shelves are: a mark lies on them, and says which database has last held them against its table.
//!
//! Each comparison writes the mark anew, with a number that its database notes before. A copy of the database (a backup that was restored, a
//! house for trials) that is pointed at the same shelves finds a number that it does not know, or finds itself in another place than the one in
//! which it was written: it removes nothing there. Had it written first, the house that the shelves belong to would find its number instead,
//! remove nothing, and tell. Whoever knows better says so at the console ([`claim`]). What nobody has marked becomes ours where nothing lies,
//! or where our table knows of what lies there ([`sweeping`](super::sweeping)).
//!
//! Invariants: nothing is removed from shelves whose mark is another's, neither by the comparison nor by a job of [`discard`](super::discard). A
//! number is noted before it is written: who dies in between is not taken for another. Tables: `foundation.shelves`.

use super::{shelves::Shelves, store, sweeping::COMPARE};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::NewJob,
        kept,
        transaction::Tx,
    },
};
use protocol::ErrorCode;
use serde_json::json;
use uuid::Uuid;

/// Whose the shelves are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// This database's, where it is now.
    Ours,
    /// Nobody has marked them yet.
    Unmarked,
    /// Another's: of another database, or of the one that this is a copy of.
    Others,
}

/// The number that lies there; the one of nobody where something else does.
async fn mark(shelves: &Shelves) -> Result<Option<Uuid>, Error> {
    let bytes = shelves.mark().await?;
    Ok(bytes.map(|bytes| {
        let written = std::str::from_utf8(&bytes).ok();
        written
            .and_then(|text| text.trim().parse::<Uuid>().ok())
            .unwrap_or_default()
    }))
}

/// Reads the mark.
///
/// # Errors
/// When the database or the store refuses.
pub async fn whose(context: &Context) -> Result<Whose, Error> {
    let Some(mark) = mark(&context.shelves).await? else {
        return Ok(Whose::Unmarked);
    };
    if store::wrote(context.db.pool(), mark).await? {
        Ok(Whose::Ours)
    } else {
        Ok(Whose::Others)
    }
}

/// Writes the mark of our shelves anew, unless another's has come there. The one that lies there stays known, however often writing fails.
pub(super) async fn renew(context: &Context) -> Result<(), Error> {
    let Some(lying) = mark(&context.shelves).await? else {
        return Ok(());
    };
    let next = Uuid::now_v7();
    if store::next_mark(context.db.pool(), next, lying).await? {
        write(&context.shelves, next).await?;
    }
    Ok(())
}

/// Makes shelves ours that nobody has marked.
pub(super) async fn adopt(context: &Context) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let mark = first(&mut tx).await?;
    tx.commit().await?;
    write(&context.shelves, mark).await
}

/// Notes the first mark of ours. What is nobody's is looked for from now on, and has its day.
async fn first(tx: &mut Tx) -> Result<Uuid, Error> {
    let mark = Uuid::now_v7();
    store::first_mark(tx.conn(), mark).await?;
    store::forget_strays(tx.conn()).await?;
    Ok(mark)
}

async fn write(shelves: &Shelves, mark: Uuid) -> Result<(), Error> {
    shelves.write_mark(format!("{mark}\n")).await
}

/// How the shelves stand, as the console says it.
#[derive(Clone, Copy, Debug)]
pub struct Standing {
    pub whose: Whose,
    /// Files that no row names, and those of them that have been so for a day.
    pub nobodys: i64,
    pub old: i64,
    /// Those that somebody has let go.
    pub released: i64,
}

/// How the shelves stand, and what the last comparison has noted.
///
/// # Errors
/// When the database or the store refuses.
pub async fn standing(context: &Context) -> Result<Standing, Error> {
    let whose = whose(context).await?;
    let before = context.now() - kept::FILES_OF_NOBODY;
    let noted = store::noted(context.db.pool(), before).await?;
    Ok(Standing {
        whose,
        nobodys: noted.all,
        old: noted.old,
        released: noted.released,
    })
}

/// Somebody at the console says that the shelves are this database's. Whose they were removes nothing there from now on.
///
/// # Errors
/// When the database or the store refuses.
pub async fn claim(context: &Context) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let mark = first(&mut tx).await?;
    audit::record(
        &mut tx,
        None,
        None,
        Category::Settings,
        "files.claimed",
        json!({}),
    )
    .await?;
    tx.commit().await?;
    write(&context.shelves, mark).await
}

/// Somebody at the console has seen that too many files are nobody's, and lets those go that have been so for a day. How many; the next
/// comparison removes them, and it comes at once.
///
/// # Errors
/// `request.conflict` while the shelves are not ours; when the database or the store refuses.
pub async fn release(context: &Context) -> Result<u64, Error> {
    if whose(context).await? != Whose::Ours {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let released = store::release(tx.conn(), now - kept::FILES_OF_NOBODY, now).await?;
    if released > 0 {
        let details = json!({ "count": released });
        audit::record(&mut tx, None, None, Category::Settings, "files.released", details).await?;
        let effect = format!("{COMPARE}:released:{}", now.unix_timestamp());
        tx.enqueue(NewJob::new(COMPARE, effect, &())?);
    }
    tx.commit().await?;
    Ok(released)
}
