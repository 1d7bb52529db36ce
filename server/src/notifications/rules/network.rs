//! What members hear of their bonuses.

use super::{Line, News, is_news};
use protocol::{
    ids::UserId,
    money::Usdt,
    views::{
        BonusCause, BonusKind, BonusStatus, BonusView, ClosingShareView, GraduationPayoutStatus,
        GraduationPayoutView,
    },
};
use serde_json::json;
use uuid::Uuid;

/// One line for where a bonus stands, not for each part that the fund pays, and one for each part of it that goes back. What time frees is no news,
/// and a closing has told itself what waits, is held or lost of it.
pub(super) fn bonus_changed(owner: UserId, bonus: &BonusView) -> News {
    let at_once = bonus.cause != BonusCause::Closing;
    let line = |code, amount: Usdt| Line {
        owner,
        code,
        params: json!({
            "bonus": bonus.id,
            "usdt": amount,
            "by": bonus.source,
            "number": bonus.level,
            "reason": bonus.lost_reason.map(|r| r.as_str()),
        }),
        amount: Some(amount),
        about: bonus.id.0,
    };
    let gone = bonus.returned + bonus.dropped;
    let (state, code, amount) = match bonus.status {
        // Also where nothing of it was left to be taken.
        BonusStatus::TakenBack | BonusStatus::Paid | BonusStatus::Young if bonus.refused => {
            (State::Refused, Some("bonus_refused"), bonus.paid + bonus.dropped)
        }
        BonusStatus::TakenBack => (State::TakenBack, None, Usdt::ZERO),
        BonusStatus::Paid | BonusStatus::Young => {
            (State::Paid, Some(paid(bonus.kind)), bonus.paid - bonus.returned)
        }
        BonusStatus::Deferred => (
            State::Deferred,
            at_once.then_some("bonus_deferred"),
            bonus.waiting,
        ),
        BonusStatus::InReview => (
            State::InReview,
            at_once.then_some("bonus_review"),
            bonus.paid + bonus.waiting - bonus.returned,
        ),
        BonusStatus::Lost => (State::Lost, at_once.then_some("bonus_lost"), bonus.lost),
    };
    let standing = Standing {
        state,
        gone,
        line: code.map(|code| line(code, amount)),
        back: line("bonus_taken_back", gone),
    };
    News::Standing {
        subject: bonus.id.0,
        version: bonus.version,
        standing: Box::new(standing),
    }
}

/// Where what stands of a bonus stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Paid,
    Deferred,
    InReview,
    Lost,
    TakenBack,
    Refused,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Deferred => "deferred",
            Self::InReview => "in_review",
            Self::Lost => "lost",
            Self::TakenBack => "taken_back",
            Self::Refused => "refused",
        }
    }
}

/// Where a bonus stands, and how much of it has gone back by now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    state: State,
    gone: Usdt,
    /// Of where it stands; none for what is no news by itself.
    line: Option<Line>,
    /// Of what has gone.
    back: Line,
}

const GONE: &str = "gone:";

impl Standing {
    /// As it is remembered: the state, and what has gone.
    #[must_use]
    pub fn remembered(&self) -> String {
        let state = self.state.as_str();
        if self.gone.is_positive() {
            format!("{state},{GONE}{}", self.gone.0)
        } else {
            state.to_owned()
        }
    }

    /// What is told of it after what was told before; one line at most, for a fact. What goes back is told when it goes, and is no part of what
    /// is told later of the rest.
    #[must_use]
    pub fn line(self, before: Option<&str>) -> Option<Line> {
        let (state, told) = match before {
            Some(before) => before_that(before, self.gone),
            None => (None, Usdt::ZERO),
        };
        let is_new = is_news(state, self.state.as_str());
        let rest = told.is_positive();
        if self.state == State::Refused {
            let line = self.line.filter(|_| is_new)?;
            let amount = line.amount.unwrap_or_default() - told;
            let code = if rest { "bonus_rest_refused" } else { line.code };
            return amount.is_positive().then(|| line.of(code, amount));
        }
        let since = self.gone - told;
        if since.is_positive() {
            let code = match self.state {
                State::InReview | State::Deferred => "bonus_part_taken_back",
                _ => self.back.code,
            };
            return Some(self.back.of(code, since));
        }
        let line = self.line.filter(|_| is_new)?;
        match (self.state, line.amount) {
            (State::Paid, Some(amount)) if rest => Some(line.of("bonus_rest_paid", amount)),
            _ => Some(line),
        }
    }
}

/// The state that is remembered, and what had gone then.
fn before_that(remembered: &str, gone: Usdt) -> (Option<&str>, Usdt) {
    match remembered.split_once(GONE) {
        Some((state, told)) => {
            // As it was remembered when it did not say where the rest stood: that was free.
            let state = if state.is_empty() {
                State::Paid.as_str()
            } else {
                state.trim_end_matches(',')
            };
            (Some(state), told.parse().map_or(Usdt::ZERO, Usdt))
        }
        // Nor how much: it was all of it.
        None if remembered == State::TakenBack.as_str() => (Some(remembered), gone),
        None => (Some(remembered), Usdt::ZERO),
    }
}

impl Line {
    /// The same by another code, of so much.
    #[must_use]
    fn of(mut self, code: &'static str, amount: Usdt) -> Self {
        self.code = code;
        self.amount = Some(amount);
        if let Some(params) = self.params.as_object_mut() {
            params.insert("usdt".to_owned(), json!(amount));
        }
        self
    }
}

/// Those of closings: what the fund pays later, or a person set free.
const fn paid(kind: BonusKind) -> &'static str {
    match kind {
        BonusKind::Level => "bonus_paid_level",
        BonusKind::DirectSale => "bonus_paid_direct_sale",
        BonusKind::IndirectSale => "bonus_paid_indirect_sale",
        BonusKind::Residual => "bonus_paid_residual",
        BonusKind::Binary => "bonus_paid_binary",
    }
}

/// A line for each type of bonus of a closing and where that stands, and one for the highest rank that it brought.
pub(super) fn closing_booked(owner: UserId, share: &ClosingShareView) -> News {
    let code = match (share.kind, share.status) {
        (Some(kind), Some(status)) => closing_code(kind, status),
        _ => share.rank.map(|_| "rank_reached"),
    };
    let amount = share.kind.map(|_| share.amount);
    code.map_or(News::Nothing, |code| {
        News::Line(Line {
            owner,
            code,
            params: json!({
                "usdt": share.amount,
                "day": share.business_day,
                "rank": share.rank,
                "lost": share.lost_reason.map(|r| r.as_str()),
            }),
            amount,
            about: Uuid::nil(),
        })
    })
}

const fn closing_code(kind: BonusKind, status: BonusStatus) -> Option<&'static str> {
    use BonusStatus::{Deferred, InReview, Lost, Paid, TakenBack, Young};
    let residual = match kind {
        BonusKind::Residual => true,
        BonusKind::Binary => false,
        BonusKind::Level | BonusKind::DirectSale | BonusKind::IndirectSale => return None,
    };
    Some(match (residual, status) {
        (true, Paid) => "closing_residual",
        (true, Young) => "closing_residual_young",
        (true, InReview) => "closing_residual_review",
        (true, Deferred) => "closing_residual_deferred",
        (true, Lost) => "closing_residual_lost",
        (false, Paid) => "closing_binary",
        (false, Young) => "closing_binary_young",
        (false, InReview) => "closing_binary_review",
        (false, Deferred) => "closing_binary_deferred",
        (false, Lost) => "closing_binary_lost",
        (_, TakenBack) => return None,
    })
}

/// A rank's bonus on its way to its member. What staff agree on among themselves is no news.
pub(super) fn graduation_bonus(owner: UserId, payment: &GraduationPayoutView) -> News {
    use GraduationPayoutStatus as Status;
    let code = match payment.status {
        Status::Pending | Status::Approved | Status::Rejected => None,
        Status::Sent => Some("graduation_bonus_sent"),
        Status::Complete => Some("graduation_bonus_complete"),
        Status::Failed => Some("graduation_bonus_failed"),
    };
    News::State {
        subject: payment.id.0,
        version: payment.version,
        state: payment.status.as_str(),
        line: code.map(|code| Line {
            owner,
            code,
            params: json!({ "payment": payment.id, "usdt": payment.value, "rank": payment.rank }),
            amount: Some(payment.value),
            about: payment.id.0,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::CODES;
    use protocol::{ids::BonusId, views::LostReason};
    use time::OffsetDateTime;

    fn bonus(kind: BonusKind, status: BonusStatus) -> BonusView {
        BonusView {
            id: BonusId(Uuid::nil()),
            kind,
            level: 1,
            source: Some("bia".into()),
            cause: match kind {
                BonusKind::Level => BonusCause::Allocation,
                BonusKind::DirectSale | BonusKind::IndirectSale => BonusCause::Sale,
                BonusKind::Residual | BonusKind::Binary => BonusCause::Closing,
            },
            base: Usdt(100),
            percentage: "10.00".into(),
            gross: Usdt(10),
            paid: Usdt(0),
            waiting: Usdt(0),
            lost: Usdt(0),
            lost_reason: None,
            dropped: Usdt(0),
            returned: Usdt(0),
            status,
            review_reasons: Vec::new(),
            refused: false,
            young_until: None,
            business_day: "2026-11-24".into(),
            created_at: OffsetDateTime::UNIX_EPOCH,
            version: 1,
        }
    }

    /// What a bonus becomes, and what changes of it with that.
    type Step = (BonusStatus, fn(&mut BonusView));

    /// Code and amount of what is told of a bonus after each of these changes; each has its sentence in three languages.
    fn told_of(kind: BonusKind, changes: &[Step]) -> Vec<Told> {
        let mut bonus = bonus(kind, BonusStatus::Paid);
        let mut before: Option<String> = None;
        let mut told = Vec::new();
        for (status, change) in changes {
            bonus.status = *status;
            change(&mut bonus);
            told.push(after(before.as_deref(), &bonus));
            let News::Standing { standing, .. } = bonus_changed(UserId::fresh(), &bonus) else {
                panic!("no standing");
            };
            before = Some(standing.remembered());
        }
        told
    }

    type Told = Option<(&'static str, i64)>;

    fn after(before: Option<&str>, bonus: &BonusView) -> Told {
        let News::Standing { standing, .. } = bonus_changed(UserId::fresh(), bonus) else {
            panic!("no standing");
        };
        let line = standing.line(before)?;
        assert!(CODES.contains(&line.code), "{}", line.code);
        let amount = line.amount.unwrap();
        assert_eq!(
            (&line.params["by"], &line.params["number"], &line.params["usdt"]),
            (&json!("bia"), &json!(1), &json!(amount))
        );
        Some((line.code, amount.0))
    }

    #[test]
    fn each_bonus_that_is_paid_at_once_is_told_wherever_it_stands() {
        use BonusStatus::{Deferred, InReview, Lost, Paid, TakenBack, Young};
        for (kind, paid) in [
            (BonusKind::Level, "bonus_paid_level"),
            (BonusKind::DirectSale, "bonus_paid_direct_sale"),
            (BonusKind::IndirectSale, "bonus_paid_indirect_sale"),
        ] {
            let of = |status, change: fn(&mut BonusView)| told_of(kind, &[(status, change)])[0];
            let ten = |code| Some((code, 10));
            assert_eq!(of(Paid, |b| b.paid = Usdt(10)), ten(paid));
            assert_eq!(of(Young, |b| b.paid = Usdt(10)), ten(paid));
            let review = of(InReview, |b| (b.paid, b.waiting) = (Usdt(4), Usdt(6)));
            assert_eq!(review, ten("bonus_review"));
            let deferred = of(Deferred, |b| (b.paid, b.waiting) = (Usdt(0), Usdt(10)));
            assert_eq!(deferred, ten("bonus_deferred"));
            let lost = of(Lost, |b| {
                (b.lost, b.lost_reason) = (Usdt(10), Some(LostReason::Inactive));
            });
            assert_eq!(lost, ten("bonus_lost"));
            let back = of(TakenBack, |b| {
                (b.paid, b.returned, b.dropped) = (Usdt(4), Usdt(4), Usdt(6));
            });
            assert_eq!(back, ten("bonus_taken_back"));
            let refused = of(TakenBack, |b| {
                (b.paid, b.returned, b.dropped, b.refused) = (Usdt(4), Usdt(4), Usdt(6), true);
            });
            assert_eq!(refused, ten("bonus_refused"));
            // Of one that stands a part.
            for status in [Paid, Young] {
                let part = of(status, |b| (b.paid, b.returned) = (Usdt(10), Usdt(3)));
                assert_eq!(part, Some(("bonus_taken_back", 3)));
            }
        }
    }

    #[test]
    fn each_part_that_goes_is_told_once_and_by_itself() {
        use BonusStatus::{Paid, TakenBack, Young};
        let told = told_of(
            BonusKind::Level,
            &[
                (Young, |b| b.paid = Usdt(10)),
                (Young, |b| b.returned = Usdt(4)),
                // What time frees.
                (Paid, |_| {}),
                (Paid, |b| b.returned = Usdt(7)),
                (TakenBack, |b| b.returned = Usdt(10)),
                (TakenBack, |_| {}),
            ],
        );
        let back = |amount| Some(("bonus_taken_back", amount));
        let paid = Some(("bonus_paid_level", 10));
        assert_eq!(told, [paid, back(4), None, back(3), back(3), None]);
    }

    /// Held for a look, a part goes back, and the rest is set free or refused; what waits for the fund, too.
    #[test]
    fn a_part_that_goes_before_a_bonus_is_free_is_told_then_and_of_the_rest_what_is_left() {
        use BonusStatus::{Deferred, InReview, Paid, TakenBack};
        let review = Some(("bonus_review", 10));
        let part = |amount| Some(("bonus_part_taken_back", amount));
        let held: [Step; 3] = [
            (InReview, |b| (b.paid, b.waiting) = (Usdt(7), Usdt(3))),
            (InReview, |b| (b.waiting, b.dropped) = (Usdt(1), Usdt(2))),
            (InReview, |b| {
                (b.waiting, b.dropped, b.returned) = (Usdt(0), Usdt(3), Usdt(2));
            }),
        ];
        let rest = |last: (BonusStatus, fn(&mut BonusView))| {
            let changes: Vec<_> = held.into_iter().chain([last, last]).collect();
            told_of(BonusKind::Level, &changes)
        };
        let paid = Some(("bonus_rest_paid", 5));
        assert_eq!(rest((Paid, |_| {})), [review, part(2), part(3), paid, None]);
        let refused = Some(("bonus_rest_refused", 5));
        let by_a_person = rest((TakenBack, |b| (b.returned, b.refused) = (Usdt(7), true)));
        assert_eq!(by_a_person, [review, part(2), part(3), refused, None]);
        // All of it was taken back before a person refused it.
        let nothing_left = rest((TakenBack, |b| b.returned = Usdt(7)));
        assert_eq!(
            nothing_left,
            [review, part(2), part(3), Some(("bonus_taken_back", 5)), None]
        );
        // Waiting for the fund.
        let told = told_of(
            BonusKind::Level,
            &[
                (Deferred, |b| b.waiting = Usdt(10)),
                (Deferred, |b| (b.waiting, b.dropped) = (Usdt(6), Usdt(4))),
                (Deferred, |b| (b.waiting, b.paid) = (Usdt(1), Usdt(5))),
                (Paid, |b| (b.waiting, b.paid) = (Usdt(0), Usdt(6))),
                (Paid, |b| b.returned = Usdt(1)),
            ],
        );
        let deferred = Some(("bonus_deferred", 10));
        let paid = Some(("bonus_rest_paid", 6));
        assert_eq!(
            told,
            [deferred, part(4), None, paid, Some(("bonus_taken_back", 1))]
        );
    }

    /// As it was remembered before: without the state of what is left, or without how much had gone.
    #[test]
    fn what_was_told_by_a_version_before_is_not_told_again() {
        let mut bonus = bonus(BonusKind::Level, BonusStatus::Paid);
        (bonus.paid, bonus.returned) = (Usdt(10), Usdt(7));
        let back = |amount| Some(("bonus_taken_back", amount));
        assert_eq!(after(Some("gone:4"), &bonus), back(3));
        assert_eq!(after(Some("gone:7"), &bonus), None);
        assert_eq!(after(Some("paid"), &bonus), back(7));
        (bonus.status, bonus.returned) = (BonusStatus::TakenBack, Usdt(10));
        assert_eq!(after(Some("taken_back"), &bonus), None);
        bonus.refused = true;
        assert_eq!(after(Some("refused"), &bonus), None);
    }

    #[test]
    fn what_a_closing_has_told_is_not_told_again() {
        for (kind, paid) in [
            (BonusKind::Residual, "bonus_paid_residual"),
            (BonusKind::Binary, "bonus_paid_binary"),
        ] {
            for status in [BonusStatus::Deferred, BonusStatus::InReview, BonusStatus::Lost] {
                assert_eq!(after(None, &bonus(kind, status)), None, "{status}");
            }
            // What the fund pays later, or a person sets free or refuses.
            let mut later = bonus(kind, BonusStatus::Paid);
            later.paid = Usdt(10);
            assert_eq!(after(None, &later), Some((paid, 10)));
            let mut refused = bonus(kind, BonusStatus::TakenBack);
            (refused.paid, refused.returned, refused.refused) = (Usdt(10), Usdt(10), true);
            assert_eq!(after(None, &refused), Some(("bonus_refused", 10)));
        }
    }
}
