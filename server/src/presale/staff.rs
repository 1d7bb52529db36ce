//! Rounds as those see them who decide: proposed by one person, for sale once a second one agrees to these very terms, fixed once begun.

use super::store::{self, Round, StaffRow, Terms};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject, Waiting},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        http::Paging,
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode,
    ids::{PresaleRoundId, UserId},
    money::{Pyx, Usdt},
};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// The most PYX of a round, in whole units.
const SUPPLY: i64 = 1_000_000_000_000;
/// The longest sale.
const LONGEST: Duration = Duration::days(366);
/// How far ahead a round is planned at most.
const AHEAD: Duration = Duration::days(3 * 366);
/// A form takes a while to fill in: "now" may be this old.
const PATIENCE: Duration = Duration::minutes(10);

fn wrong(field: &'static str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

fn check(terms: &Terms, now: OffsetDateTime) -> Result<(), Error> {
    let amount = |field: &'static str| {
        Error::code(ErrorCode::AmountNotPositive).field(field, ErrorCode::AmountNotPositive)
    };
    if !terms.price.is_positive() {
        return Err(amount("price"));
    }
    if !terms.supply.is_positive() {
        return Err(amount("supply"));
    }
    // What all of it costs must be a sum that the books can hold.
    if terms.supply > Pyx::whole(SUPPLY) || super::rules::cost(terms.supply, terms.price).is_none() {
        return Err(wrong("supply"));
    }
    if !terms.cap.is_positive() {
        return Err(amount("cap"));
    }
    if terms.cap > terms.supply {
        return Err(wrong("cap"));
    }
    if terms.starts_at < now - PATIENCE || terms.starts_at > now + AHEAD {
        return Err(wrong("startsAt"));
    }
    if terms.ends_at <= terms.starts_at || terms.ends_at <= now || terms.ends_at - terms.starts_at > LONGEST {
        return Err(wrong("endsAt"));
    }
    if !(0..=1_825).contains(&terms.cliff_days) {
        return Err(wrong("cliffDays"));
    }
    if !(1..=3_650).contains(&terms.vesting_days) {
        return Err(wrong("vestingDays"));
    }
    Ok(())
}

/// All terms in one line: what an approval binds. The revision keeps terms that come back apart from what was approved before.
fn words(terms: &Terms, revision: i32) -> String {
    format!(
        "presale revision={revision} price={} cap={} starts={} ends={} cliff={} vesting={}",
        terms.price,
        terms.cap,
        terms.starts_at.unix_timestamp_nanos(),
        terms.ends_at.unix_timestamp_nanos(),
        terms.cliff_days,
        terms.vesting_days
    )
}

fn subject<'a>(id: PresaleRoundId, terms: &Terms, words: &'a str) -> Subject<'a> {
    Subject {
        kind: Kind::MoneySettings,
        id: id.0,
        customer: None,
        coin: Pyx::CODE,
        destination: words,
        amount: terms.supply.to_string(),
        usdt: Usdt::ZERO,
    }
}

/// Whole seconds: what is stored is what the digest was computed from.
fn kept(terms: &Terms) -> Terms {
    let second = |at: OffsetDateTime| at.replace_nanosecond(0).unwrap_or(at);
    Terms {
        starts_at: second(terms.starts_at),
        ends_at: second(terms.ends_at),
        ..*terms
    }
}

async fn record(
    tx: &mut Tx,
    by: UserId,
    id: PresaleRoundId,
    action: &'static str,
    terms: &Terms,
) -> Result<(), Error> {
    let details = json!({
        "price": terms.price, "supply": terms.supply, "cap": terms.cap, "startsAt": terms.starts_at.unix_timestamp(),
        "endsAt": terms.ends_at.unix_timestamp(), "cliffDays": terms.cliff_days, "vestingDays": terms.vesting_days,
    });
    audit::record(tx, Some(by), Some(id.0), Category::Settings, action, details).await
}

/// Proposes a round: the first person's half.
///
/// # Errors
/// `request.invalid` or `amount.not_positive` for terms out of bounds.
pub async fn propose(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    terms: &Terms,
) -> Result<PresaleRoundId, Error> {
    let now = tx.now();
    check(terms, now)?;
    let terms = kept(terms);
    let id = PresaleRoundId::fresh();
    let words = words(&terms, 1);
    let subject = subject(id, &terms, &words);
    store::insert_round(tx.conn(), id, &terms, &subject.digest(), by, now).await?;
    let in_force = context.settings.within(tx).await?;
    approvals::approve(tx, &in_force, &subject, by).await?;
    record(tx, by, id, "presale.propose", &terms).await?;
    Ok(id)
}

async fn open_to_change(tx: &mut Tx, id: PresaleRoundId) -> Result<Round, Error> {
    let now = tx.now();
    let round = store::lock_round(tx.conn(), id)
        .await?
        .filter(|r| r.status != "withdrawn")
        .ok_or_else(|| Error::code(ErrorCode::PresaleRoundUnknown))?;
    if round.begun(now) {
        return Err(Error::code(ErrorCode::PresaleRoundBegun));
    }
    Ok(round)
}

/// Other terms for a round that has not begun: they need a second person anew.
///
/// # Errors
/// `presale.round_unknown`, `presale.round_begun`, and as [`propose`].
pub async fn change(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PresaleRoundId,
    terms: &Terms,
) -> Result<(), Error> {
    let now = tx.now();
    let before = open_to_change(tx, id).await?;
    check(terms, now)?;
    let terms = kept(terms);
    if before.terms() == terms {
        return Ok(());
    }
    let words = words(&terms, before.revision + 1);
    let subject = subject(id, &terms, &words);
    store::change_round(tx.conn(), id, &terms, &subject.digest(), by, now).await?;
    let in_force = context.settings.within(tx).await?;
    approvals::approve(tx, &in_force, &subject, by).await?;
    record(tx, by, id, "presale.change", &terms).await
}

/// A round that waits for a second person.
///
/// # Errors
/// `presale.round_unknown`, `decision.done`, `presale.closed`.
pub async fn waiting(tx: &mut Tx, id: PresaleRoundId) -> Result<Waiting, Error> {
    let round = proposed(tx, id).await?;
    let terms = round.terms();
    Ok(subject(id, &terms, &words(&terms, round.revision)).waiting())
}

async fn proposed(tx: &mut Tx, id: PresaleRoundId) -> Result<Round, Error> {
    let now = tx.now();
    let round = store::lock_round(tx.conn(), id)
        .await?
        .filter(|r| r.status != "withdrawn")
        .ok_or_else(|| Error::code(ErrorCode::PresaleRoundUnknown))?;
    if round.agreed() {
        return Err(Error::code(ErrorCode::DecisionDone));
    }
    if round.ends_at <= now {
        return Err(Error::code(ErrorCode::PresaleClosed));
    }
    Ok(round)
}

/// The second person's half: the round sells from its start on.
///
/// # Errors
/// `presale.round_unknown`, `presale.closed` when its time is over, `presale.overlap`, `decision.*`; `decision.changed` for who has seen other
/// terms than these.
pub async fn agree(
    context: &Context,
    tx: &mut Tx,
    by: UserId,
    id: PresaleRoundId,
    revision: i32,
) -> Result<(), Error> {
    let now = tx.now();
    let round = proposed(tx, id).await?;
    if round.revision != revision {
        return Err(Error::code(ErrorCode::DecisionChanged));
    }
    let terms = round.terms();
    let words = words(&terms, round.revision);
    let in_force = context.settings.within(tx).await?;
    let standing = approvals::approve(tx, &in_force, &subject(id, &terms, &words), by).await?;
    if standing.is_complete() {
        store::agree_round(tx.conn(), id, by, now).await?;
    }
    record(tx, by, id, "presale.agree", &terms).await
}

/// Takes a round back that has not begun; one person is enough for that.
///
/// # Errors
/// `presale.round_unknown`, `presale.round_begun`.
pub async fn withdraw(tx: &mut Tx, by: UserId, id: PresaleRoundId) -> Result<(), Error> {
    let now = tx.now();
    let round = open_to_change(tx, id).await?;
    store::withdraw_round(tx.conn(), id, now).await?;
    record(tx, by, id, "presale.withdraw", &round.terms()).await
}

/// Rounds: those that wait for a second person first, then the latest.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, paging: &Paging) -> Result<(Vec<StaffRow>, i64), Error> {
    store::staff_rounds(context.db.pool(), paging).await
}
