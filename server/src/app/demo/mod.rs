//! What a demo begins with: people, a network with days behind it ([`network`]), and first steps that the traders take once, by the
//! product's own calls. Afterwards the network lives on ([`life`]). Nothing here writes a balance or a row: all is done by the rooms'
//! services. Absent from a production world.

mod cast;
mod desk;
mod lessons;
pub mod life;
mod member;
mod network;

use anyhow::{Context as _, bail};
use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::{banner::SignIn, seed};
use crate::{
    config::Secrets,
    foundation::{
        context::Context,
        outbound::{self, Purpose},
    },
    identity::service as identity,
};
pub(super) use network::select_leg;
use network::{Filling, Past};
use time::{Duration, format_description::well_known::Rfc3339};

/// Held by the node that fills a demo.
const LEASE: &str = "demo.filling";

/// Makes the people of a demo, whoever is missing, and its network; returns who can sign in. Call it before anything else works on
/// the database: a network that is new has days behind it, and nobody may have seen them otherwise.
///
/// # Errors
/// When the database or the secrets folder refuses people; a network that refuses waits for the next start.
pub async fn begin(context: &Context, secrets: &Secrets) -> anyhow::Result<Vec<SignIn>> {
    let filling = Filling::begin(context).await?;
    let filled = fill(context, secrets, &filling).await;
    if let Err(error) = filling.end().await {
        tracing::warn!(?error, "the lease on filling the demo runs out by itself");
    }
    filled
}

/// The people alone, as before there was a network.
///
/// # Errors
/// As [`begin`].
pub async fn people_alone(context: &Context, secrets: &Secrets) -> anyhow::Result<Vec<SignIn>> {
    seed::people(context, secrets).await
}

async fn fill(context: &Context, secrets: &Secrets, filling: &Filling<'_>) -> anyhow::Result<Vec<SignIn>> {
    let first = seed::PEOPLE.first().map_or("", |person| person.key);
    let fresh = identity::account_by_username(&context.db, first).await?.is_none();
    let (people, missing) = if fresh {
        let past = Past::of(context);
        let people = seed::people(&past.context, secrets).await?;
        let missing = match filling.live_through(&past).await {
            Ok(()) => 0,
            Err(error) => {
                tracing::warn!(?error, "the demo's network has fewer days behind it");
                i64::MAX
            }
        };
        (people, missing)
    } else {
        (people_alone(context, secrets).await?, i64::MAX)
    };
    if let Err(error) = filling.complete(missing).await {
        tracing::warn!(?error, "the demo's network waits for the next start");
    }
    Ok(people)
}

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

/// What a trader of the demo asks support first.
const TICKET: (&str, &str, &str) = (
    "trader2",
    "Meta diária do robô",
    "Olá! Quando o robô atinge a meta do dia, ele volta a operar à meia-noite ou depois de 24 horas?",
);

/// The first steps of the demo's traders by calls. Each step looks first whether it was taken, so that a start after a kill goes on.
pub async fn first_steps(context: Context, base: Url, people: Vec<SignIn>) -> anyhow::Result<()> {
    let approver = Caller::sign_in(&base, &people, "admin1").await?;
    let (username, subject, text) = TICKET;
    let trader = Caller::sign_in(&base, &people, username).await?;
    if trader.get("/support/list-tickets-user/").await?["meta"]["total"] == 0 {
        let ticket = json!({ "subject": subject, "description": text, "category": "robot_trading" });
        trader.post("/support/open-ticket", &ticket).await?;
    }
    if let Err(error) = lessons::begin(&context, &approver).await {
        tracing::warn!(?error, "the demo's academy waits for the next start");
    }
    first_round(&context, &base, &people, &approver).await
}

/// The lessons and the paper that a demo's academy begins with, by an administrator of the demo.
///
/// # Errors
/// When one of the calls is refused; a next start goes on.
pub async fn first_lessons(context: &Context, base: &Url, people: &[SignIn]) -> anyhow::Result<()> {
    let author = Caller::sign_in(base, people, "admin1").await?;
    lessons::begin(context, &author).await
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
            .post(
                &format!("/admin/presale/rounds/{round}/agree"),
                &json!({ "revision": 1 }),
            )
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
