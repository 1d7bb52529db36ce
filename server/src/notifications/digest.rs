//! The digest of a day (docs/rules/notifications.md#digest): one mail in the reader's morning, of what comes too often to be told one by one. Off at
//! first, none where nothing happened; every sum is of what is booked.
//!
//! Each person's is a job of its own (2026-11-28: one that failed stopped all who came behind). A job that cannot be done is parked after its
//! tries, which staff see, and is sent round again the next morning.

use super::store::digests::{self, Told};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        job_queue::{self, Claimed, NewJob},
        mail::{self, Mail},
        quiet_hours,
        transaction::Tx,
    },
    identity::service::{self as identity, Here},
};
use protocol::ids::UserId;
use time::{Date, Duration, OffsetDateTime};

/// The job that looks whose morning has come.
pub const DIGESTS: &str = "notifications.digests";
/// The job of one person's.
pub const DIGEST: &str = "notifications.digest";
/// Whose morning has come is handed out so many at once,
const STEP: i64 = 500;
/// and their jobs stand so far apart: whatever else is to be done, a code to be mailed, finds its place between them. The next are handed out behind
/// the last of them.
const APART: Duration = Duration::milliseconds(20);
/// Nobody is while a mail could have left so long ago: the morning waits for what cannot.
const LATE: Duration = Duration::seconds(30);
/// The minute of the reader's day at which it leaves.
const MORNING: i16 = 8 * 60;
/// Whatever is being booked has been by then: its moment is that of its beginning.
const SETTLED: Duration = Duration::minutes(10);

/// The last day of the books that is over.
fn last_day(now: OffsetDateTime) -> Date {
    let today = business_day::of(now);
    today.previous_day().unwrap_or(today)
}

fn morning(now: OffsetDateTime, zone: Option<&str>) -> OffsetDateTime {
    quiet_hours::next(now, zone, MORNING).unwrap_or(now + Duration::DAY)
}

/// Whether somebody has one.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_wanted(context: &Context, owner: UserId) -> Result<bool, Error> {
    digests::has(context.db.pool(), owner).await
}

/// Begins somebody's digests, or ends them. The first tells of what comes from now on.
///
/// # Errors
/// Whatever the database refuses.
pub async fn want(tx: &mut Tx, owner: UserId, zone: Option<&str>, on: bool) -> Result<(), Error> {
    if !on {
        return digests::end(tx.conn(), owner).await;
    }
    let now = tx.now();
    let told = Told {
        owner,
        told_day: last_day(now),
        told_at: now,
    };
    digests::begin(tx.conn(), &told, morning(now, zone)).await
}

/// Makes the jobs of some whose morning has come, and of the next ones where there are more; run it every five minutes. Who has one that is not done yet
/// gets no other: it tells of both mornings.
///
/// # Errors
/// Whatever the database refuses; nothing has happened then.
pub async fn hand_out(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let due = if job_queue::is_late(tx.conn(), mail::JOB, now - LATE).await? {
        Vec::new()
    } else {
        digests::due(tx.conn(), now, STEP).await?
    };
    let mut wait = Duration::ZERO;
    let mut owners = Vec::with_capacity(due.len());
    let mut next = Vec::with_capacity(due.len());
    let mut again = Vec::new();
    for person in due {
        let effect = format!("{DIGEST}:{}:{}", person.owner, person.morning.unix_timestamp());
        if person.again {
            again.push(effect.clone());
        }
        tx.enqueue(NewJob::new(DIGEST, effect, &person.owner)?.at(now + wait));
        wait += APART;
        owners.push(person.owner.0);
        next.push(morning(now, person.zone.as_deref()));
    }
    if i64::try_from(owners.len()).is_ok_and(|length| length >= STEP) {
        let then = now + wait;
        // One of its moment: whoever looks beside it does not make it twice as many.
        let moment = then.unix_timestamp() / wait.whole_seconds().max(1);
        let more = NewJob::new(DIGESTS, format!("{DIGESTS}:more:{moment}"), &())?;
        tx.enqueue(more.at(then));
    }
    digests::handed_out(tx.conn(), &owners, &next).await?;
    if !again.is_empty() {
        job_queue::revive(tx.conn(), &again, now).await?;
    }
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

/// The job of one person's digest. Mail, job and how far they were told are one commit.
///
/// # Errors
/// Whatever the database refuses; nothing has happened then, and the job comes back.
pub async fn write(context: &Context, job: &Claimed) -> Result<(), Error> {
    let owner: UserId = serde_json::from_value(job.payload.clone())?;
    let mut tx = context.db.begin().await?;
    // None: they want none any more, or another was faster.
    if let Some(told) = digests::untold(tx.conn(), owner).await? {
        tell(context, &mut tx, &told).await?;
    }
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

async fn tell(context: &Context, tx: &mut Tx, told: &Told) -> Result<(), Error> {
    let Some(Here { to, is_active }) = identity::recipient_here(tx, told.owner).await? else {
        return digests::end(tx.conn(), told.owner).await;
    };
    if !is_active {
        // It rests, and goes on where it ended once the account is switched on again.
        return digests::told(tx.conn(), told).await;
    }
    let now = tx.now();
    let next = Told {
        owner: told.owner,
        told_day: last_day(now - SETTLED).max(told.told_day),
        told_at: (now - SETTLED).max(told.told_at),
    };
    let mut lines = digests::robots_between(tx.conn(), told, &next).await?;
    lines.extend(digests::booked_between(tx.conn(), told, &next).await?);
    digests::told(tx.conn(), &next).await?;
    if !lines.is_empty() {
        let since = told.told_at;
        mail::send(context, tx, &to, &Mail::Digest { since, lines }).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn mornings_are_the_readers_and_days_are_those_of_the_books() {
        let now = datetime!(2026-11-28 12:00 UTC);
        // Nine in Brasília, noon in London.
        assert_eq!(morning(now, None), datetime!(2026-11-29 11:00 UTC));
        assert_eq!(morning(now, Some("Asia/Tokyo")), datetime!(2026-11-28 23:00 UTC));
        assert_eq!(last_day(now), date!(2026 - 11 - 27));
        assert_eq!(last_day(datetime!(2026-11-28 02:59 UTC)), date!(2026 - 11 - 26));
    }
}
