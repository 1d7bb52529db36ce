//! Chaos: customers deposit and withdraw over the demo's own chain while the server is killed at random instants and the chain drops
//! its newest blocks. At the end every coin is where the books say, and no address was paid twice.

use crate::{people, people::Person, process::free_port};
use anyhow::{Context, bail, ensure};
use futures_util::future::join_all;
use rand::Rng;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use std::{
    collections::HashSet,
    fs::File,
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// What each customer does: deposits first, so that there is something to withdraw.
const DEPOSITS: usize = 3;
const WITHDRAWALS: usize = 2;
/// Everything together may take so long.
const PATIENCE: Duration = Duration::from_secs(1_500);
/// A payment that is not seen after so long has fallen out of the chain and is made again, as a customer would.
const UNSEEN: Duration = Duration::from_secs(40);
/// `balanceOf(address)`.
const BALANCE_OF: &str = "0x70a08231";

struct World {
    server: PathBuf,
    data: PathBuf,
    address: SocketAddr,
    child: Mutex<Option<Child>>,
    rpc: Mutex<String>,
    http: reqwest::Client,
    begun: Instant,
    over: AtomicBool,
    done: AtomicUsize,
    /// The contract of USDT, as the first payment's receipt names it.
    token: Mutex<Option<String>>,
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn between(least: u64, most: u64) -> Duration {
    Duration::from_millis(rand::rng().random_range(least..most))
}

async fn pause() {
    tokio::time::sleep(between(600, 1_400)).await;
}

/// Customers find their own money where they left it.
pub async fn run(server: &Path, movements: usize) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in("/tmp")?;
    // The user that runs PostgreSQL must be able to pass.
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755))?;
    let world = World {
        server: server.canonicalize()?,
        data: folder.path().join("data"),
        address: SocketAddr::from(([127, 0, 0, 1], free_port()?)),
        child: Mutex::new(None),
        rpc: Mutex::new(String::new()),
        http: reqwest::Client::builder()
            .timeout(Duration::from_secs(20))
            .build()?,
        begun: Instant::now(),
        over: AtomicBool::new(false),
        done: AtomicUsize::new(0),
        token: Mutex::new(None),
    };
    let result = lived_through(&world, movements).await;
    world.stop(true).ok();
    result
}

async fn lived_through(world: &World, movements: usize) -> anyhow::Result<()> {
    world.start().await?;
    let customers = movements.div_ceil(DEPOSITS + WITHDRAWALS);
    let people = people::make(&world.data.join("run"), customers + 1, &people::JWT_KEY).await?;
    let (admin, customers) = people.split_first().context("nobody")?;
    // The house's own play money lies on the chain before anything is counted.
    let hot = world.hot_address(admin).await?;
    let staff = async {
        while !world.over.load(Ordering::Relaxed) {
            approve_all(world, admin).await?;
            pause().await;
        }
        Ok::<(), anyhow::Error>(())
    };
    let chaos = async {
        let (mut kills, mut reorgs) = (0, 0);
        while !world.over.load(Ordering::Relaxed) {
            tokio::time::sleep(between(4_000, 14_000)).await;
            if rand::rng().random_bool(0.5) && world.reorg().await.is_ok() {
                reorgs += 1;
                continue;
            }
            world.stop(false)?;
            world.start().await?;
            kills += 1;
        }
        Ok::<_, anyhow::Error>((kills, reorgs))
    };
    let work = async {
        let lives = customers
            .iter()
            .enumerate()
            .map(|(n, person)| customer(world, person, n));
        let ends = join_all(lives).await;
        world.over.store(true, Ordering::Relaxed);
        ends.into_iter().collect::<anyhow::Result<Vec<_>>>()
    };
    let (ends, counts, decided) = tokio::join!(work, chaos, staff);
    let (kills, reorgs) = counts?;
    decided?;
    let ends = ends?;
    accounted(world, customers, &ends, &hot).await?;
    world.stop(true)?;
    let verify = Command::new(&world.server)
        .arg("verify")
        .arg("--data-dir")
        .arg(&world.data)
        .args(["--log", "error"])
        .status()?;
    ensure!(verify.success(), "the ledger is not exact");
    println!(
        "{} movements, {kills} kills, {reorgs} reorganisations of the chain in {} s: every coin is accounted for",
        world.done.load(Ordering::Relaxed),
        world.begun.elapsed().as_secs()
    );
    Ok(())
}

impl World {
    async fn start(&self) -> anyhow::Result<()> {
        let out = self.data.with_extension("out");
        let log = File::options()
            .create(true)
            .append(true)
            .open(self.data.with_extension("log"))?;
        let key: String = people::JWT_KEY.iter().map(|byte| format!("{byte:02x}")).collect();
        let child = Command::new(&self.server)
            .arg("serve")
            .env_remove("DATABASE_URL")
            .env("ARBORA_BIND", self.address.to_string())
            .env("ARBORA_DATA_DIR", &self.data)
            .env("ARBORA_JWT_KEY", key)
            .env("ARBORA_LIFT_LIMITS", "true")
            .env("ARBORA_FEED", "off")
            .env("ARBORA_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(log)
            .spawn()?;
        *locked(&self.child) = Some(child);
        let end = Instant::now() + Duration::from_secs(120);
        while Instant::now() < end {
            let said = std::fs::read_to_string(&out).unwrap_or_default();
            if said.contains(" is ready: ")
                && let Some(at) = said.lines().find(|line| line.contains("local test chain"))
                && let Some(url) = at.split_whitespace().find(|word| word.starts_with("http"))
            {
                url.clone_into(&mut locked(&self.rpc));
                return Ok(());
            }
            if let Some(child) = locked(&self.child).as_mut()
                && let Some(status) = child.try_wait()?
            {
                let log = std::fs::read_to_string(self.data.with_extension("log")).unwrap_or_default();
                bail!("the server ended with {status}: {}", tail(&log));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("the server did not start in time")
    }

    /// Killed where it stands, or asked to end.
    fn stop(&self, politely: bool) -> anyhow::Result<()> {
        let Some(mut child) = locked(&self.child).take() else {
            return Ok(());
        };
        let signal = if politely { libc::SIGTERM } else { libc::SIGKILL };
        #[allow(unsafe_code)]
        // SAFETY: kill takes plain numbers; the child is ours and not yet waited for.
        unsafe {
            libc::kill(i32::try_from(child.id())?, signal);
        }
        child.wait()?;
        Ok(())
    }

    /// One answer; none while nobody answers, which is what chaos is about. A refusal that is final is an error.
    async fn call(
        &self,
        person: &Person,
        method: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> anyhow::Result<Option<Value>> {
        let mut request = self
            .http
            .request(method.parse()?, format!("http://{}/api{path}", self.address))
            .bearer_auth(person.renewed(&people::JWT_KEY)?);
        if let Some(body) = body {
            request = request.json(body);
        }
        if let Some(key) = key {
            request = request.header("Idempotency-Key", key);
        }
        let Ok(answer) = request.send().await else {
            return Ok(None);
        };
        let status = answer.status();
        let Ok(text) = answer.text().await else {
            return Ok(None);
        };
        if status.is_success() {
            return Ok(Some(serde_json::from_str(&text).unwrap_or(Value::Null)));
        }
        if status.is_server_error() || status.as_u16() == 429 {
            return Ok(None);
        }
        bail!("{method} {path}: {status} {text}")
    }

    /// The same until it is answered.
    async fn insist(
        &self,
        person: &Person,
        method: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> anyhow::Result<Value> {
        loop {
            self.in_time(path)?;
            if let Some(answer) = self.call(person, method, path, body, key).await? {
                return Ok(answer);
            }
            pause().await;
        }
    }

    fn in_time(&self, what: &str) -> anyhow::Result<()> {
        ensure!(self.begun.elapsed() < PATIENCE, "not done in time: {what}");
        Ok(())
    }

    async fn rpc(&self, method: &str, params: Value) -> anyhow::Result<Value> {
        let url = locked(&self.rpc).clone();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer: Value = self.http.post(url).json(&body).send().await?.json().await?;
        ensure!(answer.get("error").is_none(), "{method}: {answer}");
        Ok(answer["result"].clone())
    }

    /// The newest blocks fall out, fewer than are waited for, with all that was in them.
    async fn reorg(&self) -> anyhow::Result<()> {
        let depth = rand::rng().random_range(1..8);
        self.rpc("anvil_reorg", json!([depth, []])).await?;
        self.rpc("anvil_dropAllTransactions", json!([])).await?;
        Ok(())
    }

    async fn balance(&self, of: &str) -> anyhow::Result<u128> {
        let token = locked(&self.token).clone().context("no payment was made")?;
        let data = format!("{BALANCE_OF}{:0>64}", of.trim_start_matches("0x").to_lowercase());
        let answer = self
            .rpc("eth_call", json!([{"to": token, "data": data}, "latest"]))
            .await?;
        let digits = answer.as_str().context("no balance")?.trim_start_matches("0x");
        Ok(u128::from_str_radix(digits.trim_start_matches('0'), 16).unwrap_or(0))
    }

    async fn hot_address(&self, admin: &Person) -> anyhow::Result<String> {
        loop {
            self.in_time("the hot wallet's capital")?;
            let hot = self.insist(admin, "GET", "/admin/hot-wallet", None, None).await?;
            let filled = hot["coins"].as_array().is_some_and(|coins| {
                coins
                    .iter()
                    .any(|c| c["coin"] == "usdt" && c["balance"].as_str().is_some_and(|b| b.len() > 18))
            });
            if let (true, Some(address)) = (filled, hot["address"].as_str()) {
                return Ok(address.to_owned());
            }
            pause().await;
        }
    }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

/// What a customer ends with: where each withdrawal went to, and how many wei it was to be.
struct End {
    paid: Vec<(String, u128)>,
}

async fn customer(world: &World, person: &Person, number: usize) -> anyhow::Result<End> {
    for turn in 0..DEPOSITS {
        deposit(world, person)
            .await
            .with_context(|| format!("deposit {turn} of customer {number}"))?;
        world.done.fetch_add(1, Ordering::Relaxed);
    }
    let mut paid = Vec::new();
    let mut used = HashSet::new();
    for turn in 0..WITHDRAWALS {
        paid.push(
            withdraw(world, person, &mut used)
                .await
                .with_context(|| format!("withdrawal {turn} of customer {number}"))?,
        );
        world.done.fetch_add(1, Ordering::Relaxed);
    }
    Ok(End { paid })
}

async fn deposit(world: &World, person: &Person) -> anyhow::Result<()> {
    let key = uuid::Uuid::now_v7().to_string();
    let order = json!({"coin": "usdt", "value": "30"});
    let made = world
        .insist(person, "POST", "/deposit", Some(&order), Some(&key))
        .await?;
    let id = made["_id"].as_str().context("no deposit")?.to_owned();
    let mut paid: Option<Instant> = None;
    loop {
        world.in_time("a deposit")?;
        let list = world
            .insist(person, "GET", "/list-deposits?limit=50", None, None)
            .await?;
        let now = list["data"]
            .as_array()
            .and_then(|rows| rows.iter().find(|row| row["_id"] == id.as_str()))
            .with_context(|| format!("deposit {id} is gone"))?;
        match now["status"].as_str() {
            Some("complete") => return Ok(()),
            Some("waiting_for_buyer_funds") if paid.is_none_or(|at| at.elapsed() > UNSEEN) => {
                let order = json!({"deposit": id});
                // Refused when a payment was seen in between.
                if let Ok(Some(answer)) = world
                    .call(person, "POST", "/dev/faucet", Some(&order), None)
                    .await
                {
                    learn_token(world, &answer).await;
                }
                paid = Some(Instant::now());
            }
            Some("waiting_for_buyer_funds" | "pending" | "funds_received_and_confirmed") => {}
            status => bail!("a deposit became {status:?}: {now}"),
        }
        pause().await;
    }
}

/// The contract of USDT is the one that logs the first payment.
async fn learn_token(world: &World, payment: &Value) {
    if locked(&world.token).is_some() {
        return;
    }
    let Ok(receipt) = world
        .rpc("eth_getTransactionReceipt", json!([payment["transaction"]]))
        .await
    else {
        return;
    };
    if let Some(token) = receipt["logs"][0]["address"].as_str() {
        *locked(&world.token) = Some(token.to_owned());
    }
}

async fn withdraw(
    world: &World,
    person: &Person,
    used: &mut HashSet<String>,
) -> anyhow::Result<(String, u128)> {
    // Nobody's key: what arrives stays and can be counted.
    let to = format!("0x{:040x}", rand::rng().random::<u128>());
    let key = uuid::Uuid::now_v7().to_string();
    let order = json!({"coin": "usdt", "address": to, "value": "12"});
    let made = world
        .insist(person, "POST", "/withdraw", Some(&order), Some(&key))
        .await?;
    let id = made["_id"].as_str().context("no withdrawal")?.to_owned();
    let wei: u128 = made["amount"].as_str().context("no amount")?.parse()?;
    loop {
        world.in_time("a withdrawal")?;
        let list = world
            .insist(person, "GET", "/list-withdraws?limit=50", None, None)
            .await?;
        let now = list["data"]
            .as_array()
            .and_then(|rows| rows.iter().find(|row| row["_id"] == id.as_str()))
            .with_context(|| format!("withdrawal {id} is gone"))?;
        match now["status"].as_str() {
            Some("complete") => return Ok((to, wei)),
            Some("awaiting_email") => confirm(world, person, used).await?,
            Some("pending" | "approved" | "sent") => {}
            status => bail!("a withdrawal became {status:?}: {now}"),
        }
        pause().await;
    }
}

/// Follows the links of the person's mails that were not followed yet.
async fn confirm(world: &World, person: &Person, used: &mut HashSet<String>) -> anyhow::Result<()> {
    let url = format!(
        "http://{}/dev/mailbox.json?to={}@load.invalid",
        world.address, person.id
    );
    let Ok(answer) = world.http.get(url).send().await else {
        return Ok(());
    };
    let Ok(text) = answer.text().await else {
        return Ok(());
    };
    for part in text.split("confirm=").skip(1) {
        // The withdrawal's id, a point, the token.
        let token: String = part
            .split_once('.')
            .map_or("", |(_, token)| token)
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
            .collect();
        if used.contains(&token) {
            continue;
        }
        // A link that was followed just before a kill is used up: what the list says counts.
        if !matches!(
            world
                .call(
                    person,
                    "POST",
                    "/withdraw/confirm",
                    Some(&json!({"token": token})),
                    None
                )
                .await,
            Ok(None)
        ) {
            used.insert(token);
        }
    }
    Ok(())
}

async fn approve_all(world: &World, admin: &Person) -> anyhow::Result<()> {
    let Some(list) = world
        .call(
            admin,
            "GET",
            "/admin/crypto-withdrawal-list?status=pending&limit=100",
            None,
            None,
        )
        .await?
    else {
        return Ok(());
    };
    for row in list["data"].as_array().into_iter().flatten() {
        let Some(id) = row["_id"].as_str() else { continue };
        let body = json!({"id": id, "status": "approved", "amount": row["amount"]});
        let key = format!("approve-{id}");
        // Another round may have decided before the answer was lost.
        if let Err(error) = world
            .call(
                admin,
                "PATCH",
                "/admin/crypto-withdrawal-approve-reject",
                Some(&body),
                Some(&key),
            )
            .await
            && !error.to_string().contains("decision.done")
        {
            return Err(error);
        }
    }
    Ok(())
}

/// On the chain and in the books, to the last unit.
async fn accounted(world: &World, customers: &[Person], ends: &[End], hot: &str) -> anyhow::Result<()> {
    for (address, wei) in ends.iter().flat_map(|end| &end.paid) {
        let there = world.balance(address).await?;
        ensure!(
            there == *wei,
            "{address} was to receive {wei} wei and has {there}"
        );
    }
    let options = PgConnectOptions::new_without_pgpass()
        .socket(world.data.join("run"))
        .port(5432)
        .username("arbora_owner")
        .database("arbora");
    let mut books = PgConnection::connect_with(&options).await?;
    let ids: Vec<uuid::Uuid> = customers.iter().map(|person| person.id).collect();
    let wrong: Vec<(uuid::Uuid, String)> = sqlx::query_as(
        "SELECT p.id, concat(a.available, ' available, ', a.held, ' held, ', d.credited, ' credited, ', w.value, ' withdrawn')
         FROM unnest($1::uuid[]) AS p(id),
              LATERAL (SELECT COALESCE(sum(balance) FILTER (WHERE name = 'available'), 0) AS available,
                              COALESCE(sum(balance) FILTER (WHERE name = 'held'), 0) AS held
                       FROM ledger.account WHERE owner = p.id) a,
              LATERAL (SELECT COALESCE(sum(credited), 0) AS credited FROM wallet.deposit WHERE owner = p.id) d,
              LATERAL (SELECT COALESCE(sum(usdt), 0) AS value FROM wallet.withdrawal WHERE owner = p.id AND status = 'complete') w
         WHERE a.available <> d.credited - w.value OR a.held <> 0",
    )
    .bind(&ids)
    .fetch_all(&mut books)
    .await?;
    ensure!(wrong.is_empty(), "balances that nothing explains: {wrong:?}");
    // Payments that were made twice for want of a sight of the first may still be on their way: the books follow the chain.
    let addresses: Vec<String> =
        sqlx::query_scalar("SELECT '0x' || encode(address, 'hex') FROM wallet.deposit_address")
            .fetch_all(&mut books)
            .await?;
    let end = Instant::now() + Duration::from_secs(120);
    loop {
        let mut chain = world.balance(hot).await?;
        for address in &addresses {
            chain += world.balance(address).await?;
        }
        let booked: String = sqlx::query_scalar(
            "SELECT (-COALESCE(sum(balance), 0))::text FROM ledger.account WHERE name = 'custody_chain:usdt'",
        )
        .fetch_one(&mut books)
        .await?;
        if booked.parse::<u128>().ok() == Some(chain) {
            return Ok(());
        }
        ensure!(
            Instant::now() < end,
            "the chain holds {chain} wei of USDT, the books {booked}"
        );
        pause().await;
    }
}
