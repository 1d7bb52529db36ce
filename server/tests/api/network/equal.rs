//! The product's network beside the reference's, to the last digit.

use super::{
    Life,
    reference::{self, Match},
    sums,
};
use server::ledger::{
    model::{AccountRef, HouseAccount},
    service as ledger,
};
use std::collections::{BTreeMap, HashMap};
use time::{Date, OffsetDateTime};
use uuid::Uuid;

impl Life {
    /// The product's network is the reference's, to the last digit.
    pub async fn equal(&self) {
        let names: HashMap<Uuid, usize> = self
            .network
            .members
            .iter()
            .enumerate()
            .map(|(at, m)| (m.id, at))
            .collect();
        let ours = self.bonuses(&names).await;
        let mut theirs = self.network.bonuses.clone();
        // Of a day that was closed late they came after those of the next; within a day they stand as they came.
        theirs.sort_by_key(|b| b.day);
        for (at, (a, b)) in ours.iter().zip(&theirs).enumerate() {
            let b = reference::Bonus {
                of: reference::Of::default(),
                ..b.clone()
            };
            assert_eq!(*a, b, "bonus {at} of day {}", self.day);
        }
        assert_eq!(ours.len(), theirs.len(), "day {}", self.day);
        sums::equal(&self.app).await;
        self.legs_equal().await;
        self.matches_equal().await;
        self.ranks_equal().await;
        self.money_equal(&names).await;
    }

    async fn bonuses(&self, names: &HashMap<Uuid, usize>) -> Vec<reference::Bonus> {
        type Row = (
            Date,
            Uuid,
            Option<Uuid>,
            String,
            i16,
            i64,
            i64,
            i64,
            i64,
            i64,
            Option<String>,
            i64,
            i64,
            Option<OffsetDateTime>,
            Option<String>,
        );
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT business_day, receiver, source, kind, level, base, gross, paid, waiting, lost, lost_reason, dropped, returned, young_until,
                    (SELECT r.status FROM affiliates.review r WHERE r.id = review)
             FROM affiliates.bonus ORDER BY business_day, booked_at, id",
        )
        .fetch_all(&self.app.sql)
        .await
        .unwrap();
        rows.into_iter()
            .map(|r| reference::Bonus {
                day: (r.0 - self.first).whole_days(),
                receiver: names[&r.1],
                source: r.2.map(|s| names[&s]),
                kind: word(
                    &r.3,
                    &["level", "direct_sale", "indirect_sale", "residual", "binary"],
                ),
                level: r.4,
                base: r.5,
                gross: r.6,
                paid: r.7,
                waiting: r.8,
                lost: r.9,
                reason: r.10.map(|reason| word(&reason, &REASONS)),
                dropped: r.11,
                returned: r.12,
                young_until: r.13.map(OffsetDateTime::unix_timestamp),
                review: r.14.map(|status| word(&status, &["open", "cleared", "refused"])),
                of: reference::Of::default(),
            })
            .collect()
    }

    async fn legs_equal(&self) {
        let rows: Vec<(Uuid, i64, i64)> = sqlx::query_as(
            "SELECT n.member, coalesce(p.left_points[n.no % 256 + 1], 0), coalesce(p.right_points[n.no % 256 + 1], 0)
             FROM affiliates.node n LEFT JOIN LATERAL (
                 SELECT left_points, right_points FROM affiliates.leg_points WHERE segment = n.no / 256 ORDER BY day DESC LIMIT 1) p ON true",
        )
        .fetch_all(&self.app.sql)
        .await
        .unwrap();
        let ours: HashMap<Uuid, (i64, i64)> = rows.into_iter().map(|(id, l, r)| (id, (l, r))).collect();
        for member in self.network.members.iter().skip(1) {
            let leg = |leg: usize| member.carry[leg] - member.owed[leg];
            assert_eq!(ours[&member.id], (leg(0), leg(1)), "legs after day {}", self.day);
        }
    }

    async fn matches_equal(&self) {
        type Row = (Date, Uuid, i64, i64, i64, i64, Option<String>);
        let rows: Vec<Row> = sqlx::query_as(
            "SELECT c.day, m.member, m.left_points, m.right_points, m.matched, m.lost, m.lost_reason
             FROM affiliates.match m JOIN affiliates.closing c ON c.id = m.closing",
        )
        .fetch_all(&self.app.sql)
        .await
        .unwrap();
        let ours: BTreeMap<(i64, Uuid), Match> = rows
            .into_iter()
            .map(|(day, member, left, right, matched, lost, reason)| {
                let one = Match {
                    left,
                    right,
                    matched,
                    lost,
                    reason: reason.map(|r| word(&r, &REASONS)),
                };
                (((day - self.first).whole_days(), member), one)
            })
            .collect();
        assert_eq!(ours, self.network.matches);
    }

    async fn ranks_equal(&self) {
        let rows: Vec<(Uuid, i16, i64, i64, Date)> =
            sqlx::query_as("SELECT member, rank, threshold, amount, business_day FROM affiliates.graduation")
                .fetch_all(&self.app.sql)
                .await
                .unwrap();
        let ours: BTreeMap<(Uuid, i16), (i64, i64, i64)> = rows
            .into_iter()
            .map(|(member, rank, threshold, amount, day)| {
                (
                    (member, rank),
                    (threshold, amount, (day - self.first).whole_days()),
                )
            })
            .collect();
        assert_eq!(ours, self.network.graduations);
        let rows: Vec<(Uuid, i64, i16)> =
            sqlx::query_as("SELECT member, paid_points, rank FROM affiliates.standing")
                .fetch_all(&self.app.sql)
                .await
                .unwrap();
        let ours: HashMap<Uuid, (i64, i16)> = rows.into_iter().map(|(id, p, r)| (id, (p, r))).collect();
        for member in &self.network.members {
            let standing = ours.get(&member.id).copied().unwrap_or_default();
            assert_eq!(standing, (member.paid_points, member.rank));
        }
    }

    /// What was paid lies in `bonus`, what was not in the fund, and the books are exact.
    async fn money_equal(&self, names: &HashMap<Uuid, usize>) {
        let fund = ledger::usdt_balance(
            self.app.context.db.pool(),
            AccountRef::House(HouseAccount::NetworkFund),
        )
        .await
        .unwrap();
        assert_eq!(fund.0, self.network.fund, "the fund after day {}", self.day);
        let mut due: HashMap<usize, i64> = HashMap::new();
        for bonus in &self.network.bonuses {
            *due.entry(bonus.receiver).or_default() += bonus.paid - bonus.returned;
        }
        let rows: Vec<(Uuid, i64)> = sqlx::query_as(
            "SELECT owner, balance::bigint FROM ledger.account WHERE owner_kind = 'user' AND name = 'bonus' AND balance <> 0",
        )
        .fetch_all(&self.app.sql)
        .await
        .unwrap();
        let ours: HashMap<usize, i64> = rows.into_iter().map(|(id, b)| (names[&id], b)).collect();
        due.retain(|_, amount| *amount != 0);
        assert_eq!(ours, due);
        let report = server::ledger::verify::verify(&self.app.context.db)
            .await
            .unwrap();
        assert!(report.exact, "{report}");
    }
}

const REASONS: [&str; 4] = ["inactive", "not_qualified", "network_ceiling", "daily_cap"];

fn word(text: &str, of: &[&'static str]) -> &'static str {
    of.iter().copied().find(|w| *w == text).unwrap()
}
