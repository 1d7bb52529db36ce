//! What a person was paid, and by what (docs/rules/reports.md#paid-by): what trading brought beside what came from sales of licences.
//!
//! Every bonus counts as paid by sales, also one that is measured by what robots brought: the funds that pay bonuses are filled by sales
//! and fees alone (2026-11-24). Trading is what was booked for one's own robots, gains less losses, and shares of pools.

mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::{
        business_day,
        context::Context,
        settings::{PERCENT, WHOLE, percent},
    },
    identity::caller::Caller,
    licences::service as licences,
};
use actix_web::{get, web};
use protocol::{money::Usdt, views::Mode};
use serde::Serialize;

/// Months that are looked back, this one inside: those of the network's dashboard.
const MONTHS: u32 = 12;

/// What one was paid in the last twelve months, and by what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaidBy {
    /// `2026-11-24`, of business days.
    pub first_day: String,
    pub last_day: String,
    /// Of the robots: results of another mode are not booked.
    pub mode: Mode,
    /// Gains less losses.
    pub robots: Usdt,
    pub pools: Usdt,
    /// Both.
    pub trading: Usdt,
    /// All bonuses, less what was taken back.
    pub sales: Usdt,
    /// What of it was measured by what robots of the network brought (residual bonuses).
    pub residual: Usdt,
    /// In percent, both together 100; none where nothing was paid. Trading that lost paid nothing.
    pub trading_share: Option<String>,
    pub sales_share: Option<String>,
}

/// What one was paid in the last twelve months: by trading, and by sales of licences.
#[utoipa::path(tag = "reports", security(("bearer" = [])), responses((status = 200, body = PaidBy), (status = 401, body = ErrorBody)))]
#[get("/dashboard/paid-by")]
pub async fn paid_by(context: web::Data<Context>, caller: Caller) -> Result<web::Json<PaidBy>, Error> {
    let today = business_day::of(context.now());
    let first = business_day::month_before(today, MONTHS - 1);
    let mode = licences::world_mode(&context);
    let mut tx = context.db.snapshot().await?;
    let robots = store::robots(tx.conn(), caller.user, mode, first, today).await?;
    let pools = store::pools(tx.conn(), caller.user, business_day::start(first)).await?;
    let bonuses = store::bonuses(tx.conn(), caller.user, first, today).await?;
    tx.rollback().await?;
    let trading = robots + pools;
    let (trading_share, sales_share) = shares(trading, bonuses.all).unzip();
    Ok(web::Json(PaidBy {
        first_day: first.to_string(),
        last_day: today.to_string(),
        mode,
        robots,
        pools,
        trading,
        sales: bonuses.all,
        residual: bonuses.residual,
        trading_share,
        sales_share,
    }))
}

/// Shares of trading and sales in percent with two decimals: that of trading is floored, so that nothing is called its work that was not.
fn shares(trading: Usdt, sales: Usdt) -> Option<(String, String)> {
    let (trading, sales) = (i128::from(trading.0.max(0)), i128::from(sales.0.max(0)));
    let step = i128::from(PERCENT / 100);
    let all = Some(trading + sales).filter(|all| *all > 0)?;
    let of_trading = i64::try_from(trading * i128::from(WHOLE) / all / step * step).ok()?;
    Some((percent(of_trading), percent(WHOLE - of_trading)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    #[test]
    fn shares_add_up_and_losses_paid_nothing() {
        let of = |trading, sales| shares(Usdt(trading), Usdt(sales));
        let is = |trading: &str, sales: &str| Some((trading.to_owned(), sales.to_owned()));
        assert_eq!(of(0, 0), None);
        assert_eq!(of(-5, 0), None);
        assert_eq!(of(1, 2), is("33.33", "66.67"));
        assert_eq!(of(-5, 2), is("0.00", "100.00"));
        assert_eq!(of(7, 0), is("100.00", "0.00"));
        assert_eq!(of(i64::MAX, i64::MAX), is("50.00", "50.00"));
        assert_eq!(
            business_day::month_before(date!(2026 - 11 - 24), MONTHS - 1),
            date!(2025 - 12 - 01)
        );
        assert_eq!(
            business_day::month_before(date!(2026 - 12 - 31), MONTHS - 1),
            date!(2026 - 01 - 01)
        );
    }

    proptest! {
        #[test]
        fn trading_is_never_called_more_than_it_was(trading in 0i64..1_000_000, sales in 1i64..1_000_000) {
            let (of_trading, of_sales) = shares(Usdt(trading), Usdt(sales)).unwrap();
            let hundredths = |text: &str| text.replace('.', "").parse::<i128>().unwrap();
            prop_assert_eq!(hundredths(&of_trading) + hundredths(&of_sales), 10_000);
            prop_assert!(hundredths(&of_trading) * i128::from(trading + sales) <= i128::from(trading) * 10_000);
        }
    }
}
