//! What a use case needs besides its input: database, time, settings, keys, places. Cheap to clone; one per process.

use super::{
    clock::SharedClock,
    files::{Shelves, decoding::Decoding},
    settings::SettingsReader,
    transaction::Db,
};
use std::{
    any::{Any, TypeId},
    collections::HashMap,
    path::PathBuf,
    sync::Arc,
};
use time::OffsetDateTime;

/// Which world this database is (docs/rules/foundation.md#worlds).
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum World {
    Demo,
    Production,
}

impl World {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Production => "production",
        }
    }
}

/// Keys of this installation. Never printed.
#[derive(Clone)]
pub struct Keys {
    /// Signs access tokens; the second still verifies, for rotation.
    pub jwt: Vec<u8>,
    pub jwt_previous: Option<Vec<u8>>,
    /// HMAC of e-mailed codes, links and refresh tokens.
    pub codes: Vec<u8>,
    /// Seals secrets at rest (TOTP).
    pub sealing: [u8; 32],
    /// What was sealed before a rotation still opens.
    pub sealing_previous: Option<[u8; 32]>,
}

#[cfg(test)]
impl Keys {
    /// Of an installation that is told from others by its number.
    pub(crate) fn of_installation(number: u8) -> Self {
        Self {
            jwt: vec![1],
            jwt_previous: None,
            codes: vec![number; 32],
            sealing: [3; 32],
            sealing_previous: None,
        }
    }
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keys(***)")
    }
}

/// Who receives PIX: the platform's own account.
#[derive(Clone, Debug)]
pub struct PixReceiver {
    pub key: String,
    pub name: String,
    pub city: String,
    /// The public rate service (USD to BRL), https; none: the default rate in a demo world.
    pub rate_url: Option<String>,
}

/// Whom people write to about what is kept of them (docs/rules/privacy.md#data-officer).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataOfficer {
    pub name: String,
    pub email: String,
}

/// How many passwords are hashed at once, and how many more may wait: the next is told that we are busy.
#[derive(Clone, Debug)]
pub struct Hashing {
    pub running: Arc<tokio::sync::Semaphore>,
    /// One permit for each that runs or waits.
    pub admitted: Arc<tokio::sync::Semaphore>,
}

impl Hashing {
    /// Places in the queue beside those that run.
    const QUEUE: usize = 32;

    #[must_use]
    pub fn new(cores: usize) -> Self {
        let permits = |n| Arc::new(tokio::sync::Semaphore::new(n));
        Self {
            running: permits(cores),
            admitted: permits(cores + Self::QUEUE),
        }
    }
}

/// What rooms above the foundation keep for their use cases: at most one value of each type, fixed at the start.
#[derive(Clone, Default)]
pub struct Parts(Arc<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl Parts {
    /// These and one more.
    #[must_use]
    pub fn with<T: Send + Sync + 'static>(self, part: T) -> Self {
        let mut all = (*self.0).clone();
        all.insert(TypeId::of::<T>(), Arc::new(part));
        Self(Arc::new(all))
    }

    #[must_use]
    pub fn get<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0
            .get(&TypeId::of::<T>())
            .and_then(|part| part.downcast_ref())
    }
}

#[derive(Clone)]
pub struct Context {
    pub db: Db,
    pub clock: SharedClock,
    pub settings: SettingsReader,
    pub keys: Arc<Keys>,
    pub world: World,
    /// Where links in mails point to, without a trailing slash.
    pub public_url: Arc<str>,
    /// What is on its way in or out, on this machine.
    pub files: Arc<PathBuf>,
    /// Where files rest.
    pub shelves: Shelves,
    pub pix: Arc<PixReceiver>,
    pub officer: Arc<DataOfficer>,
    /// Mail stays in the database and the mailbox page shows it.
    pub mailbox: bool,
    /// The configured SMTP server.
    pub mailer: Option<super::mail::smtp::Mailer>,
    pub hashing: Hashing,
    /// What looking at uploads may take of this process.
    pub decoding: Decoding,
    pub parts: Parts,
}

impl Context {
    /// What a room has put there at the start; none where it is not configured.
    #[must_use]
    pub fn part<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.parts.get()
    }

    #[must_use]
    pub fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }
}
