//! What a change of the network's settings would have done: told from what closings, ranks and days have left.

use super::Life;
use crate::{
    affiliates::beneath,
    bonuses::{first, sell, works},
    kit::{Client, TestApp},
    licences::fund,
};
use serde_json::{Value, json};
use server::ledger::model::UserAccount;
use time::Duration;

async fn effects(admin: &Client, key: &str, value: &str) -> Value {
    let changes = json!({ key: value });
    let shown = admin
        .post("/admin/settings/preview", &json!({ "changes": changes }))
        .await
        .ok();
    shown["effects"].clone()
}

fn count(effects: &Value, code: &str) -> i64 {
    one(effects, code)["count"].as_i64().unwrap()
}

fn figures(effects: &Value, code: &str) -> (String, String) {
    let text = |field: &str| one(effects, code)[field].as_str().unwrap().to_owned();
    (text("before"), text("after"))
}

fn one(effects: &Value, code: &str) -> Value {
    let all = effects.as_array().unwrap();
    let found = all.iter().find(|e| e["code"] == code);
    found.unwrap_or_else(|| panic!("{code} in {effects}")).clone()
}

/// Ana's licence is worth 50: of a bonus of 100 the cap took 50. 500 of 1 000 matched points were paid.
#[actix_web::test]
async fn caps_and_steps_are_held_against_what_closings_left() {
    let mut life = Life::begin(21).await;
    let (ana, _) = life.client_below("ana", 0).await;
    let (left, _) = life.client_below("bia", ana).await;
    life.select(ana, true).await;
    let (right, _) = life.client_below("caio", ana).await;
    life.sale(ana, 50, 5_000).await;
    life.sale(left, 1_000, 5_000).await;
    life.sale(right, 1_000, 5_000).await;
    life.close().await;
    life.equal().await;
    let admin = life.app.admin("rui").await;
    for (cap, cut, members) in [
        ("200", "0.000000", 0),
        ("100.5", "49.750000", 1),
        ("50", "75.000000", 1),
    ] {
        let told = effects(&admin, "binaryDailyCap", cap).await;
        assert_eq!(
            figures(&told, "cap_cut"),
            ("50.000000".to_owned(), cut.to_owned()),
            "{cap}"
        );
        assert_eq!(
            (count(&told, "cap_members_now"), count(&told, "cap_members")),
            (1, members),
            "{cap}"
        );
    }
    let told = effects(&admin, "graduationBronze", "500").await;
    assert_eq!(
        (count(&told, "reach_bronze"), count(&told, "keep_bronze")),
        (1, 0)
    );
    let told = effects(&admin, "graduationPrata", "4000").await;
    assert_eq!(
        (count(&told, "reach_silver"), count(&told, "keep_silver")),
        (0, 0)
    );
    assert!(
        told.as_array()
            .unwrap()
            .iter()
            .all(|e| e["code"] != "reach_bronze")
    );
    // The next closing brings the first rank: it stays, whatever it would take then.
    life.sale(left, 1_000, 5_000).await;
    life.sale(right, 1_000, 5_000).await;
    life.close().await;
    life.equal().await;
    let admin = life.app.renew(&admin);
    let told = effects(&admin, "graduationBronze", "2000").await;
    assert_eq!(
        (count(&told, "reach_bronze"), count(&told, "keep_bronze")),
        (0, 1)
    );
    let told = effects(&admin, "binaryDailyCap", "100.5").await;
    assert_eq!(
        (figures(&told, "cap_cut").0, count(&told, "cap_members_now")),
        ("100.000000".to_owned(), 1),
        "two closings, one member"
    );
}

/// A sale of 100 brought 25 in bonuses a month ago, and a loan a fee of 2 today.
#[actix_web::test]
async fn ceilings_and_shares_of_fees_are_held_against_the_last_days() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let ana = first(&app, "ana").await;
    let bia = beneath(&app, "bia", ana.user).await;
    fund(&app, &bia, UserAccount::Available, 300).await;
    let licence = sell(&bia, 200).await;
    works(&app).await;
    let days = async |admin: &Client, ceiling: &str| {
        let told = effects(admin, "payoutCeiling", ceiling).await;
        (count(&told, "payout_days_now"), count(&told, "payout_days"))
    };
    assert_eq!(
        days(&admin, "25").await,
        (0, 0),
        "the share itself is not above it"
    );
    assert_eq!(days(&admin, "24").await, (0, 1));
    app.clock.advance(Duration::days(30));
    let (bia, admin) = (app.renew(&bia), app.renew(&admin));
    assert_eq!(days(&admin, "24").await, (0, 29), "today looks back no farther");
    let told = effects(&admin, "feeNetworkFundShare", "100").await;
    assert_eq!(
        figures(&told, "fees_to_fund"),
        ("0.000000".to_owned(), "0.000000".to_owned())
    );
    bia.post("/licences/loan", &json!({ "licence": licence, "value": "100" }))
        .await
        .ok();
    let told = effects(&admin, "feeNetworkFundShare", "100").await;
    assert_eq!(
        figures(&told, "fees_to_fund"),
        ("1.000000".to_owned(), "2.000000".to_owned())
    );
}

/// Of 100 each: what a rise and a sale bring, what a day's result and matched points bring, how a price is parted; and the first rank's bonus.
#[actix_web::test]
async fn what_a_change_of_rates_means_is_told_in_examples() {
    let app = TestApp::start().await;
    let admin = app.admin("root").await;
    let examples = ["bonuses_100", "closing_100", "sale_100", "first_rank"];
    for (key, value, code, before, after) in [
        (
            "levelBonus1",
            "8",
            "bonuses_100",
            "13.000000 / 9.000000",
            "11.000000 / 9.000000",
        ),
        (
            "levelBonus10",
            "1.5",
            "bonuses_100",
            "13.000000 / 9.000000",
            "14.500000 / 9.000000",
        ),
        (
            "directSaleBonus",
            "7",
            "bonuses_100",
            "13.000000 / 9.000000",
            "13.000000 / 11.000000",
        ),
        // Of four levels.
        (
            "indirectSaleBonus",
            "0.5",
            "bonuses_100",
            "13.000000 / 9.000000",
            "13.000000 / 7.000000",
        ),
        (
            "residualBonus3",
            "2.5",
            "closing_100",
            "8.000000 / 10.000000",
            "9.500000 / 10.000000",
        ),
        (
            "binaryBonus",
            "12",
            "closing_100",
            "8.000000 / 10.000000",
            "8.000000 / 12.000000",
        ),
        (
            "networkFundShare",
            "60",
            "sale_100",
            "75.000000 / 5.000000 / 20.000000",
            "60.000000 / 5.000000 / 35.000000",
        ),
        (
            "graduationFundShare",
            "25",
            "sale_100",
            "75.000000 / 5.000000 / 20.000000",
            "75.000000 / 25.000000 / 0.000000",
        ),
        ("graduationBonus", "7.5", "first_rank", "50.000000", "75.000000"),
        (
            "graduationBronze",
            "2000",
            "first_rank",
            "50.000000",
            "100.000000",
        ),
    ] {
        let told = effects(&admin, key, value).await;
        assert_eq!(
            figures(&told, code),
            (before.to_owned(), after.to_owned()),
            "{key}"
        );
        let shown = told
            .as_array()
            .unwrap()
            .iter()
            .filter(|e| examples.iter().any(|code| e["code"] == *code));
        assert_eq!(shown.count(), 1, "{key}: {told}");
    }
}
