//! Refresh tokens: a session's id and generation under a MAC. They rotate; the previous one is good once more for 30 s and gets
//! the same successor (an answer was lost, two tabs raced); any later reuse means that someone copied it, and ends the session.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::{Context, Keys},
        transaction::Tx,
    },
    identity::{browser::Browser, devices, secrets},
};
use protocol::ids::{SessionId, UserId};
use time::Duration;

/// Life of a session after its last refresh.
pub const LIFE: Duration = Duration::days(30);
const GRACE: Duration = Duration::seconds(30);

fn sign(keys: &Keys, session: SessionId, generation: i32) -> [u8; 32] {
    secrets::mac(
        keys,
        "refresh",
        &[session.0.as_bytes(), &generation.to_be_bytes()],
    )
}

/// The token of a session's generation.
fn write(keys: &Keys, session: SessionId, generation: i32) -> String {
    let bytes = [
        session.0.as_bytes().as_slice(),
        &generation.to_be_bytes(),
        &sign(keys, session, generation),
    ]
    .concat();
    data_encoding::BASE64URL_NOPAD.encode(&bytes)
}

/// Session and generation of a token that we made; `None` for any other text.
fn read(keys: &Keys, token: &str) -> Option<(SessionId, i32)> {
    let bytes = data_encoding::BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
    let (id, rest) = bytes.split_first_chunk::<16>()?;
    let (generation, tag) = rest.split_first_chunk::<4>()?;
    let (session, generation) = (
        SessionId(uuid::Uuid::from_bytes(*id)),
        i32::from_be_bytes(*generation),
    );
    secrets::same(tag, &sign(keys, session, generation)).then_some((session, generation))
}

/// The session that a refresh token belongs to, whatever its generation: for signing out.
#[must_use]
pub fn session_of(keys: &Keys, token: &str) -> Option<SessionId> {
    read(keys, token).map(|(session, _)| session)
}

/// Opens a session on a device and returns it with its first refresh token.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(
    keys: &Keys,
    tx: &mut Tx,
    account: UserId,
    browser: &Browser,
    device: &[u8],
    method: &str,
) -> Result<(SessionId, String), Error> {
    let (now, session) = (tx.now(), SessionId::fresh());
    store::insert(
        tx.conn(),
        session,
        account,
        (browser, device, method),
        now,
        now + LIFE,
    )
    .await?;
    Ok((session, write(keys, session, 1)))
}

/// What became of a presented refresh token.
#[derive(Debug)]
pub enum Rotated {
    /// The successor.
    Good {
        session: SessionId,
        account: UserId,
        token: String,
    },
    /// An old one came back: the session has ended.
    Reused { session: SessionId, account: UserId },
    /// Nothing we know, or a session that is over.
    Unknown,
}

/// Takes a refresh token and gives its successor. Commit whatever comes back: the end of a family must last.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rotate(context: &Context, tx: &mut Tx, token: &str) -> Result<Rotated, Error> {
    let now = tx.now();
    let Some((session, generation)) = read(&context.keys, token) else {
        return Ok(Rotated::Unknown);
    };
    let Some(row) = store::lock(tx.conn(), session)
        .await?
        .filter(|r| r.ended_at.is_none() && r.expires_at > now)
    else {
        return Ok(Rotated::Unknown);
    };
    let account = row.account;
    if generation == row.generation {
        let next = generation.saturating_add(1);
        store::rotate(tx.conn(), session, next, now, now + LIFE).await?;
        return Ok(Rotated::Good {
            session,
            account,
            token: write(&context.keys, session, next),
        });
    }
    let in_grace = row.rotated_at.is_some_and(|at| now - at <= GRACE);
    if generation == row.generation - 1 && in_grace && !row.previous_used {
        store::use_previous(tx.conn(), session).await?;
        return Ok(Rotated::Good {
            session,
            account,
            token: write(&context.keys, session, row.generation),
        });
    }
    end(tx, account, session, "reuse").await?;
    Ok(Rotated::Reused { session, account })
}

/// Ends one of a user's sessions; none when there is none such.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end(
    tx: &mut Tx,
    account: UserId,
    session: SessionId,
    reason: &str,
) -> Result<Option<store::Ended>, Error> {
    let now = tx.now();
    store::end(tx.conn(), account, session, reason, now).await
}

/// Ends all of a user's sessions but one, and returns them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end_all(
    tx: &mut Tx,
    account: UserId,
    except: Option<SessionId>,
    reason: &str,
) -> Result<Vec<SessionId>, Error> {
    let now = tx.now();
    store::end_all(tx.conn(), account, except, reason, now).await
}

/// Ends those of a user's sessions that began in one way, and returns them. The account no longer knows the devices on which none is left.
///
/// # Errors
/// Whatever the database refuses.
pub async fn end_begun(
    tx: &mut Tx,
    account: UserId,
    method: &str,
    reason: &str,
) -> Result<Vec<SessionId>, Error> {
    let now = tx.now();
    let ended = store::end_begun(tx.conn(), account, method, reason, now).await?;
    for device in ended.iter().filter_map(|one| one.device_hash.as_deref()) {
        devices::forget_left(tx, account, device).await?;
    }
    Ok(ended.into_iter().map(|one| one.id).collect())
}

/// A user's living sessions, newest first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn list(context: &Context, account: UserId) -> Result<Vec<store::Listed>, Error> {
    store::list(context.db.pool(), account, context.now()).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_read_back_and_cannot_be_made_up() {
        let keys = Keys::of_installation(2);
        let session = SessionId::fresh();
        let token = write(&keys, session, 7);
        assert_eq!(read(&keys, &token), Some((session, 7)));
        assert_eq!(
            read(
                &Keys {
                    codes: vec![9; 32],
                    ..keys.clone()
                },
                &token
            ),
            None
        );
        let mut bytes = data_encoding::BASE64URL_NOPAD.decode(token.as_bytes()).unwrap();
        bytes[19] ^= 1; // another generation under the same tag
        assert_eq!(read(&keys, &data_encoding::BASE64URL_NOPAD.encode(&bytes)), None);
        for bad in ["", "x", &token[..30]] {
            assert_eq!(read(&keys, bad), None);
        }
    }
}
