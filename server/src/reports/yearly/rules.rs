//! What makes a year of what the books say. Pure.

use super::{
    Crossed, MonthNet, Way, Year, YearAccount, YearChanges, YearCrossing, YearGood, YearLicence, YearMonth,
    YearPyx, YearResults, YearlyStatement,
};
use crate::{
    error::Error,
    ledger::model::TransferKind,
    reports::{
        figures::TOTAL,
        flows::{Flow, Flows, Moved},
    },
    wallet::chain::wei,
};
use protocol::{
    ErrorCode,
    money::{Brl, Usdt},
    views::Mode,
};
use std::collections::BTreeMap;
use time::{Date, Month};

/// What transfers of one kind, cause and way did in a month, those that brought and those that took apart.
#[derive(Clone, Debug)]
pub struct MonthMoved {
    /// Its first day.
    pub month: Date,
    pub moved: Moved,
    /// Of what crossed the border.
    pub way: Option<Way>,
    pub count: i64,
    pub brl: Option<Brl>,
    /// Of coins, exact.
    pub wei: Option<i128>,
}

/// What the books say of a year.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// By the account's name: before, after.
    pub balances: BTreeMap<String, (Usdt, Usdt)>,
    pub moved: Vec<MonthMoved>,
    /// Of robots, as they were posted, by mode and month.
    pub settled: Vec<(Mode, Date, Usdt)>,
    /// By month.
    pub rank_bonus: BTreeMap<Date, Usdt>,
    pub licences: Vec<YearLicence>,
    pub pyx: YearPyx,
}

/// Reads which year is meant.
///
/// # Errors
/// `request.invalid` for a year that has not begun, or was before the account.
pub fn year(asked: Option<i32>, begun: Date, today: Date) -> Result<Year, Error> {
    let year = asked.unwrap_or_else(|| today.year());
    let invalid = || Error::code(ErrorCode::RequestInvalid).field("year", ErrorCode::RequestInvalid);
    if !(begun.year()..=today.year()).contains(&year) {
        return Err(invalid());
    }
    let first = Date::from_calendar_date(year, Month::January, 1).map_err(|_| invalid())?;
    let last = Date::from_calendar_date(year, Month::December, 31).map_err(|_| invalid())?;
    Ok(Year {
        year,
        first,
        last,
        today,
    })
}

/// First days of the year's months that have begun.
fn months(year: &Year) -> Vec<Date> {
    std::iter::successors(Some(year.first), |month| {
        let next = month.month().next();
        (next != Month::January)
            .then(|| Date::from_calendar_date(month.year(), next, 1).ok())
            .flatten()
    })
    .take_while(|month| *month <= year.through())
    .collect()
}

/// What was paid in and out, by month and way; deposits that were taken back apart, whole.
fn crossings(moved: &[MonthMoved]) -> Vec<YearCrossing> {
    let mut rows: BTreeMap<(Date, Crossed, Way), (YearCrossing, Option<i128>)> = BTreeMap::new();
    for one in moved {
        let flow = Flow::of(one.moved.kind, &one.moved.cause);
        let flows = Flows::sum(std::slice::from_ref(&one.moved));
        let pix = matches!(one.moved.kind, TransferKind::DepositPix)
            || matches!(one.moved.cause.as_str(), "pix_deposit" | "deposit_pix");
        let deposit = one.way.unwrap_or(if pix { Way::Pix } else { Way::Crypto });
        let (crossed, way) = match flow {
            Flow::Deposits => (Crossed::In, deposit),
            Flow::Withdrawals => (Crossed::Out, one.way.unwrap_or(Way::Fee)),
            Flow::Returned => (Crossed::Returned, deposit),
            Flow::Transfers if flows.exits.is_positive() => (Crossed::Out, Way::Transfer),
            Flow::Transfers => (Crossed::In, Way::Transfer),
            _ => continue,
        };
        let usdt = match crossed {
            Crossed::In => flows.entries - flows.exits,
            Crossed::Out | Crossed::Returned => flows.exits - flows.entries,
        };
        let (row, wei) = rows.entry((one.month, crossed, way)).or_insert_with(|| {
            let row = YearCrossing {
                month: one.month.to_string(),
                crossed,
                way,
                count: 0,
                usdt: Usdt::ZERO,
                brl: None,
                coins: None,
            };
            (row, None)
        });
        row.count += one.count;
        row.usdt += usdt;
        if let Some(brl) = one.brl {
            row.brl = Some(row.brl.unwrap_or(Brl::ZERO) + brl);
        }
        if let Some(more) = one.wei {
            *wei = Some(wei.unwrap_or(0).saturating_add(more));
        }
    }
    rows.into_values()
        .map(|(mut row, wei)| {
            row.coins = wei.and_then(|wei| wei::coins(&wei.to_string()));
            row
        })
        .collect()
}

/// Modes one by one, each with its own sum.
fn results(settled: &[(Mode, Date, Usdt)]) -> Vec<YearResults> {
    [Mode::Live, Mode::Paper, Mode::Simulated]
        .into_iter()
        .filter_map(|mode| {
            let of_mode: Vec<&(Mode, Date, Usdt)> = settled.iter().filter(|s| s.0 == mode).collect();
            (!of_mode.is_empty()).then(|| YearResults {
                mode,
                total: of_mode.iter().map(|s| s.2).sum(),
                months: of_mode
                    .iter()
                    .map(|s| MonthNet {
                        month: s.1.to_string(),
                        net: s.2,
                    })
                    .collect(),
            })
        })
        .collect()
}

fn accounts(balances: &BTreeMap<String, (Usdt, Usdt)>) -> Vec<YearAccount> {
    TOTAL
        .into_iter()
        .filter_map(|name| {
            let (before, after) = balances.get(name).copied()?;
            (!before.is_zero() || !after.is_zero()).then(|| YearAccount {
                account: name.to_owned(),
                before,
                after,
            })
        })
        .collect()
}

/// The year, made of what the books say.
#[must_use]
pub fn statement(year: &Year, begun: Date, read: Read) -> YearlyStatement {
    let accounts = accounts(&read.balances);
    let opening: Usdt = accounts.iter().map(|a| a.before).sum();
    let closing: Usdt = accounts.iter().map(|a| a.after).sum();
    let all: Vec<Moved> = read.moved.iter().map(|m| m.moved.clone()).collect();
    let flows = Flows::sum(&all);
    let results = results(&read.settled);
    let robots: Usdt = results.iter().map(|r| r.total).sum();
    let mut changes = YearChanges {
        paid_in: flows.entries,
        paid_out: flows.exits,
        pools: flows.results,
        bonus: flows.bonus,
        licences: flows.licences,
        exchange: flows.exchange,
        sponsorship: flows.sponsorship,
        loans: flows.loans,
        corrections: Usdt::ZERO,
    };
    // What was undone may have moved only what settlements move; it is what is left, because nothing else is not told above.
    changes.corrections = closing - opening - robots - changes.paid_in + changes.paid_out
        - changes.pools
        - changes.bonus
        - changes.licences
        - changes.exchange
        - changes.sponsorship
        - changes.loans;
    let months = months(year)
        .into_iter()
        .map(|month| {
            let of_month: Vec<Moved> = read
                .moved
                .iter()
                .filter(|m| m.month == month)
                .map(|m| m.moved.clone())
                .collect();
            let flows = Flows::sum(&of_month);
            YearMonth {
                month: month.to_string(),
                paid_in: flows.entries,
                paid_out: flows.exits,
                pools: flows.results,
                bonus: flows.bonus,
                rank_bonus: read.rank_bonus.get(&month).copied().unwrap_or_default(),
            }
        })
        .collect();
    let pyx = read.pyx;
    let mut goods = vec![YearGood {
        group: "08",
        code: "03",
        coin: "USDT",
        before: opening.to_string(),
        after: closing.to_string(),
    }];
    if !pyx.before.is_zero() || !pyx.after.is_zero() {
        goods.push(YearGood {
            group: "08",
            code: "99",
            coin: "PYX",
            before: pyx.before.to_string(),
            after: pyx.after.to_string(),
        });
    }
    YearlyStatement {
        year: year.year,
        running: year.running(),
        last_day: year.through().to_string(),
        years: (begun.year()..=year.today.year()).rev().collect(),
        opening,
        closing,
        accounts,
        goods,
        changes,
        results,
        months,
        crossings: crossings(&read.moved),
        licences: read.licences,
        pyx,
        rank_bonus: read.rank_bonus.values().copied().sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    const BEGUN: Date = date!(2025 - 03 - 10);
    const TODAY: Date = date!(2026 - 11 - 27);

    fn moved(month: Date, kind: TransferKind, cause: &str, came: i64, left: i64) -> MonthMoved {
        MonthMoved {
            month,
            moved: Moved {
                kind,
                cause: cause.into(),
                came: Usdt(came),
                left: Usdt(left),
                returned: Usdt::ZERO,
            },
            way: None,
            count: 1,
            brl: None,
            wei: None,
        }
    }

    #[test]
    fn a_year_is_over_or_running_and_not_before_the_account() {
        let of = |asked| year(asked, BEGUN, TODAY).map_err(|e| e.error_code());
        assert_eq!(of(None).map(|y| (y.year, y.running())), Ok((2026, true)));
        let over = of(Some(2025)).unwrap();
        assert_eq!((over.running(), over.through()), (false, date!(2025 - 12 - 31)));
        assert_eq!(months(&over).len(), 12);
        assert_eq!(months(&of(None).unwrap()).last(), Some(&date!(2026 - 11 - 01)));
        for wrong in [2024, 2027, i32::MAX, i32::MIN] {
            assert_eq!(of(Some(wrong)), Err(ErrorCode::RequestInvalid), "{wrong}");
        }
        // On its last day a year still runs.
        let last = year(None, BEGUN, date!(2026 - 12 - 31)).unwrap();
        assert!(last.running());
    }

    #[test]
    fn opening_and_changes_are_closing_and_modes_stay_apart() {
        let jan = date!(2026 - 01 - 01);
        let feb = date!(2026 - 02 - 01);
        let mut pix = moved(jan, TransferKind::DepositPix, "pix_deposit", 1_000, 0);
        pix.way = Some(Way::Pix);
        pix.brl = Some(Brl(5_500));
        let mut again = pix.clone();
        again.moved.came = Usdt(500);
        let read = Read {
            balances: [
                ("available".to_owned(), (Usdt(10), Usdt(700))),
                ("yield".to_owned(), (Usdt(0), Usdt(33))),
                ("loan".to_owned(), (Usdt(0), Usdt(-5))),
                ("price".to_owned(), (Usdt(0), Usdt(100))),
            ]
            .into(),
            moved: vec![
                pix,
                again,
                moved(feb, TransferKind::HoldPosted, "withdrawal", 0, 200),
                moved(feb, TransferKind::UserTransfer, "transfer", 0, 40),
                moved(feb, TransferKind::Bonus, "bonus", 7, 0),
                moved(feb, TransferKind::LicencePurchase, "licence", 0, 600),
            ],
            settled: vec![
                (Mode::Simulated, jan, Usdt(50)),
                (Mode::Live, jan, Usdt(20)),
                (Mode::Live, feb, Usdt(-2)),
            ],
            ..Read::default()
        };
        let year = year(Some(2026), BEGUN, TODAY).unwrap();
        let told = statement(&year, BEGUN, read);
        assert_eq!((told.opening, told.closing), (Usdt(10), Usdt(728)));
        assert_eq!(told.years, [2026, 2025]);
        let modes: Vec<(Mode, Usdt)> = told.results.iter().map(|r| (r.mode, r.total)).collect();
        assert_eq!(modes, [(Mode::Live, Usdt(18)), (Mode::Simulated, Usdt(50))]);
        let c = &told.changes;
        assert_eq!((c.paid_in, c.paid_out), (Usdt(1_500), Usdt(240)));
        assert_eq!(c.corrections, Usdt(728 - 10 - 68 - 1_500 + 240 - 7 + 600));
        let crossings: Vec<_> = told
            .crossings
            .iter()
            .map(|c| (c.crossed, c.way, c.count, c.usdt, c.brl))
            .collect();
        assert_eq!(
            crossings,
            [
                (Crossed::In, Way::Pix, 2, Usdt(1_500), Some(Brl(11_000))),
                (Crossed::Out, Way::Transfer, 1, Usdt(40), None),
                (Crossed::Out, Way::Fee, 1, Usdt(200), None),
            ]
        );
        let by_month: Usdt = told.months.iter().map(|m| m.paid_in - m.paid_out).sum();
        assert_eq!(by_month, c.paid_in - c.paid_out);
        assert_eq!(told.goods.len(), 1, "nobody without PYX has a line of them");
    }

    #[test]
    fn a_deposit_taken_back_stands_apart_from_what_was_paid_out() {
        let jan = date!(2026 - 01 - 01);
        let mut back = moved(jan, TransferKind::ClawBack, "pix_deposit", 0, 30);
        back.moved.returned = Usdt(100);
        back.way = Some(Way::Pix);
        let rows = crossings(&[back]);
        assert_eq!(
            rows.iter().map(|r| (r.crossed, r.usdt)).collect::<Vec<_>>(),
            [(Crossed::Returned, Usdt(100))]
        );
    }
}
