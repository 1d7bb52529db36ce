//! Second factors, switched on and off with the password and the current factor.

use super::{
    codes::{self, Accepts, Proof, Purpose},
    people::factors,
    service::{self, safety_changed},
    sessions,
    sign_in::{end_challenges, lock_with_password, require_password},
    signals::Signals,
    store::{self, Account},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use serde_json::json;
use time::Duration;

/// A secret that was shown waits so long for its first code.
const OFFER: Duration = Duration::minutes(15);

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    Email,
    App,
}

/// The body of POST /setup-2fa.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Setup {
    pub method: Method,
    pub enable: bool,
    /// For the app: none asks for a secret, its first code switches it on. For e-mail: the e-mailed code (`change-factor`), or the app's
    /// where it is on. To switch off: a code of the current factor, or a recovery code.
    #[serde(default)]
    pub code: Option<String>,
    /// When the app is switched on while e-mail codes are, or a passkey is there: the e-mailed code (`change-factor`).
    #[serde(default)]
    pub security_code: Option<String>,
    pub password: String,
}

/// The answer: a secret to scan, or recovery codes to keep.
#[derive(Default, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupAnswer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub otpauth_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery_codes: Option<Vec<String>>,
}

/// Switches a factor; the first one to come on brings recovery codes.
pub async fn setup(
    context: &Context,
    signals: &Signals,
    user: UserId,
    session: SessionId,
    body: Setup,
) -> Result<SetupAnswer, Error> {
    let account = service::account(&context.db, user).await?;
    let is_on = match body.method {
        Method::Email => account.two_factor_email,
        Method::App => account.totp_secret.is_some(),
    };
    if is_on == body.enable {
        return Err(Error::code(ErrorCode::FactorState));
    }
    require_password(context, &account, session, &body.password).await?;
    match (
        body.method,
        body.enable,
        body.code.as_deref().filter(|c| !c.trim().is_empty()),
    ) {
        (Method::App, true, None) => offer(context, &account).await,
        (_, _, None) => Err(Error::code(ErrorCode::CodeMissing).field("code", ErrorCode::CodeMissing)),
        (Method::App, true, Some(code)) => {
            let current = if account.two_factor_email || account.has_passkey {
                let code = body.security_code.as_deref().unwrap_or_default();
                Some(
                    codes::check(
                        context,
                        &account,
                        Purpose::ChangeFactor,
                        b"",
                        code,
                        Accepts {
                            email: true,
                            app: false,
                            recovery: true,
                            passkey: true,
                        },
                    )
                    .await?,
                )
            } else {
                None
            };
            switch(context, signals, &account, session, &body, current, Some(code)).await
        }
        (_, enable, Some(code)) => {
            // The app is the stronger factor: where it is on, a mailbox alone changes nothing.
            let app = account.totp_secret.is_some();
            let accepts = Accepts {
                email: !app,
                app,
                recovery: !enable,
                passkey: true,
            };
            let proof = codes::check(context, &account, Purpose::ChangeFactor, b"", code, accepts).await?;
            switch(context, signals, &account, session, &body, Some(proof), None).await
        }
    }
}

async fn offer(context: &Context, account: &Account) -> Result<SetupAnswer, Error> {
    let brand = context
        .settings
        .current(context.now())
        .await?
        .settings
        .brand
        .clone();
    let (sealed, secret, url) = codes::new_totp(&context.keys, account, &brand)?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::offer_totp(tx.conn(), account.id, &sealed, now).await?;
    tx.commit().await?;
    Ok(SetupAnswer {
        secret: Some(secret),
        otpauth_url: Some(url),
        recovery_codes: None,
    })
}

async fn switch(
    context: &Context,
    signals: &Signals,
    account: &Account,
    session: SessionId,
    body: &Setup,
    current: Option<Proof>,
    first_code: Option<&str>,
) -> Result<SetupAnswer, Error> {
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    lock_with_password(&mut tx, account).await?;
    if let Some(proof) = current {
        proof.consume(&mut tx).await?;
    }
    // What was asked for was judged by the factors of before the lock.
    let before = factors(account);
    let account = &service::account_within(&mut tx, account.id).await?;
    if factors(account) != before {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    match (body.method, body.enable) {
        (Method::Email, on) => store::set_email_factor(tx.conn(), account.id, on, now).await?,
        (Method::App, false) => store::drop_totp(tx.conn(), account.id, now).await?,
        (Method::App, true) => {
            let wrong = || Error::code(ErrorCode::CodeWrong).field("code", ErrorCode::CodeWrong);
            let pending = account
                .totp_pending
                .as_ref()
                .filter(|_| account.totp_pending_at.is_some_and(|at| now - at <= OFFER))
                .ok_or_else(wrong)?;
            let code = first_code.unwrap_or_default();
            let step = codes::totp_step(context, account.id, pending, code.trim(), now)?.ok_or_else(wrong)?;
            if !store::confirm_totp(tx.conn(), account.id, pending, step, now).await? {
                return Err(wrong());
            }
        }
    }
    let needs_codes = body.enable
        && (!account.has_factor() || store::unused_recovery_codes(tx.conn(), account.id).await? == 0);
    let recovery_codes = if needs_codes {
        Some(codes::new_recovery_codes(&context.keys, &mut tx, account.id).await?)
    } else {
        None
    };
    let still_on = if body.enable {
        true
    } else {
        match body.method {
            Method::Email => account.totp_secret.is_some() || account.has_passkey,
            Method::App => account.two_factor_email || account.has_passkey,
        }
    };
    if !still_on {
        store::replace_recovery_codes(tx.conn(), account.id, &[]).await?;
    }
    let method = if body.method == Method::App {
        "app"
    } else {
        "email"
    };
    audit::record(
        &mut tx,
        Some(account.id),
        Some(account.id.0),
        Category::Auth,
        "auth.factor",
        json!({ "method": method, "on": body.enable }),
    )
    .await?;
    end_challenges(&mut tx, account.id).await?;
    let ended = sessions::end_all(&mut tx, account.id, Some(session), "factor").await?;
    safety_changed(context, &mut tx, account, "factor", true).await?;
    tx.commit().await?;
    signals.ended(&ended).await;
    Ok(SetupAnswer {
        recovery_codes,
        ..SetupAnswer::default()
    })
}
