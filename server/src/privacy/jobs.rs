//! Making the file, and letting it go.

use super::{
    archive::Archive,
    contents,
    model::{DataExportState, Export},
    rules, service, store,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        files::{self, Finished, Made, Purpose, Ready},
        job_queue::{self, Claimed, NewJob},
        locale::Locale,
        mail::{self, Mail},
    },
    identity::service as identity,
};
use protocol::ids::DataExportId;
use serde_json::json;

/// A job of this kind makes a file that was asked for.
pub const MAKE: &str = "privacy.make_export";
/// A job of this kind lets go of a file whose time is over.
pub const EXPIRE: &str = "privacy.expire_export";

/// Makes the file. Done again it finds it made.
///
/// # Errors
/// Whatever the database or the disk refuses; tried again.
pub async fn make(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: DataExportId = serde_json::from_value(job.payload.clone())?;
    let asked = store::find(context.db.pool(), id)
        .await?
        .filter(|export| export.state == DataExportState::Asked);
    let Some(export) = asked else {
        return done(context, job).await;
    };
    let Some(look) = contents::look(context).await? else {
        return later(context, job, id).await;
    };
    let account = identity::account(&context.db, export.owner).await?;
    let locale = Locale::parse(&account.locale).unwrap_or_default();
    let (made, file) = Made::begin(context, Purpose::DataExport).await?;
    let mut archive = Archive::begin(file, Purpose::DataExport.limit());
    contents::write(context, look, &mut archive, export.owner, locale).await?;
    let packed = archive.finish().await?;
    let finished = Finished {
        name: format!(
            "arbora-{}-{}.zip",
            account.username,
            business_day::of(context.now())
        ),
        mime: "application/zip",
        bytes: packed.bytes,
        sha256: packed.sha256,
    };
    let file = made.id();
    let ready = made.finish(context, finished).await?;
    let handed = hand_over(context, job, &export, ready).await;
    // Nobody's data lie where nobody knows of them.
    files::forget(context, file).await?;
    handed
}

/// The file is its owner's, who is told; it goes by itself.
async fn hand_over(context: &Context, job: &Claimed, export: &Export, ready: Ready) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let until = now + rules::LIFE;
    let row = ready.keep(&mut tx, context, export.owner).await?;
    if store::made(tx.conn(), export.id, row.id, row.bytes, (now, until)).await? {
        tx.enqueue(NewJob::new(EXPIRE, format!("{EXPIRE}:{}", export.id), &export.id)?.at(until));
        service::tell(&mut tx, export.owner, export.id, "ready");
        let to = identity::recipient(&mut tx, export.owner).await?;
        mail::send(context, &mut tx, &to, &Mail::DataExport { until }).await?;
        audit::record(
            &mut tx,
            None,
            Some(export.owner.0),
            Category::Profile,
            "data_export.ready",
            json!({}),
        )
        .await?;
    } else {
        // Another has made it: this one's bytes go.
        files::discard(&mut tx, row.id).await?;
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// One after another: a queue of people who ask keeps no other work from the jobs' places.
async fn later(context: &Context, job: &Claimed, id: DataExportId) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    tx.enqueue(
        NewJob::new(MAKE, format!("{MAKE}:{id}:{}", now.unix_timestamp()), &id)?.at(now + rules::TURN),
    );
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

async fn done(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}

/// Lets go of the file.
///
/// # Errors
/// Whatever the database refuses; tried again.
pub async fn expire(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: DataExportId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if let Some(export) = store::find(tx.conn(), id).await?
        && let Some(file) = store::expire(tx.conn(), id).await?
    {
        files::discard(&mut tx, file).await?;
        service::tell(&mut tx, export.owner, id, "expired");
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
