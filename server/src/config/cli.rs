//! The command line.

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use super::{Environment, Settings};

/// Arbora's server.
///
/// Every setting below is a flag or an environment variable, and may stand in a file `.env` of the working directory.
/// Secrets have no flag: ARBORA_MASTER_KEY, ARBORA_JWT_KEY, ARBORA_HMAC_KEY, ARBORA_AUDIT_KEY, ARBORA_PUSH_KEY and ARBORA_DEPOSIT_XPUB (and
/// ARBORA_MASTER_KEY_PREVIOUS, ARBORA_JWT_KEY_PREVIOUS during a rotation) are variables or files of the secrets folder.
#[derive(Debug, Parser)]
#[command(name = "server", version, max_term_width = 110, args_override_self = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub settings: Settings,
}

#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Applies migrations (where this role may) and serves until Ctrl-C or SIGTERM
    Serve,
    /// Signs and sends what leaves over the chain and gathers deposits, beside servers with ARBORA_SIGNING=elsewhere; listens to nobody
    Signer,
    /// Reads the whole configuration as a start would, starts nothing, and says what is in force or everything that is wrong
    Check(Check),
    /// Applies the migrations and ends
    Migrate,
    /// Recomputes the ledger from its postings and names the first account that differs
    Verify,
    /// The chain over the audit
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Makes the demo's people and prints their passwords; makes nobody twice
    Seed,
    /// Administrators
    #[command(subcommand)]
    Admin(AdminCommand),
    /// The users' own wallets
    #[command(subcommand)]
    Wallet(WalletCommand),
    /// The place where files rest
    #[command(subcommand)]
    Files(FilesCommand),
    /// Jobs that failed too often and wait for a person
    #[command(subcommand)]
    Jobs(JobsCommand),
    /// Writes what a feed says into a new file that `--feed replay:FILE` plays, until Ctrl-C
    Record(Record),
    /// Asks the server on this machine whether it is ready; ends with 0 if it is
    Health(Health),
    /// Prints the OpenAPI document
    Openapi,
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Health {
    /// Asks the database whether somebody has signed within the last minute: the signer listens to nobody
    #[arg(long)]
    pub signer: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub struct Check {
    /// As `server signer` would read it
    #[arg(long)]
    pub signer: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub struct Record {
    /// `live:VENUE,…`, `simulated` or `replay:FILE`
    #[arg(value_name = "FEED")]
    pub source: super::Feed,
    /// Must not exist yet
    #[arg(value_name = "FILE")]
    pub output: std::path::PathBuf,
    /// Ends by itself after so long
    #[arg(long, value_name = "N")]
    pub seconds: Option<u64>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum AuditCommand {
    /// Recomputes the chain, compares it with the signed heads and names the first line that was changed, left out or put in between
    Verify(VerifyAudit),
}

#[derive(Clone, Debug, clap::Args)]
pub struct VerifyAudit {
    /// The public key that must have signed, hexadecimal; by default that of ARBORA_AUDIT_KEY
    #[arg(long, value_name = "HEX")]
    pub key: Option<String>,
    /// Another copy of the signed heads than the one in ARBORA_AUDIT_DIR
    #[arg(long, value_name = "FILE")]
    pub heads: Option<std::path::PathBuf>,
}

#[derive(Clone, Debug, Subcommand)]
pub enum WalletCommand {
    /// Seals what the master key before has sealed by the one in force; may be stopped and run again
    RotateKeys,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum FilesCommand {
    /// Says whose the place is by the mark that lies there, and how many files have no row
    Look,
    /// Says that the place is this database's: after a restored backup, or where another database was pointed at it
    Claim,
    /// Lets files go that have had no row for a day and are held because they are many
    Release,
}

#[derive(Clone, Copy, Debug, Subcommand)]
pub enum JobsCommand {
    /// Lists them, the oldest first, each with what it failed of
    List,
    /// Sends one round again, with all of its tries, once its cause is cured
    Retry(RetryJob),
}

#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RetryJob {
    /// Its number, as the list says it
    #[arg(value_name = "JOB")]
    pub job: i64,
}

#[derive(Clone, Debug, Subcommand)]
pub enum AdminCommand {
    /// Makes an administrator whose rights nobody granted and prints the link that sets the password (mailed as well); needs the
    /// owner's address (DATABASE_OWNER_URL): the server's role may not
    Create(CreateAdmin),
    /// Ends the freeze in which an administrator's decisions stand still, for both of its persons; needs the owner's address
    Unfreeze(UnfreezeAdmin),
}

#[derive(Clone, Debug, clap::Args)]
pub struct UnfreezeAdmin {
    /// E-mail address of one of the two
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
}

#[derive(Clone, Debug, clap::Args)]
pub struct CreateAdmin {
    /// E-mail address that signs in
    #[arg(long, value_name = "ADDRESS")]
    pub email: String,
    /// Full name
    #[arg(long, value_name = "NAME")]
    pub name: String,
}

impl Cli {
    /// Parses a command line; values of the file `.env` stand in for defaults.
    pub fn read<I, T>(args: I, environment: &Environment) -> Result<Self, clap::Error>
    where
        I: IntoIterator<Item = T>,
        T: Into<OsString> + Clone,
    {
        let names: Vec<(String, String)> = Self::command()
            .get_arguments()
            .filter_map(|arg| {
                let value = environment.in_file(arg.get_env()?.to_str()?)?;
                Some((arg.get_id().to_string(), value.to_owned()))
            })
            .collect();
        let command = names.into_iter().fold(Self::command(), |command, (id, value)| {
            // clap wants defaults that live as long as the program; this happens once, at its start.
            let value: &'static str = Box::leak(value.into_boxed_str());
            command.mut_arg(id, |arg| arg.default_value(value))
        });
        Self::from_arg_matches(&command.try_get_matches_from(args)?)
    }
}
