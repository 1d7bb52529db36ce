//! A database that comes up after this program is waited for: on one machine everything starts at once, and a cluster moves its
//! database while programs start.
//!
//! Only what passes by itself is waited for: nobody listens yet, the host has no address yet, PostgreSQL is starting up. A wrong
//! password or a missing database ends the start at once, for waiting would only hide it.

use std::{io, time::Duration};

use sqlx::{ConnectOptions, PgConnection, postgres::PgConnectOptions};
use tokio::time::{Instant, sleep, timeout};

use super::{DatabaseError, place, unusable};

const ONE_TRY: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// `cannot_connect_now`: PostgreSQL starts up, or comes back from a crash.
pub(super) const STARTING_UP: &str = "57P03";

/// How long a start goes on trying, all its connections together.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    until: Instant,
}

impl Patience {
    pub fn of(wait: Duration) -> Self {
        Self {
            until: Instant::now() + wait,
        }
    }

    /// A connection, as soon as there is one.
    pub async fn connect(self, options: &PgConnectOptions) -> Result<PgConnection, DatabaseError> {
        let mut waits = false;
        let mut pause = FIRST_PAUSE;
        loop {
            let error = match attempt(options).await {
                Ok(connection) => {
                    if waits {
                        tracing::info!(place = place(options), "the database is there");
                    }
                    return Ok(connection);
                }
                Err(error) => error,
            };
            let rest = self.until.saturating_duration_since(Instant::now());
            if rest.is_zero() || !may_pass(options, &error).await {
                return Err(unusable(options, error));
            }
            if !waits {
                waits = true;
                tracing::warn!(
                    place = place(options),
                    seconds = rest.as_secs(),
                    %error,
                    "the database is waited for"
                );
            }
            sleep(pause.min(rest)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

async fn attempt(options: &PgConnectOptions) -> sqlx::Result<PgConnection> {
    match timeout(ONE_TRY, options.connect()).await {
        Ok(outcome) => outcome,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer").into()),
    }
}

/// Whether the same try may succeed later without anybody's doing.
async fn may_pass(options: &PgConnectOptions, error: &sqlx::Error) -> bool {
    let socket = options.get_socket().is_some() || options.get_host().starts_with('/');
    match error {
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code == STARTING_UP),
        sqlx::Error::Io(error) => match error.kind() {
            io::ErrorKind::ConnectionRefused => true,
            // The socket's file comes with PostgreSQL.
            io::ErrorKind::NotFound if socket => true,
            // A look-up that failed has no kind of its own: asked again, it fails again.
            _ => !socket && has_no_address(options).await,
        },
        _ => false,
    }
}

async fn has_no_address(options: &PgConnectOptions) -> bool {
    tokio::net::lookup_host((options.get_host(), options.get_port()))
        .await
        .is_err()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    const LONG: Duration = Duration::from_secs(3_600);

    fn options(url: &str) -> PgConnectOptions {
        PgConnectOptions::from_str(url).unwrap()
    }

    /// What PostgreSQL says in place of a greeting.
    fn refusal(code: &str) -> Vec<u8> {
        let fields = format!("SFATAL\0VFATAL\0C{code}\0Mno\0\0");
        let length = u32::try_from(fields.len() + 4).unwrap();
        [b"E", &length.to_be_bytes()[..], fields.as_bytes()].concat()
    }

    #[tokio::test]
    async fn one_that_starts_up_is_waited_for_and_a_wrong_password_is_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = tokio::spawn(async move {
            for code in [STARTING_UP, STARTING_UP, "28P01"] {
                let (mut socket, _) = listener.accept().await.unwrap();
                let length = socket.read_u32().await.unwrap();
                let mut startup = vec![0; usize::try_from(length).unwrap() - 4];
                socket.read_exact(&mut startup).await.unwrap();
                socket.write_all(&refusal(code)).await.unwrap();
            }
        });
        let options = options(&format!("postgres://u:p@127.0.0.1:{port}/d?sslmode=disable"));
        let error = Patience::of(LONG).connect(&options).await.unwrap_err();
        assert!(matches!(error, DatabaseError::Refused { .. }), "{error}");
        asked.await.unwrap();
    }

    #[tokio::test]
    async fn what_may_pass() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        for url in [
            format!("postgres://u@127.0.0.1:{port}/d"),
            "postgres://u@a..invalid/d".to_owned(),
            "postgres://u@localhost/d?host=/nowhere/yet".to_owned(),
        ] {
            let options = options(&url);
            let error = attempt(&options).await.unwrap_err();
            assert!(may_pass(&options, &error).await, "{url}: {error}");
            // Without patience its sentence comes at once.
            let error = Patience::of(Duration::ZERO).connect(&options).await.unwrap_err();
            assert!(matches!(error, DatabaseError::Unreachable { .. }), "{error}");
        }
        let silent = io::Error::new(io::ErrorKind::TimedOut, "no answer");
        let here = options("postgres://u@127.0.0.1/d");
        assert!(!may_pass(&here, &silent.into()).await);
    }
}
