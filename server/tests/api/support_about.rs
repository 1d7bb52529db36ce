//! What a ticket is about, as it changes: told on the ticket's stream to both sides, and to nobody else.

use crate::{
    kit::{Client, STORE_EMPLOYEE, TestApp, live::Live},
    support::facts,
};
use protocol::money::Usdt;
use serde_json::{Value, json};
use server::{
    foundation::subjects::{self, Kind},
    jobs,
};
use time::Duration;
use uuid::Uuid;

/// The room of a deposit writes its line with its own change.
async fn moves(app: &TestApp, deposit: Uuid, owner: &Client, status: &str) {
    let mut tx = app.context.db.begin().await.unwrap();
    subjects::upsert(
        &mut tx,
        Kind::PixDeposit,
        deposit,
        owner.user,
        Usdt::whole(50),
        status,
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
}

async fn work(app: &TestApp) {
    while jobs::round(&app.context).await.unwrap() > 0 {}
}

async fn open_about(who: &Client, deposit: Uuid) -> String {
    let new = json!({ "subject": "Meu depósito", "description": "Enviei ontem.", "category": "financial",
        "about": { "kind": "pix_deposit", "id": deposit } });
    let opened = who.post("/support/open-ticket", &new).await.ok();
    opened["ticket"]["_id"].as_str().unwrap().to_owned()
}

/// How many jobs of watched things there are.
async fn jobs_of_watched(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM foundation.job WHERE kind = 'subject.watched'")
        .fetch_one(&app.sql)
        .await
        .unwrap()
}

#[actix_web::test]
async fn a_change_is_told_to_both_sides_of_the_ticket() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let deposit = Uuid::now_v7();
    moves(&app, deposit, &ana, "pending_approval").await;
    assert_eq!(jobs_of_watched(&app).await, 0, "nothing points at it yet");
    let id = open_about(&ana, deposit).await;
    let mut both = Vec::new();
    for who in [&ana, &bia] {
        let mut live = Live::open(&app, who).await;
        live.subscribe(&format!("ticket:{id}")).await;
        both.push(live);
    }
    app.clock.advance(Duration::minutes(1));
    moves(&app, deposit, &ana, "approved").await;
    assert_eq!(jobs_of_watched(&app).await, 1);
    work(&app).await;
    let seen = ana.get(&format!("/support/get-ticket-user/{id}")).await.ok();
    assert_eq!(seen["about"]["status"], "approved");
    for live in &mut both {
        let fact = live.fact("ticket.about").await;
        assert_eq!(fact["event"]["ticket"], json!(id));
        assert_eq!(fact["event"]["about"], seen["about"]);
    }
}

/// Changes of one moment are told each, the newest last; what is about another thing, or was deleted, hears nothing.
#[actix_web::test]
async fn every_change_is_told_where_it_belongs() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.person("bia", STORE_EMPLOYEE).await);
    let (deposit, other) = (Uuid::now_v7(), Uuid::now_v7());
    moves(&app, deposit, &ana, "pending_approval").await;
    moves(&app, other, &ana, "pending_approval").await;
    let (one, two) = (open_about(&ana, deposit).await, open_about(&ana, deposit).await);
    let (elsewhere, gone) = (open_about(&ana, other).await, open_about(&ana, deposit).await);
    bia.delete(&format!("/support/delete-ticket/{gone}")).await;
    for status in ["under_review", "approved"] {
        moves(&app, deposit, &ana, status).await;
    }
    work(&app).await;
    let told = async |ticket: &str| -> Vec<Value> {
        sqlx::query_scalar(
            "SELECT payload::jsonb -> 'about' -> 'status' FROM foundation.event
             WHERE stream = $1 AND kind = 'ticket.about' ORDER BY seq",
        )
        .bind(format!("ticket:{ticket}"))
        .fetch_all(&app.sql)
        .await
        .unwrap()
    };
    for ticket in [&one, &two] {
        let told = told(ticket).await;
        // A job reads how it stands when it runs.
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[1], "approved");
    }
    for ticket in [&elsewhere, &gone] {
        assert!(told(ticket).await.is_empty(), "{ticket}");
    }
    assert!(
        !facts(&app, &format!("user:{}", ana.user))
            .await
            .contains(&"ticket.about".to_owned())
    );
}

/// Nobody watches a thing of somebody else by naming it.
#[actix_web::test]
async fn what_is_not_ones_own_is_not_watched() {
    let app = TestApp::start().await;
    let (ana, caio) = (app.user("ana").await, app.user("caio").await);
    let deposit = Uuid::now_v7();
    moves(&app, deposit, &ana, "pending_approval").await;
    let new = json!({ "subject": "Meu depósito", "description": "Enviei ontem.", "category": "financial",
        "about": { "kind": "pix_deposit", "id": deposit } });
    caio.post("/support/open-ticket", &new)
        .await
        .refused(422, "request.invalid");
    moves(&app, deposit, &ana, "approved").await;
    assert_eq!(jobs_of_watched(&app).await, 0);
}

/// Many changes of a room write the same line anew: then there is nothing to tell.
#[actix_web::test]
async fn what_stays_as_it_was_is_not_told() {
    let app = TestApp::start().await;
    let ana = app.user("ana").await;
    let deposit = Uuid::now_v7();
    moves(&app, deposit, &ana, "pending_approval").await;
    open_about(&ana, deposit).await;
    moves(&app, deposit, &ana, "pending_approval").await;
    assert_eq!(jobs_of_watched(&app).await, 0);
    moves(&app, deposit, &ana, "approved").await;
    assert_eq!(jobs_of_watched(&app).await, 1);
}
