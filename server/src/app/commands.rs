//! What the commands of the command line do.

// Commands answer on the standard output.
#![allow(clippy::print_stdout)]

use std::{io::Write, path::Path, sync::Arc, time::Duration};

use actix_web::HttpServer;
use anyhow::{Context as _, anyhow, bail};
use protocol::{ErrorCode, views::Mode};
use tokio_util::sync::CancellationToken;

use super::{
    api::{self, Face},
    background::{self, Background},
    banner,
    chain::{self, OpenChain},
    demo, in_force,
    listener::{Connections, KEEP_ALIVE, LAST_ANSWERS, Reserved},
    probes::Probes,
    shutdown,
    spa::Spa,
};
use crate::{
    approvals::grants,
    config::{
        Check, Config, CreateAdmin, Environment, Feed, FeedConfig, Record, Secrets, StoreConfig,
        UnfreezeAdmin, VerifyAudit, World,
    },
    foundation::{
        audit::{
            heads::{self, AuditHeads},
            verify as audit,
        },
        clock::{Clock, SystemClock},
        context::{Context, Hashing, Parts},
        database::Database,
        files::{self, Shelves, decoding::Decoding},
        locale::Locale,
        mail::smtp::Mailer,
        private,
        settings::SettingsReader,
        transaction::Db,
    },
    identity::{
        gate::Gate,
        google::Provider,
        resealing,
        service::{self as identity, NewStaff},
    },
    ledger::verify as ledger,
    market::{
        FeedMode,
        recorder::{self, Recorder},
    },
    notifications::push::{Pusher, Services},
    pix,
    realtime::routes::AllowedOrigins,
    robots::live::{Live, venue},
    routes::ROUTES,
    wallet::{
        chain::{Chain, address::write as wallet_address},
        keys,
        sender::{self, service::Sending},
    },
};

/// Sockets are told to come back within this time, each at a moment of its own.
const DRAIN_WINDOW: Duration = Duration::from_secs(2);

/// Serves until Ctrl-C or SIGTERM, then stops everything in the opposite order.
pub async fn serve(mut config: Config) -> anyhow::Result<()> {
    let reserved = Reserved::take(config.http.bind)?;
    let address = config
        .http
        .bound_to(reserved.address())
        .context("the server has no address")?;
    let mut stop = shutdown::Requests::listen()?;
    let database = tokio::select! {
        database = Database::open(&config.store) => database?,
        _ = stop.next() => return Ok(()),
    };
    let chain = tokio::select! {
        chain = OpenChain::open(&config) => chain,
        _ = stop.next() => { database.close().await?; return Ok(()) }
    };
    let served = match chain {
        Ok(chain) => {
            let served = serve_on(&config, &database, &chain, reserved, &address, &mut stop).await;
            chain.close();
            served
        }
        Err(error) => Err(error),
    };
    // The threads of sockets and actors end with the last handle on them. That is held until the pool is closed: what is under
    // way on them gives its connection back, and the pool waits for it.
    database.close().await?;
    let (_background, outcome) = served?;
    outcome
}

async fn serve_on(
    config: &Config,
    database: &Database,
    chain: &OpenChain,
    reserved: Reserved,
    address: &url::Url,
    stop: &mut shutdown::Requests,
) -> anyhow::Result<(Background, anyhow::Result<()>)> {
    let keys = chain::user_keys(config, database.pool()).await?;
    let db = Db::new(database.pool().clone(), Arc::new(SystemClock));
    let parts = chain.parts(Parts::default(), &db, keys);
    let context = context(config, database, address, parts)?;
    let people = match config.store.world {
        World::Demo => demo::begin(&context, &config.secrets).await?,
        World::Production => Vec::new(),
    };
    let background = Background::start(&context, config)?;
    let outcome = answer(
        config,
        database,
        chain,
        reserved,
        address,
        stop,
        context,
        &background,
        people,
    )
    .await;
    background.stop().await;
    Ok((background, outcome))
}

/// Signs and sends what was approved and gathers deposits until Ctrl-C or SIGTERM. Listens to nobody: whatever it is to do stands in
/// the database, and whatever it has done is read there by the servers.
pub async fn sign(config: &Config) -> anyhow::Result<()> {
    let address = config.http.address().context("PUBLIC_URL is missing")?;
    let mut stop = shutdown::Requests::listen()?;
    let database = tokio::select! {
        database = Database::open(&config.store) => database?,
        _ = stop.next() => return Ok(()),
    };
    let signed = sign_on(config, &database, &address, &mut stop).await;
    database.close().await?;
    signed
}

async fn sign_on(
    config: &Config,
    database: &Database,
    address: &url::Url,
    stop: &mut shutdown::Requests,
) -> anyhow::Result<()> {
    let chain = tokio::select! {
        chain = OpenChain::open(config) => chain?,
        _ = stop.next() => return Ok(()),
    };
    let keys = chain::user_keys(config, database.pool()).await?;
    let db = Db::new(database.pool().clone(), Arc::new(SystemClock));
    let context = context(
        config,
        database,
        address,
        chain.parts(Parts::default(), &db, keys),
    )?;
    let (Some(open), Some(sending)) = (context.part::<Chain>(), context.part::<Sending>()) else {
        bail!("CHAIN_RPC_URL is missing: the signer works on the chain of its servers");
    };
    let over = CancellationToken::new();
    let mut signing = actix_web::rt::spawn(sender::run(
        context.clone(),
        open.clone(),
        sending.clone(),
        over.clone(),
    ));
    let hot = sending.hot.map_or_else(|| "none".to_owned(), wallet_address);
    println!("The signer is ready: {}, hot wallet {hot}", chain.shown().0);
    let ended = tokio::select! {
        cause = stop.next() => {
            tracing::info!(cause, "stopping");
            over.cancel();
            signing.await
        }
        // It ends by itself only when it panics: whoever watches this process has to start it again.
        ended = &mut signing => ended,
    };
    chain.close();
    Ok(ended?)
}

/// Answers requests until told to stop, then lets go of every socket and finishes open requests.
#[allow(clippy::too_many_arguments)] // what the start has made, once
async fn answer(
    config: &Config,
    database: &Database,
    chain: &OpenChain,
    reserved: Reserved,
    address: &url::Url,
    stop: &mut shutdown::Requests,
    context: Context,
    background: &Background,
    people: Vec<banner::SignIn>,
) -> anyhow::Result<()> {
    let first_steps = context.clone();
    let spa = Spa::load(&config.store.files.web, address.scheme() == "https").unwrap_or_else(|error| {
        tracing::warn!(folder = %config.store.files.web.display(), %error, "there is no built web app");
        Spa::default()
    });
    let gate = Gate::new(
        ROUTES,
        config.http.trusted_proxies.clone(),
        config.http.lift_limits,
    );
    background.watch(gate.clone());
    let probes = Probes::new(&context, &background.realtime, config.http.metrics_from.clone());
    let face = Face {
        context,
        probes: probes.clone(),
        gate,
        spa,
        realtime: background.realtime.clone(),
        origins: AllowedOrigins(config.http.origins()),
    };
    let connections = Connections::default();
    let counted = connections.clone();
    let server = HttpServer::new(move || api::app(&face))
        .on_connect(move |connection, data| {
            data.insert(counted.open());
            actors::session::transport::on_connect(connection, data);
        })
        .disable_signals()
        .keep_alive(KEEP_ALIVE)
        .shutdown_timeout(LAST_ANSWERS.as_secs())
        .listen(reserved.open()?)?
        .run();
    let handle = server.handle();
    let mut serving = actix_web::rt::spawn(server);

    banner::print(config, database, &chain.shown(), address, &people);
    let first_steps = (config.store.world == World::Demo).then(|| {
        let base = address.clone();
        actix_web::rt::spawn(async move {
            if let Err(error) = demo::first_steps(first_steps, base, people).await {
                tracing::warn!(%error, "the demo's first steps wait for the next start");
            }
        })
    });
    let ended = tokio::select! {
        cause = stop.next() => {
            tracing::info!(cause, "stopping");
            None
        }
        ended = &mut serving => Some(ended),
    };
    if let Some(first_steps) = first_steps {
        first_steps.abort();
    }
    if let Some(ended) = ended {
        return Ok(ended??);
    }
    // From here on every answer is the last of its connection. The HTTP server closes what rests at that moment, and a request may be
    // on its way into it: behind a proxy nothing rests any more when the proxy has let go of its connections.
    probes.stop();
    let proxied = !config.http.trusted_proxies.is_empty();
    let patience = if proxied { KEEP_ALIVE } else { Duration::ZERO };
    // Sockets as well: the HTTP server would wait for every open one.
    tokio::join!(
        background.realtime.drain(DRAIN_WINDOW),
        connections.none_for(patience)
    );
    // A connection to the database lives in the thread that opened it, and many were opened by those that answer: whoever works beside them
    // ends, and gives up what it holds, while they are there.
    background.stop().await;
    handle.stop(true).await;
    Ok(serving.await??)
}

/// Closes what an earlier version left open to other users of the machine: one that cannot be closed is told of, and served.
fn close_what_is_private(config: &Config) {
    let data = &config.store.files.data;
    let own = ["uploads", "secrets", "audit", "chain", "pg.log", "pg.log.1"].map(|name| data.join(name));
    for path in own {
        match private::close(&path) {
            Ok(0) => {}
            Ok(closed) => tracing::info!(path = %path.display(), closed, "closed to other users"),
            Err(error) => tracing::warn!(path = %path.display(), %error, "is open to other users"),
        }
    }
}

/// What every use case needs, from the configuration and the open database.
fn context(
    config: &Config,
    database: &Database,
    address: &url::Url,
    parts: Parts,
) -> anyhow::Result<Context> {
    let files = config.store.files.uploads();
    private::make(&files).with_context(|| format!("the folder {} cannot be made", files.display()))?;
    close_what_is_private(config);
    let shelves = shelves(config.bucket.as_ref(), &files)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let mut parts = super::join::join(parts);
    if let Some(google) = &config.google {
        let secret = google.client_secret.expose();
        parts = parts.with(Arc::new(Provider::new(&google.client_id, secret, &google.issuer)));
    }
    if let Some(key) = &config.secrets.audit {
        parts = parts.with(AuditHeads::new(key.expose(), config.store.files.audit.clone()));
    }
    if let Some(key) = &config.secrets.push {
        // A demo may push to a service on this machine.
        let services = Services::new(&config.push.hosts, config.store.world == World::Demo);
        parts = parts.with(Pusher::new(
            key.expose(),
            &config.contact.officer.email,
            services,
        )?);
    }
    if let Some(number) = &config.contact.whatsapp {
        parts = parts.with(crate::support::Whatsapp::of(number));
    }
    Ok(Context {
        db: Db::new(database.pool().clone(), Arc::clone(&clock)),
        clock,
        settings: SettingsReader::new(database.pool().clone()),
        keys: Arc::new(config.secrets.keys()),
        world: config.store.world,
        public_url: address.as_str().trim_end_matches('/').into(),
        files: Arc::new(files),
        shelves,
        pix: Arc::new(config.pix.clone()),
        officer: Arc::new(config.contact.officer.clone()),
        mailbox: config.smtp.url.is_none() && config.store.world == World::Demo,
        mailer: config
            .smtp
            .url
            .as_ref()
            .map(|url| Mailer::connect(url.expose(), &config.smtp.from))
            .transpose()?,
        hashing: Hashing::new(cores),
        decoding: Decoding::default(),
        parts: parts
            .with(FeedMode(match config.feed {
                Feed::Live(_) => Mode::Paper,
                Feed::Simulated | Feed::Replay(_) | Feed::Off => Mode::Simulated,
            }))
            .with(crate::wallet::hot::holdings::Kept::default())
            .with(crate::reports::solvency::coverage::Kept::default())
            .with(crate::reports::overview::Kept::default())
            .with(live(config)?),
    })
}

/// Where files rest: in the bucket that is configured, else in the folder that they come in by.
fn shelves(bucket: Option<&crate::config::Bucket>, folder: &Path) -> anyhow::Result<Shelves> {
    let shelves = match bucket {
        Some(bucket) => Shelves::bucket(&files::Bucket {
            endpoint: bucket.endpoint.as_ref(),
            name: &bucket.name,
            region: &bucket.region,
            path_style: bucket.path_style,
            key_id: bucket.key_id.expose(),
            secret: bucket.secret.expose(),
        }),
        None => Shelves::folder(folder),
    };
    Ok(shelves?)
}

/// The venue of live trading, where its keys are configured; a demo has none.
fn live(config: &Config) -> anyhow::Result<Live> {
    let keys = config
        .secrets
        .binance
        .clone()
        .filter(|_| config.store.world == World::Production);
    let address = config
        .venues
        .binance_api
        .clone()
        .context("BINANCE_API_URL is missing")?;
    // The feed's name lists its venues before any option.
    let feed = matches!(&config.feed, Feed::Live(name)
        if name.split('?').next().is_some_and(|venues| venues.split(',').any(|v| v == venue::NAME)));
    Ok(Live::new(keys, address, Arc::new(SystemClock), feed)?)
}

/// Says what is in force, when a start would find nothing wrong.
pub fn check(config: &Config, check: &Check) -> anyhow::Result<()> {
    in_force::check(config)?;
    println!("{}", in_force::text(config, check.signer));
    Ok(())
}

/// Brings the schema up to date.
pub async fn migrate(config: &StoreConfig) -> anyhow::Result<()> {
    let version = Database::migrate(config).await?;
    println!("the schema is at migration {version}");
    Ok(())
}

/// Recomputes the ledger; an error when it is not exact, so that a script notices.
pub async fn verify(config: &StoreConfig) -> anyhow::Result<()> {
    let database = Database::open(config).await?;
    let report = ledger::verify(&Db::new(database.pool().clone(), Arc::new(SystemClock))).await;
    database.close().await?;
    let report = report?;
    if !report.exact {
        bail!("{report}");
    }
    println!("{report}");
    Ok(())
}

/// Recomputes the audit's chain; an error when it is not whole, so that a script notices.
pub async fn verify_audit(
    config: &StoreConfig,
    asked: &VerifyAudit,
    environment: &Environment,
) -> anyhow::Result<()> {
    let key = asked
        .key
        .clone()
        .or_else(|| Secrets::audit_key(&config.files, environment).map(|key| heads::public_of(key.expose())))
        .context("whose signature is the right one? give --key, or ARBORA_AUDIT_KEY")?;
    let path = asked
        .heads
        .clone()
        .unwrap_or_else(|| config.files.audit.join(heads::FILE));
    let signed = heads::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let database = Database::open(config).await?;
    let db = Db::new(database.pool().clone(), Arc::new(SystemClock));
    let report = audit::verify(&db, &signed, &key, SystemClock.now()).await;
    database.close().await?;
    let report = report?;
    if !report.whole() {
        bail!("{report}");
    }
    println!("{report}; public key {key}");
    Ok(())
}

/// Makes the demo's people and their network.
pub async fn seed(config: &Config) -> anyhow::Result<()> {
    with_context(config, async |context| {
        for person in demo::begin(&context, &config.secrets).await? {
            println!(
                "{:16} {:28} {}",
                person.role,
                person.email,
                person.password.expose()
            );
        }
        Ok(())
    })
    .await
}

/// Invites an administrator whose rights nobody granted: the first two of an installation. As the owner of the tables: the server's
/// role gives no such right by itself.
pub async fn create_admin(config: &Config, admin: &CreateAdmin) -> anyhow::Result<()> {
    as_owner(config, async |context| {
        let staff = NewStaff {
            email: &admin.email,
            full_name: &admin.name,
            role: "administrator",
            locale: Locale::default(),
            granted_by: None,
        };
        let mut tx = context.db.begin().await?;
        let (_, link) =
            identity::create_staff(&context, &mut tx, &staff)
                .await
                .map_err(|error| match error.error_code() {
                    ErrorCode::EmailTaken => anyhow!("{} has an account already", admin.email),
                    ErrorCode::EmailInvalid => anyhow!("{} is not an e-mail address", admin.email),
                    ErrorCode::RequestInvalid => anyhow!("a full name has between 2 and 120 characters"),
                    _ => error.into(),
                })?;
        tx.commit().await?;
        println!("{link}");
        Ok(())
    })
    .await
}

/// Ends a freeze that no two others can lift.
pub async fn unfreeze_admin(config: &Config, admin: &UnfreezeAdmin) -> anyhow::Result<()> {
    as_owner(config, async |context| {
        let ended = grants::unfreeze_at_the_console(&context, &admin.email)
            .await
            .map_err(|error| match error.error_code() {
                ErrorCode::UserUnknown => anyhow!("{} has no account", admin.email),
                ErrorCode::RequestNotFound => anyhow!("no decisions of {} are frozen", admin.email),
                _ => error.into(),
            })?;
        println!(
            "decisions of {} and {} are no longer frozen",
            ended.frozen.username, ended.frozen_by.username
        );
        Ok(())
    })
    .await
}

/// Seals by the master key in force what the one before has sealed.
pub async fn rotate_keys(config: &Config) -> anyhow::Result<()> {
    with_context(config, async |context| {
        let vault = chain::user_keys(config, context.db.pool()).await?;
        let rotated = keys::rotate(&context.db, &vault).await?;
        let factors = resealing::reseal(&context).await?;
        let pix = pix::resealing::reseal(&context).await?;
        println!(
            "{} wallets, {factors} authenticator secrets, {} PIX keys and {} documents sealed anew; all wallets are under master key {}",
            rotated.wallets, pix.keys, pix.documents, rotated.version
        );
        println!("everything is under the key in force: ARBORA_MASTER_KEY_PREVIOUS is no longer needed");
        Ok(())
    })
    .await
}

/// Opens the database for a command that ends by itself.
pub(super) async fn with_context(
    config: &Config,
    work: impl AsyncFnOnce(Context) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let database = Database::open(&config.store).await?;
    in_context(config, database, work).await
}

/// Opens the database as the role that owns it, for a command that writes what the server may not.
async fn as_owner(
    config: &Config,
    work: impl AsyncFnOnce(Context) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let database = Database::open_as_owner(&config.store).await?;
    in_context(config, database, work).await
}

async fn in_context(
    config: &Config,
    database: Database,
    work: impl AsyncFnOnce(Context) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let address = config.http.address().context("PUBLIC_URL is missing");
    let outcome = match address.and_then(|address| context(config, &database, &address, Parts::default())) {
        Ok(context) => work(context).await,
        Err(error) => Err(error),
    };
    database.close().await?;
    outcome
}

/// Writes what a feed says into a new file until Ctrl-C, SIGTERM or the time given.
pub async fn record(config: &FeedConfig, record: &Record) -> anyhow::Result<()> {
    let choice = background::feed(&record.source, &config.venues, config.world)?
        .context("there is nothing to record: the feed is off")?;
    let feed = choice.open(rand::random())?;
    // A recording is never written over.
    let file = std::fs::File::create_new(&record.output)
        .with_context(|| format!("{} cannot be made", record.output.display()))?;
    let recorder = Recorder::begin(feed.market(), std::io::BufWriter::new(file))?;
    let clock = SystemClock;
    let clock: actors::desk::Clock =
        Arc::new(move || i64::try_from(clock.now().unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX));
    let mut stop = shutdown::Requests::listen()?;
    let over = CancellationToken::new();
    let told = over.clone();
    let seconds = record.seconds.map(Duration::from_secs);
    actix_web::rt::spawn(async move {
        let time = async {
            match seconds {
                Some(seconds) => tokio::time::sleep(seconds).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = stop.next() => {}
            () = time => {}
        }
        told.cancel();
    });
    let written = recorder::record(feed, clock, recorder, over).await?;
    println!("{written} quotes in {}", record.output.display());
    Ok(())
}

/// Prints the OpenAPI document, as it is committed in `web/openapi.json`.
pub fn openapi() -> anyhow::Result<()> {
    let document = serde_json::to_string_pretty(api::document())?;
    // Not println: a reader that has seen enough may close the pipe.
    writeln!(std::io::stdout(), "{document}").context("the document cannot be written")
}
