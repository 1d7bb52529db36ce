//! The guard that everything outgoing passes (docs/rules/approvals.md#outgoing-money): factor bound to the action, holds, pauses, debt,
//! whitelist, rolling limits, young PIX money, the compliance port.
//!
//! Call [`outbound`] in the transaction that moves or holds the money, before any ledger call: it makes one person's outgoing
//! requests follow one another. Call [`recheck`] at every approval and before signing. Both answer with a [`Verdict`] that nothing
//! else can make; what moves money out takes one. Trades in the book lose value against the anchors of its price instead of sending it:
//! [`trading`] counts that in the same limits.

mod rules;
pub mod state;
mod store;
pub mod trading;

use super::{
    compliance::{self, Flow, Judgement, Movement, rules::Evidence},
    destinations::{self, Destination},
    restraint,
    routes::CodeMethod,
    whitelist,
};
use crate::{
    error::Error,
    foundation::{
        business_day, context::Context, locale::Locale, mail::Recipient, settings::Settings, text,
        transaction::Tx,
    },
    identity::service::{self as identity, Account, PasskeyRequest, Purpose},
    ledger::amount::Amount,
};
use protocol::{
    ErrorCode,
    ids::{CaseId, OutboundId, SessionId, UserId},
    money::Usdt,
};
pub use rules::{Action, binding};
use std::collections::HashMap;
use store::{About, Owner, Standing};
use time::OffsetDateTime;
use uuid::Uuid;

/// What wants to leave.
#[derive(Clone, Copy)]
pub struct Outbound<'a> {
    pub user: UserId,
    pub action: Action,
    /// As the person typed or chose it: an address, a key, a username.
    pub destination: &'a str,
    /// As shown: a number, with its coin behind it if it is not USDT.
    pub amount: &'a str,
    /// Its worth, for the limits; zero where no money moves.
    pub usdt: Usdt,
    /// What of it leaves `available`, where that is less than its worth.
    pub drawn: Option<Usdt>,
    /// The member who receives it, if one does.
    pub counterparty: Option<UserId>,
    /// The app's code, the e-mailed one bound to this action, destination and amount, or a passkey's proof bound likewise.
    pub security_code: Option<&'a str>,
}

/// Keeps others from making a verdict.
#[derive(Debug)]
struct Seal;

/// The guard's word. Only the guard makes one.
#[derive(Debug)]
#[must_use = "money that leaves is handed its verdict"]
#[allow(clippy::manual_non_exhaustive)] // sealed against this crate's other rooms too
pub struct Verdict {
    /// Its place in the rolling limits; none of a recheck.
    pub id: Option<OutboundId>,
    /// A person must look before the money leaves: keep it held.
    pub review: bool,
    /// The case that waits for that person.
    pub case: Option<CaseId>,
    recipient: Recipient,
    _seal: Seal,
}

impl Verdict {
    /// Where mail to the person goes whose money leaves.
    #[must_use]
    pub const fn recipient(&self) -> &Recipient {
        &self.recipient
    }
}

/// Everything that stands before outgoing money, with the factor. A code that was right is used up only if the caller commits.
///
/// # Errors
/// `balance.insufficient` of withdrawals; `code.*`, `outbound.*`, `whitelist.*`, `auth.inactive`, `request.rate_limited`.
pub async fn outbound(context: &Context, tx: &mut Tx, out: &Outbound<'_>) -> Result<Verdict, Error> {
    let looked = look(tx, out).await?;
    // A withdrawal of more than there is: that is said first of all.
    let first = matches!(out.action, Action::CryptoWithdrawal | Action::PixWithdrawal);
    if first && out.drawn.unwrap_or(out.usdt) > usdt(looked.standing.available)? {
        return Err(
            Error::code(ErrorCode::BalanceInsufficient).field("value", ErrorCode::BalanceInsufficient)
        );
    }
    pass(context, tx, out, looked).await
}

async fn pass(
    context: &Context,
    tx: &mut Tx,
    out: &Outbound<'_>,
    Looked { standing, evidence }: Looked,
) -> Result<Verdict, Error> {
    let account = identity::account_within(tx, out.user).await?;
    let in_force = context.settings.within(tx).await?;
    let settings = &in_force.settings;
    passes(tx.now(), &account.status, &standing, settings, out)?;
    let judgement = judge(context, tx, evidence.as_ref()).await?;
    present(context, tx, &account, out).await?;
    let id = OutboundId::fresh();
    let now = tx.now();
    store::insert(tx.conn(), &[(id, *out)], now).await?;
    let (review, case) = match judgement {
        Judgement::Allow => (false, None),
        Judgement::Refuse(reason) => return Err(refused(reason)),
        Judgement::Review(reasons) => {
            let case = compliance::open(tx, &movement(out), &reasons).await?;
            (out.action.may_wait(), Some(case))
        }
    };
    Ok(Verdict {
        id: Some(id),
        review,
        case,
        recipient: identity::recipient_of(&account),
        _seal: Seal,
    })
}

/// What would refuse it but the code and the compliance rules, before a code is asked for; it waits for nobody and notes nothing.
///
/// # Errors
/// `outbound.*`, `whitelist.*`, `auth.inactive`.
pub async fn foresee(tx: &mut Tx, settings: &Settings, out: &Outbound<'_>) -> Result<(), Error> {
    let account = identity::account_within(tx, out.user).await?;
    let (destination, now) = (destination(out), tx.now());
    let standing = store::standing(tx.conn(), &about(out, false, destination.as_ref()), now).await?;
    passes(now, &account.status, &standing, settings, out)
}

/// Once more without the factor: at every approval and before signing. A case that was opened is not opened again.
///
/// # Errors
/// `outbound.*`, `whitelist.*`.
pub async fn recheck(context: &Context, tx: &mut Tx, out: &Outbound<'_>) -> Result<Verdict, Error> {
    inquire(context, tx, out).await?.verdict(tx.now())
}

/// What the guard and the compliance rules see of something, before anything is refused for it.
pub struct Inquiry<'a> {
    out: Outbound<'a>,
    standing: Standing,
    judgement: Judgement,
    owner: Owner,
}

/// Looks, without the factor and without the person's lock.
///
/// # Errors
/// `user.unknown`.
pub async fn inquire<'a>(context: &Context, tx: &mut Tx, out: &Outbound<'a>) -> Result<Inquiry<'a>, Error> {
    let (destination, now) = (destination(out), tx.now());
    let about = about(out, false, destination.as_ref());
    let found = store::recheck(tx.conn(), &about, &movement(out), now).await?;
    let (standing, evidence, owner) = found.ok_or_else(|| Error::code(ErrorCode::UserUnknown))?;
    let evidence = out.action.moves_money().then_some(evidence);
    let judgement = judge(context, tx, evidence.as_ref()).await?;
    Ok(Inquiry {
        out: *out,
        standing,
        judgement,
        owner,
    })
}

impl Inquiry<'_> {
    /// What the compliance rules say of it.
    #[must_use]
    pub const fn judgement(&self) -> &Judgement {
        &self.judgement
    }

    /// The guard's word on it, as [`recheck`].
    ///
    /// # Errors
    /// `outbound.*`, `whitelist.*`.
    pub fn verdict(self, now: OffsetDateTime) -> Result<Verdict, Error> {
        stands(now, &self.owner.status, &self.standing, &self.out)?;
        let review = match self.judgement {
            Judgement::Allow => false,
            Judgement::Refuse(reason) => return Err(refused(reason)),
            Judgement::Review(_) => self.out.action.may_wait(),
        };
        Ok(Verdict {
            id: None,
            review,
            case: None,
            recipient: self.owner.recipient,
            _seal: Seal,
        })
    }
}

/// The request came to nothing: its part of the limits is free again.
///
/// # Errors
/// Whatever the database refuses.
pub async fn release(tx: &mut Tx, id: OutboundId) -> Result<(), Error> {
    let now = tx.now();
    store::release(tx.conn(), id, now).await
}

/// What the guard looks at, and of money that moves what the compliance rules look at.
struct Looked {
    standing: Standing,
    evidence: Option<Evidence>,
}

/// The destination as a list of them would hold it.
fn destination(out: &Outbound<'_>) -> Option<(whitelist::Kind, String)> {
    out.action.whitelisted_as().map(|kind| {
        let key = match out.counterparty {
            Some(member) if kind == whitelist::Kind::Member => member.to_string(),
            _ => Destination::read(kind, out.destination)
                .map_or_else(|| text::key(out.destination), |place| place.key()),
        };
        (kind, key)
    })
}

fn about<'a>(
    out: &Outbound<'_>,
    locked: bool,
    destination: Option<&'a (whitelist::Kind, String)>,
) -> About<'a> {
    About {
        user: out.user,
        locked,
        destination: destination.map(|(kind, name)| (*kind, name.as_str())),
    }
}

/// Looks at this person and destination behind the lock that makes one person's requests follow one another.
async fn look(tx: &mut Tx, out: &Outbound<'_>) -> Result<Looked, Error> {
    let (destination, now) = (destination(out), tx.now());
    let about = about(out, true, destination.as_ref());
    let (standing, evidence) = if out.action.moves_money() {
        let (standing, evidence) = store::inquiry(tx.conn(), &about, &movement(out), now).await?;
        (standing, Some(evidence))
    } else {
        (store::standing(tx.conn(), &about, now).await?, None)
    };
    Ok(Looked { standing, evidence })
}

/// The same of a person alone.
async fn own_standing(tx: &mut Tx, user: UserId) -> Result<Standing, Error> {
    let now = tx.now();
    let about = About {
        user,
        locked: false,
        destination: None,
    };
    store::standing(tx.conn(), &about, now).await
}

/// The account's own state: holds, pauses, debt, whitelist.
fn stands(now: OffsetDateTime, status: &str, standing: &Standing, out: &Outbound<'_>) -> Result<(), Error> {
    if status != "active" && !out.action.open_to_inactive() {
        return Err(Error::code(ErrorCode::AccountInactive));
    }
    open(now, standing)?;
    if out.action.whitelisted_as().is_some() && standing.listed {
        whitelist::require(standing.usable_at, now)?;
    }
    Ok(())
}

/// The account's own state, money that has to age, and the limits.
fn passes(
    now: OffsetDateTime,
    status: &str,
    standing: &Standing,
    settings: &Settings,
    out: &Outbound<'_>,
) -> Result<(), Error> {
    stands(now, status, standing, out)?;
    if out.action.spends_available() {
        let balance = usdt(standing.available)?;
        let free = (balance - standing.young).max(Usdt::ZERO);
        // More than the balance is the ledger's refusal, in its own words.
        let drawn = out.drawn.unwrap_or(out.usdt);
        if drawn > free && drawn <= balance {
            return Err(Error::code(ErrorCode::OutboundYoung)
                .with("free", free.brief())
                .field("value", ErrorCode::OutboundYoung));
        }
    }
    within_limits(standing, settings, out, now)
}

/// Holds, pauses and debt: what also PYX orders pass.
fn open(now: OffsetDateTime, standing: &Standing) -> Result<(), Error> {
    let hold = identity::standing_hold(standing.hold_until, standing.hold_reason.as_deref(), now);
    if let Some((until, reason)) = hold {
        return Err(identity::held(until, reason));
    }
    if let Some(pause) = &standing.pause {
        return Err(Error::code(ErrorCode::OutboundPaused)
            .with("reason", &pause.reason)
            .with("review", business_day::shown(pause.review_at)));
    }
    let debt = usdt(standing.debt)?;
    if debt < Usdt::ZERO {
        return Err(Error::code(ErrorCode::OutboundDebt).with("debt", (-debt).brief()));
    }
    Ok(())
}

fn usdt(amount: Amount) -> Result<Usdt, Error> {
    amount
        .usdt()
        .ok_or_else(|| Error::internal("a balance beyond what USDT holds"))
}

/// Refuses while holds, a pause or debt stand against a person, and while their time out lasts: for orders that need no code and put money into
/// the market.
///
/// # Errors
/// `outbound.held`, `outbound.paused`, `outbound.debt`, `account.excluded`.
pub async fn require_may_buy(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let standing = own_standing(tx, user).await?;
    open(tx.now(), &standing)?;
    restraint::over(standing.excluded_until, tx.now())
}

/// The most of one request and of a day: the platform's, or what the person set below it.
fn limits(standing: &Standing, settings: &Settings, now: OffsetDateTime) -> (Usdt, Usdt) {
    let least = |platform: Usdt, own: Option<Usdt>| own.map_or(platform, |own| own.min(platform));
    (
        least(
            settings.outbound_per_transaction,
            standing.per_transaction.at(now).usdt,
        ),
        least(settings.outbound_per_day, standing.per_day.at(now).usdt),
    )
}

fn within_limits(
    standing: &Standing,
    settings: &Settings,
    out: &Outbound<'_>,
    now: OffsetDateTime,
) -> Result<(), Error> {
    let (per_transaction, per_day) = limits(standing, settings, now);
    if out.usdt > per_transaction {
        return Err(Error::code(ErrorCode::OutboundTransactionLimit)
            .with("maximum", per_transaction.brief())
            .field("value", ErrorCode::OutboundTransactionLimit));
    }
    let left = per_day - standing.used;
    if out.usdt > left.max(Usdt::ZERO) {
        return Err(Error::code(ErrorCode::OutboundDayLimit)
            .with("left", left.max(Usdt::ZERO).brief())
            .with("maximum", per_day.brief())
            .field("value", ErrorCode::OutboundDayLimit));
    }
    Ok(())
}

/// A code that is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub purpose: Purpose,
    pub destination: &'a str,
    pub amount: &'a str,
}

/// Mails the code for what is asked, bound to it, unless another factor takes its place.
///
/// # Errors
/// `field.required` when the purpose wants to know where to or how much, what a place is refused for that is none; `request.rate_limited` above five codes an hour of the session, fifteen of all where it stands.
pub async fn send_code(
    context: &Context,
    user: UserId,
    session: SessionId,
    asked: &Asked<'_>,
) -> Result<CodeMethod, Error> {
    let purpose = asked.purpose;
    let Some(needs) = rules::needs(purpose) else {
        identity::send_code(context, user, session, purpose, b"", Vec::new()).await?;
        return Ok(CodeMethod::Email);
    };
    let place = place(asked, needs)?;
    let account = identity::account(&context.db, user).await?;
    if account.totp_secret.is_some() {
        return Ok(CodeMethod::App);
    }
    if purpose == Purpose::CryptoWithdraw {
        return Ok(CodeMethod::Link);
    }
    let locale = Locale::parse(&account.locale).unwrap_or_default();
    let details = if purpose == Purpose::OwnLimits {
        restraint::asked(locale, asked.destination, asked.amount).ok_or_else(|| {
            Error::code(ErrorCode::RequestInvalid).field("destination", ErrorCode::RequestInvalid)
        })?
    } else {
        let amount = shown_amount(locale, purpose, asked.amount);
        [
            ("details.destination", place.as_str()),
            ("details.amount", &amount),
        ]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{}: {value}", locale.text("mail", name)))
        .collect()
    };
    let binding = binding(purpose, asked.destination, asked.amount);
    identity::send_code(context, user, session, purpose, &binding, details).await?;
    Ok(CodeMethod::Email)
}

/// Where to, as mails show it; refused when something is missing that the purpose wants to know.
fn place(asked: &Asked<'_>, needs: rules::Needs) -> Result<String, Error> {
    for (is, field, value) in [
        (needs.destination, "destination", asked.destination),
        (needs.amount, "amount", asked.amount),
    ] {
        if is && value.is_empty() {
            return Err(Error::code(ErrorCode::FieldRequired).field(field, ErrorCode::FieldRequired));
        }
    }
    destinations::shown(asked.purpose, asked.destination)
}

/// Asks for a passkey's word on what is asked, bound to it as a mailed code would be. It stands in the place of the strongest code alone: what takes
/// both codes takes no passkey.
///
/// # Errors
/// As [`send_code`]; `request.invalid` for a purpose that takes none; `passkey.refused` for who has none.
pub async fn ask_passkey(
    context: &Context,
    user: UserId,
    session: SessionId,
    asked: &Asked<'_>,
) -> Result<PasskeyRequest, Error> {
    let purpose = asked.purpose;
    let bound = match rules::needs(purpose) {
        Some(needs) => {
            place(asked, needs)?;
            Some(binding(purpose, asked.destination, asked.amount))
        }
        None if purpose == Purpose::ChangeFactor => None,
        None => {
            return Err(Error::code(ErrorCode::RequestInvalid).field("purpose", ErrorCode::RequestInvalid));
        }
    };
    let bound = bound.as_ref().map_or(b"".as_slice(), <[u8; 32]>::as_slice);
    identity::confirm_by_passkey(context, user, session, purpose, bound).await
}

/// An amount as all mails say it; what is no amount of the balance as it was written.
fn shown_amount(locale: Locale, purpose: Purpose, amount: &str) -> String {
    let usdt = match purpose {
        Purpose::PixWithdraw | Purpose::Transfer => amount.parse::<Usdt>().ok(),
        _ => None,
    };
    usdt.map_or_else(
        || amount.to_owned(),
        |usdt| locale.amount(&format!("{usdt} USDT")),
    )
}

/// The factor: the app's code where it is on, else the e-mailed one. A crypto withdrawal without the app is confirmed by its
/// mailed link.
async fn present(context: &Context, tx: &mut Tx, account: &Account, out: &Outbound<'_>) -> Result<(), Error> {
    if out.action == Action::CryptoWithdrawal && account.totp_secret.is_none() {
        return Ok(());
    }
    let purpose = out.action.purpose();
    let binding = binding(purpose, out.destination, out.amount);
    let code = out.security_code.unwrap_or_default();
    identity::check_factor(context, account, purpose, &binding, code)
        .await?
        .consume(tx)
        .await
}

fn movement<'a>(out: &Outbound<'_>) -> Movement<'a> {
    Movement {
        user: out.user,
        flow: Flow::Out(out.action),
        usdt: out.usdt,
        counterparty: out.counterparty,
        payer: None,
    }
}

async fn judge(context: &Context, tx: &mut Tx, evidence: Option<&Evidence>) -> Result<Judgement, Error> {
    match evidence {
        Some(evidence) => compliance::judge(context, tx, evidence).await,
        None => Ok(Judgement::Allow),
    }
}

#[track_caller]
fn refused(reason: compliance::Reason) -> Error {
    Error::code(ErrorCode::OutboundRefused).with("reasonCode", reason.as_str())
}

/// Until when these people have young money; those whose money is old enough are absent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn young_among(tx: &mut Tx, users: &[UserId]) -> Result<HashMap<UserId, OffsetDateTime>, Error> {
    let now = tx.now();
    store::young_among(tx.conn(), users, now).await
}

/// A PIX deposit was credited: its money is young for a day, a person's first for three. Call it in the crediting transaction.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_pix_credit(tx: &mut Tx, user: UserId, source: Uuid, usdt: Usdt) -> Result<(), Error> {
    let now = tx.now();
    store::note_young(tx.conn(), user, source, usdt, now).await
}

/// The credit was taken back: it is no longer young money of anyone's.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_pix_credit(tx: &mut Tx, source: Uuid) -> Result<(), Error> {
    let now = tx.now();
    store::end_young(tx.conn(), source, now).await
}

/// Refuses when what a change has just taken from `available` was young money: for orders that need no code (docs/rules/approvals.md#young-money). Call it
/// after the ledger has taken it: the account's row is this change's own then, and nothing comes in between.
///
/// # Errors
/// `outbound.young`, with what may be spent.
pub async fn require_aged(tx: &mut Tx, user: UserId, taken: Usdt) -> Result<(), Error> {
    let standing = own_standing(tx, user).await?;
    aged(standing.available, standing.young, taken)
}

/// Whether what is left holds what is young.
fn aged(left: Amount, young: Usdt, taken: Usdt) -> Result<(), Error> {
    let left = usdt(left)?;
    if left >= young {
        return Ok(());
    }
    Err(Error::code(ErrorCode::OutboundYoung)
        .with("free", (left + taken - young).max(Usdt::ZERO).brief())
        .field("value", ErrorCode::OutboundYoung))
}
