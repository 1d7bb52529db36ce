//! What is shown and told of the payment of a rank's bonus.

use super::{service::GraduationBonus, store::Shown};
use crate::{
    error::Error,
    foundation::{mail::Mail, subjects::Worth},
    payouts::kind::{Payout, Quote, Screen},
    wallet::chain::address,
};
use alloy::primitives::U256;
use protocol::{
    LiveEvent,
    live_event::QueueItem,
    views::{GraduationPayoutStatus, GraduationPayoutView},
};
use serde_json::{Value, json};

impl Screen for GraduationBonus {
    const REQUESTED: Option<&'static str> = None;
    /// Its member is owed it as before: what staff say to each other is no letter.
    const REJECTED: Option<&'static str> = None;
    const TAKEN: &'static str = "requote_taken";
    const AMOUNT: &'static str = "wei";

    fn view(row: &Shown) -> Result<GraduationPayoutView, Error> {
        row.view()
    }

    fn worth(view: &GraduationPayoutView) -> Result<Worth, Error> {
        Ok(view.value.into())
    }

    fn letter(view: &GraduationPayoutView, _: &'static str) -> Mail {
        Mail::GraduationBonus {
            rank: view.rank,
            value: view.value,
            address: view.address.clone(),
            transaction: view.transaction.clone(),
        }
    }

    /// Its member hears where the payment stands from the moment it is signed, not what staff said before and who of them agreed.
    fn changed(view: &GraduationPayoutView) -> Option<LiveEvent> {
        use GraduationPayoutStatus::{Complete, Failed, Sent};
        matches!(view.status, Sent | Complete | Failed).then(|| LiveEvent::GraduationBonusChanged {
            payment: Box::new(GraduationPayoutView {
                reason: None,
                approvals: 0,
                approvals_needed: 0,
                ..view.clone()
            }),
        })
    }

    fn item(view: &GraduationPayoutView) -> QueueItem {
        QueueItem::GraduationBonus {
            payment: view.clone(),
        }
    }

    fn noted(amount: U256) -> Value {
        json!(amount.to_string())
    }

    fn of_request(quote: &Quote<Self>) -> Value {
        json!({ "coin": quote.to.coin, "address": address::write(quote.to.address), "graduation": quote.beside })
    }

    fn of_approval(payout: &Payout<Self>, (): &()) -> Value {
        json!({ "graduation": payout.own.graduation })
    }
}
