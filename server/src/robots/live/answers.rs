//! Answers of the venue as it writes them, and what they mean. Pure.

use super::venue::VenueError;
use actors::desk::{
    live::{Filters, Trade},
    market::Quantity,
};
use serde::Deserialize;
use std::str::FromStr;

#[derive(Deserialize)]
pub(super) struct Fault {
    pub code: i64,
    #[serde(default)]
    pub msg: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderAnswer {
    pub order_id: i64,
    pub status: String,
    pub executed_qty: String,
    #[serde(default)]
    pub fills: Vec<TradeAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TradeAnswer {
    #[serde(alias = "id")]
    pub trade_id: i64,
    pub price: String,
    pub qty: String,
    pub commission: String,
    pub commission_asset: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TimeAnswer {
    pub server_time: i64,
}

#[derive(Deserialize)]
pub(super) struct InfoAnswer {
    pub symbols: Vec<SymbolAnswer>,
}

#[derive(Deserialize)]
pub(super) struct SymbolAnswer {
    pub symbol: String,
    pub filters: Vec<FilterAnswer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FilterAnswer {
    pub filter_type: String,
    pub step_size: Option<String>,
    pub min_qty: Option<String>,
    pub max_qty: Option<String>,
    pub min_notional: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct PriceAnswer {
    pub price: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AccountAnswer {
    pub can_trade: bool,
    pub balances: Vec<BalanceAnswer>,
}

#[derive(Deserialize)]
pub(super) struct BalanceAnswer {
    pub asset: String,
    pub free: String,
    pub locked: String,
}

pub(super) fn number<T: FromStr>(text: &str) -> Result<T, VenueError> {
    text.parse().map_err(|_| VenueError::Nonsense("a number"))
}

impl TradeAnswer {
    pub fn read(self) -> Result<Trade, VenueError> {
        Ok(Trade {
            id: self.trade_id,
            price: number(&self.price)?,
            quantity: number(&self.qty)?,
            commission: number(&self.commission)?,
            commission_asset: self.commission_asset,
        })
    }
}

/// Whether nothing more can happen to an order in this state.
pub(super) fn is_over(status: &str) -> bool {
    matches!(
        status,
        "FILLED" | "CANCELED" | "REJECTED" | "EXPIRED" | "EXPIRED_IN_MATCH"
    )
}

/// All trades of what was executed, or none of the answer.
pub(super) fn whole(trades: Vec<TradeAnswer>, executed: &str) -> Result<Option<Vec<Trade>>, VenueError> {
    let executed: Quantity = number(executed)?;
    let trades: Vec<Trade> = trades
        .into_iter()
        .map(TradeAnswer::read)
        .collect::<Result<_, _>>()?;
    let sum: i128 = trades.iter().map(|t| i128::from(t.quantity.0)).sum();
    Ok((sum == i128::from(executed.0)).then_some(trades))
}

/// A refusal that says for certain that nothing was taken. The others: the venue does not know itself, or knows the id.
pub(super) fn is_refusal(fault: &Fault) -> bool {
    !matches!(fault.code, -1000 | -1001 | -1006 | -1007) && !fault.msg.contains("Duplicate order")
}

pub(super) fn filters(answers: &[FilterAnswer]) -> Result<Filters, VenueError> {
    let read = |text: &Option<String>| text.as_deref().map_or(Ok(Quantity(0)), number);
    let mut filters = Filters::default();
    for f in answers {
        match f.filter_type.as_str() {
            "LOT_SIZE" => {
                filters.step = read(&f.step_size)?;
                filters.least = read(&f.min_qty)?;
                filters.most = read(&f.max_qty)?;
            }
            "MARKET_LOT_SIZE" => {
                filters.market_step = read(&f.step_size)?;
                filters.market_least = read(&f.min_qty)?;
                filters.market_most = read(&f.max_qty)?;
            }
            "NOTIONAL" | "MIN_NOTIONAL" => {
                let least = read(&f.min_notional)?;
                filters.notional = filters.notional.max(least);
            }
            _ => {}
        }
    }
    Ok(filters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_certain_or_it_is_none() {
        let fault = |code, msg: &str| Fault {
            code,
            msg: msg.into(),
        };
        for (code, msg, certain) in [
            (-1013, "Filter failure: LOT_SIZE", true),
            (
                -2010,
                "Account has insufficient balance for requested action.",
                true,
            ),
            (-2010, "Duplicate order sent.", false),
            (
                -1021,
                "Timestamp for this request is outside of the recvWindow.",
                true,
            ),
            (-1007, "Timeout waiting for response from backend server.", false),
            (
                -1006,
                "An unexpected response was received from the message bus.",
                false,
            ),
        ] {
            assert_eq!(is_refusal(&fault(code, msg)), certain, "{code} {msg}");
        }
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        let answers: Vec<FilterAnswer> = serde_json::from_value(serde_json::json!([
            { "filterType": "PRICE_FILTER", "minPrice": "0.01000000", "maxPrice": "1000000.00000000", "tickSize": "0.01000000" },
            { "filterType": "LOT_SIZE", "minQty": "0.00001000", "maxQty": "9000.00000000", "stepSize": "0.00001000" },
            { "filterType": "MARKET_LOT_SIZE", "minQty": "0.00000000", "maxQty": "107.93000000", "stepSize": "0.00000000" },
            { "filterType": "NOTIONAL", "minNotional": "5.00000000", "applyMinToMarket": true }
        ]))
        .unwrap();
        let read = filters(&answers).unwrap();
        assert_eq!(
            (
                read.step,
                read.least,
                read.most,
                read.market_step,
                read.market_most,
                read.notional
            ),
            (
                Quantity(1_000),
                Quantity(1_000),
                Quantity(900_000_000_000),
                Quantity(0),
                Quantity(10_793_000_000),
                Quantity(500_000_000)
            )
        );
    }

    #[test]
    fn fills_that_do_not_add_up_are_asked_for() {
        let trade = |qty: &str| TradeAnswer {
            trade_id: 1,
            price: "1".into(),
            qty: qty.into(),
            commission: "0".into(),
            commission_asset: "BNB".into(),
        };
        assert!(
            whole(vec![trade("1"), trade("0.5")], "1.50000000")
                .unwrap()
                .is_some()
        );
        assert!(whole(vec![trade("1")], "1.5").unwrap().is_none());
        assert!(whole(vec![trade("x")], "1.5").is_err());
    }
}
