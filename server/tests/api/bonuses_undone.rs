//! Bonuses of what was taken back: a sale, and capital at work.

use crate::{
    affiliates::beneath,
    bonuses::{consistent, first, sell, withdraw, works},
    claw_back::{credited, of, reverse},
    kit::{Client, TestApp},
    licences::{fund, house},
};
use protocol::money::Usdt;
use serde_json::json;
use server::{
    affiliates::bonuses::service,
    ledger::{
        model::{AccountRef, Cause, CauseKind, HouseAccount, Orderer, Transfer, TransferKind, UserAccount},
        service as ledger,
    },
};
use time::Duration;

#[actix_web::test]
async fn a_sale_that_is_taken_back_takes_its_bonuses_and_points() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    let deposit = credited(&app, &bia, &admin, "200", 1).await;
    let licence = sell(&bia, 100).await;
    works(&app).await;
    app.clock.advance(Duration::hours(73));
    let (ana, admin) = (app.renew(&ana), app.renew(&admin));
    // 12 of 15 leave: what is not there any more is owed, against the losses.
    withdraw(&ana, "12").await.ok();
    let before = house(&app, HouseAccount::Sponsorship).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let spent = Transfer::new(
        TransferKind::SponsorshipRemove,
        "spent",
        Cause::new(CauseKind::User, ana.user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::User(ana.user, UserAccount::Available),
        AccountRef::House(HouseAccount::Sponsorship),
        Usdt::whole(11),
    );
    ledger::post(&mut tx, spent).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        house(&app, HouseAccount::Sponsorship).await,
        before + Usdt::whole(11)
    );
    // Nothing is allocated any more: the reversal reaches the sale.
    let bia = app.renew(&bia);
    bia.post(
        "/trader/relocate-value",
        &json!({ "from": licence, "value": "100" }),
    )
    .await
    .ok();
    reverse(&admin, &deposit).await.ok();
    works(&app).await;
    // 5 for the sale and 10 for the rise: 3 from `bonus`, 1 from `available`, 11 owed.
    assert_eq!(of(&app, &ana, UserAccount::Bonus).await, 0);
    assert_eq!(of(&app, &ana, UserAccount::Available).await, 0);
    assert_eq!(of(&app, &ana, UserAccount::Debt).await, -11_000_000);
    let points: Vec<(String, i64)> = sqlx::query_as("SELECT kind, points FROM affiliates.points ORDER BY id")
        .fetch_all(&app.sql)
        .await
        .unwrap();
    assert_eq!(
        points,
        [("sale".into(), 100_000_000), ("reversal".into(), -100_000_000)]
    );
    // The house bears nothing in the end: sales gave 20, the funds 60 + 5, losses 15, of which 11 are owed and 4 are in the fund again.
    let losses = house(&app, HouseAccount::PixLosses).await;
    let network = house(&app, HouseAccount::NetworkFund).await;
    assert_eq!((losses, network), (Usdt::whole(-15 + 11), Usdt::whole(4)));
    works(&app).await;
    consistent(&app).await;
}

/// A credit of an hour ago is reversed and takes so much of somebody's capital at work; so much of it is left.
pub async fn undo_capital(app: &TestApp, member: &Client, taken: i64, left: i64) {
    let mut tx = app.context.db.begin().await.unwrap();
    let undone = service::Undone {
        member: member.user,
        since: app.context.now() - Duration::HOUR,
        losses: HouseAccount::ChainLosses,
    };
    let peak = service::peak(&mut tx, member.user).await.unwrap();
    service::capital_undone(&mut tx, peak, Usdt::whole(taken), &undone, Usdt::whole(left))
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

/// A rise that comes between a reversal and its worker is paid on what N is, and once.
#[actix_web::test]
async fn a_rise_before_a_reversal_is_worked_off_is_another_one() {
    let app = TestApp::start().await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 300).await;
    let licence = sell(&bia, 200).await.parse().unwrap();
    works(&app).await;
    let changed = async |base: i64| {
        let mut tx = app.context.db.begin().await.unwrap();
        let peak = service::peak(&mut tx, bia.user).await.unwrap();
        service::base_changed(&mut tx, peak, licence, Usdt::whole(base))
            .await
            .unwrap();
        tx.commit().await.unwrap();
    };
    let stand = async || -> Vec<(i64, i64)> {
        sqlx::query_as(
            "SELECT gross, returned FROM affiliates.bonus WHERE receiver = $1 AND kind = 'level' ORDER BY booked_at, id",
        )
        .bind(ana.user.0)
        .fetch_all(&app.sql)
        .await
        .unwrap()
    };
    assert_eq!(stand().await, [(20_000_000, 0)]);
    undo_capital(&app, &bia, 100, 100).await;
    // Before anybody has worked it off.
    changed(400).await;
    works(&app).await;
    assert_eq!(stand().await, [(20_000_000, 10_000_000), (30_000_000, 0)]);
    changed(400).await;
    works(&app).await;
    assert_eq!(stand().await.len(), 2, "bonuses stand on all of N");
    consistent(&app).await;
}
