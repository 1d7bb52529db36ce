//! The vault: makes wallets, shows phrases, hands keys to the signer. Part of the context where wallets are kept.

use super::{
    phrase::{Entropy, Phrase},
    seal::{Bound, DataKey, MasterKey, MasterKeys},
    store::{self, Sealed, Wallet},
};
use crate::{approvals::guard::Verdict, error::Error, foundation::transaction::Tx};
use alloy::signers::local::PrivateKeySigner;
use protocol::ids::UserId;
use sqlx::PgPool;
use std::sync::Arc;
use time::OffsetDateTime;
use uuid::Uuid;

/// Why keys cannot be used. The first two are the one sentence that the operator reads.
#[derive(Debug, thiserror::Error)]
pub enum KeysError {
    #[error(
        "ARBORA_MASTER_KEY is not the key that seals this database's wallets: give that key, or, to rotate, give it as ARBORA_MASTER_KEY_PREVIOUS"
    )]
    AnotherKey,
    #[error(
        "{0} wallets are still sealed by the master key before: give it as ARBORA_MASTER_KEY_PREVIOUS and run `server wallet rotate-keys`"
    )]
    KeyBeforeMissing(i64),
    #[error("a wallet's key does not open")]
    Broken,
    #[error("{0:?}")]
    Server(Error),
}

impl From<Error> for KeysError {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

impl From<KeysError> for Error {
    fn from(error: KeysError) -> Self {
        match error {
            KeysError::Server(error) => error,
            other => Self::internal(other.to_string()),
        }
    }
}

/// Keys by their stored versions.
struct Known {
    masters: MasterKeys,
    /// Version and fingerprint; the last one is in force.
    versions: Vec<(i32, Vec<u8>)>,
}

/// Seals and opens. Cheap to clone; prints nothing.
#[derive(Clone)]
pub struct Vault(Arc<Known>);

impl Vault {
    /// Opens the vault: the master key must be the one that seals this database, or the key after it with the one before beside it.
    ///
    /// # Errors
    /// `AnotherKey`, `KeyBeforeMissing`.
    pub async fn open(pool: &PgPool, masters: MasterKeys, now: OffsetDateTime) -> Result<Self, KeysError> {
        let mut versions = store::master_keys(pool).await?;
        let newest = versions
            .last()
            .map(|(version, fingerprint)| (*version, fingerprint.clone()));
        let current = masters.current.fingerprint;
        match newest {
            Some((_, stored)) if stored == current => {}
            // A rotation begins: what is sealed from now on is sealed by the new key.
            Some((version, stored))
                if masters
                    .previous
                    .as_ref()
                    .is_some_and(|p| p.fingerprint.as_slice() == stored) =>
            {
                // Never back to a key that was left.
                if versions.iter().any(|(_, f)| f.as_slice() == current) {
                    return Err(KeysError::AnotherKey);
                }
                store::add_master_key(pool, version + 1, &current, now).await?;
            }
            Some(_) => return Err(KeysError::AnotherKey),
            None => store::add_master_key(pool, 1, &current, now).await?,
        }
        versions = store::master_keys(pool).await?;
        if versions.last().is_none_or(|(_, f)| f.as_slice() != current) {
            // Another node came first, with another key.
            return Err(KeysError::AnotherKey);
        }
        let mut locked = 0;
        for (version, fingerprint) in &versions {
            if masters.by(fingerprint).is_none() {
                locked += store::sealed_by(pool, *version).await?;
            }
        }
        if locked > 0 {
            return Err(KeysError::KeyBeforeMissing(locked));
        }
        Ok(Self(Arc::new(Known { masters, versions })))
    }

    /// The version that seals now, and its key.
    pub(super) fn current(&self) -> Result<(i32, &MasterKey), KeysError> {
        let (version, _) = self.0.versions.last().ok_or(KeysError::Broken)?;
        Ok((*version, &self.0.masters.current))
    }

    fn by_version(&self, version: i32) -> Result<&MasterKey, KeysError> {
        self.0
            .versions
            .iter()
            .find(|(v, _)| *v == version)
            .and_then(|(_, fingerprint)| self.0.masters.by(fingerprint))
            // Sealed by a key that this process was started without.
            .ok_or(KeysError::AnotherKey)
    }

    /// A person's wallet, made now if there is none. Its address never changes.
    ///
    /// # Errors
    /// Whatever the database refuses.
    pub async fn wallet(&self, tx: &mut Tx, user: UserId) -> Result<Wallet, Error> {
        store::lock_making(tx.conn(), user).await?;
        if let Some(wallet) = store::wallet(&mut *tx.conn(), user).await? {
            return Ok(wallet);
        }
        let now = tx.now();
        let sealed = self.make(user)?;
        store::insert(tx.conn(), &sealed, now).await?;
        store::wallet(&mut *tx.conn(), user)
            .await?
            .ok_or_else(|| Error::internal("a wallet that was just made is not there"))
    }

    fn make(&self, user: UserId) -> Result<Sealed, KeysError> {
        let (version, master) = self.current()?;
        let bound = Bound {
            user,
            wallet: Uuid::now_v7(),
        };
        let (entropy, key) = (Entropy::fresh(), DataKey::fresh());
        Ok(Sealed {
            id: bound.wallet,
            owner: user,
            address: entropy.address().ok_or(KeysError::Broken)?,
            entropy: key.seal(bound, entropy.expose())?,
            data_key: master.wrap(bound, version, &key)?,
            key_version: version,
        })
    }

    /// The words, for their owner. Needs the guard's word.
    ///
    /// # Errors
    /// `request.not_found` without a wallet.
    pub async fn reveal(&self, tx: &mut Tx, user: UserId, _: &Verdict) -> Result<Phrase, Error> {
        let sealed = store::sealed(&mut *tx.conn(), user)
            .await?
            .ok_or_else(|| Error::code(protocol::ErrorCode::RequestNotFound))?;
        Ok(self.entropy(&sealed)?.phrase())
    }

    fn entropy(&self, sealed: &Sealed) -> Result<Entropy, KeysError> {
        let bound = Bound {
            user: sealed.owner,
            wallet: sealed.id,
        };
        let key = self
            .by_version(sealed.key_version)?
            .unwrap(bound, sealed.key_version, &sealed.data_key)?;
        Entropy::read(&key.open(bound, &sealed.entropy)?).ok_or(KeysError::Broken)
    }

    /// The key itself, for the signer beside. It must be the key of the stored address.
    pub(super) fn key(&self, sealed: &Sealed) -> Result<PrivateKeySigner, KeysError> {
        self.entropy(sealed)?
            .key()
            .filter(|key| key.address() == sealed.address)
            .ok_or(KeysError::Broken)
    }

    /// The same key under the master key in force; none when it is there already.
    pub(super) fn rewrap(&self, sealed: &Sealed) -> Result<Option<(i32, Vec<u8>)>, KeysError> {
        let (version, master) = self.current()?;
        if sealed.key_version == version {
            return Ok(None);
        }
        let bound = Bound {
            user: sealed.owner,
            wallet: sealed.id,
        };
        let key = self
            .by_version(sealed.key_version)?
            .unwrap(bound, sealed.key_version, &sealed.data_key)?;
        Ok(Some((version, master.wrap(bound, version, &key)?)))
    }
}
