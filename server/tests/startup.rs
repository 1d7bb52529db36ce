//! The program as an operator meets it: what it says when it cannot start, and that Ctrl-C ends everything.
// What cannot be arranged fails the test, where it happens.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[path = "startup_logs/mod.rs"]
mod logs;
#[path = "startup_refusals/mod.rs"]
mod refusals;

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Child, ChildStdout, Command, Output, Stdio},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use server::foundation::embedded_postgres::{APP_ROLE, DATABASE, Embedded, OWNER_ROLE};
use sqlx::Connection;

const ANY_PORT: [&str; 2] = ["--bind", "127.0.0.1:0"];

/// The program in an empty working directory, without this machine's settings.
fn server(place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_server"));
    command
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("ARBORA_LOG", "error")
        .current_dir(place)
        .stdin(Stdio::null());
    if let Some(binaries) = std::env::var_os("PG_BIN_DIR") {
        command.env("PG_BIN_DIR", binaries);
    }
    command
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap()
}

/// Failed, with one paragraph on the error output that contains `expected`.
#[track_caller]
fn refused(output: &Output, expected: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it did start: {text}");
    let said = text
        .lines()
        .find(|line| line.starts_with("error: "))
        .unwrap_or_else(|| panic!("no sentence: {text}"));
    assert!(text.contains(expected), "expected {expected:?} in: {text}");
    assert!(
        !said.contains("Error {") && !text.contains("panicked"),
        "not a sentence: {text}"
    );
}

/// A server that is ready.
struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
    address: String,
}

impl Running {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .arg("serve")
            .args(ANY_PORT)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() > 0 {
            if let Some((_, rest)) = line.split_once("is ready: ") {
                let address = rest.split_whitespace().next().unwrap().to_owned();
                return Self {
                    child,
                    output,
                    address,
                };
            }
            line.clear();
        }
        panic!("the server ended before it was ready: {:?}", child.wait());
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// The rest of the output, once the process has ended well.
    fn ends_well(mut self) -> String {
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(self.child.wait().unwrap().success());
        rest
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn execute(pg: &Embedded, database: &str, sql: &'static str) {
    let options = pg.connect_options(OWNER_ROLE, database);
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(async {
            let mut connection = sqlx::PgConnection::connect_with(&options).await.unwrap();
            sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
        });
}

fn url(pg: &Embedded, role: &str) -> String {
    format!(
        "postgres://{role}@localhost/{DATABASE}?host={}",
        pg.socket_dir().display()
    )
}

// ---- ready and gone ------------------------------------------------------------------------------------------------

#[test]
fn it_says_where_it_is_and_either_signal_ends_it_with_its_database() {
    let place = tempfile::tempdir().unwrap();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let running = Running::start(&mut server(place.path()));
        assert!(
            running.address.starts_with("http://localhost:"),
            "{}",
            running.address
        );
        running.signal(signal);
        let banner = running.ends_well();
        assert!(
            banner.contains("PostgreSQL") && banner.contains("replace it with DATABASE_URL="),
            "{banner}"
        );
        assert!(
            !place.path().join(".data/pg/postmaster.pid").exists(),
            "PostgreSQL was not stopped"
        );
    }
}

#[test]
fn health_is_the_servers_own_word_and_the_signers_lease() {
    let place = tempfile::tempdir().unwrap();
    let health = |what: &[&str]| run(server(place.path()).arg("health").args(what));
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let owner = url(&pg, OWNER_ROLE);
    let running = Running::start(server(place.path()).env("DATABASE_URL", &owner));
    let bind = running
        .address
        .replace("http://localhost:", "0.0.0.0:")
        .trim_end_matches('/')
        .to_owned();
    let asked = health(&["--bind", &bind]);
    assert!(
        asked.status.success(),
        "{}",
        String::from_utf8_lossy(&asked.stderr)
    );

    let signer = || {
        run(server(place.path())
            .args(["health", "--signer"])
            .env("DATABASE_URL", &owner))
    };
    refused(&health(&["--signer"]), "DATABASE_URL is missing");
    execute(
        &pg,
        DATABASE,
        "DELETE FROM foundation.lease WHERE name = 'wallet.sender'",
    );
    refused(&signer(), "nobody has signed for a minute");
    execute(
        &pg,
        DATABASE,
        "INSERT INTO foundation.lease (name, holder, fence, expires_at)
         VALUES ('wallet.sender', gen_random_uuid(), 1, now() + interval '30 seconds')",
    );
    assert!(signer().status.success());

    execute(&pg, DATABASE, "UPDATE _sqlx_migrations SET success = false");
    let mut asked = health(&["--bind", &bind]);
    // What was found before is kept for a second.
    while asked.status.success() {
        asked = health(&["--bind", &bind]);
    }
    refused(&asked, r#"the server is not ready: ["schema"]"#);
    running.signal(Signal::SIGTERM);
    running.ends_well();
    refused(&health(&["--bind", &bind]), "nobody answers at 127.0.0.1:");
}

#[test]
fn what_was_open_to_other_users_is_closed_at_the_start() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join(".data");
    // As earlier versions left it.
    fs::create_dir_all(data.join("uploads/a7")).unwrap();
    fs::write(data.join("uploads/a7/proof"), "x").unwrap();
    let mode = |name: &str| fs::metadata(data.join(name)).unwrap().permissions().mode() & 0o777;
    for (name, open) in [
        ("uploads/a7/proof", 0o644),
        ("uploads/a7", 0o755),
        ("uploads", 0o755),
    ] {
        fs::set_permissions(data.join(name), fs::Permissions::from_mode(open)).unwrap();
    }
    let running = Running::start(&mut server(place.path()));
    running.signal(Signal::SIGTERM);
    running.ends_well();
    for (name, closed) in [
        ("uploads", 0o700),
        ("uploads/a7", 0o700),
        ("uploads/a7/proof", 0o600),
        ("secrets", 0o700),
        ("secrets/master.key", 0o600),
        ("pg.log", 0o600),
    ] {
        assert_eq!(mode(name), closed, "{name}");
    }
}

#[test]
fn a_stop_right_after_the_start_ends_quietly() {
    let place = tempfile::tempdir().unwrap();
    for _ in 0..5 {
        let mut running = Running::start(server(place.path()).stderr(Stdio::piped()));
        running.signal(Signal::SIGTERM);
        let mut said = String::new();
        let mut errors = running.child.stderr.take().unwrap();
        errors.read_to_string(&mut said).unwrap();
        running.ends_well();
        assert_eq!(said, "");
    }
}

#[test]
fn after_a_kill_it_starts_again_at_once() {
    let place = tempfile::tempdir().unwrap();
    let mut killed = Running::start(&mut server(place.path()));
    killed.child.kill().unwrap();
    killed.child.wait().unwrap();
    let again = Running::start(&mut server(place.path()));
    again.signal(Signal::SIGTERM);
    again.ends_well();
}

#[test]
fn the_api_document_needs_neither_database_nor_folder() {
    let place = tempfile::tempdir().unwrap();
    let output = run(server(place.path()).arg("openapi"));
    assert!(output.status.success());
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

// ---- what stops a start --------------------------------------------------------------------------------------------

/// What was recorded, as far as it is on the disk.
fn recorded(file: &Path) -> Vec<String> {
    fs::read_to_string(file)
        .unwrap_or_default()
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn a_recording_ends_whole_by_time_or_by_a_signal_and_is_never_written_over() {
    let place = tempfile::tempdir().unwrap();
    let arguments = |file: &str| ["record".to_owned(), "simulated".to_owned(), file.to_owned()];
    let done = run(server(place.path())
        .args(arguments("a.ndjson"))
        .args(["--seconds", "1"]));
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let file = place.path().join("a.ndjson");
    let lines = recorded(&file);
    assert!(
        said.starts_with(&format!("{} quotes in a.ndjson", lines.len() - 1)),
        "{said}"
    );
    let whole = server::market::recording::Recording::read(fs::read(&file).unwrap().as_slice()).unwrap();
    assert_eq!(whole.quotes.len(), lines.len() - 1);
    refused(
        &run(server(place.path()).args(arguments("a.ndjson"))),
        "a.ndjson cannot be made",
    );
    refused(
        &run(server(place.path()).args(["record", "live:aurora", "b.ndjson"])),
        "is no venue",
    );

    let mut child = server(place.path()).args(arguments("c.ndjson")).spawn().unwrap();
    let file = place.path().join("c.ndjson");
    // Written about once a second.
    for _ in 0..600 {
        if recorded(&file).len() > 10 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
    assert!(child.wait().unwrap().success());
    server::market::recording::Recording::read(fs::read(&file).unwrap().as_slice()).unwrap();
}

#[test]
fn a_port_in_use() {
    let place = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let output = run(server(place.path()).args(["serve", "--bind", &address]));
    refused(
        &output,
        &format!(
            "port {} on 127.0.0.1 is in use",
            taken.local_addr().unwrap().port()
        ),
    );
    assert!(
        !place.path().join(".data/pg").exists(),
        "no database was made for nothing"
    );
}

#[test]
fn a_data_folder_that_cannot_be_written() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    refused(
        &run(server(place.path()).args(["serve", "--data-dir", "file/data"])),
        "cannot be written",
    );
    refused(
        &run(server(place.path()).args(["migrate", "--data-dir", "file/data"])),
        "cannot be written",
    );
}

#[test]
fn a_wrong_or_unreachable_database() {
    let place = tempfile::tempdir().unwrap();
    for wrong in [
        "nonsense",
        "mysql://somewhere/db",
        "postgres://u:hunter2@host:99999/db",
        "",
    ] {
        let output = run(server(place.path()).arg("serve").env("DATABASE_URL", wrong));
        refused(&output, "DATABASE_URL is not a PostgreSQL address");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("hunter2"));
    }
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let nobody = format!("postgres://u:hunter2@127.0.0.1:{free}/db");
    let output = run(server(place.path())
        .arg("serve")
        .args(ANY_PORT)
        .env("DATABASE_URL", nobody));
    refused(
        &output,
        &format!("the database at 127.0.0.1:{free}/db cannot be reached"),
    );
    assert!(!String::from_utf8_lossy(&output.stderr).contains("hunter2"));

    let pg = Embedded::start(&place.path().join("other")).unwrap();
    let missing = format!(
        "postgres://{OWNER_ROLE}@localhost/nowhere?host={}",
        pg.socket_dir().display()
    );
    let output = run(server(place.path())
        .arg("serve")
        .args(ANY_PORT)
        .env("DATABASE_URL", missing));
    refused(&output, "\"nowhere\" does not exist");
    let stranger = format!(
        "postgres://stranger@localhost/postgres?host={}",
        pg.socket_dir().display()
    );
    let output = run(server(place.path())
        .arg("serve")
        .args(ANY_PORT)
        .env("DATABASE_URL", stranger));
    refused(&output, "\"stranger\" does not exist");
}

#[test]
fn a_newer_schema_another_world_and_a_changed_migration() {
    let place = tempfile::tempdir().unwrap();
    let migrated = run(server(place.path()).arg("migrate"));
    assert!(
        migrated.status.success(),
        "{}",
        String::from_utf8_lossy(&migrated.stderr)
    );
    assert!(String::from_utf8_lossy(&migrated.stdout).contains("the schema is at migration "));

    let other = run(server(place.path())
        .arg("serve")
        .args(ANY_PORT)
        .args(["--chain-id", "97"]));
    refused(&other, "belongs to the world demo on chain 31337 for ever");

    let change = |sql| {
        let pg = Embedded::start(&place.path().join(".data")).unwrap();
        execute(&pg, DATABASE, sql);
        pg.stop().unwrap();
    };
    change("UPDATE _sqlx_migrations SET checksum = '\\x00' WHERE version = 1");
    refused(
        &run(server(place.path()).arg("serve").args(ANY_PORT)),
        "migration 1 in the database is not the one",
    );
    change(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (999999, 'from the future', true, '\\x00', 1)",
    );
    for command in ["serve", "migrate"] {
        let output = run(server(place.path()).arg(command).args(ANY_PORT));
        refused(
            &output,
            "the database's schema is newer than this program (it has migration 999999",
        );
    }
}

#[test]
fn the_servers_role_cannot_migrate_and_the_owners_address_does() {
    let place = tempfile::tempdir().unwrap();
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    execute(&pg, "postgres", "CREATE ROLE arbora_app LOGIN");
    execute(&pg, "postgres", "CREATE ROLE stranger LOGIN");
    let with_app = |command: &str| {
        let mut it = server(place.path());
        it.arg(command)
            .args(ANY_PORT)
            .env("DATABASE_URL", url(&pg, APP_ROLE));
        it
    };
    refused(
        &run(&mut with_app("serve")),
        "the database's schema is older than this program",
    );
    refused(&run(&mut with_app("migrate")), "set DATABASE_OWNER_URL");
    let migrated = run(with_app("migrate").env("DATABASE_OWNER_URL", url(&pg, OWNER_ROLE)));
    assert!(
        migrated.status.success(),
        "{}",
        String::from_utf8_lossy(&migrated.stderr)
    );

    let running = Running::start(server(place.path()).env("DATABASE_URL", url(&pg, APP_ROLE)));
    running.signal(Signal::SIGTERM);
    assert!(running.ends_well().contains("yours"));

    // Nor does it make whoever decides: that is the console's, as the owner.
    let create = |it: &mut Command| {
        it.env("PUBLIC_URL", "http://127.0.0.1:8080").args([
            "create",
            "--email",
            "rui@example.com",
            "--name",
            "Rui Prado",
        ]);
        run(it)
    };
    refused(&create(&mut with_app("admin")), "set DATABASE_OWNER_URL");
    let made = create(with_app("admin").env("DATABASE_OWNER_URL", url(&pg, OWNER_ROLE)));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(String::from_utf8_lossy(&made.stdout).contains("/new-password/"));

    let stranger = run(server(place.path())
        .arg("serve")
        .args(ANY_PORT)
        .env("DATABASE_URL", url(&pg, "stranger")));
    refused(&stranger, "role stranger");
}

// ---- configuration -------------------------------------------------------------------------------------------------

#[test]
fn unknown_names_in_the_environment_or_its_file() {
    let place = tempfile::tempdir().unwrap();
    let output = run(server(place.path())
        .arg("serve")
        .env("ARBORA_BINDD", "127.0.0.1:1"));
    refused(&output, "the environment variable ARBORA_BINDD is not known");

    fs::write(
        place.path().join(".env"),
        "ARBORA_BIND=127.0.0.1:0\nDATABASE_URI=postgres://u@h/d\n",
    )
    .unwrap();
    refused(
        &run(server(place.path()).arg("serve")),
        ".env sets DATABASE_URI, which is not known",
    );
    fs::write(place.path().join(".env"), "what is this\n").unwrap();
    refused(&run(server(place.path()).arg("serve")), ".env cannot be read");
}

#[test]
fn the_file_fills_in_what_neither_flags_nor_environment_say() {
    let place = tempfile::tempdir().unwrap();
    fs::write(
        place.path().join(".env"),
        "DATABASE_URL=from-the-file\nARBORA_WORLD=production\n",
    )
    .unwrap();
    refused(&run(server(place.path()).arg("serve")), "production cannot start");
    refused(
        &run(server(place.path()).arg("serve").env("ARBORA_WORLD", "demo")),
        "DATABASE_URL is not a PostgreSQL address",
    );
    refused(
        &run(server(place.path()).args([
            "serve",
            "--world",
            "demo",
            "--database-url",
            "postgres://u@127.0.0.1:1/d",
        ])),
        "cannot be reached",
    );
}

#[test]
fn a_demo_stays_on_this_machine_unless_told() {
    let place = tempfile::tempdir().unwrap();
    let output = run(server(place.path()).args(["serve", "--bind", "0.0.0.0:0"]));
    refused(&output, "say --expose-demo");
    assert!(!place.path().join(".data").exists());
}

#[test]
fn fewer_than_three_confirmations_are_refused() {
    let place = tempfile::tempdir().unwrap();
    for (given, expected) in [
        (
            "2",
            "ARBORA_CHAIN_CONFIRMATIONS is 2: fewer than 3 confirm nothing",
        ),
        (
            "0",
            "ARBORA_CHAIN_CONFIRMATIONS is 0: fewer than 3 confirm nothing",
        ),
        (
            "two",
            "ARBORA_CHAIN_CONFIRMATIONS is neither a number nor `finalized`",
        ),
    ] {
        let mut command = server(place.path());
        command
            .arg("serve")
            .args(ANY_PORT)
            .env("ARBORA_CHAIN_CONFIRMATIONS", given);
        refused(&run(&mut command), expected);
    }
}

#[test]
fn production_lists_everything_that_is_missing_at_once() {
    let place = tempfile::tempdir().unwrap();
    let output = run(server(place.path()).args(["serve", "--world", "production", "--chain-id", "31337"]));
    for missing in [
        "DATABASE_URL is missing",
        "SMTP_URL is missing",
        "CHAIN_RPC_URL is missing",
        "PUBLIC_URL is missing",
        "ARBORA_MASTER_KEY is missing",
        "ARBORA_JWT_KEY is missing",
        "ARBORA_HMAC_KEY is missing",
        "ARBORA_AUDIT_KEY is missing",
        "ARBORA_PUSH_KEY is missing",
        "ARBORA_DEPOSIT_XPUB is missing",
        "ARBORA_PIX_KEY is missing",
        "ARBORA_CHAIN_ID is 31337",
    ] {
        refused(&output, missing);
    }
    assert!(!place.path().join(".data").exists(), "production draws nothing");
}

#[test]
fn the_keys_of_the_chain_are_in_one_place() {
    let place = tempfile::tempdir().unwrap();
    let key = "1a".repeat(16) + &"2b".repeat(16);
    let output = run(server(place.path())
        .args(["serve", "--signing", "elsewhere"])
        .env("ARBORA_HOT_KEY", &key));
    for problem in [
        "ARBORA_HOT_KEY is here although ARBORA_SIGNING is elsewhere",
        "ARBORA_DEPOSIT_XPUB is missing: its seed is elsewhere",
        "ARBORA_HOT_ADDRESS is missing",
    ] {
        refused(&output, problem);
    }
    assert!(!String::from_utf8_lossy(&output.stderr).contains(&key));
    let output = run(server(place.path()).arg("signer"));
    for missing in [
        "DATABASE_URL is missing",
        "CHAIN_RPC_URL is missing",
        "ARBORA_HOT_KEY is missing",
    ] {
        refused(&output, missing);
    }
    assert!(!place.path().join(".data").exists(), "nothing was drawn");
    let without = Running::start(server(place.path()).args(["--signing", "elsewhere"]).envs([
        ("ARBORA_HOT_ADDRESS", "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"),
        // The published branch of a published phrase: a demo takes it.
        ("ARBORA_DEPOSIT_XPUB", "xpub6EF8jXqFeFEW5bwMU7RpQtHkzE4KJxcqJtvkCjJumzW8CPpacXkb92ek4WzLQXjL93HycJwTPUAcuNxCqFPKKU5m5Z2Vq4nCyh5CyPeBFFr"),
    ]));
    without.signal(Signal::SIGTERM);
    without.ends_well();
    for file in ["hot.key", "chain_gas.key", "deposit.seed"] {
        assert!(!place.path().join(".data/secrets").join(file).exists(), "{file}");
    }
}

/// Everything that production asks for, on this database.
fn production(place: &Path, pg: &Embedded, role: &str) -> Command {
    let mut command = server(place);
    command
        .arg("serve")
        .args(ANY_PORT)
        .envs(refusals::accepted())
        .env("DATABASE_URL", url(pg, role));
    command
}

#[test]
fn production_refuses_http_published_keys_and_a_privileged_role() {
    let place = tempfile::tempdir().unwrap();
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let mut plain = production(place.path(), &pg, APP_ROLE);
    refused(
        &run(plain.env("PUBLIC_URL", "http://arbora.invalid")),
        "PUBLIC_URL is not an https address",
    );
    let published = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";
    let output = run(production(place.path(), &pg, APP_ROLE).env("ARBORA_MASTER_KEY", published));
    refused(&output, "ARBORA_MASTER_KEY is a published test key");
    assert!(!String::from_utf8_lossy(&output.stderr).contains(published));

    let migrated = run(server(place.path())
        .args(["migrate", "--world", "production"])
        .env("DATABASE_URL", url(&pg, APP_ROLE))
        .env("DATABASE_OWNER_URL", url(&pg, OWNER_ROLE)));
    assert!(
        migrated.status.success(),
        "{}",
        String::from_utf8_lossy(&migrated.stderr)
    );
    refused(
        &run(&mut production(place.path(), &pg, OWNER_ROLE)),
        "must name a role that owns no table",
    );
}

// ---- the master key ------------------------------------------------------------------------------------------------

#[test]
fn another_master_key_is_refused_unless_the_one_before_is_given_with_it() {
    let place = tempfile::tempdir().unwrap();
    let first = Running::start(&mut server(place.path()));
    first.signal(Signal::SIGTERM);
    first.ends_well();
    let key = place.path().join(".data/secrets/master.key");
    let before = fs::read_to_string(&key).unwrap();
    let other = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    let alone =
        run(server(place.path())
            .env("ARBORA_MASTER_KEY", other)
            .args(["serve", "--bind", "127.0.0.1:0"]));
    refused(&alone, "is not the key that seals this database's wallets");
    let text = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(
        !text.contains(other) && !text.contains(before.trim()),
        "a key is never repeated"
    );

    let rotate = run(server(place.path())
        .env("ARBORA_MASTER_KEY", other)
        .env("ARBORA_MASTER_KEY_PREVIOUS", before.trim())
        .args(["wallet", "rotate-keys"]));
    assert!(
        rotate.status.success(),
        "{}",
        String::from_utf8_lossy(&rotate.stderr)
    );
    assert!(String::from_utf8_lossy(&rotate.stdout).contains("all wallets are under master key 2"));
    fs::write(&key, other).unwrap();
    let rotated = Running::start(&mut server(place.path()));
    rotated.signal(Signal::SIGTERM);
    rotated.ends_well();
    fs::write(&key, before).unwrap();
    refused(
        &run(server(place.path()).args(["serve", "--bind", "127.0.0.1:0"])),
        "is not the key that seals",
    );
}

// ---- the place of the files ---------------------------------------------------------------------------------------------

#[test]
fn the_console_says_whose_the_files_are_and_has_the_last_word() {
    let place = tempfile::tempdir().unwrap();
    let asked = |word: &str| run(server(place.path()).args(["files", word]));
    let said = |word: &str| {
        let output = asked(word);
        let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{trouble}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(said("look").contains("nobody has marked the shelves yet"));
    assert!(said("claim").contains("the shelves are this database's"));
    assert!(said("look").contains("the shelves are this database's\n0 files have no row"));
    let mark = place.path().join(".data/uploads/house");
    fs::write(mark, "0190a000-0000-7000-8000-0000000000fe\n").unwrap();
    assert!(said("look").contains("the shelves are another database's"));
    refused(&asked("release"), "the shelves are not this database's");
}

// ---- jobs that are parked -----------------------------------------------------------------------------------------------

#[test]
fn the_console_lists_parked_jobs_and_sends_one_round_again() {
    let place = tempfile::tempdir().unwrap();
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let asked = |words: &[&str]| {
        run(server(place.path())
            .arg("jobs")
            .args(words)
            .env("DATABASE_URL", url(&pg, OWNER_ROLE)))
    };
    let said = |words: &[&str]| {
        let output = asked(words);
        let trouble = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{trouble}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(said(&["list"]).contains("no job is parked"));
    execute(
        &pg,
        DATABASE,
        "INSERT INTO foundation.job (id, kind, effect, payload, state, run_at, attempts, last_error, created_at) OVERRIDING SYSTEM VALUE
         VALUES (9001, 'mail.send', 'mail.send:a', '{}', 'parked', now(), 12, 'the relay said no', now()),
                (9002, 'mail.send', 'mail.send:b', '{}', 'waiting', now(), 3, NULL, now())",
    );
    let listed = said(&["list"]);
    assert!(
        listed.contains("9001  mail.send  mail.send:a") && listed.contains(": the relay said no"),
        "{listed}"
    );
    assert!(
        !listed.contains("9002") && listed.contains("1 job is parked"),
        "{listed}"
    );
    refused(&asked(&["retry", "9002"]), "no job 9002 is parked");
    assert!(said(&["retry", "9001"]).contains("job 9001 goes round again"));
    // Once: a second word of it changes nothing.
    refused(&asked(&["retry", "9001"]), "no job 9001 is parked");
    assert!(said(&["list"]).contains("no job is parked"));
    execute(
        &pg,
        DATABASE,
        "DO $$ BEGIN
             ASSERT (SELECT state = 'waiting' AND attempts = 0 AND run_at <= now() FROM foundation.job WHERE id = 9001);
             ASSERT (SELECT count(*) = 1 AND bool_and(details = '{\"kind\": \"mail.send\", \"number\": 9001}') FROM foundation.audit WHERE action = 'job.retried');
         END $$",
    );
}

// ---- the audit's chain --------------------------------------------------------------------------------------------------

#[test]
fn the_console_verifies_the_audit_and_names_the_line_that_was_changed() {
    let place = tempfile::tempdir().unwrap();
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let asked = |words: &[&str]| {
        run(server(place.path())
            .args(words)
            .env("DATABASE_URL", url(&pg, OWNER_ROLE)))
    };
    let verify = |more: &[&str]| asked(&[&["audit", "verify"][..], more].concat());
    refused(&verify(&[]), "whose signature is the right one?");
    // Brings the schema and draws the keys.
    assert!(asked(&["jobs", "list"]).status.success());
    execute(
        &pg,
        DATABASE,
        "INSERT INTO foundation.audit (at, category, action, details)
         SELECT now(), 'settings', 'job.retried', jsonb_build_object('number', n) FROM generate_series(1, 3) n",
    );
    // The first round of its jobs links what there is and signs the head.
    let running = Running::start(server(place.path()).env("DATABASE_URL", url(&pg, OWNER_ROLE)));
    let heads = place.path().join(".data/audit/heads.jsonl");
    for _ in 0..600 {
        if fs::read_to_string(&heads).is_ok_and(|text| text.ends_with('\n')) {
            break;
        }
        // A look takes its time; what a demo wrote into its past is in no link before that round.
        verify(&[]);
    }
    running.signal(Signal::SIGTERM);
    running.ends_well();
    let whole = verify(&[]);
    let said = String::from_utf8_lossy(&whole.stdout).into_owned();
    assert!(whole.status.success(), "{said}");
    assert!(
        said.contains("the audit is whole: ") && said.contains(" signed heads, the last of "),
        "{said}"
    );
    // The key that signed is said, to be kept elsewhere; another has signed nothing.
    let (_, key) = said.trim().rsplit_once("public key ").unwrap();
    assert!(verify(&["--key", key]).status.success());
    refused(
        &verify(&["--key", &"0".repeat(64)]),
        "signed head 1 is not signed by the key",
    );
    // A copy of the file that tells of another head.
    let copy = place.path().join("copy.jsonl");
    fs::write(&copy, "no head\n").unwrap();
    refused(
        &verify(&["--heads", copy.to_str().unwrap()]),
        "signed head 1 cannot be read",
    );
    // Whoever owns the tables can change a line, and is found out.
    execute(
        &pg,
        DATABASE,
        "ALTER TABLE foundation.audit DISABLE TRIGGER immutable;
         UPDATE foundation.audit SET details = '{\"number\": 9}' WHERE details = '{\"number\": 2}';
         ALTER TABLE foundation.audit ENABLE TRIGGER immutable;",
    );
    refused(&verify(&[]), "the audit is NOT whole: line ");
    refused(&verify(&[]), "job.retried) or its link was changed");
}

// ---- a machine without certificates -------------------------------------------------------------------------------------

#[test]
fn without_the_systems_certificates_server_and_signer_start_and_say_what_they_cannot_reach() {
    let place = tempfile::tempdir().unwrap();
    let pg = Embedded::start(&place.path().join("theirs")).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for command in ["serve", "signer"] {
        let mut child = server(place.path())
            .arg(command)
            .args(ANY_PORT)
            .env("ARBORA_LOG", "warn")
            .env("SSL_CERT_FILE", "/nowhere/certificates.pem")
            .env("SSL_CERT_DIR", "/nowhere")
            .env("DATABASE_URL", url(&pg, OWNER_ROLE))
            .env("SMTP_URL", "smtps://someone:hush@mail.invalid")
            .env("CHAIN_RPC_URL", format!("https://{free}/key-in-the-path"))
            .env("ARBORA_HOT_KEY", "1a".repeat(16) + &"2b".repeat(16))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = output.any(|line| line.unwrap().contains("is ready: "));
        if ready {
            kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGTERM).unwrap();
        }
        output.for_each(drop);
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert!(ready && ended.status.success(), "{command}: {said}");
        assert!(
            said.contains(&format!(
                "could not connect to https://{free}: Connection refused"
            )),
            "{command}: {said}"
        );
        assert!(
            !said.contains("certificate") && !said.contains("key-in-the-path") && !said.contains("hush"),
            "{command}: {said}"
        );
    }
}

// ---- a database that comes later -----------------------------------------------------------------------------------------

const WAITS: &str = "the database is waited for";

#[test]
fn a_database_that_comes_later_is_waited_for() {
    let place = tempfile::tempdir().unwrap();
    let theirs = place.path().join("theirs");
    let pg = Embedded::start(&theirs).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    let address = url(&pg, OWNER_ROLE);
    pg.stop().unwrap();

    let mut child = server(place.path())
        .arg("migrate")
        .env("ARBORA_LOG", "info")
        .env("DATABASE_URL", address)
        .env("ARBORA_DATABASE_WAIT", "3600")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(
        log.any(|line| line.unwrap().contains(WAITS)),
        "it ended: {:?}",
        child.wait()
    );
    let _pg = Embedded::start(&theirs).unwrap();
    let rest: Vec<String> = log.map(Result::unwrap).collect();
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{rest:?}");
    assert!(String::from_utf8_lossy(&ended.stdout).contains("the schema is at migration "));
    assert!(
        rest.iter().any(|line| line.contains("the database is there")),
        "{rest:?}"
    );
    assert!(
        !rest.iter().any(|line| line.contains(WAITS)),
        "said once: {rest:?}"
    );
}

#[test]
fn what_waiting_does_not_mend_ends_the_start_at_once() {
    let place = tempfile::tempdir().unwrap();
    let theirs = place.path().join("theirs");
    let pg = Embedded::start(&theirs).unwrap();
    execute(&pg, "postgres", "CREATE DATABASE arbora");
    execute(&pg, "postgres", "ALTER ROLE arbora_owner PASSWORD 'right'");
    pg.stop().unwrap();
    fs::write(theirs.join("pg/pg_hba.conf"), "local all all scram-sha-256\n").unwrap();
    let pg = Embedded::start(&theirs).unwrap();
    let migrate = |who: &str, database: &str| {
        let host = pg.socket_dir().display();
        run(server(place.path())
            .arg("migrate")
            .env("ARBORA_LOG", "info")
            .env(
                "DATABASE_URL",
                format!("postgres://{who}@localhost/{database}?host={host}"),
            )
            .env("ARBORA_DATABASE_WAIT", "3600"))
    };
    for (who, database, why) in [
        ("arbora_owner:wrong", DATABASE, "password authentication failed"),
        ("nobody:right", DATABASE, "password authentication failed"),
        ("arbora_owner:right", "nowhere", "\"nowhere\" does not exist"),
    ] {
        let output = migrate(who, database);
        refused(&output, why);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains(WAITS), "{said}");
    }
    let right = migrate("arbora_owner:right", DATABASE);
    assert!(
        right.status.success(),
        "{}",
        String::from_utf8_lossy(&right.stderr)
    );
}
