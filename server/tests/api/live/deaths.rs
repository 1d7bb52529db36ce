//! A process killed at every step: the next desk ends what it began, once.

use super::{
    bench::{Killed, bench},
    exchange::Deed,
};
use crate::robots::fence;
use actors::desk::port::LiveDone;
use serde_json::json;
use server::{
    error::Error,
    foundation::context::Parts,
    robots::{
        live::{Live, service as live},
        manual::service as manual,
        service,
    },
};

#[actix_web::test]
async fn killed_anywhere_it_is_ended_and_booked_once_by_the_next_desk() {
    let mut bench = bench().await;
    for looks in (1..400).step_by(3) {
        let order = bench.order().await;
        bench.exchange().deeds = [Deed::Fill(100), Deed::Lose(50), Deed::Fill(60)].into();
        let life = async {
            let done = bench.execute(&order).await?;
            bench.settle(&order, &done).await?;
            Ok::<_, Error>(())
        };
        let whole = Killed {
            inner: Box::pin(life),
            looks,
        }
        .await
        .map(|lived| lived.unwrap());
        // Another process takes the lease over.
        bench.app.clock.advance(time::Duration::seconds(2));
        bench.fence = fence(&bench.app).await;
        bench.exchange().deeds.clear();
        live::recover(&bench.app.context, &bench.venue, bench.fence)
            .await
            .unwrap();
        assert_eq!(
            live::recover(&bench.app.context, &bench.venue, bench.fence)
                .await
                .unwrap(),
            0
        );
        service::free_lapsed(&bench.app.context, bench.fence)
            .await
            .unwrap();
        bench.consistent().await;
        let posts = {
            let exchange = bench.exchange();
            exchange
                .taken
                .iter()
                .filter(|t| t.id.starts_with(&order.operation.0.simple().to_string()))
                .count()
        };
        assert_eq!(bench.booked(&order).await, i64::from(posts > 0));
        if whole.is_some() {
            assert!(looks > 20, "{looks}");
            return;
        }
    }
    panic!("it never ends by itself");
}

#[actix_web::test]
async fn what_is_at_the_venue_stays_reserved_and_is_not_booked_before_its_end() {
    let mut bench = bench().await;
    let order = bench.order().await;
    bench.exchange().deeds = [Deed::Lose(100)].into();
    bench.die(&order).await;
    assert_eq!(
        bench
            .count("SELECT count(*) FROM robots.live_operation WHERE state = 'working'")
            .await,
        1
    );
    // Much later, under another lease.
    bench.app.clock.advance(time::Duration::hours(1));
    bench.fence = fence(&bench.app).await;
    assert_eq!(
        service::free_lapsed(&bench.app.context, bench.fence)
            .await
            .unwrap(),
        0
    );
    assert_eq!(bench.count("SELECT count(*) FROM robots.reservation").await, 1);
    // Its owner's order is not given up either: what comes of it is still at the venue.
    sqlx::query(
        "INSERT INTO robots.manual_order (id, licence, owner, route, state, asked_at, sent)
         VALUES ($1, $2, $3, $4, 'sent', now() - interval '1 minute', $5)",
    )
    .bind(order.operation.0)
    .bind(bench.licence.0)
    .bind(bench.user.user.0)
    .bind(&order.route)
    .bind(bench.fence)
    .execute(&bench.app.sql)
    .await
    .unwrap();
    let waiting = "SELECT count(*) FROM robots.manual_order WHERE state = 'sent'";
    manual::expire(&bench.app.context).await.unwrap();
    assert_eq!(bench.count(waiting).await, 1);
    let nothing = LiveDone::default();
    assert!(bench.settle(&order, &nothing).await.is_err(), "not over");
    live::recover(&bench.app.context, &bench.venue, bench.fence)
        .await
        .unwrap();
    bench.consistent().await;
    manual::expire(&bench.app.context).await.unwrap();
    assert_eq!(bench.count(waiting).await, 0);
}

#[actix_web::test]
async fn what_is_at_the_venue_while_nobody_has_its_keys_is_seen() {
    let bench = bench().await;
    let path = "/admin/trading/live";
    let staff = bench.app.person("eva", "system_employee").await;
    let idle = staff.get(path).await.ok();
    assert_eq!(
        [
            &idle["openOperations"],
            &idle["openSince"],
            &idle["openCapital"],
            &idle["stranded"]
        ],
        [&json!(0), &json!(null), &json!("0.000000"), &json!(false)]
    );
    let order = bench.order().await;
    bench.exchange().deeds = [Deed::Lose(100)].into();
    bench.die(&order).await;
    let open = staff.get(path).await.ok();
    assert_eq!(
        [&open["openOperations"], &open["openCapital"], &open["stranded"]],
        [&json!(1), &json!("100.000000"), &json!(false)],
        "with the keys the next desk ends it"
    );
    assert!(open["openSince"].is_string());
    // The same world, started without its keys.
    let keyless = Parts::default().with(Live {
        venue: None,
        feed: true,
    });
    let bare = bench.app.another_with(keyless).await;
    let there = bare.admin("quatro").await;
    let open = there.get(path).await.ok();
    assert_eq!(
        [
            &open["missing"],
            &open["openOperations"],
            &open["openCapital"],
            &open["stranded"]
        ],
        [&json!(["keys"]), &json!(1), &json!("100.000000"), &json!(true)]
    );
    // Nor is that a matter of the switch.
    there.post("/admin/trading/live/off", &json!({})).await.ok();
    assert_eq!(there.get(path).await.ok()["stranded"], json!(true));
    // The keys are back: it is ended and booked.
    bench.app.clock.advance(time::Duration::seconds(2));
    let fence = fence(&bench.app).await;
    live::recover(&bench.app.context, &bench.venue, fence)
        .await
        .unwrap();
    let after = there.get(path).await.ok();
    assert_eq!(
        (&after["openOperations"], &after["stranded"]),
        (&json!(0), &json!(false))
    );
}
