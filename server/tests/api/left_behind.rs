//! What is taken back of somebody who has closed their account: as of anybody else, but nothing comes to who has left. The house keeps it.

use crate::{
    affiliates::beneath,
    bonuses::{consistent, first, sell, works},
    claw_back::{credited, moved, of, reverse, worth},
    copying::noon,
    guard::settings,
    kit::{Client, TestApp},
    licences::{exact, fund, house},
    results_reversed::{made, reverse as reverse_result},
    robots::robot,
};
use protocol::money::Usdt;
use rand::{Rng, SeedableRng, rngs::StdRng};
use serde_json::json;
use server::ledger::{
    model::{AccountRef, HouseAccount, UserAccount},
    verify,
};
use time::Duration;

/// As who leaves does: out of the robot and of the licence.
async fn take_out(app: &TestApp, user: &Client, licence: &str, value: i64) {
    let value = value.to_string();
    let user = app.renew(user);
    let back = json!({ "from": licence, "value": value });
    user.post("/trader/relocate-value", &back).await.ok();
    let out = json!({ "licence": licence, "value": value });
    user.post("/licences/capital-withdraw", &out).await.ok();
}

/// All of a balance leaves the platform, and the account is closed.
async fn leave(app: &TestApp, user: &Client) {
    let rest = of(app, user, UserAccount::Available).await / 1_000_000;
    let own = AccountRef::User(user.user, UserAccount::Available);
    if rest > 0 {
        moved(app, own, AccountRef::House(HouseAccount::Sponsorship), rest).await;
    }
    assert_eq!(worth(app, user).await, 0, "closed empty");
    sqlx::query("UPDATE identity.account SET status = 'closed', closed_at = $2 WHERE id = $1")
        .bind(user.user.0)
        .bind(app.context.now())
        .execute(&app.sql)
        .await
        .unwrap();
}

async fn whole(app: &TestApp) {
    exact(app).await;
    let report = verify::verify(&app.context.db).await.unwrap();
    assert!(report.exact, "{report}");
}

/// The sponsor has no bonus of a sale that was paid with money that never was; what the sale gives beyond the credit is the house's.
#[actix_web::test]
async fn a_sale_of_who_has_left_is_undone_too() {
    let app = TestApp::start().await;
    settings(&app, |s| s.lot_locked_days = 0).await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let deposit = credited(&app, &bia, &admin, "60", 1).await;
    fund(&app, &bia, UserAccount::Available, 140).await;
    let licence = sell(&bia, 100).await;
    works(&app).await;
    assert_eq!(
        of(&app, &ana, UserAccount::Bonus).await,
        15_000_000,
        "5 for the sale, 10 for the rise"
    );
    take_out(&app, &bia, &licence, 100).await;
    leave(&app, &bia).await;

    reverse(&admin, &deposit).await.ok();
    works(&app).await;
    // 20 of sales and 40 of the network's fund go back to the bank; 20 and the graduations' 5 are what is left of the sale.
    for (account, holds) in [
        (HouseAccount::LicenceSales, 0),
        (HouseAccount::GraduationFund, 0),
        (HouseAccount::PixLosses, 0),
        (HouseAccount::LeftBehind, 25),
        (HouseAccount::NetworkFund, 5),
    ] {
        assert_eq!(house(&app, account).await, Usdt::whole(holds), "{account:?}");
    }
    assert_eq!(worth(&app, &bia).await, 0, "nothing comes, nothing is owed");
    assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 10_000_000);
    let state: String = sqlx::query_scalar("SELECT state FROM licences.licence WHERE id = $1::uuid")
        .bind(&licence)
        .fetch_one(&app.sql)
        .await
        .unwrap();
    assert_eq!(state, "reversed");
    let points: i64 =
        sqlx::query_scalar("SELECT sum(points)::bigint FROM affiliates.points WHERE member = $1")
            .bind(bia.user.0)
            .fetch_one(&app.sql)
            .await
            .unwrap();
    assert_eq!(points, 0);
    let report = app.renew(&admin).get("/admin/solvency").await.ok();
    assert_eq!(report["receivable"], "0.000000");
    consistent(&app).await;
    whole(&app).await;
}

/// Whatever was bought, and whatever the funds have paid meanwhile: the amount goes back, who has left has nothing, and the books are exact.
#[actix_web::test]
async fn whatever_who_has_left_did_nothing_comes_to_them() {
    let app = TestApp::start().await;
    settings(&app, |s| s.lot_locked_days = 0).await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    for seed in 0..6_u8 {
        let mut dice = StdRng::seed_from_u64(seed.into());
        let bia = beneath(&app, &format!("person{seed}"), ana.user).await;
        let amount = dice.random_range(20..250_i64);
        let deposit = credited(&app, &bia, &admin, &amount.to_string(), seed + 1).await;
        fund(&app, &bia, UserAccount::Available, 400 - amount).await;
        let mut bought = Vec::new();
        for _ in 0..dice.random_range(1..3) {
            let rise = dice.random_range(10..90);
            bought.push((sell(&bia, rise).await, rise));
        }
        works(&app).await;
        for (licence, rise) in &bought {
            take_out(&app, &bia, licence, *rise).await;
        }
        if dice.random() {
            let paid = dice.random_range(1..20);
            let network = AccountRef::House(HouseAccount::NetworkFund);
            moved(&app, network, AccountRef::House(HouseAccount::Sponsorship), paid).await;
        }
        leave(&app, &bia).await;
        let houses = async || -> i64 {
            let mut sum = Usdt::ZERO;
            for account in [
                HouseAccount::LicenceSales,
                HouseAccount::NetworkFund,
                HouseAccount::GraduationFund,
                HouseAccount::PixLosses,
                HouseAccount::LeftBehind,
            ] {
                sum += house(&app, account).await;
            }
            sum.0
        };
        let before = houses().await;
        reverse(&admin, &deposit).await.ok();
        let owed = of(&app, &bia, UserAccount::Debt).await;
        assert_eq!(houses().await + owed, before - amount * 1_000_000, "seed {seed}");
        assert_eq!(worth(&app, &bia).await, owed, "seed {seed}");
        assert!(
            of(&app, &bia, UserAccount::Available).await == 0 && owed <= 0,
            "seed {seed}"
        );
        works(&app).await;
        consistent(&app).await;
    }
    whole(&app).await;
}

/// The day of a wrong loss is still open when its bearer leaves: it comes back, and lies where nobody can reach it no moment.
#[actix_web::test]
async fn a_loss_that_comes_back_for_who_has_left_is_the_houses() {
    let app = TestApp::start().await;
    noon(&app);
    settings(&app, |s| s.lot_locked_days = 0).await;
    let (ana, rui, eva) = (
        app.user("ana").await,
        app.admin("rui").await,
        app.admin("eva").await,
    );
    let licence = robot(&app, &ana, 100).await;
    app.clock.advance(Duration::minutes(2));
    let wrong = made(&app, &ana, licence, -2_000_000).await;
    take_out(&app, &ana, &licence.to_string(), 98).await;
    leave(&app, &ana).await;

    let why = "Preço errado da corretora";
    reverse_result(&app, &rui, licence, wrong, why).await.ok();
    let done = reverse_result(&app, &eva, licence, wrong, "").await.ok();
    assert_eq!(done["reversed"], true, "{done}");
    assert_eq!(house(&app, HouseAccount::LeftBehind).await, Usdt::whole(2));
    assert_eq!(worth(&app, &ana).await, 0);
    let stands: (i64, i64, i64, i64) = sqlx::query_as(
        "SELECT topup, allocated, losses, (SELECT coalesce(sum(amount), 0)::bigint FROM licences.lot WHERE licence = l.id)
         FROM licences.licence l WHERE id = $1",
    )
    .bind(licence.0)
    .fetch_one(&app.sql)
    .await
    .unwrap();
    assert_eq!(stands, (0, 0, 0, 0));
    reverse_result(&app, &rui, licence, wrong, "de novo")
        .await
        .refused(409, "result.reversed");
    whole(&app).await;
}
