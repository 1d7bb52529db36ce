//! What people hold themselves to (docs/rules/approvals.md#own-limits-and-time-out): limits of outgoing money of their own, and a time out.
//!
//! A lower limit holds at once, a higher one (or none) a day later; each with a code, as a time out: a session in other hands loosens nothing
//! alone and shuts nobody out of their own money, and the owner is told ([`super::loosening`], [`super::tightening`]). A time out is only ever made longer. The database holds
//! the day and the time out. The guard reads the limits with the rest of what it asks; rooms that take money in for the market call [`require_no_time_out`]. A limit that comes on ends
//! what its owner has standing in the book worse than the anchors ([`unsent::bind`]).

pub mod routes;
mod store;

use super::{
    guard::{self, Action, Outbound},
    loosening::{self, Loosening},
    tightening::{self, Tightening},
    unsent,
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        locale::Locale,
        transaction::Tx,
    },
    identity::{service::Purpose, signals},
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::{Duration, OffsetDateTime};

/// How long a raise waits.
pub const DELAY: Duration = Duration::hours(24);
/// The longest time out that one call takes.
pub const MOST_DAYS: i64 = 365;

/// Which of one's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LimitKind {
    /// One outgoing request.
    Transaction,
    /// All of the last 24 hours.
    Day,
}

impl LimitKind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Transaction => "transaction",
            Self::Day => "day",
        }
    }

    #[must_use]
    fn read(text: &str) -> Option<Self> {
        [Self::Transaction, Self::Day]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }
}

/// A limit and what it is to be, as its owner's mail shows them.
#[must_use]
fn details(locale: Locale, kind: LimitKind, wanted: Option<&str>) -> Vec<String> {
    let text = |key: &str| locale.text("mail", key);
    vec![
        text(&format!("details.limit.{}", kind.as_str())).to_owned(),
        format!(
            "{}: {}",
            text("details.amount"),
            wanted.unwrap_or_else(|| text("details.limit.none"))
        ),
    ]
}

/// What the code of a time out binds as its destination; its days are the amount.
const TIME_OUT: &str = "exclusion";

fn days_of(locale: Locale, days: &str) -> Vec<String> {
    vec![format!("{}: {days}", locale.text("mail", "details.days"))]
}

/// What a code of `own-limits` is asked for, as its mail shows it; none of what is neither a limit nor a time out.
#[must_use]
pub fn asked(locale: Locale, destination: &str, amount: &str) -> Option<Vec<String>> {
    if destination == TIME_OUT {
        let days: i64 = amount.parse().ok()?;
        return (1..=MOST_DAYS)
            .contains(&days)
            .then(|| days_of(locale, &days.to_string()));
    }
    let kind = LimitKind::read(destination)?;
    Some(details(locale, kind, Some(amount).filter(|a| !a.is_empty())))
}

/// A limit as it is stored; a raise may lie in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stored {
    pub usdt: Option<Usdt>,
    pub next: Option<Usdt>,
    pub next_at: Option<OffsetDateTime>,
}

impl Stored {
    /// What holds at a moment: the raise, once its time has come.
    pub fn at(self, now: OffsetDateTime) -> Self {
        match self.next_at {
            Some(at) if at <= now => Self {
                usdt: self.next,
                ..Self::default()
            },
            _ => self,
        }
    }

    /// Whether this is more than what holds.
    fn is_raised_by(self, wanted: Option<Usdt>, now: OffsetDateTime) -> bool {
        match (self.at(now).usdt, wanted) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(is), Some(wanted)) => wanted > is,
        }
    }

    /// What becomes of it when a person asks for this.
    fn asked(self, wanted: Option<Usdt>, now: OffsetDateTime) -> Self {
        let held = self.at(now);
        if self.is_raised_by(wanted, now) {
            Self {
                usdt: held.usdt,
                next: wanted,
                next_at: Some(now + DELAY),
            }
        } else {
            Self {
                usdt: wanted,
                ..Self::default()
            }
        }
    }
}

/// Refuses while a person's time out lasts: purchases, top-ups, allocations.
///
/// # Errors
/// `account.excluded`, with its end.
pub async fn require_no_time_out(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let now = tx.now();
    over(store::exclusion(tx.conn(), user).await?, now)
}

/// Whether a time out that ends then is over.
pub(super) fn over(excluded_until: Option<OffsetDateTime>, now: OffsetDateTime) -> Result<(), Error> {
    match excluded_until {
        Some(until) if until > now => {
            Err(Error::code(ErrorCode::SelfExcluded).with("until", business_day::shown(until)))
        }
        _ => Ok(()),
    }
}

/// Whether a person's time out lasts.
///
/// # Errors
/// Whatever the database refuses.
pub async fn has_time_out(tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let now = tx.now();
    Ok(store::exclusion(tx.conn(), user)
        .await?
        .is_some_and(|until| until > now))
}

/// A raise that waits.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct LimitRaise {
    /// None: then only the platform's limit holds.
    pub value: Option<Usdt>,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// One limit as its owner sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct OwnLimit {
    /// The platform's.
    pub platform: Usdt,
    /// One's own; none when only the platform's holds.
    pub own: Option<Usdt>,
    pub raise: Option<LimitRaise>,
}

/// Everything that a person holds themselves to.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestraintView {
    pub transaction: OwnLimit,
    pub day: OwnLimit,
    /// Until when nothing is bought, topped up or allocated.
    #[serde(with = "time::serde::rfc3339::option")]
    pub excluded_until: Option<OffsetDateTime>,
}

/// Everything that a person holds themselves to.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context, tx: &mut Tx, user: UserId) -> Result<RestraintView, Error> {
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let (transaction, day) = store::limits(tx.conn(), user).await?;
    let shown = |stored: Stored, platform: Usdt| {
        let held = stored.at(now);
        OwnLimit {
            platform,
            own: held.usdt,
            raise: held.next_at.map(|at| LimitRaise { value: held.next, at }),
        }
    };
    Ok(RestraintView {
        transaction: shown(transaction, in_force.settings.outbound_per_transaction),
        day: shown(day, in_force.settings.outbound_per_day),
        excluded_until: store::exclusion(tx.conn(), user)
            .await?
            .filter(|until| *until > now),
    })
}

/// A limit that a person asks for in a session; none ends it.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    pub user: UserId,
    pub session: SessionId,
    pub kind: LimitKind,
    pub wanted: Option<Usdt>,
    /// Binds the kind and the amount.
    pub security_code: Option<&'a str>,
}

async fn stored(tx: &mut Tx, user: UserId, kind: LimitKind) -> Result<Stored, Error> {
    let (transaction, day) = store::limits(tx.conn(), user).await?;
    Ok(match kind {
        LimitKind::Transaction => transaction,
        LimitKind::Day => day,
    })
}

/// Sets a limit of one's own, or ends it.
///
/// # Errors
/// `limit.invalid` above the platform's limit; `code.*`; what else the guard refuses where it raises; `request.conflict` when the limit was
/// changed meanwhile.
pub async fn set_limit(context: &Context, tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    let Wish {
        user, kind, wanted, ..
    } = *wish;
    let now = tx.now();
    let in_force = context.settings.within(tx).await?;
    let platform = match kind {
        LimitKind::Transaction => in_force.settings.outbound_per_transaction,
        LimitKind::Day => in_force.settings.outbound_per_day,
    };
    if wanted.is_some_and(|value| value < Usdt::ZERO || value > platform) {
        return Err(Error::code(ErrorCode::LimitInvalid)
            .with("maximum", platform.brief())
            .field("value", ErrorCode::LimitInvalid));
    }
    // What raises binds nothing new: the rooms' locks, which come before the person's, are taken for what may.
    let raises = stored(tx, user, kind).await?.is_raised_by(wanted, now);
    let binds = wanted.is_some() && !raises;
    if binds {
        unsent::lock(context, tx).await?;
    }
    store::lock(tx.conn(), user).await?;
    let before = stored(tx, user, kind).await?;
    if before.is_raised_by(wanted, now) != raises {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    if raises {
        raise(context, tx, wish).await?;
    } else {
        lower(context, tx, wish).await?;
    }
    let after = before.asked(wanted, now);
    store::put_limit(tx.conn(), user, kind.as_str(), after, now).await?;
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "limit.set",
        json!({ "kind": kind.as_str(), "usdt": wanted, "waits": after.next_at.is_some() }),
    )
    .await?;
    signals::user_changed(tx, user, "limits");
    if binds {
        unsent::bind(context, tx, user).await?;
    }
    Ok(())
}

/// What any other wish needs and tells: also the one that takes a raise back.
async fn lower(context: &Context, tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    let amount = wish.wanted.map(|usdt| usdt.to_string());
    let tightening = Tightening {
        user: wish.user,
        what: "limit",
        purpose: Purpose::OwnLimits,
        destination: wish.kind.as_str(),
        amount: amount.as_deref().unwrap_or_default(),
        security_code: wish.security_code,
    };
    let brief = wish.wanted.map(|usdt| format!("{} USDT", usdt.brief()));
    let say = |locale| details(locale, wish.kind, brief.as_deref());
    tightening::pass(context, tx, &tightening, say).await
}

/// What a raise needs and tells.
async fn raise(context: &Context, tx: &mut Tx, wish: &Wish<'_>) -> Result<(), Error> {
    let amount = wish.wanted.map(|usdt| usdt.to_string());
    let out = Outbound {
        user: wish.user,
        action: Action::LimitRaise,
        destination: wish.kind.as_str(),
        amount: amount.as_deref().unwrap_or_default(),
        usdt: Usdt::ZERO,
        drawn: None,
        counterparty: None,
        security_code: wish.security_code,
    };
    let verdict = guard::outbound(context, tx, &out).await?;
    let brief = wish.wanted.map(|usdt| format!("{} USDT", usdt.brief()));
    let loosening = Loosening {
        user: wish.user,
        session: wish.session,
        what: "limit",
        from: tx.now() + DELAY,
    };
    let say = |locale| details(locale, wish.kind, brief.as_deref());
    loosening::tell(context, tx, &loosening, say, &verdict).await
}

/// The owner froze the account: raises that wait are taken back.
///
/// # Errors
/// Whatever the database refuses.
pub(super) async fn take_raises_back(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let now = tx.now();
    store::lock(tx.conn(), user).await?;
    store::drop_raises(tx.conn(), user, now).await
}

/// Begins a time out, or makes it longer.
///
/// # Errors
/// `limit.invalid` for a number of days out of bounds; `request.conflict` when one lasts longer already; `code.*`.
pub async fn exclude(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    days: i64,
    security_code: Option<&str>,
) -> Result<(), Error> {
    let now = tx.now();
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Error::code(ErrorCode::LimitInvalid)
            .with("maximum", MOST_DAYS)
            .field("days", ErrorCode::LimitInvalid));
    }
    store::lock(tx.conn(), user).await?;
    let until = now + Duration::days(days);
    if store::exclusion(tx.conn(), user)
        .await?
        .is_some_and(|standing| standing > until)
    {
        return Err(Error::code(ErrorCode::RequestConflict).field("days", ErrorCode::RequestConflict));
    }
    let amount = days.to_string();
    let tightening = Tightening {
        user,
        what: "exclusion",
        purpose: Purpose::OwnLimits,
        destination: TIME_OUT,
        amount: &amount,
        security_code,
    };
    tightening::pass(context, tx, &tightening, |locale| days_of(locale, &amount)).await?;
    store::put_exclusion(tx.conn(), user, now, until).await?;
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "exclusion.set",
        json!({ "days": days }),
    )
    .await?;
    signals::user_changed(tx, user, "exclusion");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    const NOW: OffsetDateTime = datetime!(2026-11-20 12:00 UTC);

    fn of(usdt: Option<i64>) -> Stored {
        Stored {
            usdt: usdt.map(Usdt::whole),
            ..Stored::default()
        }
    }

    #[test]
    fn lower_holds_at_once_and_higher_a_day_later() {
        let u = |n| Some(Usdt::whole(n));
        assert_eq!(of(None).asked(u(100), NOW), of(Some(100)));
        assert_eq!(of(Some(100)).asked(u(50), NOW), of(Some(50)));
        for (wanted, next) in [(u(200), u(200)), (None, None)] {
            let waits = of(Some(100)).asked(wanted, NOW);
            assert_eq!(
                (waits.usdt, waits.next, waits.next_at),
                (u(100), next, Some(NOW + DELAY))
            );
            assert_eq!(waits.at(NOW + DELAY - Duration::SECOND), waits);
            assert_eq!(waits.at(NOW + DELAY).usdt, next);
            assert_eq!(waits.at(NOW + DELAY).next_at, None);
        }
        // Asking for what holds takes a raise back; asking anew begins the day anew.
        let waits = of(Some(100)).asked(u(200), NOW);
        assert_eq!(waits.asked(u(100), NOW), of(Some(100)));
        let later = NOW + Duration::HOUR;
        assert_eq!(waits.asked(u(300), later).next_at, Some(later + DELAY));
        // A raise whose time has come is the limit that the next wish is measured by.
        let raised = waits.asked(u(150), NOW + DELAY);
        assert_eq!(raised, of(Some(150)));
    }
}
