//! Deposits by PIX in lists and reports: ones own, those that wait, and what was credited.

use crate::{
    kit::{CUSTOMER, Client, SYSTEM_EMPLOYEE, TestApp},
    pix::{approve, end_to_end, id, png, with_proof},
};
use serde_json::json;
use server::pix;
use time::Duration;

#[actix_web::test]
async fn other_peoples_deposits_do_not_exist() {
    let app = TestApp::start().await;
    let (ana, rui, clerk) = (
        app.user("ana").await,
        app.user("rui").await,
        app.person("eva", SYSTEM_EMPLOYEE).await,
    );
    let made = with_proof(&ana, "30", 1).await;
    let (deposit_id, file) = (id(&made), made["proof"].as_str().unwrap().to_owned());
    rui.upload(
        &format!("/deposit-pix/{deposit_id}/proof"),
        "a.png",
        "image/png",
        png(2),
    )
    .await
    .refused(404, "request.not_found");
    rui.post(&format!("/deposit-pix/{deposit_id}/cancel"), &json!({}))
        .await
        .refused(404, "request.not_found");
    rui.post("/deposit-pix/no-id/cancel", &json!({}))
        .await
        .refused(404, "request.not_found");
    rui.get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");
    clerk
        .get(&format!("/files/{file}"))
        .await
        .refused(404, "request.not_found");
    assert_eq!(rui.get("/list-deposits-pix").await.ok()["meta"]["total"], 0);
    for person in [&rui, &clerk, &app.person("gil", CUSTOMER).await] {
        approve(person, &made, &end_to_end(app.context.now(), "1"))
            .await
            .refused(403, "auth.forbidden");
        person
            .get("/admin/list-deposits-pix-approve-reject")
            .await
            .refused(403, "auth.forbidden");
    }
    app.anonymous()
        .get("/list-deposits-pix")
        .await
        .refused(401, "auth.unauthenticated");
}

#[actix_web::test]
async fn lists_filter_and_the_queue_flags_a_proof_seen_before() {
    let app = TestApp::start().await;
    let (ana, rui, admin) = (
        app.user("ana").await,
        app.user("rui").await,
        app.admin("bia").await,
    );
    with_proof(&ana, "10", 7).await;
    let second = with_proof(&rui, "20", 7).await;
    with_proof(&rui, "30", 8).await;
    let all = admin
        .get("/admin/list-deposits-pix-approve-reject?sortby=usdt&sortdirection=asc")
        .await
        .ok();
    let seen: Vec<bool> = all["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|d| {
            d["signals"]
                .as_array()
                .unwrap()
                .contains(&json!("proof_seen_before"))
        })
        .collect();
    assert_eq!(seen, [true, true, false]);
    let own = rui.get("/list-deposits-pix").await.ok();
    assert!(
        own["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|d| d.get("proofSeenBefore").is_none()),
        "the warning is for staff"
    );
    for (query, total) in [
        ("search=RUI", 2),
        ("search=%25", 0),
        (&format!("search={}", second["txid"].as_str().unwrap()), 1),
        ("status=approved", 0),
        (
            "status=pending_approval&startDate=2000-01-01&endDate=2099-12-31",
            3,
        ),
        ("endDate=2000-01-01", 0),
        ("limit=1&page=3", 3),
    ] {
        let page = admin
            .get(&format!("/admin/list-deposits-pix-approve-reject?{query}"))
            .await
            .ok();
        assert_eq!(page["meta"]["total"], total, "{query}");
        assert_eq!(page["pending"], 3);
    }
    for bad in [
        "status=lost",
        "sortby=owner",
        "limit=501",
        "page=0",
        "startDate=yesterday",
        "sortdirection=up",
    ] {
        admin
            .get(&format!("/admin/list-deposits-pix-approve-reject?{bad}"))
            .await
            .refused(422, "request.invalid");
    }
}

/// The report adds up what was credited, by the day on which it began, with the filters of its list; what was taken back is not counted.
#[actix_web::test]
async fn what_was_credited_adds_up_by_day() {
    let app = TestApp::start().await;
    let (ana, bea, admin) = (
        app.user("ana").await,
        app.user("bea").await,
        app.admin("bia").await,
    );
    let credit = async |admin: &Client, user: &Client, usdt: &str, shade: u8| {
        let made = with_proof(user, usdt, shade).await;
        approve(admin, &made, &end_to_end(app.context.now(), &shade.to_string()))
            .await
            .ok();
        made
    };
    credit(&admin, &ana, "100", 1).await;
    credit(&admin, &bea, "40", 2).await;
    let back = credit(&admin, &bea, "30", 3).await;
    // Nobody has decided on this one.
    with_proof(&ana, "70", 4).await;
    let mut tx = app.context.db.begin().await.unwrap();
    let reason = "Devolvido pelo banco";
    pix::service::reverse(
        &app.context,
        &mut tx,
        admin.user,
        id(&back).parse().unwrap(),
        reason,
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    app.clock.advance(Duration::days(1));
    let caio = app.admin("caio").await;
    credit(&caio, &app.renew(&ana), "10.50", 5).await;
    let report = async |query: &str| caio.get(&format!("/admin/pix-deposits-report{query}")).await.ok();
    let all = report("").await;
    let days = all["days"].as_array().unwrap();
    assert_eq!(
        (&all["count"], &all["total"], days.len()),
        (&json!(3), &json!("150.500000"), 2)
    );
    assert_eq!(
        [&days[0]["count"], &days[0]["total"], &days[1]["total"]],
        [&json!(2), &json!("140.000000"), &json!("10.500000")]
    );
    let first = days[0]["day"].as_str().unwrap();
    let one_day = report(&format!("?startDate={first}&endDate={first}")).await;
    assert_eq!(
        (&one_day["total"], &one_day["days"]),
        (&json!("140.000000"), &json!([days[0]]))
    );
    for (query, total) in [
        ("?search=bea", "40.000000"),
        ("?function=customer&status=approved", "150.500000"),
        ("?function=salesperson", "0.000000"),
        ("?status=rejected", "0.000000"),
    ] {
        assert_eq!(report(query).await["total"], total, "{query}");
    }
    caio.get("/admin/pix-deposits-report?status=gold")
        .await
        .refused(422, "request.invalid");
    app.renew(&ana)
        .get("/admin/pix-deposits-report")
        .await
        .refused(403, "auth.forbidden");
}
