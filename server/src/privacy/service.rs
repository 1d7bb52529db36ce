//! Asking for one's data, and getting it.

use super::{
    jobs,
    model::{DataExports, Export},
    rules, store,
};
use crate::{
    approvals::guard,
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        files::{self, Opened},
        job_queue::NewJob,
        transaction::Tx,
    },
    identity::{caller::Caller, codes::Purpose, service as identity},
};
use protocol::{
    ErrorCode, LiveEvent, StreamId,
    ids::{DataExportId, UserId},
};
use serde_json::json;
use time::OffsetDateTime;

/// How many one sees.
const SHOWN: i64 = 10;

/// One's own exports, and from when another may be asked for.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, user: UserId) -> Result<DataExports, Error> {
    let exports = store::newest(context.db.pool(), user, SHOWN).await?;
    Ok(shown(exports, context.now()))
}

fn shown(exports: Vec<Export>, now: OffsetDateTime) -> DataExports {
    DataExports {
        next_at: rules::next_at(exports.first(), now),
        data: exports.into_iter().map(Into::into).collect(),
    }
}

/// The code of purpose `export-data`, or the app's where it is on.
async fn present(context: &Context, tx: &mut Tx, user: UserId, code: &str) -> Result<(), Error> {
    let account = identity::account_within(tx, user).await?;
    let purpose = Purpose::ExportData;
    let binding = guard::binding(purpose, "", "");
    identity::check_factor(context, &account, purpose, &binding, code)
        .await?
        .consume(tx)
        .await
}

/// Asks for a file; a job makes it.
///
/// # Errors
/// `data_export.too_soon` within a day of the one before; what codes are refused for.
pub async fn ask(context: &Context, caller: &Caller, code: &str) -> Result<DataExports, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::lock(tx.conn(), caller.user).await?;
    let newest = store::newest(tx.conn(), caller.user, 1).await?;
    // Before the code is used up.
    if let Some(next) = rules::next_at(newest.first(), now) {
        let seconds = u32::try_from((next - now).whole_seconds().max(1)).unwrap_or(u32::MAX);
        return Err(Error::code(ErrorCode::DataExportTooSoon).retry_after(seconds));
    }
    present(context, &mut tx, caller.user, code).await?;
    let id = DataExportId::fresh();
    store::insert(tx.conn(), id, caller.user, now).await?;
    tx.enqueue(NewJob::new(jobs::MAKE, format!("{}:{id}", jobs::MAKE), &id)?);
    tell(&mut tx, caller.user, id, "asked");
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "data_export.asked",
        json!({}),
    )
    .await?;
    let exports = store::newest(tx.conn(), caller.user, SHOWN).await?;
    tx.commit().await?;
    Ok(shown(exports, now))
}

/// Tells its owner's screens where it stands.
pub(super) fn tell(tx: &mut Tx, owner: UserId, id: DataExportId, state: &str) {
    tx.emit(
        StreamId::User(owner),
        LiveEvent::DataExportChanged {
            export: id,
            state: state.to_owned(),
        },
    );
}

/// The file, for its owner and a fresh code alone.
///
/// # Errors
/// `request.not_found` for what is not there, not one's own or expired; what codes are refused for.
pub async fn download(
    context: &Context,
    caller: &Caller,
    id: DataExportId,
    code: &str,
) -> Result<Opened, Error> {
    let not_found = || Error::code(ErrorCode::RequestNotFound);
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let export = store::of(tx.conn(), id, caller.user)
        .await?
        .ok_or_else(not_found)?;
    let file = export
        .file
        .filter(|_| rules::is_open(&export, now))
        .ok_or_else(not_found)?;
    present(context, &mut tx, caller.user, code).await?;
    let opened = files::open(context, file).await?;
    store::downloaded(tx.conn(), id, now).await?;
    tell(&mut tx, caller.user, id, "ready");
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(caller.user.0),
        Category::Profile,
        "data_export.downloaded",
        json!({}),
    )
    .await?;
    tx.commit().await?;
    Ok(opened)
}
