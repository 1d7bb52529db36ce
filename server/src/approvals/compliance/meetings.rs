//! Two people whose orders would meet in the book PYX/USDT: whether they may, and what is told of it.
//!
//! Related accounts never meet, nor do two of whom one was refused money from the other within a month. Two who trade with each other
//! too often, or of whom one loses too much to the other, no longer meet until their last 24 hours are quieter. A case is opened once
//! per pair and 24 hours, not per trade; nothing waits for it.

use super::{Flow, Judgement, Movement, Reason, open, rules, store};
use crate::{
    approvals::guard::Action,
    error::Error,
    foundation::{context::Context, transaction::Tx},
};
use protocol::{ids::UserId, money::Usdt};
use std::collections::BTreeSet;
use time::Duration;

/// Two people and their trades with each other within the last 24 hours.
#[derive(Clone, Copy, Debug)]
pub struct Meeting {
    pub taker: UserId,
    pub maker: UserId,
    pub trades: i64,
    /// What each lost to the other against the anchors of the book.
    pub taker_lost: Usdt,
    pub maker_lost: Usdt,
}

impl Meeting {
    fn most_lost(&self) -> Usdt {
        self.taker_lost.max(self.maker_lost)
    }

    /// As a case names it: whoever lost, to the other.
    fn movement(&self) -> Movement<'static> {
        let (user, other) = if self.maker_lost > self.taker_lost {
            (self.maker, self.taker)
        } else {
            (self.taker, self.maker)
        };
        Movement {
            user,
            flow: Flow::Out(Action::PyxTrade),
            usdt: self.most_lost(),
            counterparty: Some(other),
            payer: None,
        }
    }
}

/// Which of these makers' orders may not meet those of the taker, who is one and the same; a person is told of each. Ask it under the
/// book's lock, before they do.
///
/// # Errors
/// Whatever the database refuses.
pub async fn apart(context: &Context, tx: &mut Tx, meetings: &[Meeting]) -> Result<BTreeSet<UserId>, Error> {
    let in_force = context.settings.within(tx).await?;
    let since = tx.now() - Duration::days(30);
    let pairs: Vec<(UserId, UserId)> = meetings.iter().map(|m| (m.taker, m.maker)).collect();
    let mut found = store::relations(tx.conn(), &pairs, since).await?;
    let mut apart = BTreeSet::new();
    for meeting in meetings {
        let between = found.remove(&(meeting.taker, meeting.maker)).unwrap_or_default();
        let repeated = rules::repeated(meeting.trades, meeting.most_lost(), &in_force.settings);
        match rules::judge_meeting(between.related, between.refused, repeated) {
            Judgement::Allow => continue,
            Judgement::Refuse(_) => {}
            Judgement::Review(reasons) => tell_once(tx, meeting, &reasons).await?,
        }
        apart.insert(meeting.maker);
    }
    Ok(apart)
}

/// Hears what two have traded, this change's trades with it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note(context: &Context, tx: &mut Tx, meeting: &Meeting) -> Result<(), Error> {
    let in_force = context.settings.within(tx).await?;
    let reasons = rules::repeated(meeting.trades, meeting.most_lost(), &in_force.settings);
    if reasons.is_empty() {
        return Ok(());
    }
    tell_once(tx, meeting, &reasons).await
}

async fn tell_once(tx: &mut Tx, meeting: &Meeting, reasons: &[Reason]) -> Result<(), Error> {
    let since = tx.now() - Duration::DAY;
    let movement = meeting.movement();
    if store::pair_told(tx.conn(), &movement, since).await? {
        return Ok(());
    }
    open(tx, &movement, reasons).await?;
    Ok(())
}
