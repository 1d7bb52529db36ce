//! What a line of the statement means beside our books. Pure.

use super::csv::Line;
use crate::pix::rules::bank_key;
use protocol::{
    ids::{PixDepositId, PixWithdrawalId},
    money::Brl,
    views::PixDepositStatus as Status,
};
use std::{cmp::Reverse, collections::HashMap};
use time::Date;

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
    /// Credited, and taken back since.
    Reversed,
}

impl Outcome {
    pub const ALL: [Self; 8] = [
        Self::Matched,
        Self::MissingApproval,
        Self::Reopened,
        Self::AmountDiffers,
        Self::Unknown,
        Self::Duplicate,
        Self::WithoutLine,
        Self::Reversed,
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
            Self::Reversed => "reversed",
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
    /// Its credit was taken back.
    pub reversed: bool,
}

/// A payment that another statement lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    pub end_to_end_id: Option<String>,
    pub day: Date,
    pub brl: Brl,
}

/// What our books know of the ids in a file. The bank's stand as they are compared (`bank_key`).
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
    /// By deposit: the line of another statement that brought it before the approvers.
    pub spoken: HashMap<PixDepositId, Spoken>,
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

/// Judges all lines of a file, in their order, and against each other: one payment is what a deposit waits for, any other that names
/// it is one too many. Which one it is does not hang on the order of the lines.
#[must_use]
pub fn judge(lines: &[Line], books: &Books) -> Vec<Finding> {
    let mut found: Vec<Finding> = lines.iter().map(|line| finding(line, books)).collect();
    for at in listed_again(lines, &found) {
        if let Some(again) = found.get_mut(at) {
            again.outcome = Outcome::Duplicate;
        }
    }
    for (line, finding) in lines.iter().zip(&mut found) {
        if paid_elsewhere(line, finding, books) {
            finding.outcome = Outcome::Duplicate;
        }
    }
    let mut best: HashMap<PixDepositId, (bool, bool, Reverse<usize>)> = HashMap::new();
    for (at, (line, finding)) in lines.iter().zip(&found).enumerate() {
        if let Some(deposit) = waiting(line, finding, books) {
            let claimed = line.key().is_some_and(|id| books.claims.contains_key(&id));
            let rank = (claimed, finding.booked == Some(line.brl), Reverse(at));
            let best = best.entry(deposit).or_insert(rank);
            *best = rank.max(*best);
        }
    }
    for (at, (line, finding)) in lines.iter().zip(&mut found).enumerate() {
        let one = waiting(line, finding, books).and_then(|deposit| best.get(&deposit));
        if one.is_some_and(|(.., Reverse(first))| *first != at) {
            finding.outcome = Outcome::Duplicate;
        }
    }
    found
}

/// The deposit that a line speaks for and that was not credited by it.
fn waiting(line: &Line, finding: &Finding, books: &Books) -> Option<PixDepositId> {
    let credited = line.key().is_some_and(|id| books.credits.contains_key(&id));
    let speaks = matches!(
        finding.outcome,
        Outcome::MissingApproval | Outcome::Reopened | Outcome::AmountDiffers
    );
    finding.deposit.filter(|_| speaks && !credited)
}

/// Whether another statement's line, of another payment, speaks for the deposit already.
fn paid_elsewhere(line: &Line, finding: &Finding, books: &Books) -> bool {
    waiting(line, finding, books)
        .and_then(|deposit| books.spoken.get(&deposit))
        .is_some_and(|other| match (&line.end_to_end_id, &other.end_to_end_id) {
            (Some(mine), Some(theirs)) => bank_key(mine) != bank_key(theirs),
            // Without the bank's id the same day and amount are the same payment.
            _ => (line.day, line.brl) != (other.day, other.brl),
        })
}

/// Lines that list a payment which another one lists better, or before: money moves once under an id, and may come back once.
fn listed_again(lines: &[Line], found: &[Finding]) -> Vec<usize> {
    let of = |line: &Line| line.key().map(|key| (key, line.brl.is_negative()));
    let mut best: HashMap<(String, bool), (bool, bool, Reverse<usize>)> = HashMap::new();
    let mut all: Vec<((String, bool), usize)> = Vec::new();
    for (at, (line, finding)) in lines.iter().zip(found).enumerate() {
        let Some(payment) = of(line) else { continue };
        let rank = (
            finding.outcome != Outcome::Unknown,
            finding.booked == Some(line.brl),
            Reverse(at),
        );
        let best = best.entry(payment.clone()).or_insert(rank);
        *best = rank.max(*best);
        all.push((payment, at));
    }
    all.into_iter()
        .filter(|(payment, at)| best.get(payment).is_some_and(|(.., Reverse(first))| first != at))
        .map(|(_, at)| at)
        .collect()
}

/// What a line is by itself.
fn finding(line: &Line, books: &Books) -> Finding {
    let key = line.key();
    let credit = key.as_ref().and_then(|key| books.credits.get(key));
    let payment = key.as_ref().and_then(|key| books.payments.get(key));
    match (line.brl.is_negative(), credit, payment) {
        (false, Some(credit), _) => came(line, credit),
        (_, _, Some(payment)) => moved(line, payment),
        // Under the same id the bank gave back what had come.
        (true, Some(credit), None) => went_back(line, credit),
        (true, None, None) => Finding::nothing(Outcome::Unknown),
        (false, None, None) => deposit(line, books),
    }
}

fn came(line: &Line, credit: &Deposit) -> Finding {
    let outcome = if credit.reversed {
        Outcome::Reversed
    } else if credit.brl == line.brl {
        Outcome::Matched
    } else {
        Outcome::AmountDiffers
    };
    Finding::of(outcome, credit)
}

fn went_back(line: &Line, credit: &Deposit) -> Finding {
    let booked = if credit.reversed { -credit.brl } else { credit.brl };
    Finding {
        booked: Some(booked),
        ..Finding::of(equal(line, booked), credit)
    }
}

fn moved(line: &Line, (withdrawal, brl): &(PixWithdrawalId, Brl)) -> Finding {
    Finding {
        outcome: equal(line, -*brl),
        deposit: None,
        withdrawal: Some(*withdrawal),
        booked: Some(-*brl),
    }
}

fn equal(line: &Line, booked: Brl) -> Outcome {
    if line.brl == booked {
        Outcome::Matched
    } else {
        Outcome::AmountDiffers
    }
}

/// Of a line whose payment is not in the books.
fn deposit(line: &Line, books: &Books) -> Finding {
    let claimed = line.key().and_then(|key| books.claims.get(&key));
    let named = claimed.or_else(|| line.txid.as_ref().and_then(|txid| books.txids.get(txid)));
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
            reversed: false,
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
            ("less", Status::PendingApproval),
            ("twice", Status::PendingApproval),
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
            (line("E4", "waits", 499), Duplicate),
            (line("E5", "late", 499), Reopened),
            (line("E6", "late", 499), Duplicate),
            (line("E7", "open", 500), Reopened),
            (line("E8", "done", 500), Duplicate),
            (line("EA", "no", 500), MissingApproval),
            (line("EC", "less", 499), AmountDiffers),
            // The right amount is the one, wherever it stands.
            (line("ED", "twice", 499), Duplicate),
            (line("EE", "twice", 500), MissingApproval),
            (line("EF", "twice", 500), Duplicate),
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

    /// The best of the lines that list one payment is it, however each is written; what went back is seen as that.
    #[test]
    fn one_id_is_one_payment() {
        use Outcome::{AmountDiffers, Duplicate, Matched, MissingApproval, Reversed, Unknown};
        let deposit = |status| Deposit {
            id: PixDepositId::fresh(),
            status,
            brl: Brl(500),
            reversed: false,
        };
        let mut books = Books::default();
        books.credits.insert("EA1".into(), deposit(Status::Approved));
        books
            .payments
            .insert("EA9".into(), (PixWithdrawalId::fresh(), Brl(300)));
        for mark in ["T1", "T2"] {
            books.txids.insert(mark.into(), deposit(Status::PendingApproval));
        }
        let outcomes = |books: &Books, lines: &[Line]| -> Vec<Outcome> {
            judge(lines, books).iter().map(|f| f.outcome).collect()
        };
        for (lines, expected) in [
            // Which of them it is does not hang on their order.
            (
                vec![line("EA1", "", 499), line("ea1", "", 500)],
                vec![Duplicate, Matched],
            ),
            (
                vec![line("eA1", "", 500), line("EA1", "", 499)],
                vec![Matched, Duplicate],
            ),
            (
                vec![line("EA9", "", -1), line("Ea9", "", -300)],
                vec![Duplicate, Matched],
            ),
            // Nobody knows it, and it is there twice.
            (
                vec![line("EA5", "", 5), line("ea5", "", 5)],
                vec![Unknown, Duplicate],
            ),
            // One payment speaks for one deposit.
            (
                vec![line("EA6", "T1", 500), line("EA6", "T2", 500)],
                vec![MissingApproval, Duplicate],
            ),
            // It came back, and the books do not know.
            (
                vec![line("EA1", "", 500), line("EA1", "", -500)],
                vec![Matched, AmountDiffers],
            ),
            (
                vec![line("EA9", "", -300), line("EA9", "", 300)],
                vec![Matched, AmountDiffers],
            ),
        ] {
            assert_eq!(outcomes(&books, &lines), expected, "{lines:?}");
        }
        books.credits.get_mut("EA1").unwrap().reversed = true;
        assert_eq!(
            outcomes(
                &books,
                &[line("EA1", "", 500), line("EA1", "", -500), line("EA1", "", -400)]
            ),
            [Reversed, Matched, Duplicate]
        );
    }

    #[test]
    fn one_payment_is_waited_for_and_the_others_are_too_many() {
        let id = PixDepositId::fresh();
        let of = |status| Deposit {
            id,
            status,
            brl: Brl(500),
            reversed: false,
        };
        let outcomes = |books: &Books, lines: &[Line]| -> Vec<Outcome> {
            judge(lines, books).iter().map(|f| f.outcome).collect()
        };
        use Outcome::{Duplicate, Matched, MissingApproval};
        let lines = [line("E1", "T", 500), line("E2", "T", 500)];
        let mut books = Books::default();
        books.txids.insert("T".into(), of(Status::PendingApproval));
        assert_eq!(outcomes(&books, &lines), [MissingApproval, Duplicate]);
        // What an approver claims is the one.
        books.claims.insert("E2".into(), of(Status::PendingApproval));
        assert_eq!(outcomes(&books, &lines), [Duplicate, MissingApproval]);
        // Another statement spoke for it before, of the same payment and of another.
        let spoken = |e2e: &str| Spoken {
            end_to_end_id: Some(e2e.to_owned()),
            day: date!(2026 - 11 - 20),
            brl: Brl(500),
        };
        let mut books = Books::default();
        books.txids.insert("T".into(), of(Status::PendingApproval));
        books.spoken.insert(id, spoken("E2"));
        assert_eq!(outcomes(&books, &lines), [Duplicate, MissingApproval]);
        books.spoken.insert(id, spoken("E3"));
        assert_eq!(outcomes(&books, &lines), [Duplicate, Duplicate]);
        assert_eq!(outcomes(&books, &[line("", "T", 500)]), [MissingApproval]);
        assert_eq!(outcomes(&books, &[line("", "T", 501)]), [Duplicate]);
        // Once one is credited the other still is one too many.
        books.credits.insert("E1".into(), of(Status::Approved));
        books.txids.insert("T".into(), of(Status::Approved));
        assert_eq!(outcomes(&books, &lines), [Matched, Duplicate]);
    }
}
