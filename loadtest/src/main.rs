//! Load on the real server over real sockets on loopback, beside peers in the same run on the same cores.
//!
//! Scenarios: `broadcast`, `private`, `idle-memory`, `ledger`; and `soak`, which measures nothing but
//! fails when a client that is cut again and again has lost or doubled a fact. Everything is bounded in count and time, and every process that is
//! started here is stopped here. Figures count only beside their peer in the same table.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bare;
mod chaos;
mod ledger;
mod nchan;
mod people;
mod process;
mod scenarios;
mod soak;
mod socket;
mod table;

use anyhow::{Context, bail};
use clap::{Parser, Subcommand};
use std::path::PathBuf;

#[derive(Parser)]
#[command(about = "Measures the server beside its peers and prints one table")]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// The server binary to measure.
    #[arg(long, default_value = "target/release/server")]
    server: PathBuf,
    /// Sockets, each of a user of its own.
    #[arg(long, default_value_t = 8_000)]
    sockets: usize,
    /// Messages, one at a time, per scenario.
    #[arg(long, default_value_t = 50)]
    messages: usize,
    /// The server's ledger bench, built; the ledger's rows are left out without it.
    #[arg(long)]
    ledger: Option<PathBuf>,
    /// How long `soak` takes.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Only this scenario: broadcast, private, idle-memory, ledger, soak.
    #[arg(long)]
    only: Option<String>,
}

#[derive(Subcommand)]
enum Command {
    /// A bare actix-web-actors server: the floor.
    Bare { port: u16 },
    /// Deposits and withdrawals over the demo's chain while the server is killed and the chain changes its mind; fails when a coin
    /// is missing or was paid twice.
    Chaos {
        /// Deposits and withdrawals together.
        #[arg(long, default_value_t = 200)]
        movements: usize,
    },
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    if let Some(Command::Bare { port }) = cli.command {
        return bare::run(port);
    }
    let chaos = match cli.command {
        Some(Command::Chaos { movements }) => Some(movements),
        _ => None,
    };
    if !cli.server.exists() {
        bail!(
            "{} does not exist: build it with `make release`, or name one with --server",
            cli.server.display()
        );
    }
    let needed = u64::try_from(cli.sockets).unwrap_or(u64::MAX).saturating_add(500);
    if process::raise_file_limit() < needed {
        bail!(
            "the limit of open files is too low for {} sockets: ulimit -n {needed}",
            cli.sockets
        );
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("no runtime")?;
    if let Some(movements) = chaos {
        return runtime.block_on(chaos::run(&cli.server, movements));
    }
    runtime.block_on(scenarios::all(&scenarios::Plan {
        server: cli.server,
        ledger: cli.ledger,
        sockets: cli.sockets,
        messages: cli.messages,
        seconds: cli.seconds,
        only: cli.only,
    }))
}
