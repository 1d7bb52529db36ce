//! What is shown and told of a withdrawal by PIX: its view, its letter, its lists and files.

use super::{
    service::{Pix, Word},
    store::Shown,
};
use crate::{
    error::Error,
    foundation::{http::ListParams, listing::File, mail::Mail, sheet::Cell, subjects::Worth},
    payouts::{
        kind::{Payout, Quote, Screen},
        lists::Filter,
        rules::State,
    },
};
use protocol::{
    LiveEvent,
    live_event::QueueItem,
    money::Brl,
    views::{PixWithdrawalStatus as Status, PixWithdrawalView},
};
use serde_json::{Value, json};

impl Screen for Pix {
    const REQUESTED: Option<&'static str> = Some("requested");
    const TAKEN: &'static str = "confirm";
    const AMOUNT: &'static str = "brl";

    fn view(row: &Shown) -> Result<PixWithdrawalView, Error> {
        row.view()
    }

    fn worth(view: &PixWithdrawalView) -> Result<Worth, Error> {
        Ok(view.value.into())
    }

    fn letter(view: &PixWithdrawalView, state: &'static str) -> Mail {
        Mail::PixWithdrawal {
            state,
            value: view.value,
            fee: view.fee,
            brl: view.offer.as_ref().map_or(view.brl, |offer| offer.brl),
            key: view.key.clone(),
            reason: view.reason.clone(),
        }
    }

    fn changed(view: &PixWithdrawalView) -> Option<LiveEvent> {
        Some(LiveEvent::PixWithdrawalChanged {
            withdrawal: Box::new(view.clone()),
        })
    }

    fn item(view: &PixWithdrawalView) -> QueueItem {
        QueueItem::PixWithdrawal {
            withdrawal: view.clone(),
        }
    }

    fn noted(amount: Brl) -> Value {
        json!(amount)
    }

    fn of_request(quote: &Quote<Self>) -> Value {
        json!({ "keyKind": quote.to.kind() })
    }

    fn of_approval(_: &Payout<Self>, word: &Word) -> Value {
        json!({ "holderChecked": word.holder_checked })
    }
}

/// Statuses of the lists: those of a withdrawal, and `paid` and `to_pay` of approved ones.
pub fn filter(params: &ListParams) -> Result<Filter<Pix>, Error> {
    Filter::<Pix>::read(params, |word| match word {
        "paid" => Some((Some(State::Approved), Some(true))),
        "to_pay" => Some((Some(State::Approved), Some(false))),
        word => {
            let status: Status = word.parse().ok()?;
            Some((Some(State::read(status.as_str())?), None))
        }
    })
}

pub const FILE: File<PixWithdrawalView> = File {
    name: "pix-withdrawals",
    columns: &[
        ("date", |w, _| Cell::moment(w.created_at)),
        ("user", |w, _| Cell::from(&*w.username)),
        ("value", |w, _| Cell::number(Some(w.value))),
        ("fee", |w, _| Cell::number(Some(w.fee))),
        ("net", |w, _| Cell::number(Some(w.net))),
        ("brl", |w, _| Cell::number(Some(w.brl))),
        ("pix_key", |w, _| Cell::from(&*w.key)),
        ("end_to_end_id", |w, _| Cell::maybe(w.end_to_end_id.as_deref())),
        ("status", |w, locale| {
            let approved = w.status == Status::Approved;
            let word = if approved && w.paid_at.is_some() {
                "paid"
            } else {
                w.status.as_str()
            };
            Cell::word(locale, word)
        }),
        ("reason", |w, _| Cell::maybe(w.reason.as_deref())),
    ],
};
