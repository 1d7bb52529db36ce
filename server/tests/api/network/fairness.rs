//! What closings paid, told whole: what it was measured by, by whom, and the movement that paid it; and the lists as files.

use super::Life;
use crate::kit::Client;
use protocol::money::Usdt;
use serde_json::{Value, json};

/// Ana with Bia on the left and Caio on the right; all with licences, closed once: 1 200 points on the left met 500 on the right, and
/// Bia's robots brought 10.
async fn closed() -> (Life, Client, Client) {
    let mut life = Life::begin(11).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (bia_at, bia) = life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    let (caio_at, _) = life.client_below("caio", ana_at).await;
    life.sale_of(ana_at, 1_000, 5_000, false).await;
    life.sale_of(bia_at, 1_200, 6_000, false).await;
    life.sale_of(caio_at, 500, 2_500, false).await;
    life.gain(bia_at, Usdt::whole(10).0).await;
    life.close().await;
    let (ana, bia) = (life.app.renew(&ana), life.app.renew(&bia));
    (life, ana, bia)
}

async fn only(client: &Client, kind: &str) -> Value {
    let log = client
        .get(&format!("/affiliates/bonus-log?bonusType={kind}"))
        .await
        .ok();
    assert_eq!(log["meta"]["total"], 1, "{log}");
    log["data"][0].clone()
}

async fn detail(client: &Client, bonus: &Value) -> Value {
    client
        .get(&format!(
            "/affiliates/bonus-log/{}",
            bonus["_id"].as_str().unwrap()
        ))
        .await
        .ok()
}

async fn origin(client: &Client, movement: &Value) -> Value {
    client
        .get(&format!("/statement/{}", movement["transfer"].as_str().unwrap()))
        .await
        .ok()
}

#[actix_web::test]
async fn a_closings_bonus_leads_to_its_movement_and_back() {
    let (life, ana, bia) = closed().await;
    let day = (life.date() - time::Duration::DAY).to_string();
    let binary = only(&ana, "binary").await;
    let told = detail(&ana, &binary).await;
    assert_eq!(told["bonus"], binary);
    assert_eq!(
        told["legs"],
        json!({
            "leftPoints": "1200.000000", "rightPoints": "500.000000", "matched": "500.000000", "lost": "0.000000",
            "since": null, "leftCarried": "0.000000", "rightCarried": "0.000000", "before": null,
        })
    );
    assert_eq!(
        (&told["path"], &told["line"], &told["licence"]),
        (&json!([]), &Value::Null, &Value::Null)
    );
    let movement = &told["movements"][0];
    assert_eq!(
        (&movement["amount"], &movement["together"], &movement["kind"]),
        (&json!("50.000000"), &json!(true), &json!("bonus"))
    );
    let back = origin(&ana, movement).await;
    assert_eq!(
        (
            &back["fact"]["type"],
            &back["fact"]["businessDay"],
            &back["fact"]["total"],
            &back["fact"]["bonuses"][0]["_id"]
        ),
        (&json!("bonuses"), &json!(day), &json!(1), &binary["_id"])
    );
    // The residual bonus: Bia's gain of the day, by one step.
    let residual = only(&ana, "residual").await;
    let told = detail(&ana, &residual).await;
    assert_eq!(
        (
            &told["path"],
            &told["bonus"]["base"],
            &told["bonus"]["percentage"],
            &told["bonus"]["paid"],
            &told["legs"]
        ),
        (
            &json!(["ana", "bia"]),
            &json!("10.000000"),
            &json!("5.00"),
            &json!("0.500000"),
            &Value::Null
        )
    );
    let back = origin(&ana, &told["movements"][0]).await;
    assert_eq!(
        (
            &back["fact"]["bonuses"][0]["_id"],
            &back["fact"]["bonuses"][0]["source"]
        ),
        (&residual["_id"], &json!("bia"))
    );
    assert_ne!(
        told["movements"][0]["transfer"], movement["transfer"],
        "each kind has a movement of its own"
    );
    // Of others nothing is told: neither the bonus nor the movement.
    bia.get(&format!(
        "/affiliates/bonus-log/{}",
        binary["_id"].as_str().unwrap()
    ))
    .await
    .refused(404, "request.not_found");
    bia.get(&format!("/statement/{}", movement["transfer"].as_str().unwrap()))
        .await
        .refused(404, "statement.unknown");
}

/// What the fund could not pay at the closing is paid later, by a movement of its own.
#[actix_web::test]
async fn a_deferred_part_has_its_own_movement() {
    let mut life = Life::begin(12).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    life.client_below("bia", ana_at).await;
    life.select(ana_at, true).await;
    life.client_below("caio", ana_at).await;
    for (who, value) in [(1, 1_000), (2, 500), (3, 500)] {
        life.sale_of(who, value, value * 5, false).await;
    }
    // All but 20 leaves the fund.
    let left = life.network.fund - Usdt::whole(20).0;
    life.fill_fund(-left).await;
    life.network.fund -= left;
    life.close().await;
    life.equal().await;
    let ana = life.app.renew(&ana);
    let binary = only(&ana, "binary").await;
    assert_eq!(
        (&binary["status"], &binary["waiting"]),
        (&json!("deferred"), &json!("30.000000"))
    );
    let told = detail(&ana, &binary).await;
    assert_eq!(told["line"], json!({ "place": 1, "ahead": "0.000000" }));
    life.fill_fund(Usdt::whole(100).0).await;
    life.network.fund += Usdt::whole(100).0;
    life.work_off().await;
    life.network.pay_queue();
    life.equal().await;
    let told = detail(&ana, &binary).await;
    let parts: Vec<(&Value, &Value)> = told["movements"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (&m["amount"], &m["together"]))
        .collect();
    assert_eq!(
        parts,
        [
            (&json!("20.000000"), &json!(true)),
            (&json!("30.000000"), &json!(false))
        ]
    );
    assert_eq!(told["line"], Value::Null);
}

/// Before 0077 the key of a movement of residual bonuses named the last source in it, whose id says nothing of its receivers.
#[actix_web::test]
async fn a_movement_is_found_by_its_leg_and_not_by_its_key() {
    let (life, ana, _) = closed().await;
    let residual = only(&ana, "residual").await;
    let before = detail(&ana, &residual).await["movements"].clone();
    let mut conn = life.app.sql.acquire().await.unwrap();
    for sql in [
        "SET session_replication_role = replica",
        "UPDATE ledger.transfer SET key = 'closing:' || cause || ':residual:00000000-0000-0000-0000-000000000001'
         WHERE kind = 'bonus' AND key LIKE 'closing:%:residual:%'",
        "SET session_replication_role = origin",
    ] {
        sqlx::query(sql).execute(&mut *conn).await.unwrap();
    }
    assert_eq!(before.as_array().unwrap().len(), 1);
    assert_eq!(detail(&ana, &residual).await["movements"], before);
}

#[actix_web::test]
async fn the_analytics_tell_types_of_bonus_apart() {
    let (_life, ana, _) = closed().await;
    let seen = ana.get("/dashboard/analytics/30d").await.ok();
    let mut kinds: Vec<(&str, &str)> = seen["bonus"]
        .as_array()
        .unwrap()
        .iter()
        .map(|b| (b["kind"].as_str().unwrap(), b["amount"].as_str().unwrap()))
        .collect();
    kinds.sort_unstable();
    assert_eq!(
        kinds,
        [
            ("binary", "50.000000"),
            ("direct_sale", "85.000000"),
            ("residual", "0.500000")
        ]
    );
}

/// A file's heading and rows, without the mark of play money.
pub(super) async fn file(client: &Client, path: &str) -> (String, Vec<String>) {
    let reply = client.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.body);
    let mut lines = reply.body.as_str().unwrap().lines().skip(1).map(str::to_owned);
    (lines.next().unwrap(), lines.collect())
}

#[actix_web::test]
async fn lists_of_the_network_as_files() {
    let (mut life, ana, _) = closed().await;
    // Whoever runs this in a spreadsheet shall read it.
    sqlx::query("UPDATE identity.account SET full_name = '=2+3' WHERE username = 'ana'")
        .execute(&life.app.sql)
        .await
        .unwrap();
    // Caio alone is active below Ana: what matches now is lost.
    life.set_active(2, false).await;
    life.sale_of(3, 100, 500, false).await;
    life.close().await;
    let (ana, admin) = (life.app.renew(&ana), life.app.admin("rui").await);
    let day = |back: i64| (life.date() - time::Duration::days(back)).to_string();

    let (head, rows) = file(&ana, "/affiliates/bonus-log?format=csv&bonusType=binary").await;
    assert_eq!(
        head,
        "Data;Dia;Tipo;Origem;Base;Percentual;Total (USDT);Pago (USDT);Aguardando (USDT);Perdido;Sem efeito (USDT);Devolvido (USDT);Motivo;Situação"
    );
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(
        rows.iter()
            .any(|r| r.contains("500,000000;10,00;50,000000;50,000000;0,000000;0,000000")),
        "{rows:?}"
    );
    let (head, rows) = file(
        &admin,
        "/admin/bonus-report?format=csv&search=ana&bonusType=residual",
    )
    .await;
    assert!(head.starts_with("Data;Dia;Usuário;Tipo;Origem;"), "{head}");
    assert_eq!(rows.len(), 1);
    assert!(rows[0].contains(";ana;") && rows[0].contains(";bia;"), "{rows:?}");
    let none = format!("/admin/bonus-report?format=csv&startDate={}", day(0));
    assert_eq!(file(&admin, &none).await.1, Vec::<String>::new());

    let (head, rows) = file(&admin, "/admin/binary-lost-points-report?format=csv").await;
    assert_eq!(
        head,
        "Dia;Usuário;Nome;Pontos à esquerda;Pontos à direita;Pontos casados;Pontos pagos;Perdido;Motivo"
    );
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert!(
        rows[0].contains(";ana;\"'=2+3\";700,000000;100,000000;100,000000;0,000000;100,000000;"),
        "{rows:?}"
    );
    let other = "/admin/binary-lost-points-report?format=csv&reason=daily_cap";
    assert_eq!(file(&admin, other).await.1, Vec::<String>::new());

    let (head, rows) = file(&ana, "/affiliates/reference-list?format=csv&status=active").await;
    assert!(head.starts_with("Usuário;"), "{head}");
    assert_eq!(rows.len(), 1);
    assert!(rows[0].starts_with("caio;"), "{rows:?}");
    assert!(
        head.ends_with(";Pontos;Trouxe") && rows[0].ends_with(";600,000000;0"),
        "{head} {rows:?}"
    );

    let (head, rows) = file(&admin, "/admin/graduation?format=csv").await;
    assert!(head.starts_with("Data;Usuário;Nome;"), "{head}");
    assert_eq!(rows, Vec::<String>::new(), "500 points are no rank yet");
    // Enough for the first rank.
    life.set_active(2, true).await;
    life.sale_of(2, 1_000, 5_000, false).await;
    life.sale_of(3, 1_000, 5_000, false).await;
    life.close().await;
    let admin = life.app.renew(&admin);
    for (path, with, without) in [
        ("/admin/graduation", "isBonusPaid=false", "isBonusPaid=true"),
        ("/admin/graduations", "search=ana", "search=bia"),
    ] {
        let (head, rows) = file(&admin, &format!("{path}?format=csv&{with}")).await;
        assert!(head.contains("Usuário;Nome;"), "{head}");
        assert_eq!(rows.len(), 1, "{path}");
        assert!(rows[0].contains("ana;\"'=2+3\";"), "{rows:?}");
        let (_, rows) = file(&admin, &format!("{path}?format=csv&{without}")).await;
        assert_eq!(rows, Vec::<String>::new(), "{path}");
    }
    // Whether its member is active is of now.
    for (active, word) in [(true, "Ativo"), (false, "Inativo")] {
        life.set_active(1, active).await;
        let (head, rows) = file(&admin, &format!("/admin/graduation?format=csv&isActive={active}")).await;
        assert_eq!(
            head,
            "Data;Usuário;Nome;Graduação;Pontos;Membro;Valor (USDT);Situação;Hash"
        );
        assert_eq!(rows.len(), 1, "{word}");
        assert!(
            rows[0].contains(&format!(";Bronze;1000,000000;{word};50,000000;Não pago;")),
            "{rows:?}"
        );
    }
}

/// What was paid and taken back was paid, and is so no more; what was due and dropped never came: lists, sums and files say both.
#[actix_web::test]
async fn what_went_back_stands_beside_what_was_paid() {
    let mut life = Life::begin(14).await;
    let (ana_at, ana) = life.client_below("ana", 0).await;
    let (bia_at, _) = life.client_below("bia", ana_at).await;
    life.sale_of(ana_at, 1_000, 5_000, false).await;
    life.sale_of(bia_at, 1_200, 6_000, false).await;
    // Four of ten are paid, six wait.
    let left = life.network.fund - Usdt::whole(4).0;
    life.fill_fund(-left).await;
    life.network.fund -= left;
    life.allocate(bia_at, Usdt::whole(100).0).await;
    // Eight of ten go: the six that wait, and two that were paid. Then all of the sale's.
    life.take_capital(bia_at, Usdt::whole(80).0, 1).await;
    life.take_back(1).await;
    life.equal().await;

    let admin = life.app.admin("rui").await;
    let amounts = |bonus: &Value| {
        ["gross", "paid", "waiting", "lost", "dropped", "returned"]
            .map(|name| bonus[name].as_str().unwrap().to_owned())
    };
    let amounts_of = |of: [i64; 6]| of.map(|amount| Usdt::whole(amount).to_string());
    for (kind, status, of, cells) in [
        (
            "level",
            "paid",
            [10, 4, 0, 0, 6, 2],
            "10,000000;4,000000;0,000000;0,000000;6,000000;2,000000;;Pago",
        ),
        (
            "direct_sale",
            "taken_back",
            [60, 60, 0, 0, 0, 60],
            "60,000000;60,000000;0,000000;0,000000;0,000000;60,000000;;Estornado",
        ),
    ] {
        let bonus = only(&ana, kind).await;
        assert_eq!(bonus["status"], status);
        assert_eq!(amounts(&bonus), amounts_of(of), "{kind}");
        for (who, list) in [
            (&ana, format!("/affiliates/bonus-log?bonusType={kind}")),
            (&admin, format!("/admin/bonus-report?search=ana&bonusType={kind}")),
        ] {
            let all = who.get(&list).await.ok();
            assert_eq!(all["totals"].as_array().unwrap().len(), 1, "{all}");
            assert_eq!(amounts(&all["totals"][0]), amounts_of(of), "{list}");
            // What went back whole is of no day; of what went back in part the rest is.
            let received: Vec<_> = [of[1] - of[5]].into_iter().filter(|left| *left > 0).collect();
            let days = all["days"].as_array().unwrap();
            let days: Vec<_> = days.iter().map(|day| day["total"].as_str().unwrap()).collect();
            let wanted: Vec<_> = received
                .iter()
                .map(|left| Usdt::whole(*left).to_string())
                .collect();
            assert_eq!(days, wanted, "{list}");
            for (locale, columns) in [
                ("pt", "Perdido;Sem efeito (USDT);Devolvido (USDT);Motivo;"),
                ("es", "Perdido;Sin efecto (USDT);Devuelto (USDT);Motivo;"),
                ("en", "Lost,Dropped (USDT),Given back (USDT),Reason,"),
            ] {
                let who = who.clone().locale(locale);
                let (head, rows) = file(&who, &format!("{list}&format=csv")).await;
                assert!(head.contains(columns), "{head}");
                assert_eq!(rows.len(), 1);
                assert!(locale != "pt" || rows[0].ends_with(cells), "{rows:?}");
            }
        }
    }
}
