//! How much of a kind one person may send within a day. Asked before the first byte is taken in: what two uploads send side by side may
//! pass it by one of them.

use super::{MEGABYTE, Purpose, store};
use crate::{error::Error, foundation::context::Context};
use protocol::{ErrorCode, ids::UserId};
use time::Duration;

const WITHIN: Duration = Duration::DAY;

/// The most of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    pub files: u32,
    pub megabytes: u32,
}

/// # Errors
/// `file.quota`, with the time until the oldest of a day's files no longer counts.
pub(super) async fn check(context: &Context, sender: UserId, purpose: Purpose) -> Result<(), Error> {
    let Some(quota) = purpose.quota() else {
        return Ok(());
    };
    let now = context.now();
    let sent = store::sent(context.db.pool(), sender, purpose, now - WITHIN).await?;
    let most = u64::from(quota.megabytes) * MEGABYTE;
    let room = sent.files < i64::from(quota.files) && u64::try_from(sent.bytes).is_ok_and(|sent| sent < most);
    let Some(oldest) = sent.oldest.filter(|_| !room) else {
        return Ok(());
    };
    let seconds = (oldest + WITHIN - now).whole_seconds().max(1);
    let code = ErrorCode::FileQuota;
    Err(Error::code(code)
        .field("file", code)
        .with("files", quota.files)
        .with("maximum", quota.megabytes)
        .retry_after(u32::try_from(seconds).unwrap_or(u32::MAX)))
}
