//! The statement as the ledger has it: every posting on a person's accounts and licences, to the last digit. What people read first is the
//! [activity](super::activity).
//!
//! Opening + [`super::flows::Flows`] = closing = the sum of the accounts' balances at the period's end: of all together that is the
//! [total](super::figures). The balance beside a line is that of the chosen accounts together after it.

pub mod pdf;
pub mod routes;
mod store;

use super::{figures, flows::Flows};
use crate::{
    error::Error,
    foundation::{
        business_day,
        context::Context,
        http::{Paging, named},
        locale::Locale,
        sheet::offered,
        turns::Turn,
    },
    identity::{caller::Caller, service as identity},
};
use actix_web::HttpResponse;
use protocol::{ErrorCode, ids::UserId};
use sqlx::PgConnection;
use time::{Date, Duration, OffsetDateTime};

pub use store::{Line, Sums};

/// Accounts that can be asked for by name; a person's own, then their licences'.
pub const ACCOUNTS: [&str; 14] = [
    "available",
    "held",
    "bonus",
    "sponsored",
    "debt",
    "pool_principal",
    "price",
    "topup",
    "allocated",
    "yield",
    "loan",
    "pyx",
    "pyx_locked",
    "pyx_held",
];

/// Days shown when no period is asked for, and the most that one may have.
const DAYS: i64 = 30;
const MOST_DAYS: i64 = 366;
/// The most lines of a file.
pub const CSV_LINES: i64 = 100_000;
pub const PDF_LINES: i64 = 5_000;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub user: UserId,
    pub first: Date,
    pub last: Date,
    pub account: Option<&'static str>,
    pub kinds: Vec<String>,
    /// Only what was there then; sums and balances, too.
    pub as_of: Option<OffsetDateTime>,
}

impl Asked {
    /// USDT, or PYX for its accounts.
    #[must_use]
    pub fn currency(&self) -> &'static str {
        if self.account.is_some_and(|a| a.starts_with("pyx")) {
            "PYX"
        } else {
            "USDT"
        }
    }

    /// One by name, or those of the total.
    fn accounts(&self) -> Vec<String> {
        match &self.account {
            Some(one) => figures::names(&[one]),
            None => figures::names(&figures::TOTAL),
        }
    }

    fn bounds(&self) -> (OffsetDateTime, OffsetDateTime) {
        bounds(self.first, self.last, self.as_of)
    }
}

/// From the first moment of the first day until the end of the last, or until what was there at a moment.
pub(super) fn bounds(
    first: Date,
    last: Date,
    as_of: Option<OffsetDateTime>,
) -> (OffsetDateTime, OffsetDateTime) {
    let end = business_day::start(last.next_day().unwrap_or(last));
    let seen = as_of.map(|moment| moment + Duration::MICROSECOND);
    (business_day::start(first), seen.map_or(end, |seen| seen.min(end)))
}

fn invalid(field: &str) -> Error {
    Error::code(ErrorCode::RequestInvalid).field(field, ErrorCode::RequestInvalid)
}

/// Reads a period: the last 30 days when none is given.
///
/// # Errors
/// `request.invalid` for what is not a date, a period the wrong way round or longer than a year.
pub fn period(now: OffsetDateTime, first: Option<&str>, last: Option<&str>) -> Result<(Date, Date), Error> {
    let read = |field: &str, text: Option<&str>| named(field, text, business_day::read);
    let last = read("endDate", last)?.unwrap_or_else(|| business_day::of(now));
    let first = read("startDate", first)?.unwrap_or_else(|| last.saturating_sub(Duration::days(DAYS - 1)));
    if first > last || last - first > Duration::days(MOST_DAYS) {
        return Err(invalid("startDate"));
    }
    Ok((first, last))
}

/// Sums of the period and one page of its lines, newest first unless asked otherwise, and how many there are. One snapshot.
///
/// # Errors
/// Whatever the database refuses.
pub async fn read(context: &Context, asked: &Asked, paging: &Paging) -> Result<(Sums, Vec<Line>), Error> {
    let (from, until) = asked.bounds();
    let accounts = asked.accounts();
    let filter = store::Filter {
        user: asked.user,
        accounts: &accounts,
        whole: asked.account.is_none(),
        currency: asked.currency(),
        kinds: &asked.kinds,
        from,
        until,
    };
    let mut tx = context.db.snapshot().await?;
    let sums = store::sums(tx.conn(), &filter).await?;
    let lines = store::lines(tx.conn(), &filter, sums.opening, paging).await?;
    tx.rollback().await?;
    Ok((sums, lines))
}

/// Where all that a person owns in USDT came from, since the beginning.
///
/// # Errors
/// Whatever the database refuses.
pub async fn flows(conn: &mut PgConnection, user: UserId, now: OffsetDateTime) -> Result<Flows, Error> {
    let accounts = figures::names(&figures::TOTAL);
    store::flows(
        conn,
        &of_total(
            user,
            &accounts,
            (OffsetDateTime::UNIX_EPOCH, now + Duration::SECOND),
        ),
    )
    .await
}

/// What the total was at the period's edges, and where the change came from.
///
/// # Errors
/// Whatever the database refuses.
pub async fn edges(
    conn: &mut PgConnection,
    user: UserId,
    period: (OffsetDateTime, OffsetDateTime),
) -> Result<Sums, Error> {
    let accounts = figures::names(&figures::TOTAL);
    store::sums(conn, &of_total(user, &accounts, period)).await
}

const fn of_total(
    user: UserId,
    accounts: &[String],
    (from, until): (OffsetDateTime, OffsetDateTime),
) -> store::Filter<'_> {
    store::Filter {
        user,
        accounts,
        whole: true,
        currency: "USDT",
        kinds: &[],
        from,
        until,
    }
}

/// Everything of the period for a file, oldest first.
///
/// # Errors
/// `statement.too_long` above `most` lines.
pub async fn whole(context: &Context, asked: &Asked, most: i64) -> Result<(Sums, Vec<Line>), Error> {
    let paging = Paging {
        page: 1,
        limit: most,
        offset: 0,
        descending: false,
        as_of: None,
        file: None,
    };
    let (sums, lines) = read(context, asked, &paging).await?;
    if sums.count > most {
        return Err(Error::code(ErrorCode::StatementTooLong).with("maximum", most));
    }
    Ok((sums, lines))
}

/// What stands above a document about a person's own money.
///
/// # Errors
/// `user.unknown`.
pub async fn head(context: &Context, caller: &Caller) -> Result<pdf::Head, Error> {
    let in_force = context.settings.current(context.now()).await?;
    let account = identity::account(&context.db, caller.user).await?;
    Ok(pdf::Head {
        brand: in_force.settings.brand.clone(),
        holder: format!("{} (@{})", account.full_name, account.username),
        world: context.world,
        made_at: context.now(),
        locale: Locale::current(),
    })
}

/// What the files of a period are called, without their ending.
#[must_use]
pub fn file_name(first: Date, last: Date) -> String {
    format!("arbora-{first}-{last}")
}

/// A document that is written beside the server's other work. The turn goes with it: a caller who goes away does not begin another while this
/// one is still written.
///
/// # Errors
/// Whatever the writer refuses.
pub async fn printed(
    name: &str,
    turn: Turn,
    write: impl FnOnce() -> Result<Vec<u8>, Error> + Send + 'static,
) -> Result<HttpResponse, Error> {
    let (bytes, turn) = tokio::task::spawn_blocking(move || (write(), turn))
        .await
        .map_err(|_| Error::internal("a document ended early"))?;
    Ok(offered("application/pdf", &format!("{name}.pdf"), bytes?, turn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::{date, datetime};

    #[test]
    fn a_period_is_the_last_thirty_days_or_at_most_a_year() {
        let now = datetime!(2026-11-20 02:00 UTC);
        assert_eq!(
            period(now, None, None).ok(),
            Some((date!(2026 - 10 - 21), date!(2026 - 11 - 19)))
        );
        assert_eq!(
            period(now, Some("2026-01-01"), Some("2026-01-01")).ok(),
            Some((date!(2026 - 01 - 01), date!(2026 - 01 - 01)))
        );
        for (first, last) in [
            ("2026-02-01", "2026-01-31"),
            ("2025-01-01", "2026-01-31"),
            ("x", "2026-01-31"),
        ] {
            assert!(period(now, Some(first), Some(last)).is_err(), "{first} {last}");
        }
    }
}
