//! What is shown and told of a withdrawal over the chain: its view, its letters, its lists and files.

use super::{
    links::{self, Link},
    pyx, rules,
    service::Crypto,
    store::Shown,
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        http::{ListParams, named},
        listing::File,
        mail::{Mail, Recipient},
        sheet::Cell,
        subjects::Worth,
        transaction::Tx,
    },
    payouts::{
        kind::{Payout, Quote, Screen},
        lists::Filter,
        rules::State,
    },
    wallet::chain::{Coin, address, wei},
};
use alloy::primitives::U256;
use protocol::{
    LiveEvent,
    live_event::QueueItem,
    views::{ChainWithdrawalStatus as Status, ChainWithdrawalView},
};
use serde_json::{Value, json};

impl Screen for Crypto {
    const REQUESTED: Option<&'static str> = None;
    const TAKEN: &'static str = "requote_taken";
    const AMOUNT: &'static str = "wei";

    fn view(row: &Shown) -> Result<ChainWithdrawalView, Error> {
        row.view()
    }

    fn worth(view: &ChainWithdrawalView) -> Result<Worth, Error> {
        pyx::worth(view)
    }

    fn letter(view: &ChainWithdrawalView, state: &'static str) -> Mail {
        let amount = view.offer.as_ref().map_or(&view.amount, |offer| &offer.amount);
        Mail::CryptoWithdrawal {
            state,
            value: mailed_value(view),
            fee: view.fee,
            receives: shown_amount(amount, view.coin),
            address: view.address.clone(),
            transaction: view
                .transaction
                .clone()
                .filter(|_| view.status == Status::Complete),
            reason: view.reason.clone(),
        }
    }

    fn changed(view: &ChainWithdrawalView) -> Option<LiveEvent> {
        Some(LiveEvent::CryptoWithdrawalChanged {
            withdrawal: Box::new(view.clone()),
        })
    }

    fn item(view: &ChainWithdrawalView) -> QueueItem {
        QueueItem::CryptoWithdrawal {
            withdrawal: view.clone(),
        }
    }

    fn noted(amount: U256) -> Value {
        json!(amount.to_string())
    }

    fn of_request(quote: &Quote<Self>) -> Value {
        json!({ "coin": quote.to.coin, "address": address::write(quote.to.address) })
    }

    fn of_approval(payout: &Payout<Self>, (): &()) -> Value {
        json!({ "coin": payout.own.to.coin })
    }

    /// The link comes after what is told: above the hour's mails nothing has happened.
    async fn requested(
        context: &Context,
        tx: &mut Tx,
        view: &ChainWithdrawalView,
        link: &Link,
        to: Option<&Recipient>,
    ) -> Result<(), Error> {
        links::send(context, tx, view, link, to).await
    }
}

/// What a mail calls the withdrawal's value: USDT from the balance, of PYX their number.
pub fn mailed_value(view: &ChainWithdrawalView) -> String {
    match view.coin {
        Coin::Pyx => shown_amount(&view.amount, view.coin),
        _ => format!("{} USDT", view.value),
    }
}

/// Wei as people read them: whole coins, at most eight decimals, floored.
#[must_use]
pub fn shown_amount(wei: &str, coin: Coin) -> String {
    let digits = format!("{wei:0>19}");
    let (whole, fraction) = digits.split_at(digits.len() - 18);
    let fraction = fraction.get(..8).unwrap_or_default().trim_end_matches('0');
    let fraction = format!("{fraction:0<2}");
    format!("{whole}.{fraction} {}", coin.as_str().to_uppercase())
}

/// Filters of the lists.
pub fn filter(params: &ListParams) -> Result<Filter<Crypto>, Error> {
    let mut filter = Filter::<Crypto>::read(params, |word| {
        let status: Status = word.parse().ok()?;
        Some((Some(State::read(status.as_str())?), None))
    })?;
    filter.narrow = named("coin", params.coin.as_deref(), |text| {
        text.parse::<Coin>()
            .ok()
            .filter(|coin| rules::COINS.contains(coin))
    })?;
    Ok(filter)
}

pub const FILE: File<ChainWithdrawalView> = File {
    name: "crypto-withdrawals",
    columns: &[
        ("date", |w, _| Cell::moment(w.created_at)),
        ("user", |w, _| Cell::from(&*w.username)),
        ("coin", |w, _| Cell::from(w.coin.as_str().to_uppercase())),
        ("value", |w, _| Cell::number(Some(w.value))),
        ("fee", |w, _| Cell::number(Some(w.fee))),
        ("net", |w, _| Cell::number(Some(w.net))),
        ("crypto", |w, _| Cell::number(wei::coins(&w.amount))),
        ("address", |w, _| Cell::from(&*w.address)),
        ("hash", |w, _| Cell::maybe(w.transaction.as_deref())),
        ("status", |w, locale| Cell::word(locale, w.status.as_str())),
        ("reason", |w, _| Cell::maybe(w.reason.as_deref())),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_shown_floored() {
        for (wei, coin, text) in [
            ("98000000000000000000", Coin::Usdt, "98.00 USDT"),
            ("163333333333333333", Coin::Bnb, "0.16333333 BNB"),
            ("1", Coin::Bnb, "0.00 BNB"),
            ("1234567890000000000", Coin::Busd, "1.23456789 BUSD"),
        ] {
            assert_eq!(shown_amount(wei, coin), text);
        }
    }
}
