//! The command line: reads the configuration, runs one command, says in one sentence what is wrong.

// A start that fails speaks to the person at the terminal, not to the log.
#![allow(clippy::print_stderr)]

use std::{path::Path, process::ExitCode};

use server::{
    app::{commands, health, logging, parked, shelves},
    config::{
        AdminCommand, AuditCommand, Cli, Command, Config, Environment, FeedConfig, StoreConfig, WalletCommand,
    },
};

/// The command line or the configuration is wrong, as clap says it as well.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    if rustls::crypto::ring::default_provider()
        .install_default()
        .is_err()
    {
        eprintln!("error: a second cryptography provider is installed");
        return ExitCode::FAILURE;
    }
    let environment = match Environment::read(Path::new(".env")) {
        Ok(environment) => environment,
        Err(error) => return refuse(&error.into(), USAGE),
    };
    let cli = match Cli::read(std::env::args_os(), &environment) {
        Ok(cli) => cli,
        // Prints help and versions as well, with the right output and status.
        Err(error) => error.exit(),
    };
    match run(&cli, &environment) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&error, 1),
    }
}

fn refuse(error: &anyhow::Error, status: u8) -> ExitCode {
    eprintln!("error: {error:#}");
    ExitCode::from(status)
}

fn run(cli: &Cli, environment: &Environment) -> anyhow::Result<()> {
    let system = actix_web::rt::System::new();
    match &cli.command {
        Command::Openapi => commands::openapi(),
        Command::Record(record) => {
            let config = FeedConfig::load(&cli.settings)?;
            logging::install(&config.log);
            system.block_on(commands::record(&config, record))
        }
        Command::Health(asked) => {
            let settings = &cli.settings;
            if asked.signer {
                system.block_on(health::signer(&StoreConfig::load(settings)?))
            } else {
                system.block_on(health::server(settings.bind()))
            }
        }
        Command::Check(check) => {
            let scratch = tempfile::tempdir()?;
            let config = Config::try_out(&cli.settings, environment, check.signer, scratch.path())?;
            commands::check(&config, check)
        }
        Command::Migrate => {
            let config = StoreConfig::load(&cli.settings)?;
            logging::install(&config.log);
            system.block_on(commands::migrate(&config))
        }
        Command::Seed => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::seed(&config))
        }
        Command::Admin(AdminCommand::Create(admin)) => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::create_admin(&config, admin))
        }
        Command::Admin(AdminCommand::Unfreeze(admin)) => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::unfreeze_admin(&config, admin))
        }
        Command::Wallet(WalletCommand::RotateKeys) => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::rotate_keys(&config))
        }
        Command::Files(asked) => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(shelves::run(&config, *asked))
        }
        Command::Jobs(asked) => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(parked::run(&config, *asked))
        }
        Command::Verify => {
            let config = StoreConfig::load(&cli.settings)?;
            logging::install(&config.log);
            system.block_on(commands::verify(&config))
        }
        Command::Audit(AuditCommand::Verify(asked)) => {
            let config = StoreConfig::load(&cli.settings)?;
            logging::install(&config.log);
            system.block_on(commands::verify_audit(&config, asked, environment))
        }
        Command::Signer => {
            let config = Config::load_signer(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::sign(&config))
        }
        Command::Serve => {
            let config = Config::load(&cli.settings, environment)?;
            logging::install(&config.store.log);
            system.block_on(commands::serve(config))
        }
    }
}
