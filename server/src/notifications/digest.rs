//! The digest of a day (docs/rules/notifications.md#digest): one mail in the reader's morning, of what comes too often to be told one by one. Off at
//! first, none where nothing happened; every sum is of what is booked.

use super::store::{self, Told};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        job_queue::{self, Claimed},
        mail::{self, Mail},
        quiet_hours,
        transaction::Tx,
    },
    identity::service as identity,
};
use protocol::ids::UserId;
use time::{Date, Duration, OffsetDateTime};

/// The job's kind.
pub const DIGESTS: &str = "notifications.digests";
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
    store::has_digest(context.db.pool(), owner).await
}

/// Begins somebody's digests, or ends them. The first tells of what comes from now on.
///
/// # Errors
/// Whatever the database refuses.
pub async fn want(tx: &mut Tx, owner: UserId, zone: Option<&str>, on: bool) -> Result<(), Error> {
    if !on {
        return store::end_digest(tx.conn(), owner).await;
    }
    let now = tx.now();
    let told = Told {
        owner,
        told_day: last_day(now),
        told_at: now,
    };
    store::begin_digest(tx.conn(), &told, morning(now, zone)).await
}

/// Writes the digests whose morning has come; run it every five minutes. One person's mail and how far they were told are one commit.
///
/// # Errors
/// Whatever the database refuses; whose turn it was is taken again.
pub async fn send(context: &Context, job: &Claimed) -> Result<(), Error> {
    loop {
        let mut tx = context.db.begin().await?;
        let now = tx.now();
        let Some(told) = store::next_digest(tx.conn(), now).await? else {
            job_queue::complete(tx.conn(), job, now).await?;
            tx.commit().await?;
            return Ok(());
        };
        one(context, &mut tx, &told).await?;
        tx.commit().await?;
    }
}

async fn one(context: &Context, tx: &mut Tx, told: &Told) -> Result<(), Error> {
    let Some(to) = identity::recipient_here(tx, told.owner).await? else {
        return store::end_digest(tx.conn(), told.owner).await;
    };
    let now = tx.now();
    let next = Told {
        owner: told.owner,
        told_day: last_day(now).max(told.told_day),
        told_at: (now - SETTLED).max(told.told_at),
    };
    let mut lines = store::robots_between(tx.conn(), told, &next).await?;
    lines.extend(store::booked_between(tx.conn(), told, &next).await?);
    store::digest_told(tx.conn(), &next, morning(now, to.time_zone.as_deref())).await?;
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
