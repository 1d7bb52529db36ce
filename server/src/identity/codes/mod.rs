//! Proofs of presence: six-digit codes by mail, TOTP (RFC 6238), recovery codes.
//!
//! A proof is checked first and consumed in the transaction that it authorises: nothing is authorised twice by one code, and a
//! refused action leaves its code unspent. E-mailed codes are bound to an action by its hash and good in the session that asked for them;
//! five tries a code. Wrong codes count where they are typed ([`Seat`], `limits::rules`), never for the account alone: a count that others fill
//! locked its owner out (2026-11-26). Recovery codes have counts of their own: they are the way in when the others are used up. A right code that
//! was used already is no wrong one, and is not counted: sent twice at once it used up its owner's tries (2026-11-27).
//!
//! So many codes an hour are mailed for signing in on each known device and on all others, and as many to each session that asks; all sessions on
//! one of the devices that are known longest get [`mailing::SESSIONS`] times that together, and so do all others of the account (2026-11-27: whoever had
//! the password opened three sessions, and the owner got no code to change it). A reset begins the hours anew; a day gives never more than its
//! hours would have without. So nobody who is in, nor anybody with the password, uses up what lets the owner in or acts against them. Mail counts
//! no codes: their bound stands here.

mod authenticator;
mod mailing;
mod purpose;
mod recovery;
mod store;

pub use super::limits::rules::Seat;
use super::{
    limits::{
        self, Attempt,
        rules::{CodeKind, Count},
    },
    passkeys::{self, Ask},
    secrets,
    store::{self as accounts, Account},
};
use crate::{
    error::Error,
    foundation::{
        context::{Context, Keys},
        transaction::{Db, Tx},
    },
};
pub use authenticator::{new_totp, totp_step};
pub use mailing::{Asker, Extra, send};
use protocol::{ErrorCode, ids::UserId};
pub use purpose::{Accepts, Purpose};
pub use recovery::new_recovery_codes;
use uuid::Uuid;

const TRIES: i16 = 5;

tokio::task_local! {
    /// Where the codes of the request that is being answered are typed.
    pub static SEAT: Seat;
}

/// Where the running request's codes are typed; outside one nowhere that anybody knows.
fn seat() -> Seat {
    SEAT.try_with(Clone::clone).unwrap_or(Seat {
        session: None,
        device: None,
        long_known: false,
        address: None,
    })
}

fn code_mac(keys: &Keys, account: UserId, purpose: Purpose, binding: &[u8], code: &str) -> [u8; 32] {
    secrets::mac(
        keys,
        "code",
        &[
            account.0.as_bytes(),
            purpose.as_str().as_bytes(),
            binding,
            code.as_bytes(),
        ],
    )
}

/// A right code that has not been used yet.
#[derive(Debug)]
#[must_use = "a proof authorises nothing until it is consumed"]
pub enum Proof {
    Email(Uuid),
    App {
        account: UserId,
        step: i64,
    },
    Recovery {
        account: UserId,
        hash: Vec<u8>,
    },
    /// The challenge that was answered.
    Passkey(Uuid),
}

impl Proof {
    /// Uses the code up, in the transaction of what it authorises.
    ///
    /// # Errors
    /// `code.used` when it was used meanwhile.
    pub async fn consume(self, tx: &mut Tx) -> Result<(), Error> {
        self.consume_of(tx, MAILED_FIELD).await
    }

    async fn consume_of(self, tx: &mut Tx, field: &'static str) -> Result<(), Error> {
        let now = tx.now();
        let fresh = match self {
            Self::Email(id) => store::consume(tx.conn(), id, now).await?,
            Self::App { account, step } => accounts::spend_step(tx.conn(), account, step).await?,
            Self::Recovery { account, hash } => {
                accounts::spend_recovery_code(tx.conn(), account, &hash, now).await?
            }
            Self::Passkey(challenge) => passkeys::spend(tx, challenge).await?,
        };
        if fresh { Ok(()) } else { Err(used(field)) }
    }

    #[must_use]
    pub const fn is_recovery(&self) -> bool {
        matches!(self, Self::Recovery { .. })
    }
}

/// The mailed code and, where the authenticator is on, the app's: neither mailbox nor telephone changes anything alone.
#[derive(Debug)]
#[must_use = "a proof authorises nothing until it is consumed"]
pub struct Both {
    mailed: Proof,
    app: Option<Proof>,
}

impl Both {
    /// Uses the codes up, in the transaction of what they authorise.
    ///
    /// # Errors
    /// `code.used` when one was used meanwhile.
    pub async fn consume(self, tx: &mut Tx) -> Result<(), Error> {
        self.mailed.consume(tx).await?;
        match self.app {
            Some(proof) => proof.consume_of(tx, APP_FIELD).await,
            None => Ok(()),
        }
    }
}

/// The fields in which requests carry codes.
const MAILED_FIELD: &str = "securityCode";
const APP_FIELD: &str = "appCode";

#[track_caller]
fn wrong(field: &'static str) -> Error {
    Error::code(ErrorCode::CodeWrong).field(field, ErrorCode::CodeWrong)
}

#[track_caller]
fn used(field: &'static str) -> Error {
    Error::code(ErrorCode::CodeUsed).field(field, ErrorCode::CodeUsed)
}

/// Checks the codes that change one's own data, before the transaction that they authorise.
///
/// # Errors
/// `code.missing` at each field that is empty, `code.wrong`, `code.used` at the one that is; `request.rate_limited`.
pub async fn check_both(
    context: &Context,
    account: &Account,
    purpose: Purpose,
    mailed: &str,
    app: &str,
) -> Result<Both, Error> {
    let app_on = account.totp_secret.is_some();
    let missing: Vec<&str> = [(MAILED_FIELD, mailed, true), (APP_FIELD, app, app_on)]
        .into_iter()
        .filter(|(_, code, asked)| *asked && code.trim().is_empty())
        .map(|(field, ..)| field)
        .collect();
    if !missing.is_empty() {
        let error = Error::code(ErrorCode::CodeMissing);
        return Err(missing
            .into_iter()
            .fold(error, |error, field| error.field(field, ErrorCode::CodeMissing)));
    }
    let seat = seat();
    let asked = Asked {
        account,
        purpose,
        binding: b"",
        seat: &seat,
    };
    let mailed = check_field(context, &asked, mailed, Accepts::MAILED, MAILED_FIELD).await?;
    let app = if app_on {
        Some(check_field(context, &asked, app, Accepts::APP, APP_FIELD).await?)
    } else {
        None
    };
    Ok(Both { mailed, app })
}

/// A right code of the authenticator, or a recovery code, of the field `appCode`.
#[derive(Debug)]
#[must_use = "a proof authorises nothing until it is consumed"]
pub struct OfApp(Proof);

impl OfApp {
    /// Uses the code up, in the transaction of what it authorises.
    ///
    /// # Errors
    /// `code.used` when it was used meanwhile.
    pub async fn consume(self, tx: &mut Tx) -> Result<(), Error> {
        self.0.consume_of(tx, APP_FIELD).await
    }
}

/// Checks what the authenticator adds to a mailed link; nothing where it is off.
///
/// # Errors
/// `code.missing`, `code.wrong`, `code.used` at `appCode`; `request.rate_limited` after too many wrong ones there.
pub async fn check_app(
    context: &Context,
    account: &Account,
    seat: &Seat,
    purpose: Purpose,
    code: &str,
) -> Result<Option<OfApp>, Error> {
    if account.totp_secret.is_none() {
        return Ok(None);
    }
    let accepts = Accepts {
        recovery: true,
        ..Accepts::APP
    };
    let asked = Asked {
        account,
        purpose,
        binding: b"",
        seat,
    };
    let proof = check_field(context, &asked, code, accepts, APP_FIELD).await?;
    Ok(Some(OfApp(proof)))
}

/// Checks a code, before or inside the transaction that it authorises; consume the proof in there.
///
/// # Errors
/// `code.missing`, `code.wrong`, `code.used`; `request.rate_limited` after too many wrong ones in the running request's session or on its device.
pub async fn check(
    context: &Context,
    account: &Account,
    purpose: Purpose,
    binding: &[u8],
    code: &str,
    accepts: Accepts,
) -> Result<Proof, Error> {
    check_at(context, account, &seat(), purpose, binding, code, accepts).await
}

/// The same of somebody who is not signed in yet.
///
/// # Errors
/// As [`check`].
pub async fn check_at(
    context: &Context,
    account: &Account,
    seat: &Seat,
    purpose: Purpose,
    binding: &[u8],
    code: &str,
    accepts: Accepts,
) -> Result<Proof, Error> {
    let asked = Asked {
        account,
        purpose,
        binding,
        seat,
    };
    check_field(context, &asked, code, accepts, MAILED_FIELD).await
}

/// What a code is to authorise, and where it is typed.
struct Asked<'a> {
    account: &'a Account,
    purpose: Purpose,
    binding: &'a [u8],
    seat: &'a Seat,
}

impl Asked<'_> {
    /// The same of what a passkey confirms; none outside a session.
    fn confirmed(&self) -> Option<Ask<'_>> {
        Some(Ask::Confirm {
            account: self.account.id,
            session: self.seat.session?,
            action: self.purpose.as_str(),
            binding: self.binding,
        })
    }

    fn tried(&self) -> store::Tried<'_> {
        store::Tried {
            account: self.account.id,
            session: self.seat.session,
            purpose: self.purpose.as_str(),
            binding: self.binding,
            most: TRIES,
        }
    }
}

async fn check_field(
    context: &Context,
    asked: &Asked<'_>,
    code: &str,
    accepts: Accepts,
    field: &'static str,
) -> Result<Proof, Error> {
    let account = asked.account;
    let code: String = code
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '-')
        .collect::<String>()
        .to_uppercase();
    if code.is_empty() {
        return Err(Error::code(ErrorCode::CodeMissing).field(field, ErrorCode::CodeMissing));
    }
    if code.len() > 64 {
        return Err(wrong(field));
    }
    // Tries count whether or not the change around them is committed.
    let db = context.db.aside();
    if accepts.passkey && passkeys::is_proof(&code) {
        // Of 256 bits: nobody guesses one, and no try is counted.
        return match passkeys::proved(context, &db, asked.confirmed(), &code).await? {
            Some((_, true)) => Err(used(field)),
            Some((challenge, false)) => Ok(Proof::Passkey(challenge)),
            None => Err(wrong(field)),
        };
    }
    let kind = CodeKind {
        recovery: accepts.recovery && !(is_six_digits(&code) && (accepts.app || accepts.email)),
        by_link: asked.purpose == Purpose::ResetPassword,
    };
    let counts = limits::rules::code(account.id, kind, asked.seat);
    let is_app = accepts.app && app_step(context, account, &code)?.is_some();
    let (attempt, open, proof) = if accepts.email && is_six_digits(&code) && !is_app {
        try_mailed(context, &db, asked, &code, counts).await?
    } else {
        let attempt = limits::attempt(&db, counts).await?;
        let proof = match_code(context, &db, account, &code, accepts).await?;
        (attempt, None, proof)
    };
    if let Some(proof) = proof {
        attempt.right_with(&db, open).await?;
        return Ok(proof);
    }
    match fault(context, &db, asked, &code, accepts, open.is_some()).await? {
        Fault::Used => {
            attempt.right_with(&db, open).await?;
            Err(used(field))
        }
        Fault::Unjudged => {
            attempt.right(&db).await?;
            Err(wrong(field))
        }
        Fault::Wrong => Err(wrong(field)),
    }
}

/// Why a code is not good.
enum Fault {
    /// It was, and has authorised something here, or the app's later one has.
    Used,
    /// The open code had no tries left: nothing was compared, and nothing is learnt. It may have some again, where it was right in
    /// another try meanwhile.
    Unjudged,
    Wrong,
}

async fn fault(
    context: &Context,
    db: &Db,
    asked: &Asked<'_>,
    code: &str,
    accepts: Accepts,
    judged: bool,
) -> Result<Fault, Error> {
    let account = asked.account;
    let used_or_wrong = |used| if used { Fault::Used } else { Fault::Wrong };
    if !is_six_digits(code) {
        let hash = recovery::hash(&context.keys, account.id, code);
        let used = accepts.recovery && accounts::used_recovery_code(db.pool(), account.id, &hash).await?;
        return Ok(used_or_wrong(used));
    }
    if let Some(sealed) = account.totp_secret.as_ref().filter(|_| accepts.app) {
        let step = totp_step(context, account.id, sealed, code, context.now())?;
        return Ok(used_or_wrong(step.is_some()));
    }
    if !accepts.email {
        return Ok(Fault::Wrong);
    }
    let own = code_mac(&context.keys, account.id, asked.purpose, asked.binding, code);
    let tried = asked.tried();
    let sent = store::sent(db.pool(), &tried, context.now()).await?;
    Ok(if sent.iter().any(|o| o.used && secrets::same(&o.mac, &own)) {
        Fault::Used
    } else if !judged && sent.iter().any(|o| !o.used) {
        Fault::Unjudged
    } else {
        Fault::Wrong
    })
}

fn is_six_digits(code: &str) -> bool {
    code.len() == 6 && code.bytes().all(|b| b.is_ascii_digit())
}

/// The step at which a code is the app's, if it is and was not used.
fn app_step(context: &Context, account: &Account, code: &str) -> Result<Option<i64>, Error> {
    let Some(sealed) = account.totp_secret.as_ref().filter(|_| is_six_digits(code)) else {
        return Ok(None);
    };
    let step = totp_step(context, account.id, sealed, code, context.now())?;
    Ok(step.filter(|step| *step > account.totp_last_step))
}

/// Tries a mailed code: the try, the open code that it was counted on, and the proof that it is. It is counted before the comparison: many at
/// once get no more than five.
async fn try_mailed(
    context: &Context,
    db: &Db,
    asked: &Asked<'_>,
    code: &str,
    counts: Vec<Count>,
) -> Result<(Attempt, Option<Uuid>, Option<Proof>), Error> {
    let (account, purpose) = (asked.account.id, asked.purpose);
    let tried = asked.tried();
    let mut tx = db.begin().await?;
    let now = tx.now();
    let (tries, open) = store::try_newest(tx.conn(), &counts, &tried, now).await?;
    let attempt = limits::noted(counts, &tries, now)?;
    tx.commit().await?;
    let own = code_mac(&context.keys, account, purpose, asked.binding, code);
    let proof = open
        .as_ref()
        .filter(|(_, mac)| secrets::same(mac, &own))
        .map(|(id, _)| Proof::Email(*id));
    Ok((attempt, open.map(|(id, _)| id), proof))
}

async fn match_code(
    context: &Context,
    db: &Db,
    account: &Account,
    code: &str,
    accepts: Accepts,
) -> Result<Option<Proof>, Error> {
    if accepts.app
        && let Some(step) = app_step(context, account, code)?
    {
        return Ok(Some(Proof::App {
            account: account.id,
            step,
        }));
    }
    if accepts.recovery && !is_six_digits(code) {
        let hash = recovery::hash(&context.keys, account.id, code);
        if accounts::has_recovery_code(db.pool(), account.id, &hash).await? {
            return Ok(Some(Proof::Recovery {
                account: account.id,
                hash,
            }));
        }
    }
    Ok(None)
}

/// Forgets codes that ended a while ago.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::CODES).await
}
