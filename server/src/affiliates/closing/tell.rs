//! The last step: each member hears once of what a closing made for it: of each type of bonus where it stands, and of a rank. Whose points count
//! for ranks with a bonus of nothing is told to look again.

use super::{
    service::Run,
    steps::chunk,
    store::{self, Brought, Closing},
};
use crate::{error::Error, identity::signals};
use protocol::{
    LiveEvent, StreamId,
    money::Usdt,
    views::{BonusStatus, ClosingShareView, Rank},
};

/// Members told in one transaction.
const CHUNK: i64 = 5_000;

/// Tells everyone, then ends the closing.
///
/// # Errors
/// Whatever the database refuses; who was told is not told again.
pub(super) async fn all(run: &Run<'_>, closing: &Closing) -> Result<(), Error> {
    while let Some((mut tx, now)) = chunk(run, closing, "tell").await? {
        let at = tx.now();
        let brought = store::brought(tx.conn(), closing.id, now.done_through, CHUNK, at).await?;
        match brought.last().map(|b| b.member) {
            Some(last) => {
                for one in brought {
                    if one.comes_to_nothing() {
                        // No line tells of it; the way to the next rank has become shorter.
                        signals::user_changed(&mut tx, one.member, "network");
                    }
                    for share in shares(closing, &one) {
                        tx.emit(
                            StreamId::User(one.member),
                            LiveEvent::ClosingBooked {
                                share: Box::new(share),
                            },
                        );
                    }
                }
                store::advance(tx.conn(), closing.id, "tell", Some(last), at).await?;
            }
            None => {
                store::forget_legs(tx.conn(), closing.day).await?;
                store::advance(tx.conn(), closing.id, "done", None, at).await?;
            }
        }
        tx.commit().await?;
    }
    Ok(())
}

impl Brought {
    /// Points count for ranks, and nothing was earned on them.
    fn comes_to_nothing(&self) -> bool {
        let amounts = [self.paid, self.young, self.in_review, self.deferred, self.lost];
        self.kind.is_some() && amounts.iter().all(|amount| *amount == 0)
    }
}

/// A share for each place where something of it stands, and one for a rank.
fn shares(closing: &Closing, one: &Brought) -> impl Iterator<Item = ClosingShareView> {
    let (kind, reason) = (one.kind, one.lost_reason);
    let business_day = closing.day.to_string();
    let rank = one.rank.and_then(Rank::numbered);
    let parts = [
        (Some(BonusStatus::Paid), one.paid),
        (Some(BonusStatus::Young), one.young),
        (Some(BonusStatus::InReview), one.in_review),
        (Some(BonusStatus::Deferred), one.deferred),
        (Some(BonusStatus::Lost), one.lost),
        (None, 0),
    ];
    parts
        .into_iter()
        .filter(move |(status, amount)| *amount > 0 || (status.is_none() && rank.is_some()))
        .map(move |(status, amount)| ClosingShareView {
            business_day: business_day.clone(),
            kind,
            status,
            amount: Usdt(amount),
            lost_reason: reason.filter(|_| status == Some(BonusStatus::Lost)),
            rank: rank.filter(|_| status.is_none()),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{
        ids::{ClosingId, UserId},
        views::{BonusKind, LostReason},
    };
    use time::macros::date;

    #[test]
    fn each_place_is_told_by_itself() {
        let closing = Closing {
            id: ClosingId(uuid::Uuid::nil()),
            day: date!(2026 - 11 - 24),
            settings_version: 1,
            step: "tell".into(),
            done_through: None,
        };
        let mut one = Brought {
            member: UserId(uuid::Uuid::nil()),
            kind: Some(BonusKind::Binary),
            paid: 30,
            young: 0,
            in_review: 0,
            deferred: 5,
            lost: 70,
            lost_reason: Some(LostReason::DailyCap),
            rank: None,
        };
        let told = |one: &Brought| -> Vec<_> {
            shares(&closing, one)
                .map(|s| (s.status, s.amount.0, s.lost_reason, s.rank))
                .collect()
        };
        assert_eq!(
            told(&one),
            [
                (Some(BonusStatus::Paid), 30, None, None),
                (Some(BonusStatus::Deferred), 5, None, None),
                (Some(BonusStatus::Lost), 70, Some(LostReason::DailyCap), None)
            ]
        );
        one = Brought {
            kind: None,
            paid: 0,
            deferred: 0,
            lost: 0,
            lost_reason: None,
            rank: Some(2),
            ..one
        };
        assert_eq!(told(&one), [(None, 0, None, Rank::numbered(2))]);
        assert!(!one.comes_to_nothing());
        one = Brought {
            kind: Some(BonusKind::Binary),
            rank: None,
            ..one
        };
        assert!(told(&one).is_empty());
        assert!(one.comes_to_nothing());
    }
}
