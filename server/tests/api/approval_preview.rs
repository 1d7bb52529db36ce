//! What is said before a decision is what it comes to: the preview asks the rule that the decision follows.

use crate::{
    grants::{freeze, made},
    kit::{Client, TestApp},
    licences::id,
    pix::{self, approve, end_to_end, with_proof},
    pools,
};
use serde_json::{Value, json};
use server::approvals::rules::{Kind, Persons};

pub async fn preview(admin: &Client, kind: &str, of: &str) -> Value {
    admin
        .get(&format!("/admin/approvals/preview?kind={kind}&{of}"))
        .await
        .ok()
}

pub fn told(preview: &Value) -> (i64, bool, Vec<&str>) {
    let given = preview["given"].as_array().unwrap().iter();
    (
        preview["needed"].as_i64().unwrap(),
        preview["completes"].as_bool().unwrap(),
        given.map(|g| g["username"].as_str().unwrap()).collect(),
    )
}

#[actix_web::test]
async fn a_small_deposit_after_many_needs_another_person_and_the_preview_says_so() {
    let app = TestApp::start().await;
    let (ana, bia) = (app.user("ana").await, app.user("bia").await);
    let (root, second) = (app.admin("root").await, app.admin("second").await);
    let before = with_proof(&bia, "4990", 1).await;
    approve(&root, &before, &end_to_end(app.context.now(), "1"))
        .await
        .ok();
    // 60 alone is far below the limit; this approver has approved much today.
    let made = with_proof(&ana, "60", 2).await;
    let of = format!("id={}", pix::id(&made));
    assert_eq!(
        told(&preview(&root, "pix_deposit", &of).await),
        (2, false, vec![])
    );
    assert_eq!(
        told(&preview(&second, "pix_deposit", &of).await),
        (1, true, vec![])
    );
    // What is typed counts, not what was asked for.
    let more = format!("{of}&usdt=6000");
    assert_eq!(
        told(&preview(&second, "pix_deposit", &more).await),
        (2, false, vec![])
    );
    let bank = end_to_end(app.context.now(), "2");
    let first = approve(&root, &made, &bank).await.ok();
    assert_eq!(
        (&first["approvals"], &first["approvalsNeeded"], &first["status"]),
        (&json!(1), &json!(2), &json!("pending_approval"))
    );
    let asked = format!("/admin/approvals/preview?kind=pix_deposit&{of}");
    root.get(&asked).await.refused(409, "decision.same_person");
    assert_eq!(
        told(&preview(&second, "pix_deposit", &of).await),
        (2, true, vec!["root"])
    );
    // Another amount than the approved one begins anew.
    let other = format!("{of}&usdt=61");
    assert_eq!(
        told(&preview(&second, "pix_deposit", &other).await),
        (1, true, vec![])
    );
    let done = approve(&second, &made, &bank).await.ok();
    assert_eq!(done["status"], "approved");
    second.get(&asked).await.refused(409, "decision.done");
}

#[actix_web::test]
async fn orders_are_asked_about_before_they_are_given() {
    let app = TestApp::start().await;
    let (ana, root, second) = (
        app.user("ana").await,
        app.admin("root").await,
        app.admin("second").await,
    );
    let about = |usdt: &str| format!("customer={}&usdt={usdt}", ana.user);
    let order =
        |value: &str| json!({ "userId": ana.user, "operation": "add", "value": value, "reason": "Campanha" });
    let path = "/admin/balance-manager/add-remove-balance";
    for value in ["3000", "2000", "0.000001"] {
        let (needed, completes, _) = {
            let asked = preview(&root, "sponsorship", &about(value)).await;
            let (needed, completes, given) = told(&asked);
            (needed, completes, given.len())
        };
        let made = root.post(path, &order(value)).await.ok();
        assert_eq!(made["approvalsNeeded"], needed, "{value}");
        assert_eq!(made["status"] == "complete", completes, "{value}");
        if !completes {
            let of = format!("id={}", id(&made));
            assert_eq!(
                told(&preview(&second, "sponsorship", &of).await),
                (2, true, vec!["root"])
            );
        }
    }
    // What the house declares has no customer, and counts for its approver all the same.
    assert_eq!(
        told(&preview(&root, "declared_holdings", "usdt=1").await),
        (2, false, vec![])
    );
    let declared = json!({ "place": "Kraken", "value": "1", "note": "Extrato" });
    let made = root.post("/admin/declared-holdings", &declared).await.ok();
    let of = format!("id={}", id(&made));
    assert_eq!(
        told(&preview(&second, "declared_holdings", &of).await),
        (2, true, vec!["root"])
    );
    // Revenue of a pool always takes two.
    assert_eq!(
        told(&preview(&second, "pool_revenue", "usdt=0.01").await),
        (2, false, vec![])
    );
    let revenue = pools::revenue(&app, &root, "10", 3, 1, 1).await.ok();
    let of = format!("id={}", id(&revenue));
    assert_eq!(
        told(&preview(&second, "pool_revenue", &of).await),
        (2, true, vec!["root"])
    );
}

/// What the rule knows, the preview knows: of an order that is about to be given, and of what is not there.
#[actix_web::test]
async fn every_kind_of_decision_is_previewed() {
    let app = TestApp::start().await;
    let root = app.admin("root").await;
    let nobody = uuid::Uuid::now_v7();
    for kind in Kind::ALL {
        let (persons, name) = (kind.persons(), kind.as_str());
        let path = format!("/admin/approvals/preview?kind={name}");
        if kind == Kind::HotWallet {
            // There is one wallet, and here none that signs.
            root.get(&path).await.refused(503, "chain.unavailable");
            continue;
        }
        let asked = root.get(&format!("{path}&usdt=5001")).await.ok();
        let expected = if persons == Persons::One {
            (1, true)
        } else {
            (2, false)
        };
        let (needed, completes, given) = told(&asked);
        assert_eq!(
            (needed, completes, given.len()),
            (expected.0, expected.1, 0),
            "{name}"
        );
        let missing = root.get(&format!("{path}&id={nobody}")).await;
        let codes = match kind.persons() {
            Persons::One => vec!["request.invalid"],
            _ => vec!["request.not_found", "presale.round_unknown", "live.state"],
        };
        assert!(codes.contains(&missing.code()), "{name}: {}", missing.body);
    }
}

#[actix_web::test]
async fn a_preview_is_for_those_who_decide_and_of_what_there_is() {
    let app = TestApp::start().await;
    let (ana, root) = (app.user("ana").await, app.admin("root").await);
    let path = |rest: &str| format!("/admin/approvals/preview?{rest}");
    ana.get(&path("kind=sponsorship&usdt=1"))
        .await
        .refused(403, "auth.forbidden");
    let nobody = uuid::Uuid::now_v7();
    for kind in [
        "pix_deposit",
        "pix_withdrawal",
        "crypto_withdrawal",
        "crypto_deposit",
        "sponsorship",
        "transfer",
        "pool_revenue",
        "declared_holdings",
    ] {
        root.get(&path(&format!("kind={kind}&id={nobody}")))
            .await
            .refused(404, "request.not_found");
    }
    for wrong in [
        "kind=wishes&usdt=1",
        "kind=sponsorship",
        "kind=pix_key&id=0190a000-0000-7000-8000-000000000001",
    ] {
        root.get(&path(wrong)).await.refused(422, "request.invalid");
    }
    // Asking changes nothing and holds nobody up: the deposit can be decided on while it is asked about.
    let made = with_proof(&ana, "60", 1).await;
    let of = format!("id={}", pix::id(&made));
    let bank = end_to_end(app.context.now(), "1");
    let asked = async || {
        for _ in 0..5 {
            root.get(&path(&format!("kind=pix_deposit&{of}"))).await;
        }
    };
    let (decided, ()) = tokio::join!(approve(&root, &made, &bank), asked());
    assert_eq!(decided.ok()["status"], "approved");
}

/// What is said before a decision is said to those who may make it, and refused to others in the decision's own words.
#[actix_web::test]
async fn the_preview_is_refused_to_whom_the_decision_would_be() {
    let app = TestApp::start().await;
    let (rui, eva, up) = (
        app.admin("rui").await,
        app.admin("eva").await,
        app.admin("up").await,
    );
    let (mia, leo) = (app.admin("mia").await, app.admin("leo").await);
    let (ana, xico) = (app.user("ana").await, app.user("xico").await);
    crate::deciders::sponsor(&app, &ana, &up).await;
    made(&app, &rui, &eva, &xico).await;
    freeze(&mia, &leo).await.ok();
    let deposit = with_proof(&ana, "60", 1).await;
    let own = with_proof(&rui, "60", 2).await;
    let looks = async |by: &Client, kind: &str, of: &str| {
        by.get(&format!("/admin/approvals/preview?kind={kind}&id={of}"))
            .await
    };
    let grant = {
        let administrator = crate::identity::roles::role(&app, crate::kit::ADMINISTRATOR).await;
        let asked = crate::identity::roles::add(&eva, &app.user("yara").await, &[administrator]).await;
        asked.body["request"]["_id"].as_str().unwrap().to_owned()
    };
    for (by, code) in [
        (&up, "decision.own_money"),
        (&xico, "decision.too_new"),
        (&mia, "decision.frozen"),
        (&leo, "decision.frozen"),
    ] {
        looks(by, "pix_deposit", &pix::id(&deposit))
            .await
            .refused(403, code);
    }
    looks(&rui, "pix_deposit", &pix::id(&own))
        .await
        .refused(403, "decision.own_money");
    looks(&eva, "admin_grant", &grant)
        .await
        .refused(409, "decision.same_person");
    looks(&xico, "admin_grant", &grant)
        .await
        .refused(403, "decision.too_new");
    for (kind, of) in [("pix_deposit", pix::id(&deposit)), ("admin_grant", grant)] {
        assert_eq!(looks(&rui, kind, &of).await.status, 200, "{kind}");
    }
}
