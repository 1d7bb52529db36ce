//! What the operator decides, read once at the start: one file per concern.
//!
//! A value comes from a flag, else from the environment, else from a file `.env` in the working directory, else from
//! its default. Invariants: an unknown name stops the start (a typing error must not silently mean the default);
//! secrets have no flag (flags are visible to every user of the machine) and print as `***`; in production everything
//! that is missing, wrong or weak is listed at once ([`Problems`]), for a start and for `server check` alike.
//!
//! 2026-11-23: encryption may be left out for this very machine alone, named by its address (`places`); the signer is asked for what it
//! uses, not for feed, rate, PIX and proxies; production needs ARBORA_TRUSTED_PROXIES, because TLS ends before it and without the proxy's
//! word all customers would be one address.

mod bucket;
mod chain;
mod cli;
mod contact;
mod database;
mod environment;
mod feed;
mod files;
mod google;
mod hot;
mod http;
mod log;
mod pix;
mod places;
mod problems;
mod push;
mod redis;
mod samples;
mod secret;
mod secrets;
mod signing;
mod smtp;
mod wallets;
mod world;

use std::{ffi::OsString, path::Path};

use crate::foundation::context::PixReceiver;

pub use bucket::Bucket;
pub use chain::{Chain, ChainContracts, LOCAL_CHAIN};
pub use cli::{
    AdminCommand, AuditCommand, Check, Cli, Command, CreateAdmin, FilesCommand, Health, JobsCommand, Record,
    RetryJob, UnfreezeAdmin, VerifyAudit, WalletCommand,
};
pub use contact::Contact;
pub use database::{Database, parse as parse_database_url};
pub use environment::{Environment, EnvironmentError};
pub use feed::{Feed, Venues};
pub use files::Files;
pub use google::Google;
pub use hot::Hot;
pub use http::{AddressRange, Http};
pub use log::{Log, LogFormat};
pub use problems::{ConfigError, Problems};
pub use push::Push;
pub use redis::Redis;
pub use secret::{Key, Secret};
pub use secrets::Secrets;
pub use signing::Signing;
pub use smtp::Smtp;
pub use world::World;

/// Every setting as clap reads it; [`Config`] is the checked form.
#[derive(Clone, Debug, clap::Args)]
pub struct Settings {
    #[command(flatten)]
    world: world::WorldSettings,
    #[command(flatten)]
    http: http::HttpSettings,
    #[command(flatten)]
    database: database::DatabaseSettings,
    #[command(flatten)]
    redis: redis::RedisSettings,
    #[command(flatten)]
    smtp: smtp::SmtpSettings,
    #[command(flatten)]
    google: google::GoogleSettings,
    #[command(flatten)]
    push: push::PushSettings,
    #[command(flatten)]
    chain: chain::ChainSettings,
    #[command(flatten)]
    hot: hot::HotSettings,
    #[command(flatten)]
    signing: signing::SigningSettings,
    #[command(flatten)]
    feed: feed::FeedSettings,
    #[command(flatten)]
    pix: pix::PixSettings,
    #[command(flatten)]
    contact: contact::ContactSettings,
    #[command(flatten)]
    files: files::FilesSettings,
    #[command(flatten)]
    bucket: bucket::BucketSettings,
    #[command(flatten)]
    log: log::LogSettings,
}

impl Settings {
    /// Where a server with these settings listens.
    pub fn bind(&self) -> std::net::SocketAddr {
        self.http.bind
    }
}

/// What migrations and the verifier need: the database and nothing secret beyond its address.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    pub world: World,
    pub chain: Chain,
    pub database: Database,
    pub files: Files,
    pub log: Log,
}

/// What is needed to listen to a feed: no database and no secret.
#[derive(Clone, Debug)]
pub struct FeedConfig {
    pub world: World,
    pub venues: Venues,
    pub log: Log,
}

impl FeedConfig {
    /// Checks the settings of a command that only listens.
    pub fn load(settings: &Settings) -> Result<Self, ConfigError> {
        let mut problems = Problems::default();
        let world = settings.world.world;
        let venues = Venues::check(&settings.feed, world, &mut problems);
        let log = Log::check(&settings.log, world, &mut problems);
        problems.none_in(world)?;
        Ok(Self { world, venues, log })
    }
}

/// Everything that the running server needs.
#[derive(Clone, Debug)]
pub struct Config {
    pub store: StoreConfig,
    pub http: Http,
    pub redis: Redis,
    pub smtp: Smtp,
    pub google: Option<Google>,
    pub push: Push,
    /// Where files rest; none: in the data folder.
    pub bucket: Option<Bucket>,
    pub feed: Feed,
    pub venues: Venues,
    pub hot: Hot,
    pub signing: Signing,
    pub pix: PixReceiver,
    pub contact: Contact,
    pub secrets: Secrets,
}

impl Config {
    /// Checks the settings for a server that serves. In a demo the secrets of this installation are drawn here.
    pub fn load(settings: &Settings, environment: &Environment) -> Result<Self, ConfigError> {
        Self::check(settings, environment, false, None)
    }

    /// Checks the settings for the process that signs beside servers that do not.
    pub fn load_signer(settings: &Settings, environment: &Environment) -> Result<Self, ConfigError> {
        Self::check(settings, environment, true, None)
    }

    /// As a start would, and leaves nothing behind: what a demo would draw goes with `scratch`.
    pub fn try_out(
        settings: &Settings,
        environment: &Environment,
        signer: bool,
        scratch: &Path,
    ) -> Result<Self, ConfigError> {
        Self::check(settings, environment, signer, Some(scratch))
    }

    fn check(
        settings: &Settings,
        environment: &Environment,
        signer: bool,
        scratch: Option<&Path>,
    ) -> Result<Self, ConfigError> {
        let mut problems = Problems::default();
        let store = StoreConfig::check(settings, &mut problems);
        let world = store.world;
        // What customers trade and pay by is the servers' business, not the signer's.
        let serves_customers = world.is_production() && !signer;
        let http = Http::check(&settings.http, world, signer, &mut problems);
        let redis = Redis::check(&settings.redis, world, &mut problems);
        let smtp = Smtp::check(&settings.smtp, world, &mut problems);
        let feed = Feed::check(&settings.feed, serves_customers, &mut problems);
        let venues = Venues::check(&settings.feed, world, &mut problems);
        let hot = Hot::check(&settings.hot, &mut problems);
        let pix = PixReceiver::check(&settings.pix, serves_customers, &mut problems);
        let contact = Contact::check(&settings.contact, serves_customers, &mut problems);
        store.chain.check_provider(world, &mut problems);
        let secrets = Secrets::check(world, &store.files, environment, &mut problems);
        let google = match signer {
            true => None,
            false => Google::check(&settings.google, world, secrets.google(), &mut problems),
        };
        let push = Push::check(&settings.push, world, &mut problems);
        let bucket = match signer {
            true => None,
            false => Bucket::check(&settings.bucket, world, secrets.bucket(), &mut problems),
        };
        let signing = Signing::check(&settings.signing, &secrets, signer, &mut problems);
        if signer {
            if store.database.url.is_none() && !world.is_production() {
                problems.add("DATABASE_URL is missing: the signer works on the database of its servers");
            }
            if store.chain.rpc_urls.is_empty() && !world.is_production() {
                problems.add("CHAIN_RPC_URL is missing: the signer works on the chain of its servers");
            }
            secrets.has_hot_key(&mut problems);
        }
        if serves_customers {
            secrets.has_audit_key(&mut problems);
            secrets.has_push_key(&mut problems);
        }
        let [hot_address, gas_address] = signing.addresses();
        let addresses = [hot_address, gas_address, hot.cold];
        wallets::check(world, addresses, &store.chain.contracts, &secrets, &mut problems);
        if world.is_production() {
            store.files.check_writable(&mut problems);
        }
        problems.none_in(world)?;
        let secrets = secrets.draw_missing(
            scratch.unwrap_or(&store.files.secrets),
            world == World::Demo && !signer,
        )?;
        Ok(Self {
            store,
            http,
            redis,
            smtp,
            google,
            push,
            bucket,
            feed,
            venues,
            hot,
            signing,
            pix,
            contact,
            secrets,
        })
    }

    /// The configuration of `server serve <args>`, for tests that start a server inside their own process.
    pub fn from_args<I, T>(args: I) -> Result<Self, ConfigError>
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        let environment = Environment::default();
        let all = ["server".into(), "serve".into()]
            .into_iter()
            .chain(args.into_iter().map(Into::into));
        let cli = Cli::read(all, &environment).map_err(|error| ConfigError::one(error.to_string()))?;
        Self::load(&cli.settings, &environment)
    }
}

impl StoreConfig {
    /// Checks the settings that a command needs which only works on the database.
    pub fn load(settings: &Settings) -> Result<Self, ConfigError> {
        let mut problems = Problems::default();
        let store = Self::check(settings, &mut problems);
        problems.none_in(store.world)?;
        Ok(store)
    }

    fn check(settings: &Settings, problems: &mut Problems) -> Self {
        let world = settings.world.world;
        Self {
            world,
            chain: Chain::check(&settings.chain, world, problems),
            database: Database::check(&settings.database, world, problems),
            files: Files::check(&settings.files),
            log: Log::check(&settings.log, world, problems),
        }
    }
}
