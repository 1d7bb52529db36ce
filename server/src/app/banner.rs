//! What a person reads when the server is ready: where to go, as whom to sign in, and what stands in for what.

// The one place of the running server that writes to the standard output: this text is for the person who started it.
#![allow(clippy::print_stdout)]

use std::fmt::Write;

use url::Url;

use crate::{
    config::{Config, Feed, Secret, World},
    foundation::database::Database,
};

/// An account of the demo.
pub struct SignIn {
    pub role: &'static str,
    pub email: String,
    pub password: Secret,
}

/// A part of the installation that may be the built-in one.
struct Part {
    name: &'static str,
    what: String,
    replace: Option<&'static str>,
}

/// Prints the banner.
pub fn print(config: &Config, database: &Database, chain: &(String, bool), address: &Url, people: &[SignIn]) {
    println!(
        "{}",
        text(config, &parts(config, database, chain), address, people)
    );
}

fn parts(config: &Config, database: &Database, (chain, own): &(String, bool)) -> Vec<Part> {
    let built_in = |set: bool, replace: &'static str| (!set).then_some(replace);
    vec![
        Part {
            name: "PostgreSQL",
            what: if database.is_private() {
                format!(
                    "version {}, private, in {}",
                    database.version(),
                    config.store.files.data.join("pg").display()
                )
            } else {
                format!("version {}, yours", database.version())
            },
            replace: built_in(
                !database.is_private(),
                "DATABASE_URL=postgres://user:password@host/database",
            ),
        },
        Part {
            name: "Bus",
            what: if config.redis.url.is_some() {
                "Redis, yours"
            } else {
                "inside this process"
            }
            .to_owned(),
            replace: built_in(
                config.redis.url.is_some(),
                "REDIS_URL=redis://host:6379 (for several servers)",
            ),
        },
        Part {
            name: "Mail",
            what: if config.smtp.url.is_some() {
                "SMTP, yours"
            } else {
                "kept; read it on the page /dev/mailbox"
            }
            .to_owned(),
            replace: built_in(
                config.smtp.url.is_some(),
                "SMTP_URL=smtp://user:password@host:587?tls=required",
            ),
        },
        Part {
            name: "Chain",
            what: chain.clone(),
            replace: built_in(
                !own,
                "CHAIN_RPC_URL=https://provider (with ARBORA_CHAIN_ID=97 and its contracts)",
            ),
        },
        Part {
            name: "Market",
            what: match &config.feed {
                Feed::Simulated => "simulated quotes of several venues".to_owned(),
                Feed::Replay(file) => format!("replay of {file}"),
                Feed::Live(venues) => format!("real prices of {venues}; fills are on paper"),
                Feed::Off => "no quotes: the trading desk rests".to_owned(),
            },
            replace: built_in(config.feed != Feed::Simulated, "--feed replay:FILE"),
        },
    ]
}

fn text(config: &Config, parts: &[Part], address: &Url, people: &[SignIn]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_text(&mut text, config, parts, address, people);
    text
}

fn write_text(
    out: &mut String,
    config: &Config,
    parts: &[Part],
    address: &Url,
    people: &[SignIn],
) -> std::fmt::Result {
    let demo = config.store.world == World::Demo;
    writeln!(
        out,
        "\n  Arbora is ready: {address}{}",
        if demo {
            "   (demo: all money is play money)"
        } else {
            ""
        }
    )?;
    if demo && !people.is_empty() {
        writeln!(out, "\n  Sign in as")?;
        let role = people
            .iter()
            .map(|person| person.role.chars().count())
            .max()
            .unwrap_or_default();
        let email = people
            .iter()
            .map(|person| person.email.chars().count())
            .max()
            .unwrap_or_default();
        for person in people {
            // Drawn for this installation; that a demo prints them is why it listens on this machine only.
            writeln!(
                out,
                "    {:role$}   {:email$}   {}",
                person.role,
                person.email,
                person.password.expose()
            )?;
        }
    }
    writeln!(out, "\n  Parts")?;
    for part in parts {
        writeln!(out, "    {:10}   {}", part.name, part.what)?;
        if let Some(replace) = part.replace {
            writeln!(out, "    {:10}   replace it with {replace}", "")?;
        }
    }
    write!(
        out,
        "\n  Ctrl-C stops everything. `server --help` lists all settings."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(folder: &std::path::Path) -> Config {
        Config::from_args(["--data-dir", folder.to_str().unwrap()]).unwrap()
    }

    #[test]
    fn names_the_address_the_people_and_how_to_replace_each_part() {
        let place = tempfile::tempdir().unwrap();
        let config = config(place.path());
        let people = [SignIn {
            role: "trader",
            email: "ana@demo.invalid".into(),
            password: Secret::new("drawn-once"),
        }];
        let parts = [Part {
            name: "Bus",
            what: "inside this process".into(),
            replace: Some("REDIS_URL=…"),
        }];
        let text = text(
            &config,
            &parts,
            &Url::parse("http://localhost:8080").unwrap(),
            &people,
        );
        for expected in [
            "http://localhost:8080/",
            "play money",
            "ana@demo.invalid   drawn-once",
            "replace it with REDIS_URL=…",
        ] {
            assert!(text.contains(expected), "{expected} is not in:\n{text}");
        }
    }
}
