//! The look at the ceiling.

use super::{service, store};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        job_queue::{self, Claimed},
        settings::percent,
    },
    identity::roles,
};
use protocol::{LiveEvent, Permission, StreamId};

/// A job of this kind compares the bonuses of 30 days with the ceiling.
pub const LOOK: &str = "affiliates.payout_ratio";

/// Tells everyone who decides once when the ratio crosses the ceiling, and once when it is below again.
///
/// # Errors
/// Whatever the database refuses.
pub async fn look(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let ceiling = context.settings.within(&mut tx).await?.settings.payout_ceiling;
    let booked = service::last_days(&mut tx, business_day::of(now)).await?;
    let over = booked.over(ceiling);
    if store::note(tx.conn(), over, now).await? {
        let sums = booked.sums();
        for person in roles::holders(tx.conn(), Permission::AdminPermissions.as_str()).await? {
            let event = LiveEvent::PayoutRatioCrossed {
                over,
                bonuses: booked.paid_out(),
                revenue: booked.revenue(),
                ratio: sums.ratio.clone(),
                ceiling: percent(ceiling),
            };
            tx.emit(StreamId::User(person), event);
        }
    }
    if job_queue::complete(tx.conn(), job, now).await? {
        tx.commit().await?;
    }
    Ok(())
}
