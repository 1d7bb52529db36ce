//! The first steps of the demo's traders, taken once, by the product's own calls: a deposit with its proof and approval,
//! licences put to work, a ticket. Nothing here writes a balance. Absent from a production world.

use anyhow::{Context as _, bail};
use rand::{Rng, distr::Alphanumeric};
use reqwest::{Method, multipart};
use serde_json::{Value, json};
use url::Url;

use super::banner::SignIn;
use crate::{
    approvals::guard,
    foundation::{
        context::Context,
        outbound::{self, Purpose},
    },
};
use time::{Duration, format_description::well_known::Rfc3339};
use uuid::Uuid;

/// How long one call of this server to itself may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

fn failed(error: reqwest::Error) -> anyhow::Error {
    anyhow::anyhow!(outbound::told(&error))
}

/// A person who uses the product through its own calls.
struct Caller {
    base: String,
    http: reqwest::Client,
    token: String,
}

impl Caller {
    async fn sign_in(base: &Url, people: &[SignIn], username: &str) -> anyhow::Result<Self> {
        let person = people
            .iter()
            .find(|p| p.email.starts_with(&format!("{username}@")))
            .context("no such demo person")?;
        let http = outbound::client(Purpose::within(PATIENCE))?;
        let base = base.as_str().trim_end_matches('/').to_owned();
        let answer: Value = http
            .post(format!("{base}/api/auth/login"))
            .json(&json!({ "email": person.email, "password": person.password.expose() }))
            .send()
            .await
            .map_err(failed)?
            .json()
            .await
            .map_err(failed)?;
        // A second factor that its owner has switched on is theirs: then this person is left alone.
        let token = answer["token"]
            .as_str()
            .context("a demo person cannot sign in by password alone")?
            .to_owned();
        Ok(Self { base, http, token })
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http
            .request(method, format!("{}/api{path}", self.base))
            .bearer_auth(&self.token)
            .header("Idempotency-Key", uuid::Uuid::now_v7().to_string())
    }

    async fn call(&self, request: reqwest::RequestBuilder) -> anyhow::Result<Value> {
        let response = request.send().await.map_err(failed)?;
        let status = response.status();
        let body: Value = response.json().await.unwrap_or_default();
        if !status.is_success() {
            bail!("{status}: {body}");
        }
        Ok(body)
    }

    async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.call(self.request(Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.call(self.request(Method::POST, path).json(body)).await
    }
}

/// What a trader of the demo begins with: a deposit in USDT; (licence value, high risk, top-up, allocation).
struct Start {
    username: &'static str,
    deposit: &'static str,
    licences: &'static [(&'static str, bool, &'static str, &'static str)],
    ticket: Option<(&'static str, &'static str)>,
}

const STARTS: [Start; 2] = [
    Start {
        username: "trader1",
        deposit: "2500",
        licences: &[
            ("100.000000", false, "450", "400"),
            ("250.000000", true, "900", "750"),
        ],
        ticket: None,
    },
    Start {
        username: "trader2",
        deposit: "1800",
        licences: &[("250.000000", false, "700", "600")],
        ticket: Some((
            "Meta diária do robô",
            "Olá! Quando o robô atinge a meta do dia, ele volta a operar à meia-noite ou depois de 24 horas?",
        )),
    },
];

/// The first steps of the demo's traders. Each step looks first whether it was taken, so that a start after a kill goes on.
pub async fn first_steps(context: Context, base: Url, people: Vec<SignIn>) -> anyhow::Result<()> {
    let approver = Caller::sign_in(&base, &people, "admin1").await?;
    for start in &STARTS {
        let trader = Caller::sign_in(&base, &people, start.username).await?;
        let first = deposit(&trader, &approver, start).await?;
        let_it_leave(&context, first).await?;
        if trader.get("/get-user-licenses").await?["data"]
            .as_array()
            .is_some_and(Vec::is_empty)
        {
            for licence in start.licences {
                put_to_work(&trader, licence).await?;
            }
        }
        if let Some((subject, text)) = start.ticket
            && trader.get("/support/list-tickets-user/").await?["meta"]["total"] == 0
        {
            trader
                .post(
                    "/support/open-ticket",
                    &json!({ "subject": subject, "description": text, "category": "robot_trading" }),
                )
                .await?;
        }
    }
    first_round(&context, &base, &people, &approver).await
}

/// What the traders pay in the demo's first round, in USDT.
const PURCHASES: [(&str, &str); 2] = [("trader1", "250"), ("trader2", "120")];

/// One round of PYX that runs for two weeks, agreed by both administrators, and the traders' first purchases in it.
async fn first_round(
    context: &Context,
    base: &Url,
    people: &[SignIn],
    approver: &Caller,
) -> anyhow::Result<()> {
    let known = approver.get("/admin/presale/rounds").await?;
    let (round, proposed) = match known["data"].as_array().and_then(|all| all.last()) {
        Some(first) => (first["_id"].clone(), first["status"] == "proposed"),
        None => {
            let now = context.now();
            let terms = json!({
                "price": "0.05", "supply": "1000000", "cap": "50000",
                "startsAt": now.format(&Rfc3339)?, "endsAt": (now + Duration::days(14)).format(&Rfc3339)?,
                "cliffDays": 30, "vestingDays": 180,
            });
            let made = approver.post("/admin/presale/rounds", &terms).await?;
            (made["_id"].clone(), true)
        }
    };
    let round = round.as_str().context("a round without an id")?;
    if proposed {
        let second = Caller::sign_in(base, people, "admin2").await?;
        second
            .post(&format!("/admin/presale/rounds/{round}/agree"), &json!({}))
            .await?;
    }
    for (username, value) in PURCHASES {
        let trader = Caller::sign_in(base, people, username).await?;
        let none = trader.get("/presale/holdings").await?["purchases"]
            .as_array()
            .is_some_and(Vec::is_empty);
        let open = trader.get("/presale/rounds").await?["current"]["state"] == "open";
        if none && open {
            let order = json!({ "round": round, "value": value });
            trader.post("/presale/buy", &order).await?;
        }
    }
    Ok(())
}

/// The bank will not take this money back: whoever tries the demo need not wait three days before anything may leave.
async fn let_it_leave(context: &Context, deposit: Uuid) -> anyhow::Result<()> {
    let mut tx = context.db.begin().await?;
    guard::forget_pix_credit(&mut tx, deposit).await?;
    tx.commit().await?;
    Ok(())
}

async fn deposit(trader: &Caller, approver: &Caller, start: &Start) -> anyhow::Result<Uuid> {
    let known = trader.get("/list-deposits-pix").await?;
    let deposit = match known["data"].as_array().and_then(|all| all.last()) {
        Some(first) => first.clone(),
        None => {
            trader
                .post("/deposit-pix", &json!({ "usdt": start.deposit }))
                .await?
        }
    };
    let id = deposit["_id"].as_str().context("a deposit without an id")?;
    if deposit["status"] == "pending" {
        let part = multipart::Part::bytes(proof()?)
            .file_name("comprovante.png")
            .mime_str("image/png")?;
        let form = multipart::Form::new().part("file", part);
        trader
            .call(
                trader
                    .request(Method::POST, &format!("/deposit-pix/{id}/proof"))
                    .multipart(form),
            )
            .await?;
    }
    if matches!(deposit["status"].as_str(), Some("pending" | "pending_approval")) {
        let decision = json!({ "id": id, "status": "approved", "endToEndId": end_to_end_id()?, "payerName": start.username });
        approver
            .call(
                approver
                    .request(Method::PATCH, "/admin/deposits-pix-approve-reject")
                    .json(&decision),
            )
            .await?;
    }
    Ok(id.parse()?)
}

async fn put_to_work(
    trader: &Caller,
    (value, high_risk, topup, allocation): &(&str, bool, &str, &str),
) -> anyhow::Result<()> {
    let plans = trader.get("/licences/plans").await?;
    let plan = plans
        .as_array()
        .or_else(|| plans["data"].as_array())
        .and_then(|all| {
            all.iter()
                .find(|p| p["value"] == *value && p["isHighRisk"] == *high_risk)
        })
        .with_context(|| format!("no plan of {value}"))?;
    let bought = trader
        .post(
            "/licences/buy",
            &json!({ "plan": plan["_id"], "source": "available", "riskAccepted": true }),
        )
        .await?;
    let licence = bought["licence"]["_id"]
        .as_str()
        .or_else(|| bought["_id"].as_str())
        .context("a licence without an id")?
        .to_owned();
    trader
        .post(
            "/licences/topup",
            &json!({ "licence": licence, "value": topup, "source": "available" }),
        )
        .await?;
    trader
        .post(
            "/trader/allocate-value-in-trading",
            &json!({ "licence": licence, "value": allocation }),
        )
        .await?;
    Ok(())
}

/// A picture that stands for a bank's receipt; no two are alike.
fn proof() -> anyhow::Result<Vec<u8>> {
    let mut rng = rand::rng();
    let (r, g): (u8, u8) = (rng.random(), rng.random());
    let picture = image::RgbImage::from_fn(360, 480, |x, y| {
        let line = y % 40 < 3 && x > 30 && x < 330;
        if line {
            image::Rgb([r, g, 120])
        } else {
            image::Rgb([246, 248, u8::try_from(y / 2 % 256).unwrap_or(0)])
        }
    });
    let mut png = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut png, image::ImageFormat::Png)?;
    Ok(png.into_inner())
}

/// As a bank would number the payment: E, its number, the minute, eleven characters of its own.
fn end_to_end_id() -> anyhow::Result<String> {
    use crate::foundation::clock::{Clock, SystemClock};
    let minute = time::macros::format_description!("[year][month][day][hour][minute]");
    let own: String = rand::rng()
        .sample_iter(Alphanumeric)
        .take(11)
        .map(char::from)
        .collect();
    Ok(format!("E00000000{}{own}", SystemClock.now().format(minute)?))
}
