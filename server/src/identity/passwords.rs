//! Passwords: what is accepted, and argon2id with a bounded number at work and in the queue.

use crate::{
    error::Error,
    foundation::{context::Context, text},
};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use protocol::ErrorCode;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// OWASP's second choice for argon2id: 19 MiB, two passes, one lane.
fn argon2() -> Argon2<'static> {
    let params = Params::new(19_456, 2, 1, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn hash_now(password: &str) -> Option<String> {
    argon2()
        .hash_password(password.as_bytes())
        .ok()
        .map(|hash| hash.to_string())
}

/// What an unknown user's password is compared with, so that it costs the same.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now(&super::secrets::token()).unwrap_or_default());

async fn at_work<T: Send + 'static>(
    context: &Context,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    let admitted = context
        .hashing
        .admitted
        .clone()
        .try_acquire_owned()
        .map_err(|_| Error::code(ErrorCode::Busy))?;
    let running = context
        .hashing
        .running
        .clone()
        .acquire_owned()
        .await
        .map_err(|_| Error::code(ErrorCode::Unavailable))?;
    // The permits go with the work: a caller who goes away does not free a core that is still busy.
    let done = tokio::task::spawn_blocking(move || {
        let _permits = (admitted, running);
        work()
    });
    done.await
        .map_err(|_| Error::internal("password hashing ended early"))
}

/// What a password may have been when its hash was made: as it is compared now, as it was typed, and in the other normal form. The first
/// is all there is of one in plain letters.
fn spellings(typed: &str) -> Vec<String> {
    let mut spellings: Vec<String> = text::opaque(typed).into_iter().collect();
    for older in [typed.to_owned(), typed.nfc().collect(), typed.nfd().collect()] {
        if !spellings.contains(&older) {
            spellings.push(older);
        }
    }
    spellings
}

/// The hash to store.
///
/// # Errors
/// `service.busy` when too many are waiting.
pub async fn hash(context: &Context, password: &str) -> Result<String, Error> {
    let password = text::opaque(password).unwrap_or_else(|| password.to_owned());
    at_work(context, move || hash_now(&password))
        .await?
        .ok_or_else(|| Error::internal("a password cannot be hashed"))
}

/// Whether the password is right; without a stored hash it costs the same and is wrong.
///
/// # Errors
/// `service.busy` when too many are waiting.
pub async fn verify(context: &Context, password: &str, stored: Option<&str>) -> Result<bool, Error> {
    // Longer ones, each letter with its marks apart, were never accepted; they must not buy computing time either.
    let password: String = password.chars().take(4 * LENGTH.end() + 1).collect();
    let stored = stored.map(str::to_owned);
    at_work(context, move || {
        let against = stored.as_deref().unwrap_or(&NOBODY);
        let right = spellings(&password)
            .iter()
            .any(|spelling| argon2().verify_password(spelling.as_bytes(), against).is_ok());
        right && stored.is_some()
    })
    .await
}

/// Characters of a password.
const LENGTH: std::ops::RangeInclusive<usize> = 8..=128;

/// How hard a password is to guess, and whether it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
pub struct Strength {
    /// From 0, guessed at once, to 4 (zxcvbn).
    pub score: u8,
    /// Whether the calls that set a password take it.
    pub acceptable: bool,
}

/// Judges a password; the person's own words count as guessable.
#[must_use]
pub fn strength(password: &str, own_words: &[&str]) -> Strength {
    let Some(password) = text::opaque(password) else {
        return Strength {
            score: 0,
            acceptable: false,
        };
    };
    // Names count as they are written, word by word, and run together.
    let mut words: Vec<String> = Vec::new();
    for own in own_words {
        words.push((*own).to_owned());
        words.extend(
            own.split(|c: char| !c.is_alphanumeric())
                .filter(|w| w.len() > 2)
                .map(str::to_owned),
        );
        words.push(own.split_whitespace().collect());
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let length = password.chars().take(LENGTH.end() + 1).count();
    if length > *LENGTH.end() {
        return Strength {
            score: 0,
            acceptable: false,
        };
    }
    let score = zxcvbn::zxcvbn(&password, &words).score();
    Strength {
        score: score.into(),
        acceptable: LENGTH.contains(&length) && score >= zxcvbn::Score::Three,
    }
}

/// As [`strength`], away from the threads that answer others.
///
/// # Errors
/// `service.busy` when too many are waiting.
pub async fn judge(context: &Context, password: String, own_words: Vec<String>) -> Result<Strength, Error> {
    at_work(context, move || {
        let own: Vec<&str> = own_words.iter().map(String::as_str).collect();
        strength(&password, &own)
    })
    .await
}

/// 8–128 characters without controls, typed twice alike, zxcvbn at least 3 with the person's own words counted as guessable.
///
/// # Errors
/// `password.weak`, `password.mismatch` at their fields.
pub fn acceptable(password: &str, confirmation: &str, own_words: &[&str]) -> Result<(), Error> {
    if text::opaque(password) != text::opaque(confirmation) {
        return Err(Error::code(ErrorCode::PasswordMismatch)
            .field("password_confirmation", ErrorCode::PasswordMismatch));
    }
    if strength(password, own_words).acceptable {
        Ok(())
    } else {
        Err(Error::code(ErrorCode::PasswordWeak).field("password", ErrorCode::PasswordWeak))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_accepted() {
        let own = ["ana@example.com", "Ana Capivara"];
        for (password, fine) in [
            ("correct horse battery", true),
            ("kX9#pT2!vQ", true),
            ("short1!", false),
            ("password", false),
            ("12345678", false),
            ("anacapivara", false),
            ("aaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(acceptable(password, password, &own).is_ok(), fine, "{password}");
            assert_eq!(strength(password, &own).acceptable, fine, "{password}");
        }
        let long = "kX9#pT2!".repeat(17);
        assert_eq!(
            acceptable(&long, &long, &[]).unwrap_err().error_code(),
            ErrorCode::PasswordWeak
        );
        assert_eq!(
            acceptable("correct horse battery", "other", &own)
                .unwrap_err()
                .error_code(),
            ErrorCode::PasswordMismatch
        );
    }

    #[test]
    fn a_password_is_one_in_every_spelling() {
        let (nfc, nfd) = (
            "a\u{e7}\u{e3}o cavalo bateria",
            "ac\u{327}a\u{303}o cavalo bateria",
        );
        assert!(acceptable(nfd, nfc, &[]).is_ok());
        assert!(spellings(nfd).contains(&nfc.to_owned()) && spellings(nfc).contains(&nfd.to_owned()));
        assert_eq!(spellings(nfd).first(), spellings(nfc).first());
        assert_eq!(spellings("correct horse"), ["correct horse"]);
        assert_eq!(spellings("a\u{3000}b").first().map(String::as_str), Some("a b"));
        assert!(!strength("correct horse\tbattery", &[]).acceptable);
    }

    #[test]
    fn hashes_are_argon2id_and_salted() {
        let (a, b) = (hash_now("x").unwrap(), hash_now("x").unwrap());
        assert!(a.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && a != b);
        assert!(argon2().verify_password(b"x", a.as_str()).is_ok());
        assert!(argon2().verify_password(b"y", a.as_str()).is_err());
    }
}
