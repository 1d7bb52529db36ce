//! Which of the things that wait need a second person, said before anybody has approved of them: by the rule of the decision itself, for the
//! one who looks.

use super::{
    rules::{self, Kind},
    store,
};
use crate::{error::Error, foundation::context::Context};
use protocol::{ids::UserId, money::Usdt};
use std::collections::HashSet;
use time::Duration;
use uuid::Uuid;

/// Something that nobody has approved of yet.
#[derive(Clone, Copy, Debug)]
pub struct Waits {
    pub id: Uuid,
    pub customer: UserId,
    pub usdt: Usdt,
}

/// Those that need two if this person approved of them now.
///
/// # Errors
/// Whatever the database refuses.
pub async fn need_two(
    context: &Context,
    by: UserId,
    kind: Kind,
    waiting: &[Waits],
) -> Result<HashSet<Uuid>, Error> {
    if waiting.is_empty() {
        return Ok(HashSet::new());
    }
    let now = context.now();
    let limit = context.settings.current(now).await?.settings.two_person_limit;
    let mut sums = store::foreseen(context.db.pool(), by, waiting, now - Duration::DAY).await?;
    let need = waiting.iter().filter(|waits| {
        let (beside, again) = sums.remove(&waits.id).unwrap_or_default();
        again || rules::needed(kind, waits.usdt, beside.of_customer, beside.of_approver, limit) > 1
    });
    Ok(need.map(|waits| waits.id).collect())
}
