//! Bonuses in a market of their own: no order of actions makes money of nothing.

use crate::{
    affiliates::beneath,
    bonuses::{PLAN_100, consistent, sell, withdraw, works},
    bonuses_related::relate,
    claw_back::{credited, of, reverse, worth},
    identity::people::store_settings,
    kit::{Client, TestApp},
    licences::{earn, house},
};
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::{Value, json};
use server::{
    affiliates::{
        closing::service as closings,
        service::{self as affiliates, Leg},
    },
    foundation::{business_day, settings::Settings},
    identity::service::HOUSE,
    ledger::model::{HouseAccount, UserAccount},
    robots::days,
};
use time::Duration;
use uuid::Uuid;

/// People who put in, earn, sell, are paid by their network and by closings, and whose deposits are taken back, in any order.
struct Market {
    app: TestApp,
    admin: Client,
    random: StdRng,
    people: Vec<Client>,
    deposits: Vec<Value>,
    /// What deposits and the market brought, less what was taken back and lost.
    put_in: i64,
    credits: u8,
}

impl Market {
    /// The first two, left and right of each other below the third, share a payer with it; ranks are reached soon.
    async fn begin(seed: u64) -> Self {
        let app = TestApp::start().await;
        store_settings(
            &app,
            &Settings {
                graduation_bronze: 20,
                graduation_prata: 100,
                graduation_ouro: 400,
                ..Settings::default()
            },
        )
        .await;
        // Noon of São Paulo: nothing here crosses a day by itself.
        let now = app.context.now();
        let noon = business_day::start(business_day::of(now)) + Duration::hours(36);
        app.clock.advance(noon - now);
        let admin = app.admin("root").await;
        let mut random = StdRng::seed_from_u64(seed);
        let first = beneath(&app, "m0", HOUSE).await;
        let top = first.user;
        let mut people = vec![first];
        for (n, leg) in [Leg::Left, Leg::Right].into_iter().enumerate() {
            affiliates::select_leg(&app.context, top, leg).await.unwrap();
            people.push(beneath(&app, &format!("m{}", n + 1), top).await);
        }
        for n in 3..6 {
            let sponsor = people[random.random_range(0..people.len())].user;
            people.push(beneath(&app, &format!("m{n}"), sponsor).await);
        }
        relate(&app, &people[0], &people[1]).await;
        let mut market = Self {
            app,
            admin,
            random,
            people,
            deposits: Vec::new(),
            put_in: 0,
            credits: 0,
        };
        // A day on which everything happens: sales on both legs, gains, and all kinds of bonuses.
        for who in 0..3 {
            market.credit(who).await;
            let user = market.app.renew(&market.people[who]);
            let licence = sell(&user, 60).await;
            market.gain(who, &licence, 20).await;
            market.holds("the first day").await;
        }
        market.close().await;
        market.holds("the first closing").await;
        market
    }

    async fn credit(&mut self, who: usize) {
        self.credits += 1;
        let (user, admin) = (self.app.renew(&self.people[who]), self.app.renew(&self.admin));
        let deposit = credited(&self.app, &user, &admin, "250", self.credits).await;
        self.deposits.push(deposit);
        self.put_in += 250_000_000;
    }

    /// What a robot brings or loses: the market puts it in, as far as the licence takes it.
    async fn gain(&mut self, who: usize, licence: &str, value: i64) {
        let user = &self.people[who];
        let before = worth(&self.app, user).await;
        earn(&self.app, licence, value).await;
        let brought = worth(&self.app, user).await - before;
        self.put_in += brought;
        sqlx::query(
            "INSERT INTO robots.day_result AS d (licence, mode, day, owner, gain, loss, fees, operations, hits)
             VALUES ($1, 'simulated', $2, $3, greatest($4, 0), greatest(-$4, 0), 0, 1, 0)
             ON CONFLICT (licence, mode, day) DO UPDATE SET gain = d.gain + excluded.gain, loss = d.loss + excluded.loss",
        )
        .bind(licence.parse::<Uuid>().unwrap())
        .bind(business_day::of(self.app.context.now()))
        .bind(user.user.0)
        .bind(brought)
        .execute(&self.app.sql)
        .await
        .unwrap();
    }

    async fn close(&mut self) {
        self.app.clock.advance(Duration::DAY);
        closings::close_due(&self.app.context, days::results_of)
            .await
            .unwrap();
    }

    async fn act(&mut self) {
        let who = self.random.random_range(0..self.people.len());
        let user = self.app.renew(&self.people[who]);
        let admin = self.app.renew(&self.admin);
        let licences = user.get("/get-user-licenses").await.ok();
        let licences = licences["data"].as_array().unwrap();
        let any = (!licences.is_empty()).then(|| {
            let at = self.random.random_range(0..licences.len());
            licences[at]["_id"].clone()
        });
        let number = self.random.random_range(1..120);
        let value = number.to_string();
        match self.random.random_range(0..13) {
            0 | 1 if self.credits < 16 => self.credit(who).await,
            2 => {
                user.post(
                    "/licences/buy",
                    &json!({ "plan": PLAN_100, "riskAccepted": true }),
                )
                .await;
            }
            3 => {
                user.post("/licences/topup", &json!({ "licence": any, "value": value }))
                    .await;
            }
            4 | 5 => {
                user.post(
                    "/trader/allocate-value-in-trading",
                    &json!({ "licence": any, "value": value }),
                )
                .await;
            }
            6 => {
                user.post("/trader/relocate-value", &json!({ "from": any, "value": value }))
                    .await;
            }
            7 | 8 => {
                let bonus = of(&self.app, &user, UserAccount::Bonus).await;
                let part = Usdt(bonus / self.random.random_range(1..4));
                withdraw(&user, &part.to_string()).await;
            }
            9 => {
                let at_work = licences.iter().find(|l| l["allocated"] != "0.000000");
                if let Some(licence) = at_work {
                    let licence = licence["_id"].as_str().unwrap().to_owned();
                    let value = self.random.random_range(1..30);
                    self.gain(who, &licence, value).await;
                }
            }
            10 | 11 => self.close().await,
            _ if !self.deposits.is_empty() => {
                let at = self.random.random_range(0..self.deposits.len());
                let deposit = self.deposits.swap_remove(at);
                if reverse(&admin, &deposit).await.status == 200 {
                    self.put_in -= 250_000_000;
                }
            }
            _ => self.app.clock.advance(Duration::hours(2)),
        }
        works(&self.app).await;
    }

    /// All together have no more than was put in, and the fund has paid no more than it held.
    async fn holds(&self, when: &str) {
        works(&self.app).await;
        let mut all = 0;
        for one in &self.people {
            all += worth(&self.app, one).await;
        }
        assert!(all <= self.put_in, "{when}: {all} of {}", self.put_in);
        let fund = house(&self.app, HouseAccount::NetworkFund).await;
        assert!(!fund.is_negative(), "{when}: the fund has {fund}");
        consistent(&self.app).await;
    }
}

/// No order of actions makes all accounts together take out more than they put in, and nothing is paid beyond what the fund holds: sales,
/// gains, closings with residual and binary bonuses and ranks, claw-backs, withdrawals of bonuses.
#[actix_web::test]
async fn nobody_takes_out_more_than_was_put_in() {
    let mut returned = 0;
    for seed in 0..3u64 {
        let mut market = Market::begin(seed).await;
        for kind in ["direct_sale", "level", "residual", "binary"] {
            let paid: i64 = sqlx::query_scalar(
                "SELECT coalesce(sum(paid), 0)::bigint FROM affiliates.bonus WHERE kind = $1",
            )
            .bind(kind)
            .fetch_one(&market.app.sql)
            .await
            .unwrap();
            assert!(paid > 0, "seed {seed}: no {kind}");
        }
        let ranks: i64 = sqlx::query_scalar("SELECT count(*) FROM affiliates.graduation")
            .fetch_one(&market.app.sql)
            .await
            .unwrap();
        assert!(ranks > 0, "seed {seed}: no rank");
        for step in 0..50 {
            market.act().await;
            market.holds(&format!("seed {seed}, step {step}")).await;
        }
        let back: i64 = sqlx::query_scalar("SELECT coalesce(sum(returned), 0)::bigint FROM affiliates.bonus")
            .fetch_one(&market.app.sql)
            .await
            .unwrap();
        returned += back;
    }
    assert!(returned > 0, "claw-backs reached bonuses");
}
