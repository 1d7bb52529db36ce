//! The network as a whole: a random life of it, closed day by day by the product and by a naive reference, equal to the last digit; a
//! closing that is killed again and again; what the network's pages show.

mod between;
mod closing;
mod effects;
mod equal;
mod fairness;
mod killed;
mod own_sellers;
mod pages;
mod ranks;
mod reference;
mod sales;
pub mod sums;
mod tonight;
mod trading;

use crate::{
    affiliates::outsider,
    identity::people::store_settings,
    kit::{Client, TestApp},
};
use protocol::{
    ids::{LicenceId, UserId},
    money::Usdt,
};
use rand::{Rng, SeedableRng, rngs::StdRng};
use reference::{Network, UNIT};
use serde_json::{Value, json};
use server::{
    affiliates::{
        bonuses::{
            reviews,
            service::{self as bonuses, Undone},
            work,
        },
        closing::service as closings,
        service::{self as affiliates, Leg, NetworkLicence},
    },
    approvals::guard,
    foundation::{business_day, job_queue::Claimed, settings::Settings},
    identity::service::HOUSE,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind},
        service as ledger,
    },
    robots::days,
};
use std::collections::HashMap;
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

/// What lives: a network in the product and the same in the reference.
pub struct Life {
    pub app: TestApp,
    pub network: Network,
    dice: StdRng,
    /// Of whose money is young: apart, so that lives stay what they were.
    young_dice: StdRng,
    /// The product's day of the simulation's day zero.
    first: Date,
    pub day: i64,
    final_sales: Vec<(usize, Uuid)>,
    bases: HashMap<usize, i64>,
    /// Who decides cases.
    compliance: Option<Client>,
    /// Robots by their owners, and the desk's lease.
    robots: HashMap<usize, LicenceId>,
    fence: Option<i64>,
}

impl Life {
    /// A life by a seed: the same ids, the same events.
    pub async fn begin(seed: u64) -> Self {
        let app = TestApp::start().await;
        store_settings(
            &app,
            &Settings {
                unlicensed_places: 1_000,
                ..Settings::default()
            },
        )
        .await;
        // Noon of São Paulo: no step of the simulation crosses a day by itself.
        let now = app.context.now();
        let noon = business_day::start(business_day::of(now)) + Duration::hours(36);
        app.clock.advance(noon - now);
        let first = business_day::of(app.context.now());
        Self {
            app,
            network: Network::new(HOUSE.0),
            dice: StdRng::seed_from_u64(seed),
            young_dice: StdRng::seed_from_u64(seed),
            first,
            day: 0,
            final_sales: Vec::new(),
            bases: HashMap::new(),
            compliance: None,
            robots: HashMap::new(),
            fence: None,
        }
    }

    pub fn date(&self) -> Date {
        self.first + Duration::days(self.day)
    }

    fn id(&mut self) -> Uuid {
        Uuid::from_u128(self.dice.random())
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.dice.random_ratio(percent, 100)
    }

    /// Somebody who is not the house.
    fn anyone(&mut self) -> Option<usize> {
        let count = self.network.members.len();
        (count > 1).then(|| self.dice.random_range(1..count))
    }

    /// So many people, each below somebody who is there; some change the leg for the next.
    pub async fn people(&mut self, count: usize) {
        let mut ids = Vec::new();
        for _ in 0..count {
            ids.push(self.id());
        }
        sqlx::query(
            "INSERT INTO identity.account (id, email, email_key, username, username_key, full_name, created_at, updated_at)
             SELECT id, id || '@network.invalid', id || '@network.invalid', left(replace(id::text, '-', ''), 32),
                    left(replace(id::text, '-', ''), 32), 'Pessoa', now(), now() FROM unnest($1::uuid[]) AS t(id)",
        )
        .bind(&ids)
        .execute(&self.app.sql)
        .await
        .unwrap();
        for id in ids {
            // Few sponsors with many, many with few: chains and bushes.
            let count = self.network.members.len();
            let reach = if self.chance(50) { count } else { count.min(8) };
            let sponsor = self.dice.random_range(0..reach);
            if sponsor > 0 && self.chance(40) {
                let right = self.chance(50);
                self.select(sponsor, right).await;
            }
            self.admit(id, sponsor).await;
        }
    }

    /// Newcomers of somebody stand on this leg from now on.
    pub async fn select(&mut self, who: usize, right: bool) {
        let leg = if right { Leg::Right } else { Leg::Left };
        let user = UserId(self.network.members[who].id);
        affiliates::select_leg(&self.app.context, user, leg)
            .await
            .unwrap();
        self.network.members[who].selected_right = right;
    }

    async fn admit(&mut self, id: Uuid, sponsor: usize) {
        let mut tx = self.app.context.db.begin().await.unwrap();
        let above = UserId(self.network.members[sponsor].id);
        affiliates::admit(&self.app.context, &mut tx, UserId(id), Some(above))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        self.network.join(id, sponsor);
    }

    /// Somebody who signs in, below somebody else.
    pub async fn client_below(&mut self, name: &str, sponsor: usize) -> (usize, Client) {
        let client = outsider(&self.app, name).await;
        self.admit(client.user.0, sponsor).await;
        (self.network.members.len() - 1, client)
    }

    async fn work_off(&self) {
        work::work_off(&self.app.context).await.unwrap();
    }

    /// Money of the house goes into the fund.
    async fn fill_fund(&self, amount: i64) {
        let order = Transfer::new(
            TransferKind::SponsorshipAdd,
            Uuid::now_v7().to_string(),
            Cause::new(CauseKind::User, Uuid::nil()),
            Orderer::System,
        )
        .move_usdt(
            AccountRef::House(HouseAccount::Sponsorship),
            AccountRef::House(HouseAccount::NetworkFund),
            Usdt(amount),
        );
        let mut tx = self.app.context.db.begin().await.unwrap();
        ledger::post(&mut tx, order).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// The reference's clock is the product's.
    fn look_at_clock(&mut self) {
        self.network.now = self.app.context.now().unix_timestamp();
    }

    /// Somebody's money is young.
    async fn pay_in(&mut self, who: usize) {
        let member = UserId(self.network.members[who].id);
        let mut tx = self.app.context.db.begin().await.unwrap();
        guard::note_pix_credit(&mut tx, member, Uuid::now_v7(), Usdt(UNIT))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let until: OffsetDateTime =
            sqlx::query_scalar("SELECT max(until) FROM approvals.young_credit WHERE user_id = $1")
                .bind(member.0)
                .fetch_one(&self.app.sql)
                .await
                .unwrap();
        self.network.credited(who, until.unix_timestamp());
    }

    /// A licence that is bought; the sale is final at once.
    pub async fn sale(&mut self, who: usize, value: i64, ceiling: i64) {
        let young = self.young_dice.random_ratio(1, 4);
        self.sale_of(who, value, ceiling, young).await;
    }

    /// The same, of somebody whose money is young.
    pub async fn sale_of(&mut self, who: usize, value: i64, ceiling: i64, young: bool) {
        let licence = self.id();
        let (value, ceiling) = (value * UNIT, ceiling * UNIT);
        self.look_at_clock();
        if young {
            self.pay_in(who).await;
        }
        self.sold(self.network.members[who].id, licence, value, ceiling)
            .await;
        self.network.buy(who, licence, value, ceiling);
        self.network.sale_final(self.day, who, licence, value);
        self.final_sales.push((who, licence));
    }

    /// The product's part of it.
    async fn sold(&self, member: Uuid, licence: Uuid, value: i64, ceiling: i64) {
        let member = UserId(member);
        self.fill_fund(value * 3 / 4).await;
        let mut tx = self.app.context.db.begin().await.unwrap();
        let bought = NetworkLicence {
            id: LicenceId(licence),
            member,
            value: Usdt(value),
            ceiling: Usdt(ceiling),
            active: true,
        };
        affiliates::licence_changed(&self.app.context, &mut tx, &bought)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let mut tx = self.app.context.db.begin().await.unwrap();
        affiliates::sale_final(
            &self.app.context,
            &mut tx,
            LicenceId(licence),
            member,
            Usdt(value),
            self.date(),
        )
        .await
        .unwrap();
        tx.commit().await.unwrap();
        self.work_off().await;
    }

    /// A final sale is taken back.
    pub async fn take_back(&mut self, at: usize) {
        let licence = self.undo_sale(at).await;
        self.work_off().await;
        self.network.sale_undone(self.day, licence);
    }

    /// The last final sale of somebody.
    fn sale_by(&self, who: usize) -> usize {
        self.final_sales
            .iter()
            .rposition(|(seller, _)| *seller == who)
            .unwrap()
    }

    /// The product's part of it: what follows is still to be worked off.
    async fn undo_sale(&mut self, at: usize) -> Uuid {
        let (who, licence) = self.final_sales.swap_remove(at);
        let own = self.network.members[who]
            .licences
            .iter()
            .find(|l| l.id == licence)
            .cloned()
            .unwrap();
        let member = UserId(self.network.members[who].id);
        let undone = Undone {
            member,
            since: self.app.context.now(),
            losses: HouseAccount::PixLosses,
        };
        let ended = NetworkLicence {
            id: LicenceId(licence),
            member,
            value: Usdt(own.value),
            ceiling: Usdt(own.ceiling),
            active: false,
        };
        let mut tx = self.app.context.db.begin().await.unwrap();
        affiliates::sale_undone(&mut tx, LicenceId(licence), &undone)
            .await
            .unwrap();
        affiliates::licence_changed(&self.app.context, &mut tx, &ended)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        licence
    }

    /// More of somebody's own capital is at work than before, or less.
    pub async fn allocate(&mut self, who: usize, change: i64) {
        let base = self.bases.entry(who).or_default();
        *base = (*base + change).max(0);
        let base = *base;
        self.look_at_clock();
        let member = UserId(self.network.members[who].id);
        let mut tx = self.app.context.db.begin().await.unwrap();
        let peak = bonuses::peak(&mut tx, member).await.unwrap();
        bonuses::base_changed(&mut tx, peak, LicenceId(Uuid::nil()), Usdt(base))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        self.work_off().await;
        self.network.base_changed(self.day, who, base);
    }

    /// A credit of so many days ago is reversed, and takes of somebody's capital at work.
    async fn take_capital(&mut self, who: usize, most: i64, days: i64) {
        let base = self.bases.entry(who).or_default();
        let amount = most.min(*base);
        *base -= amount;
        let base = *base;
        if amount == 0 {
            return;
        }
        let member = UserId(self.network.members[who].id);
        // Between two noons, however long a killed closing has held its lease.
        let since = self.app.context.now() - Duration::days(days) - Duration::hours(12);
        let undone = Undone {
            member,
            since,
            losses: HouseAccount::ChainLosses,
        };
        let mut tx = self.app.context.db.begin().await.unwrap();
        let peak = bonuses::peak(&mut tx, member).await.unwrap();
        bonuses::capital_undone(&mut tx, peak, Usdt(amount), &undone, Usdt(base))
            .await
            .unwrap();
        tx.commit().await.unwrap();
        self.work_off().await;
        self.network
            .capital_undone(who, amount, since.unix_timestamp(), base);
    }

    /// Somebody shares a payer with whoever brought it, as those do whom a rule must hold.
    async fn relate(&mut self, who: usize) {
        let Some(sponsor) = self.network.members[who].sponsor.filter(|above| *above > 0) else {
            return;
        };
        self.relate_to(who, sponsor).await;
    }

    /// Two share a payer from now on.
    async fn relate_to(&mut self, who: usize, other: usize) {
        let payer = self.id();
        for at in [who, other] {
            sqlx::query("INSERT INTO approvals.payer (payer, user_id, at) VALUES (sha256($1::text::bytea), $2, now())")
                .bind(payer)
                .bind(self.network.members[at].id)
                .execute(&self.app.sql)
                .await
                .unwrap();
        }
        self.network.relate(who, other);
    }

    /// What chance does not bring every time: capital goes back in part, a bonus waits and is paid, what is held is set free and refused.
    pub async fn what_is_rare(&mut self) {
        self.fill(1_000_000).await;
        let (above, _) = self.client_below("above", 0).await;
        let (below, _) = self.client_below("below", above).await;
        self.sale_of(above, 1_000, 50_000, false).await;
        self.allocate(below, 100 * UNIT).await;
        self.take_capital(below, 40 * UNIT, 1).await;
        self.drain().await;
        self.allocate(below, 300 * UNIT).await;
        self.fill(1_000).await;
        while self.decide(true).await {}
        self.relate(below).await;
        for cleared in [false, true] {
            self.sale_of(below, 100, 500, false).await;
            assert!(self.decide(cleared).await);
        }
    }

    /// The house puts so much into the fund, and what waits is paid.
    async fn fill(&mut self, usdt: i64) {
        self.fill_fund(usdt * UNIT).await;
        self.work_off().await;
        self.network.fund += usdt * UNIT;
        self.network.pay_queue();
    }

    /// A person decides the oldest case of bonuses; whether there was one.
    async fn decide(&mut self, cleared: bool) -> bool {
        let Some((case, receiver, source)): Option<(Uuid, Uuid, Uuid)> = sqlx::query_as(
            "SELECT case_id, receiver, source FROM affiliates.review WHERE status = 'open' ORDER BY opened_at, id LIMIT 1",
        )
        .fetch_optional(&self.app.sql)
        .await
        .unwrap() else {
            return false;
        };
        let person = match self.compliance.take() {
            Some(person) => self.app.renew(&person),
            None => self.app.admin("fiscal").await,
        };
        let worth: i64 = sqlx::query_scalar("SELECT usdt FROM approvals.compliance_case WHERE id = $1")
            .bind(case)
            .fetch_one(&self.app.sql)
            .await
            .unwrap();
        let order = json!({ "id": case, "cleared": cleared, "note": "Visto", "value": Usdt(worth) });
        let reply = person.patch("/admin/compliance/cases", &order).await;
        assert_eq!(reply.status, 204, "{}", reply.body);
        self.compliance = Some(person);
        // The job of the decision alone: others would close days.
        let (id, effect, payload): (i64, String, Value) = sqlx::query_as(
            "SELECT id, effect, payload::jsonb FROM foundation.job WHERE kind = $1 ORDER BY id DESC LIMIT 1",
        )
        .bind(reviews::DECIDED)
        .fetch_one(&self.app.sql)
        .await
        .unwrap();
        let job = Claimed {
            id,
            kind: reviews::DECIDED.to_owned(),
            effect,
            payload,
            attempts: 1,
            max_attempts: 5,
        };
        reviews::decided(&self.app.context, &job).await.unwrap();
        self.work_off().await;
        let at = |id: Uuid| self.network.members.iter().position(|m| m.id == id).unwrap();
        let (receiver, source) = (at(receiver), at(source));
        self.network.decided(receiver, source, cleared);
        true
    }

    /// The fund is nearly empty: what comes next waits.
    async fn drain(&mut self) {
        let left = self.dice.random_range(0..UNIT);
        crate::bonuses::fund_holds(&self.app, left.min(self.network.fund)).await;
        self.network.fund = left.min(self.network.fund);
    }

    /// What a robot of somebody brought or lost, as the day counted it: what a page shows needs no operation behind it.
    pub async fn gain(&mut self, who: usize, amount: i64) {
        self.gain_of(who, amount).await;
    }

    /// The same, and which robot.
    async fn gain_of(&mut self, who: usize, amount: i64) -> Uuid {
        if self.young_dice.random_ratio(1, 4) {
            self.pay_in(who).await;
        }
        let licence = self.id();
        sqlx::query(
            "WITH day AS (
                 INSERT INTO robots.day_result (licence, mode, day, owner, gain, loss, fees, operations, hits)
                 VALUES ($1, 'simulated', $2, $3, greatest($4, 0), greatest(-$4, 0), 0, 1, 0))
             SELECT affiliates.leave_results($2, $5, ARRAY[$3::uuid], ARRAY[$4::bigint])",
        )
        .bind(licence)
        .bind(self.date())
        .bind(self.network.members[who].id)
        .bind(amount)
        .bind(self.app.context.now())
        .execute(&self.app.sql)
        .await
        .unwrap();
        self.network.gained(who, amount);
        licence
    }

    pub async fn set_active(&mut self, who: usize, active: bool) {
        sqlx::query("UPDATE identity.account SET status = CASE WHEN $2 THEN 'active' ELSE 'inactive' END WHERE id = $1")
            .bind(self.network.members[who].id)
            .bind(active)
            .execute(&self.app.sql)
            .await
            .unwrap();
        self.network.members[who].account_inactive = !active;
    }

    /// A random day: people, purchases, capital, gains, reversals, people who stand still and come back.
    pub async fn live(&mut self, newcomers: usize, events: usize) {
        self.people(newcomers).await;
        for _ in 0..events {
            let Some(who) = self.anyone() else {
                continue;
            };
            match self.dice.random_range(0..100) {
                0..35 => {
                    let value = [50, 100, 250, 500, 1_000, 5_000][self.dice.random_range(0..6)];
                    // Some ceilings are soon reached.
                    let ceiling = if self.chance(20) { value / 10 } else { value * 5 };
                    self.sale(who, value, ceiling).await;
                }
                35..60 => {
                    let amount = self.dice.random_range(-3_000_000..5_000_000);
                    if amount != 0 {
                        self.trade(who, amount).await;
                    }
                }
                60..75 => {
                    let change = self.dice.random_range(-50_000_000..200_000_000);
                    self.allocate(who, change).await;
                }
                75..80 => {
                    let active = self.chance(60);
                    self.set_active(who, active).await;
                }
                80..84 if !self.final_sales.is_empty() => {
                    let at = self.dice.random_range(0..self.final_sales.len());
                    self.take_back(at).await;
                }
                84..88 => {
                    let amount = self.dice.random_range(1..150_000_000);
                    let days = self.dice.random_range(0..30);
                    self.take_capital(who, amount, days).await;
                }
                88..92 => self.relate(who).await,
                92..97 => {
                    let cleared = self.chance(50);
                    self.decide(cleared).await;
                }
                97..99 => self.drain().await,
                _ => {}
            }
        }
    }

    /// The day ends: the clock goes past its closing.
    pub fn sleep(&mut self) {
        self.app.clock.advance(Duration::days(1));
    }

    /// Both close the day.
    pub async fn close(&mut self) {
        self.sleep();
        assert_eq!(
            closings::close_due(&self.app.context, days::results_of)
                .await
                .unwrap(),
            1
        );
        self.closed().await;
    }

    /// The product has closed the day: so does the reference, and the next begins.
    pub async fn closed(&mut self) {
        self.work_off().await;
        self.look_at_clock();
        let ends = business_day::start(self.date() + Duration::days(1)).unix_timestamp();
        self.network.close(self.day, ends);
        self.network.pay_queue();
        self.day += 1;
    }

    /// Whoever books a bonus waits until this ends.
    async fn hold_fund(&self) -> sqlx::Transaction<'static, sqlx::Postgres> {
        let mut held = self.app.sql.begin().await.unwrap();
        sqlx::query("SELECT FROM affiliates.fund FOR UPDATE")
            .execute(&mut *held)
            .await
            .unwrap();
        held
    }
}
