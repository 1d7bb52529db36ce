//! The authenticator app's codes (RFC 6238).

use crate::{
    error::Error,
    foundation::context::{Context, Keys},
    identity::{secrets, store::Account},
};
use protocol::ids::UserId;
use time::OffsetDateTime;

fn totp(secret: Vec<u8>, account_name: &str, issuer: &str) -> Result<totp_rs::Totp, Error> {
    // A colon would end the issuer's part of the address.
    totp_rs::Builder::new()
        .with_secret(totp_rs::Secret::new(secret.into_boxed_slice()))
        .with_skew(1)
        .with_issuer(Some(issuer.replace(':', " ")))
        .with_account_name(account_name.replace(':', " "))
        .build()
        .map_err(|e| Error::internal(format!("a TOTP secret is unusable: {e}")))
}

/// The step (RFC 6238, ±1) at which the code is right.
///
/// # Errors
/// When the secret does not open.
pub fn totp_step(
    context: &Context,
    account: UserId,
    sealed: &[u8],
    code: &str,
    now: OffsetDateTime,
) -> Result<Option<i64>, Error> {
    let secret = secrets::open(&context.keys, account.0.as_bytes(), sealed)?;
    let time = u64::try_from(now.unix_timestamp()).unwrap_or_default();
    Ok(totp(secret, "x", "x")?
        .check(code, time)
        .and_then(|step| i64::try_from(step).ok()))
}

/// A fresh secret: sealed for storage, in base32 and as otpauth address for the person.
///
/// # Errors
/// When it cannot be sealed.
pub fn new_totp(keys: &Keys, account: &Account, brand: &str) -> Result<(Vec<u8>, String, String), Error> {
    let secret: [u8; 20] = rand::random();
    let sealed = secrets::seal(keys, account.id.0.as_bytes(), &secret)?;
    let base32 = data_encoding::BASE32_NOPAD.encode(&secret);
    let url = totp(secret.to_vec(), &account.email, brand)?
        .to_url()
        .map_err(|e| Error::internal(format!("no otpauth address: {e}")))?;
    Ok((sealed, base32, url))
}
