//! Sessions: short access tokens (JWT, 15 min) over a rotating refresh token; state checked on every request from a cache
//! that is never older than a second.

mod refresh;
mod store;

pub use refresh::{Rotated, end, end_all, end_begun, list, open, rotate, session_of};
pub use store::Listed;

use super::{
    caller::{Caller, Completeness},
    devices,
    limits::rules::{LONGEST_KNOWN, Seat},
    registration::TERMS_VERSION,
};
use crate::{
    error::Error,
    foundation::{
        context::{Context, Keys},
        locale::Locale,
    },
};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use protocol::{
    ErrorCode, Permission,
    ids::{SessionId, UserId},
};
use serde::{Deserialize, Serialize};
use std::{sync::LazyLock, time::Duration};
use time::OffsetDateTime;

/// Life of an access token.
pub const ACCESS_SECONDS: i64 = 15 * 60;
const ISSUER: &str = "arbora";
const AUDIENCE: &str = "arbora-api";

/// What an access token says: who and which session; never permissions.
#[derive(Debug, Serialize, Deserialize)]
pub struct Claims {
    pub sub: UserId,
    pub sid: SessionId,
    pub iss: String,
    pub aud: String,
    pub iat: i64,
    pub exp: i64,
}

/// Signs an access token for a session.
///
/// # Errors
/// `service.internal` when signing fails.
pub fn access_token(
    keys: &Keys,
    user: UserId,
    session: SessionId,
    now: OffsetDateTime,
) -> Result<String, Error> {
    let iat = now.unix_timestamp();
    let claims = Claims {
        sub: user,
        sid: session,
        iss: ISSUER.into(),
        aud: AUDIENCE.into(),
        iat,
        exp: iat + ACCESS_SECONDS,
    };
    jsonwebtoken::encode(
        &Header::new(Algorithm::HS256),
        &claims,
        &EncodingKey::from_secret(&keys.jwt),
    )
    .map_err(|e| Error::internal(format!("cannot sign: {e}")))
}

/// Checks algorithm, issuer, audience, signature (with either key) and age against our clock.
///
/// # Errors
/// `auth.unauthenticated`.
pub fn verify(keys: &Keys, token: &str, now: OffsetDateTime) -> Result<Claims, Error> {
    let mut validation = Validation::new(Algorithm::HS256);
    validation.set_issuer(&[ISSUER]);
    validation.set_audience(&[AUDIENCE]);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    validation.validate_exp = false; // by our own clock, below
    let candidates = std::iter::once(&keys.jwt).chain(keys.jwt_previous.as_ref());
    for key in candidates {
        if let Ok(data) = jsonwebtoken::decode::<Claims>(token, &DecodingKey::from_secret(key), &validation) {
            if data.claims.exp > now.unix_timestamp() {
                return Ok(data.claims);
            }
            break;
        }
    }
    Err(Error::code(ErrorCode::Unauthenticated))
}

/// A session's state as requests need it.
#[derive(Clone, Debug)]
pub struct SessionState {
    pub caller: Caller,
    /// Where its codes are counted.
    pub seat: Seat,
    pub expires_at: OffsetDateTime,
}

static STATES: LazyLock<moka::future::Cache<SessionId, Option<SessionState>>> = LazyLock::new(|| {
    moka::future::Cache::builder()
        .max_capacity(200_000)
        .time_to_live(Duration::from_secs(1))
        .build()
});

/// The session behind an access token: it lives, the account exists.
///
/// # Errors
/// `auth.unauthenticated`; `service.unavailable` when the database cannot be asked.
pub async fn authenticate(context: &Context, token: &str) -> Result<SessionState, Error> {
    let now = context.now();
    let claims = verify(&context.keys, token, now)?;
    let state = state(context, claims.sid)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::Unauthenticated))?;
    if state.caller.user != claims.sub || state.expires_at <= now {
        return Err(Error::code(ErrorCode::Unauthenticated));
    }
    Ok(state)
}

/// Puts a token's session into the cache as the database has it now.
///
/// # Errors
/// `auth.unauthenticated`; `service.unavailable` when the database cannot be asked.
pub async fn refresh_state(context: &Context, token: &str) -> Result<(), Error> {
    let claims = verify(&context.keys, token, context.now())?;
    let fresh = fresh_state(context, claims.sid).await?;
    STATES.insert(claims.sid, fresh).await;
    Ok(())
}

/// A session's state, from the cache when it is younger than a second.
///
/// # Errors
/// `service.unavailable` when the database cannot be asked.
pub async fn state(context: &Context, session: SessionId) -> Result<Option<SessionState>, Error> {
    if let Some(found) = STATES.get(&session).await {
        return Ok(found);
    }
    let fresh = fresh_state(context, session).await?;
    STATES.insert(session, fresh.clone()).await;
    Ok(fresh)
}

/// A session's state straight from the database: for outbound money and administration.
///
/// # Errors
/// `service.unavailable` when the database cannot be asked.
pub async fn fresh_state(context: &Context, session: SessionId) -> Result<Option<SessionState>, Error> {
    let row = store::state(context.db.pool(), session, TERMS_VERSION, LONGEST_KNOWN).await?;
    Ok(row.map(|r| {
        let active = r.status == "active";
        let (permissions, withheld) = r
            .permissions
            .iter()
            .filter_map(|p| p.parse::<Permission>().ok())
            // Whatever asks for a permission asks this: calls, files, sockets.
            .partition::<Vec<_>, _>(|p| active || *p == Permission::RegisteredUser);
        state_of(r, session, active, permissions, withheld)
    }))
}

fn state_of(
    r: store::StateRow,
    session: SessionId,
    active: bool,
    permissions: Vec<Permission>,
    withheld: Vec<Permission>,
) -> SessionState {
    SessionState {
        expires_at: r.expires_at,
        seat: Seat {
            session: Some(session),
            device: r.long_known.and(r.device_hash.as_deref()).map(devices::name),
            long_known: r.long_known == Some(true),
            address: None,
        },
        caller: Caller {
            user: r.account,
            session,
            full_name: r.full_name,
            username: r.username,
            permissions: permissions.into_iter().collect(),
            withheld: withheld.into_iter().collect(),
            active,
            email_confirmed: r.confirmed,
            completeness: match (r.whole, r.current) {
                (true, true) => Completeness::Complete,
                (true, false) => Completeness::Renewal,
                (false, _) => Completeness::Incomplete,
            },
            locale: Locale::parse(&r.locale).unwrap_or_default(),
            counts_at: r.counts_at,
            frozen: r.frozen,
            seen_by: None,
        },
    }
}

/// Forgets what is cached of a session: it was ended or its user changed.
pub async fn forget(session: SessionId) {
    STATES.invalidate(&session).await;
}

/// A user's living sessions, inside a change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn ids(tx: &mut crate::foundation::transaction::Tx, user: UserId) -> Result<Vec<SessionId>, Error> {
    store::ids(tx.conn(), user).await
}

/// Forgets sessions that ended long ago.
///
/// # Errors
/// Whatever the database refuses.
pub async fn prune(context: &Context) -> Result<(), Error> {
    store::prune(context.db.pool(), context.now() - super::kept::SESSIONS).await
}
