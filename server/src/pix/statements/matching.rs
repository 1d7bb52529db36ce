//! What a line of the statement means beside our books. Pure.

use super::csv::Line;
use protocol::{
    ids::{PixDepositId, PixWithdrawalId},
    money::Brl,
    views::PixDepositStatus as Status,
};
use std::collections::{HashMap, HashSet};

/// The outcome of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Matched,
    /// The money is there, the approval is not.
    MissingApproval,
    /// A deposit without proof that the line brought before the approvers.
    Reopened,
    AmountDiffers,
    /// Nothing of ours names it.
    Unknown,
    /// Paid again, or listed twice.
    Duplicate,
    /// Booked by us, not in the file.
    WithoutLine,
}

impl Outcome {
    pub const ALL: [Self; 7] = [
        Self::Matched,
        Self::MissingApproval,
        Self::Reopened,
        Self::AmountDiffers,
        Self::Unknown,
        Self::Duplicate,
        Self::WithoutLine,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Matched => "matched",
            Self::MissingApproval => "missing_approval",
            Self::Reopened => "reopened",
            Self::AmountDiffers => "amount_differs",
            Self::Unknown => "unknown",
            Self::Duplicate => "duplicate",
            Self::WithoutLine => "without_line",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|o| o.as_str() == text)
    }
}

/// A deposit that a line may name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    pub id: PixDepositId,
    pub status: Status,
    /// What was asked for; of a credited one what arrived.
    pub brl: Brl,
}

/// What our books know of the ids in a file.
#[derive(Clone, Debug, Default)]
pub struct Books {
    /// Credits by the bank's id.
    pub credits: HashMap<String, Deposit>,
    /// Deposits by what an approver has claimed of the statement.
    pub claims: HashMap<String, Deposit>,
    /// Deposits by our own mark.
    pub txids: HashMap<String, Deposit>,
    /// Payments to customers by the bank's id.
    pub payments: HashMap<String, (PixWithdrawalId, Brl)>,
}

/// A line's meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub outcome: Outcome,
    pub deposit: Option<PixDepositId>,
    pub withdrawal: Option<PixWithdrawalId>,
    pub booked: Option<Brl>,
}

impl Finding {
    const fn nothing(outcome: Outcome) -> Self {
        Self {
            outcome,
            deposit: None,
            withdrawal: None,
            booked: None,
        }
    }

    const fn of(outcome: Outcome, deposit: &Deposit) -> Self {
        Self {
            outcome,
            deposit: Some(deposit.id),
            withdrawal: None,
            booked: Some(deposit.brl),
        }
    }
}

/// Judges all lines of a file, in their order.
#[must_use]
pub fn judge(lines: &[Line], books: &Books) -> Vec<Finding> {
    let mut listed: HashSet<&str> = HashSet::new();
    let mut reopened: HashSet<PixDepositId> = HashSet::new();
    lines
        .iter()
        .map(|line| {
            let repeated = line.end_to_end_id.as_deref().is_some_and(|id| !listed.insert(id));
            let found = if line.brl.is_negative() {
                payment(line, books)
            } else {
                deposit(line, books)
            };
            let again =
                found.outcome == Outcome::Reopened && found.deposit.is_some_and(|id| !reopened.insert(id));
            if (repeated || again) && found.outcome != Outcome::Unknown {
                Finding {
                    outcome: Outcome::Duplicate,
                    ..found
                }
            } else {
                found
            }
        })
        .collect()
}

fn payment(line: &Line, books: &Books) -> Finding {
    let paid = line.end_to_end_id.as_ref().and_then(|id| books.payments.get(id));
    match paid {
        None => Finding::nothing(Outcome::Unknown),
        Some((withdrawal, brl)) => Finding {
            outcome: if -line.brl == *brl {
                Outcome::Matched
            } else {
                Outcome::AmountDiffers
            },
            deposit: None,
            withdrawal: Some(*withdrawal),
            booked: Some(*brl),
        },
    }
}

fn deposit(line: &Line, books: &Books) -> Finding {
    let id = line.end_to_end_id.as_ref();
    if let Some(credited) = id.and_then(|id| books.credits.get(id)) {
        let outcome = if credited.brl == line.brl {
            Outcome::Matched
        } else {
            Outcome::AmountDiffers
        };
        return Finding::of(outcome, credited);
    }
    let named = id
        .and_then(|id| books.claims.get(id))
        .or_else(|| line.txid.as_ref().and_then(|txid| books.txids.get(txid)));
    let Some(deposit) = named else {
        return Finding::nothing(Outcome::Unknown);
    };
    let outcome = match deposit.status {
        // Credited already, by another payment.
        Status::Approved => Outcome::Duplicate,
        Status::TimedOut | Status::Pending => Outcome::Reopened,
        Status::PendingApproval if deposit.brl != line.brl => Outcome::AmountDiffers,
        Status::PendingApproval | Status::Rejected | Status::Canceled => Outcome::MissingApproval,
    };
    Finding::of(outcome, deposit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::date;

    fn line(e2e: &str, txid: &str, brl: i64) -> Line {
        let word = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Line {
            number: 1,
            day: date!(2026 - 11 - 20),
            end_to_end_id: word(e2e),
            txid: word(txid),
            payer: None,
            brl: Brl(brl),
        }
    }

    #[test]
    fn every_line_has_its_meaning() {
        let deposit = |status| Deposit {
            id: PixDepositId::fresh(),
            status,
            brl: Brl(500),
        };
        let mut books = Books::default();
        books.credits.insert("E1".into(), deposit(Status::Approved));
        books.claims.insert("E2".into(), deposit(Status::PendingApproval));
        for (txid, status) in [
            ("waits", Status::PendingApproval),
            ("late", Status::TimedOut),
            ("open", Status::Pending),
            ("done", Status::Approved),
            ("no", Status::Rejected),
        ] {
            books.txids.insert(txid.into(), deposit(status));
        }
        books
            .payments
            .insert("E9".into(), (PixWithdrawalId::fresh(), Brl(300)));
        use Outcome::{AmountDiffers, Duplicate, Matched, MissingApproval, Reopened, Unknown};
        let lines = [
            (line("E1", "done", 500), Matched),
            (line("E1", "done", 500), Duplicate),
            (line("E2", "", 500), MissingApproval),
            (line("E3", "waits", 500), MissingApproval),
            (line("E4", "waits", 499), AmountDiffers),
            (line("E5", "late", 499), Reopened),
            (line("E6", "late", 499), Duplicate),
            (line("E7", "open", 500), Reopened),
            (line("E8", "done", 500), Duplicate),
            (line("EA", "no", 500), MissingApproval),
            (line("E9", "", -300), Matched),
            (line("EB", "", -300), Unknown),
            (line("", "", 1), Unknown),
        ];
        let found = judge(&lines.iter().map(|(l, _)| l.clone()).collect::<Vec<_>>(), &books);
        for ((line, expected), found) in lines.iter().zip(found) {
            assert_eq!(found.outcome, *expected, "{line:?}");
            assert_eq!(
                found.deposit.is_none() && found.withdrawal.is_none(),
                *expected == Unknown
            );
        }
        books.credits.get_mut("E1").unwrap().brl = Brl(501);
        assert_eq!(judge(&[line("E1", "", 500)], &books)[0].outcome, AmountDiffers);
    }
}
