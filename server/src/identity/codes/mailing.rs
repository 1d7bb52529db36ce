//! Codes by mail: how many there may be, and where they are asked for.

use super::{Purpose, code_mac, seat, store};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        mail::{self, Mail},
        transaction::Tx,
    },
    identity::{
        rules, secrets, service,
        store::{self as accounts, Account},
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use time::Duration;
use uuid::Uuid;

const LIFE: Duration = Duration::minutes(10);
/// How many sessions' worth of codes one of the longest known devices gets in an hour, and all other sessions.
pub(super) const SESSIONS: i64 = 3;
/// What a day gives, in hours' worth: resets add nothing to it.
const HOURS: i64 = 24;

/// Who asks for a mailed code.
#[derive(Clone, Copy, Debug)]
pub enum Asker<'a> {
    Session(SessionId),
    /// Somebody who is signing in; on a device that the account knows, by its name.
    Stranger(Option<&'a str>),
}

impl Asker<'_> {
    const fn session(self) -> Option<SessionId> {
        match self {
            Self::Session(session) => Some(session),
            Self::Stranger(_) => None,
        }
    }
}

/// Whose codes are counted together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'a> {
    Session(SessionId),
    /// All sessions on a device that is known longest; none: on any other.
    Sessions(Option<&'a str>),
    /// Signing in on a known device; none: on any other.
    SigningIn(Option<&'a str>),
}

/// Refuses when the codes are used up: those for signing in here, or those of this session and of all that stand where it does.
async fn within_bounds(
    context: &Context,
    tx: &mut Tx,
    account: UserId,
    asker: Asker<'_>,
    device: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    let most = context.settings.within(tx).await?.settings.codes_per_hour.max(1);
    let anew = accounts::codes_anew(tx.conn(), account).await?;
    let hour = anew.map_or(now - Duration::HOUR, |anew| anew.max(now - Duration::HOUR));
    let mut counts = Vec::with_capacity(3);
    let all = match asker {
        Asker::Session(session) => {
            counts.push((Place::Session(session), most, hour, Duration::HOUR));
            most.saturating_mul(SESSIONS)
        }
        Asker::Stranger(_) => most,
    };
    let place = match asker {
        Asker::Session(_) => Place::Sessions(device),
        Asker::Stranger(_) => Place::SigningIn(device),
    };
    counts.push((place, all, hour, Duration::HOUR));
    counts.push((
        place,
        all.saturating_mul(HOURS),
        now - Duration::DAY,
        Duration::DAY,
    ));
    for (place, most, since, span) in counts {
        if let Some(oldest) = store::nth_newest(tx.conn(), account, place, since, most).await? {
            let wait = rules::seconds_until(oldest + span, now);
            return Err(Error::code(ErrorCode::RateLimited).retry_after(wait));
        }
    }
    Ok(())
}

/// Mails a fresh code; the asker's earlier ones of the same purpose and action end.
///
/// # Errors
/// `request.rate_limited` above five an hour of the session, fifteen of all where it stands.
pub async fn send(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
    asker: Asker<'_>,
    purpose: Purpose,
    binding: &[u8],
    extra: Extra,
) -> Result<(), Error> {
    let now = tx.now();
    accounts::lock(tx.conn(), account.id).await?;
    let session = asker.session();
    let device = match asker {
        Asker::Session(_) => {
            let seat = seat();
            seat.device.filter(|_| seat.long_known)
        }
        Asker::Stranger(device) => device.map(str::to_owned),
    };
    within_bounds(context, tx, account.id, asker, device.as_deref()).await?;
    let code = secrets::six_digits();
    let mac = code_mac(&context.keys, account.id, purpose, binding, &code);
    store::end_open(tx.conn(), account.id, session, purpose.as_str(), binding, now).await?;
    store::insert(
        tx.conn(),
        Uuid::now_v7(),
        account.id,
        session,
        device.as_deref(),
        purpose.as_str(),
        binding,
        &mac,
        now,
        now + LIFE,
    )
    .await?;
    let letter = match extra {
        Extra::Device(device) => Mail::SignInCode { code, device },
        Extra::Details(details) => Mail::SecurityCode {
            code,
            purpose: purpose.as_str(),
            details,
        },
    };
    mail::send(context, tx, &service::recipient_of(account), &letter).await?;
    Ok(())
}

/// What the mail shows beside the code.
pub enum Extra {
    Device(String),
    /// The action in words: destination, amount.
    Details(Vec<String>),
}
