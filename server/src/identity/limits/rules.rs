//! Pure rules of tries: how many, how fast, and in which counts a try stands. Times are passed in.
//!
//! A wrong password at the sign-in counts where it was typed: on a device that the account knows, or at an address of the
//! network. Neither count is filled by tries from elsewhere, so nobody can shut out somebody else. Beside the addresses one loose
//! count stands for the whole account, against guessing from many places; it refuses strange browsers only.

use protocol::ids::{SessionId, UserId};
use time::{Duration, OffsetDateTime};

/// Wrong passwords an hour on a known device, or in a session.
const OWN_DEVICE: i64 = 10;
/// Wrong passwords an hour from all strange browsers together.
const ALL_STRANGERS: i64 = 100;
/// Wrong codes a day of one session, or from one address.
const CODES: i64 = 10;
/// Wrong codes a day of one device, in however many sessions.
const DEVICE_CODES: i64 = 20;
/// Wrong codes a day of all but the devices that are known longest.
const ALL_CODES: i64 = 100;
/// Mails an hour about sign-ins.
const SIGN_INS_TOLD: i64 = 10;
/// Mails an hour about devices that were taken off.
const SILENCES_TOLD: i64 = 3;
/// Letters an hour of one of the staff to one person.
const LETTERS_TO_ONE: i64 = 5;
/// Changes an hour by one of the staff of one person's account.
const CHANGES_OF_ONE: i64 = 20;
/// Both an hour by one of the staff, to all together.
const BY_ONE: i64 = 60;
/// Transcripts a day of somebody's tickets.
const TRANSCRIPTS: i64 = 5;
/// How many devices are those that an account has known longest.
pub const LONGEST_KNOWN: i64 = 5;

/// How tries of one count are limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// After each wrong try a pause, longer with every one of the last day.
    Growing,
    /// So many within a span.
    Most(i64, Duration),
}

/// What is known of a count: its tries within the rule's span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    pub count: i64,
    pub newest: Option<OffsetDateTime>,
    /// The [`Rule::most`]-th newest.
    pub nth: Option<OffsetDateTime>,
}

impl Rule {
    /// Older tries do not count.
    #[must_use]
    pub const fn span(self) -> Duration {
        match self {
            Self::Growing => Duration::DAY,
            Self::Most(_, span) => span,
        }
    }

    /// How many tries fill the count: the one that must fall out of the span before the next is this newest one.
    #[must_use]
    pub const fn most(self) -> i64 {
        match self {
            Self::Growing => 1,
            Self::Most(most, _) => most,
        }
    }

    /// When the next try is allowed, after these.
    #[must_use]
    pub fn next(self, past: &Past) -> Option<OffsetDateTime> {
        match self {
            Self::Growing => past.newest.map(|at| at + password_delay(past.count)),
            Self::Most(most, span) if past.count >= most => past.nth.map(|at| at + span),
            Self::Most(..) => None,
        }
    }
}

/// How long after the newest of `failures` wrong passwords the next try must wait.
#[must_use]
pub const fn password_delay(failures: i64) -> Duration {
    Duration::seconds(match failures {
        i64::MIN..=2 => 0,
        3 => 5,
        4 => 15,
        5 => 30,
        6 => 60,
        7 => 120,
        8 => 300,
        _ => 900,
    })
}

/// What a right try takes out of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pardon {
    Itself,
    All,
}

/// A count in which a try stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub scope: String,
    pub rule: Rule,
    pub pardon: Pardon,
}

impl Count {
    const fn new(scope: String, rule: Rule, pardon: Pardon) -> Self {
        Self { scope, rule, pardon }
    }
}

/// Where a password is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// A device that the account knows, by its hash.
    Known(&'a str),
    /// Any other browser, by its address.
    Strange(&'a str),
}

/// A password at the sign-in. `whose` stands for the typed e-mail, whether or not anybody has it.
#[must_use]
pub fn sign_in(whose: &str, place: Place<'_>) -> Vec<Count> {
    match place {
        Place::Known(device) => vec![Count::new(
            format!("password:{whose}:device:{device}"),
            Rule::Most(OWN_DEVICE, Duration::HOUR),
            Pardon::All,
        )],
        Place::Strange(address) => vec![
            Count::new(
                format!("password:{whose}:strangers"),
                Rule::Most(ALL_STRANGERS, Duration::HOUR),
                Pardon::Itself,
            ),
            Count::new(
                format!("password:{whose}:at:{address}"),
                Rule::Growing,
                Pardon::All,
            ),
        ],
    }
}

/// The password of somebody who is signed in, asked for again before a change.
#[must_use]
pub fn own_password(session: impl std::fmt::Display) -> Vec<Count> {
    vec![Count::new(
        format!("password:session:{session}"),
        Rule::Most(OWN_DEVICE, Duration::HOUR),
        Pardon::All,
    )]
}

/// Where a code is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// None before somebody is signed in.
    pub session: Option<SessionId>,
    /// The name of a device that the account knows.
    pub device: Option<String>,
    /// Whether that device is one of those that the account has known longest.
    pub long_known: bool,
    /// Where strange browsers stand.
    pub address: Option<String>,
}

/// Which codes are counted together: mailed ones and the app's, whatever they authorise (the app's are the same for everything).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeKind {
    /// Apart from the others: they are the way in when those are used up.
    pub recovery: bool,
    /// Beside a reset link: who has the password alone uses nothing of this up.
    pub by_link: bool,
}

impl CodeKind {
    const ALL: [Self; 4] = [
        Self::of(false, false),
        Self::of(true, false),
        Self::of(false, true),
        Self::of(true, true),
    ];

    const fn of(recovery: bool, by_link: bool) -> Self {
        Self { recovery, by_link }
    }

    fn beginning(self, account: UserId) -> String {
        let name = match (self.recovery, self.by_link) {
            (false, false) => "code",
            (true, false) => "recovery",
            (false, true) => "code-by-link",
            (true, true) => "recovery-by-link",
        };
        format!("{name}:{account}:")
    }
}

/// What the names of all counts of an account's codes begin with.
#[must_use]
pub fn codes_of(account: UserId) -> Vec<String> {
    CodeKind::ALL
        .into_iter()
        .map(|kind| kind.beginning(account))
        .collect()
}

/// A code: the counts in which it stands, the narrowest first.
#[must_use]
pub fn code(account: UserId, kind: CodeKind, seat: &Seat) -> Vec<Count> {
    let beginning = kind.beginning(account);
    let count = |place: String, most| {
        let scope = format!("{beginning}{place}");
        Count::new(scope, Rule::Most(most, Duration::DAY), Pardon::Itself)
    };
    let mut counts = Vec::with_capacity(3);
    if let Some(session) = seat.session {
        counts.push(count(format!("session:{session}"), CODES));
    }
    match (&seat.device, &seat.address) {
        (Some(device), _) => counts.push(count(format!("device:{device}"), DEVICE_CODES)),
        (None, Some(address)) => counts.push(count(format!("at:{address}"), CODES)),
        (None, None) => {}
    }
    if seat.device.is_none() || !seat.long_known {
        counts.push(count("strangers".to_owned(), ALL_CODES));
    }
    counts
}

/// Addresses that turned out to be taken, at a registration or a correction: that answer tells about others.
#[must_use]
pub fn taken(address: &str) -> Count {
    let scope = format!("register:{address}");
    Count::new(scope, Rule::Most(5, Duration::HOUR), Pardon::Itself)
}

/// Mails an hour that tell an owner of a sign-in by a browser that the account did not know.
#[must_use]
pub fn sign_in_told(account: UserId) -> Count {
    let scope = format!("signed-in:{account}");
    Count::new(scope, Rule::Most(SIGN_INS_TOLD, Duration::HOUR), Pardon::Itself)
}

/// Mails an hour that tell an owner of a device that hears nothing any more.
#[must_use]
pub fn silence_told(account: UserId) -> Count {
    let scope = format!("push-removed:{account}");
    Count::new(scope, Rule::Most(SILENCES_TOLD, Duration::HOUR), Pardon::Itself)
}

/// What staff cause to be mailed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caused {
    /// A letter, which takes the place of other mails to its reader: no more than they get in an hour by default.
    Letter,
    /// A warning of a change that they made or asked for.
    Change,
}

/// Whoever of the staff causes mails is bounded, to one person and in all.
#[must_use]
pub fn by_staff(actor: UserId, about: UserId, caused: Caused) -> Vec<Count> {
    let (name, most) = match caused {
        Caused::Letter => ("letter", LETTERS_TO_ONE),
        Caused::Change => ("change", CHANGES_OF_ONE),
    };
    let count = |scope: String, most| Count::new(scope, Rule::Most(most, Duration::HOUR), Pardon::Itself);
    vec![
        count(format!("staff:{actor}:{name}:{about}"), most),
        count(format!("staff:{actor}"), BY_ONE),
    ]
}

/// How far apart mails with a reset link to one address are.
pub const RESET_PAUSE: Duration = Duration::minutes(15);

/// Reset links for one address, whoever asks: each mail carries the living link, so that an owner whom strangers are ahead of has it
/// in the mailbox, and never waits longer than the pause for another.
#[must_use]
pub fn reset_link(whose: &str) -> Count {
    let scope = format!("reset:{whose}");
    Count::new(scope, Rule::Most(1, RESET_PAUSE), Pardon::Itself)
}

/// Corrections of an address that was never confirmed: each one mails somebody.
#[must_use]
pub fn correction(account: impl std::fmt::Display) -> Count {
    let scope = format!("correction:{account}");
    Count::new(scope, Rule::Most(5, Duration::HOUR), Pardon::Itself)
}

/// Transcripts of their own tickets that somebody mails to themselves: each is a long mail.
#[must_use]
pub fn transcript(account: UserId) -> Count {
    let scope = format!("transcript:{account}");
    Count::new(scope, Rule::Most(TRANSCRIPTS, Duration::DAY), Pardon::Itself)
}

/// Requests for another e-mail: each one mails somebody.
#[must_use]
pub fn email_change(account: impl std::fmt::Display) -> Count {
    let scope = format!("email-change:{account}");
    Count::new(scope, Rule::Most(5, Duration::HOUR), Pardon::Itself)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;
    use time::macros::datetime;

    const START: OffsetDateTime = datetime!(2026-11-20 10:00 UTC);

    /// All tries as the table of them would hold them.
    #[derive(Default)]
    struct Book(HashMap<String, Vec<OffsetDateTime>>);

    impl Book {
        fn past(&self, count: &Count, now: OffsetDateTime) -> Past {
            let mut tries: Vec<_> = self.0.get(&count.scope).cloned().unwrap_or_default();
            tries.retain(|at| *at > now - count.rule.span());
            tries.sort_unstable_by(|a, b| b.cmp(a));
            let nth = usize::try_from(count.rule.most() - 1).unwrap();
            Past {
                count: i64::try_from(tries.len()).unwrap(),
                newest: tries.first().copied(),
                nth: tries.get(nth).copied(),
            }
        }

        fn waits(&self, counts: &[Count], now: OffsetDateTime) -> Option<Duration> {
            let next = counts.iter().filter_map(|c| c.rule.next(&self.past(c, now)));
            next.filter(|at| *at > now).max().map(|at| at - now)
        }

        /// A wrong try; `false` when it came too early and was not looked at.
        fn wrong(&mut self, counts: &[Count], now: OffsetDateTime) -> bool {
            if self.waits(counts, now).is_some() {
                return false;
            }
            for count in counts {
                self.0.entry(count.scope.clone()).or_default().push(now);
            }
            true
        }
    }

    /// The most tries within any hour.
    fn densest(tries: &[OffsetDateTime]) -> usize {
        let within = |from: OffsetDateTime| {
            tries
                .iter()
                .filter(|at| **at >= from && **at < from + Duration::HOUR)
                .count()
        };
        tries.iter().map(|from| within(*from)).max().unwrap_or_default()
    }

    #[test]
    fn cases() {
        use Place::{Known, Strange};
        let minute = Duration::MINUTE;
        // Wrong tries so far (where, how many, how long ago), then where the next one comes from and how long it waits.
        for (so_far, next, waits) in [
            (vec![], Strange("a"), None),
            (vec![], Known("d"), None),
            (vec![(Strange("a"), 2, 0)], Strange("a"), None),
            (
                vec![(Strange("a"), 3, 0)],
                Strange("a"),
                Some(Duration::seconds(5)),
            ),
            (vec![(Strange("a"), 3, 5)], Strange("a"), None),
            (vec![(Strange("a"), 9, 0)], Strange("a"), Some(15 * minute)),
            (vec![(Strange("a"), 40, 0)], Strange("a"), Some(15 * minute)),
            (vec![(Strange("a"), 40, 86_400)], Strange("a"), None),
            (vec![(Strange("a"), 40, 0)], Strange("b"), None),
            (vec![(Strange("a"), 40, 0)], Known("d"), None),
            (vec![(Strange("a"), 99, 0)], Strange("b"), None),
            (vec![(Strange("a"), 100, 600)], Strange("b"), Some(50 * minute)),
            (
                vec![(Strange("a"), 60, 600), (Strange("b"), 40, 0)],
                Strange("c"),
                Some(50 * minute),
            ),
            (vec![(Strange("a"), 100_000, 0)], Known("d"), None),
            (vec![(Known("d"), 9, 0)], Known("d"), None),
            (vec![(Known("d"), 10, 600)], Known("d"), Some(50 * minute)),
            (vec![(Known("d"), 10, 3_600)], Known("d"), None),
            (vec![(Known("d"), 10, 0)], Known("e"), None),
            (vec![(Known("d"), 10, 0)], Strange("a"), None),
        ] {
            let mut book = Book::default();
            for (place, many, ago) in &so_far {
                for count in sign_in("ana", *place) {
                    let tries = book.0.entry(count.scope).or_default();
                    tries.extend((0..*many).map(|_| START - Duration::seconds(*ago)));
                }
            }
            let found = book.waits(&sign_in("ana", next), START);
            assert_eq!(found, waits, "{so_far:?}, then {next:?}");
            assert_eq!(
                book.waits(&sign_in("bia", next), START),
                None,
                "somebody else's account"
            );
            assert_eq!(
                book.waits(&own_password("s"), START),
                None,
                "whoever is signed in"
            );
        }
    }

    #[test]
    fn the_other_counts() {
        let at = |seconds| START + Duration::seconds(seconds);
        for (count, many, span) in [
            (taken("203.0.113.7"), 5, Duration::HOUR),
            (reset_link("ana"), 1, RESET_PAUSE),
            (correction("ana"), 5, Duration::HOUR),
            (sign_in_told(person(1)), 10, Duration::HOUR),
            (silence_told(person(1)), 3, Duration::HOUR),
            (
                by_staff(person(1), person(2), Caused::Letter).remove(0),
                5,
                Duration::HOUR,
            ),
            (
                by_staff(person(1), person(2), Caused::Change).remove(0),
                20,
                Duration::HOUR,
            ),
            (
                by_staff(person(1), person(2), Caused::Letter).remove(1),
                60,
                Duration::HOUR,
            ),
            (own_password("s").remove(0), 10, Duration::HOUR),
        ] {
            let mut book = Book::default();
            let counts = [count];
            for n in 0..many {
                assert!(book.wrong(&counts, at(n)), "{counts:?} {n}");
            }
            assert!(!book.wrong(&counts, at(many)));
            // As long as until the oldest no longer counts.
            let waits = book.waits(&counts, at(many)).unwrap();
            assert_eq!(at(many) + waits, START + span, "{counts:?}");
        }
    }

    const fn person(n: u128) -> UserId {
        UserId(uuid::Uuid::from_u128(n))
    }

    fn seat(session: Option<u128>, device: Option<&str>, long_known: bool, address: Option<&str>) -> Seat {
        Seat {
            session: session.map(|n| SessionId(uuid::Uuid::from_u128(n))),
            device: device.map(str::to_owned),
            long_known,
            address: address.map(str::to_owned),
        }
    }

    /// How many wrong codes a place takes, with so many of others before it.
    #[test]
    fn codes_belong_to_their_place() {
        let ana = UserId(uuid::Uuid::from_u128(1));
        let home = seat(Some(1), Some("home"), true, None);
        let cases = [
            (home.clone(), 10),
            (seat(None, Some("home"), true, None), 20),
            (seat(None, None, false, Some("203.0.113.7")), 10),
            (seat(Some(2), None, false, None), 10),
            (seat(Some(2), Some("new"), false, None), 10),
        ];
        for (place, most) in &cases {
            for kind in CodeKind::ALL {
                let mut book = Book::default();
                let counts = code(ana, kind, place);
                for n in 0..*most {
                    assert!(book.wrong(&counts, START), "{place:?} {n}");
                }
                assert_eq!(book.waits(&counts, START), Some(Duration::DAY), "{place:?}");
                for other in CodeKind::ALL.into_iter().filter(|other| *other != kind) {
                    assert_eq!(book.waits(&code(ana, other, place), START), None, "{place:?}");
                }
                let elsewhere = seat(Some(9), Some("elsewhere"), false, None);
                assert_eq!(book.waits(&code(ana, kind, &elsewhere), START), None, "{place:?}");
                assert!(counts.iter().all(|c| c.scope.starts_with(&kind.beginning(ana))));
            }
        }
        // Another session of one device: as many again, and no more.
        let mut book = Book::default();
        let mut taken = 0;
        for session in 0..5 {
            let counts = code(
                ana,
                CodeKind::ALL[0],
                &seat(Some(session), Some("home"), true, None),
            );
            taken += (0..15).filter(|_| book.wrong(&counts, START)).count();
        }
        assert_eq!(taken, 20);
    }

    proptest! {
        /// Whatever others do, in however many sessions, devices and addresses: the owner's device takes its tries, and all together get no
        /// more than the bound that docs/rules/identity.md#tries says.
        #[test]
        fn guessing_codes_is_bounded_and_locks_no_owner_out(
            tries in prop::collection::vec((0u8..40, 0u8..3), 0..2_000),
        ) {
            let ana = UserId(uuid::Uuid::from_u128(1));
            let home = code(ana, CodeKind::ALL[0], &seat(Some(1), Some("home"), true, None));
            let (mut book, mut wrong) = (Book::default(), 0);
            for (n, what) in tries {
                let place = match what {
                    // The first few devices are those that are known longest, beside the owner's.
                    0 => seat(Some(100 + u128::from(n)), Some(&format!("device {}", n % 20)), n % 20 < 4, None),
                    1 => seat(None, None, false, Some(&n.to_string())),
                    _ => seat(Some(200 + u128::from(n)), None, false, None),
                };
                wrong += i64::from(book.wrong(&code(ana, CodeKind::ALL[0], &place), START));
                prop_assert_eq!(book.waits(&home, START), None);
            }
            prop_assert!(wrong <= (LONGEST_KNOWN - 1) * DEVICE_CODES + ALL_CODES, "{}", wrong);
        }
    }

    proptest! {
        #[test]
        fn delays_only_grow(n in 0i64..1_000) {
            prop_assert!(password_delay(n) <= password_delay(n + 1));
        }

        /// Whatever strangers do, from however many addresses: the owner's browser tries when it likes, the owner's session too.
        #[test]
        fn strangers_never_hold_up_a_known_device(
            tries in prop::collection::vec((0u8..20, 0i64..400), 0..400),
            own in prop::collection::vec(0i64..7_000, 0..9),
        ) {
            let (mut book, mut now) = (Book::default(), START);
            let mine = sign_in("ana", Place::Known("d"));
            for (from, gap) in &tries {
                now += Duration::seconds(*gap);
                book.wrong(&sign_in("ana", Place::Strange(&from.to_string())), now);
                prop_assert_eq!(book.waits(&mine, now), None);
                prop_assert_eq!(book.waits(&own_password("s"), now), None);
            }
            for gap in own {
                now += Duration::seconds(gap);
                prop_assert!(book.wrong(&mine, now), "fewer than ten of one's own");
            }
            prop_assert_eq!(book.waits(&mine, now), None);
        }

        /// What a guesser gets: ten an hour on a device, twelve from one address, a hundred from everywhere.
        #[test]
        fn guessing_is_bounded(
            tries in prop::collection::vec((0u8..30, any::<bool>(), 0i64..90), 0..600),
        ) {
            let (mut book, mut now) = (Book::default(), START);
            let mut seen: HashMap<String, Vec<OffsetDateTime>> = HashMap::new();
            for (from, known, gap) in tries {
                now += Duration::seconds(gap);
                let name = from.to_string();
                let place = if known { Place::Known(&name) } else { Place::Strange(&name) };
                if book.wrong(&sign_in("ana", place), now) {
                    let kind = if known { "device" } else { "address" };
                    seen.entry(format!("{kind} {name}")).or_default().push(now);
                    if !known {
                        seen.entry("all".into()).or_default().push(now);
                    }
                }
            }
            for (place, tries) in seen {
                let most = match place.split(' ').next() {
                    Some("device") => 10,
                    Some("address") => 12,
                    _ => 100,
                };
                prop_assert!(densest(&tries) <= most, "{place}: {}", densest(&tries));
            }
        }

        /// Nobody learns from a wait whether an address is anybody's: the counts depend on what was typed and from where alone.
        #[test]
        fn a_strange_place_counts_alike_for_everybody(whose in "[a-f0-9]{32}", address in "[0-9.]{7,15}") {
            let counts = sign_in(&whose, Place::Strange(&address));
            prop_assert_eq!(counts.len(), 2);
            prop_assert!(counts.iter().all(|c| c.scope.contains(&whose)));
        }
    }
}
