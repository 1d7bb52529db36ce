//! New people: by an upline's link, by the seed of a demo world; by invitation in `invitations`. The network's part is done by affiliates.

use super::{
    acceptances::{self, Accepted},
    browser::Browser,
    closing,
    invitations::give,
    limits, links, passwords, rules,
    rules::Form,
    service::recipient_of,
    sign_in::{SignedIn, lock_with_password, open_session, require_password},
    sign_ups, signals,
    store::{self, Account, Address, By, NewAccount},
};
use crate::{
    error::{Error, violates},
    foundation::{
        audit::{self, Category},
        context::Context,
        locale::Locale,
        mail::{self, Mail},
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode,
    ids::{SessionId, UserId},
};
use rand::Rng;
use serde_json::json;

/// The terms and the risk notice that are shown now; accepted versions are stored.
pub const TERMS_VERSION: &str = "2026-11";
const CUSTOMER: &str = "customer";
/// Draws of a username before we give up; 99 999 numbers stand behind each name.
const DRAWS: usize = 200;

/// What a person fills in.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Registration {
    pub full_name: String,
    pub email: String,
    pub password: String,
    #[serde(rename = "password_confirmation")]
    pub password_confirmation: String,
    /// The terms of use are accepted.
    #[serde(default)]
    pub terms: bool,
    /// 18 years or older.
    #[serde(default)]
    pub adult: bool,
    /// The risk notice is accepted.
    #[serde(default)]
    pub risk_notice: bool,
    #[serde(default)]
    pub mobile_number: Option<String>,
    pub address: Address,
}

/// The outcome: an account and its first session.
pub struct Registered {
    pub user: UserId,
    pub signed_in: SignedIn,
}

/// Checks an address field by field.
pub(super) fn clean_address(form: &mut Form, a: &Address) -> Address {
    Address {
        country: form.line("address.country", &a.country, 2, 60),
        state: form.line("address.state", &a.state, 1, 60),
        city: form.line("address.city", &a.city, 1, 80),
        street: form.line("address.street", &a.street, 1, 120),
        number: form.line("address.number", &a.number, 1, 20),
        complement: form.optional("address.complement", a.complement.as_deref(), 80),
        district: form.line("address.district", &a.district, 1, 80),
        postal_code: form.line("address.postalCode", &a.postal_code, 3, 16),
    }
}

/// A registration after checking.
pub struct Checked {
    full_name: String,
    email: String,
    mobile_number: Option<String>,
    address: Address,
    password_hash: String,
}

impl Registration {
    /// Checks the form and hashes the password: all that needs no transaction.
    ///
    /// # Errors
    /// `terms.missing`, `adult.missing`, `risk.missing`, `email.invalid`, `password.weak`, `password.mismatch`, `request.invalid` with fields.
    pub async fn check(&self, context: &Context) -> Result<Checked, Error> {
        let mut form = Form::default();
        let full_name = form.line("fullName", &self.full_name, 2, 120);
        let email = rules::email(&self.email).unwrap_or_else(|| {
            form.refuse("email", ErrorCode::EmailInvalid);
            String::new()
        });
        let mobile_number = form.phone("mobileNumber", self.mobile_number.as_deref().unwrap_or_default());
        let address = clean_address(&mut form, &self.address);
        for (field, given, code) in [
            ("terms", self.terms, ErrorCode::TermsMissing),
            ("adult", self.adult, ErrorCode::AdultMissing),
            ("riskNotice", self.risk_notice, ErrorCode::RiskMissing),
        ] {
            if !given {
                form.refuse(field, code);
            }
        }
        form.finish()?;
        mail::require_reachable(context, &email).await?;
        passwords::acceptable(&self.password, &self.password_confirmation, &[&email, &full_name])?;
        let password_hash = passwords::hash(context, &self.password).await?;
        Ok(Checked {
            full_name,
            email,
            mobile_number,
            address,
            password_hash,
        })
    }
}

/// Inserts an account under a free username, drawn again on collision (docs/rules/identity.md#registration).
pub(super) async fn insert_named(
    context: &Context,
    tx: &mut Tx,
    new: NewAccount<'_>,
    wanted: Option<&str>,
) -> Result<String, Error> {
    let now = tx.now();
    for _ in 0..DRAWS {
        let username = match wanted {
            Some(name) => name.to_owned(),
            None => rules::username(new.full_name, rand::rng().random_range(1..=99_999)),
        };
        // Like one that is taken.
        if closing::is_retired(&context.keys, tx, &username).await? {
            if wanted.is_some() {
                break;
            }
            continue;
        }
        let inserted = store::insert(
            tx.conn(),
            &NewAccount {
                username: &username,
                ..new
            },
            now,
        )
        .await;
        match inserted {
            Ok(true) => return Ok(username),
            Ok(false) if wanted.is_some() => break,
            Ok(false) => {}
            Err(error) if violates(&error, "account_email_key_key") => {
                return Err(Error::code(ErrorCode::EmailTaken).field("email", ErrorCode::EmailTaken));
            }
            Err(error) => return Err(error.into()),
        }
    }
    Err(Error::internal("no free username was drawn"))
}

/// Mails the link that confirms an address; earlier ones end. Where staff put it in place the letter also says how the account opens again.
pub(super) async fn send_confirmation(
    context: &Context,
    tx: &mut Tx,
    account: &Account,
) -> Result<(), Error> {
    let token = links::create(&context.keys, tx, account.id, links::Purpose::ConfirmEmail).await?;
    let path = format!("/verify-email/{}/{token}", account.id);
    let letter = Mail::ConfirmEmail {
        path,
        password_ended: account.password_ended_at.is_some(),
    };
    mail::send(context, tx, &recipient_of(account), &letter).await?;
    Ok(())
}

/// Creates the account, mails the confirmation link and opens a session. The caller's transaction also holds the place in the network.
///
/// # Errors
/// `email.taken`; while registrations stand still.
pub async fn register(
    context: &Context,
    tx: &mut Tx,
    form: Checked,
    locale: Locale,
    browser: &Browser,
) -> Result<Registered, Error> {
    sign_ups::require_open(context, tx).await?;
    let (now, user) = (tx.now(), UserId::fresh());
    let email_key = mail::address::key(&form.email);
    let new = NewAccount {
        id: user,
        email: &form.email,
        email_key: &email_key,
        username: "",
        full_name: &form.full_name,
        mobile_number: form.mobile_number.as_deref(),
        password_hash: Some(&form.password_hash),
        locale: locale.as_str(),
        confirmed_at: None,
        accepted_at: Some(now),
        terms_version: Some(TERMS_VERSION),
    };
    insert_named(context, tx, new, None).await?;
    store::put_address(tx.conn(), user, &form.address, now).await?;
    store::give_role(tx.conn(), user, CUSTOMER, None, None, now).await?;
    let all = [Accepted::Terms, Accepted::Risk, Accepted::Age];
    acceptances::record_in(tx, user, &all, None, locale).await?;
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.registered",
        json!({ "terms": TERMS_VERSION }),
    )
    .await?;
    let account = store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(|| Error::internal("an inserted account is missing"))?;
    send_confirmation(context, tx, &account).await?;
    let signed_in = open_session(context, tx, &account, browser, "registration").await?;
    Ok(Registered { user, signed_in })
}

/// An account for somebody whose mailbox is shown by others: without a password, and without anything that only the person can say.
///
/// # Errors
/// `google.link_first` for an address that another account has, or keeps; while registrations stand still.
pub(super) async fn register_known(
    context: &Context,
    tx: &mut Tx,
    email: &str,
    full_name: &str,
    locale: Locale,
) -> Result<UserId, Error> {
    sign_ups::require_open(context, tx).await?;
    mail::require_reachable(context, email).await?;
    let (now, user) = (tx.now(), UserId::fresh());
    let new = NewAccount {
        id: user,
        email,
        email_key: &mail::address::key(email),
        username: "",
        full_name,
        mobile_number: None,
        password_hash: None,
        locale: locale.as_str(),
        confirmed_at: Some(now),
        accepted_at: None,
        terms_version: None,
    };
    insert_named(context, tx, new, None)
        .await
        .map_err(|error| match error.error_code() {
            ErrorCode::EmailTaken => Error::code(ErrorCode::GoogleLinkFirst),
            _ => error,
        })?;
    store::give_role(tx.conn(), user, CUSTOMER, None, None, now).await?;
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.registered",
        json!({ "method": "google" }),
    )
    .await?;
    Ok(user)
}

/// Refuses a place from which five registrations or corrections met a taken address within the hour: that answer is the one that
/// tells about others.
///
/// # Errors
/// `request.rate_limited`.
pub async fn watch_registration(context: &Context, browser: &Browser) -> Result<(), Error> {
    limits::check(&context.db, limits::rules::taken(&browser.address)).await
}

/// Counts a registration or a correction that met a taken address.
///
/// # Errors
/// `request.rate_limited`, in place of the answer that would tell once more.
pub async fn note_taken(context: &Context, browser: &Browser) -> Result<(), Error> {
    let count = limits::rules::taken(&browser.address);
    let _counted = limits::attempt(&context.db, vec![count]).await?;
    Ok(())
}

/// Mails the confirmation link again; earlier ones end.
///
/// # Errors
/// `request.conflict` when the address is confirmed; `request.rate_limited`.
pub async fn resend_confirmation(context: &Context, user: UserId) -> Result<(), Error> {
    let account = super::service::account(&context.db, user).await?;
    if account.email_confirmed_at.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    let mut tx = context.db.begin().await?;
    send_confirmation(context, &mut tx, &account).await?;
    tx.commit().await?;
    Ok(())
}

/// The body of a correction.
#[derive(serde::Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmailCorrection {
    pub email: String,
    pub password: String,
}

/// Puts another address in place of one that was never confirmed, of an account that nobody has used yet, and mails the confirmation there.
/// Whatever was mailed to the wrong one ends: whoever reads that mailbox is a stranger.
///
/// # Errors
/// `request.conflict` when the address is confirmed; `email.by_staff` for one that staff put in place: a password alone moves nobody's mailbox;
/// `email.invalid`, `email.taken`, `password.wrong`; `request.rate_limited`.
pub async fn correct_email(
    context: &Context,
    user: UserId,
    session: SessionId,
    body: &EmailCorrection,
    browser: &Browser,
) -> Result<(), Error> {
    let account = super::service::account(&context.db, user).await?;
    let confirmed = || Error::code(ErrorCode::RequestConflict);
    if account.email_confirmed_at.is_some() {
        return Err(confirmed());
    }
    if account.proven_at.is_some() {
        return Err(Error::code(ErrorCode::EmailByStaff).field("email", ErrorCode::EmailByStaff));
    }
    let email = rules::email(&body.email)
        .ok_or_else(|| Error::code(ErrorCode::EmailInvalid).field("email", ErrorCode::EmailInvalid))?;
    mail::require_reachable(context, &email).await?;
    require_password(context, &account, session, &body.password).await?;
    watch_registration(context, browser).await?;
    let _counted = limits::attempt(&context.db, vec![limits::rules::correction(user)]).await?;
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    lock_with_password(&mut tx, &account).await?;
    match store::correct_email(tx.conn(), user, &email, &mail::address::key(&email), now).await {
        Ok(true) => {}
        Ok(false) => return Err(confirmed()),
        Err(error) if violates(&error, "account_email_key_key") => {
            tx.rollback().await?;
            note_taken(context, browser).await?;
            return Err(Error::code(ErrorCode::EmailTaken).field("email", ErrorCode::EmailTaken));
        }
        Err(error) => return Err(error.into()),
    }
    mail::move_waiting(&mut tx, user, &account.email, None).await?;
    links::revoke_all(&mut tx, user).await?;
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.email_corrected",
        json!({}),
    )
    .await?;
    let account = super::service::account_within(&mut tx, user).await?;
    send_confirmation(context, &mut tx, &account).await?;
    signals::user_changed(&mut tx, user, "email");
    tx.commit().await?;
    Ok(())
}

/// Where a confirmation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfirmState {
    /// The link is good; nothing has been done.
    Pending,
    Confirmed,
}

/// Looks at a confirmation link, or acts on it inside the caller's change. Returns the state and whether this call confirmed it.
/// A link that was used is good news for its owner, who clicked twice.
///
/// # Errors
/// `link.confirmation_invalid`.
pub async fn confirm(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    token: &str,
    act: bool,
) -> Result<(ConfirmState, bool), Error> {
    let refused = || Error::code(ErrorCode::ConfirmationLinkInvalid);
    let now = tx.now();
    store::lock(tx.conn(), user).await?;
    let link = links::find(&context.keys, tx.conn(), token).await?;
    let link = link
        .filter(|l| l.account == user && l.purpose == links::Purpose::ConfirmEmail)
        .ok_or_else(refused)?;
    let account = store::account(tx.conn(), By::Id(user))
        .await?
        .ok_or_else(refused)?;
    if account.email_confirmed_at.is_some() {
        return Ok((ConfirmState::Confirmed, false));
    }
    if !link.is_good(now) {
        return Err(refused());
    }
    if !act {
        return Ok((ConfirmState::Pending, false));
    }
    links::consume(tx, &link).await.map_err(|_| refused())?;
    store::confirm_email(tx.conn(), user, now).await?;
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Auth,
        "auth.email_confirmed",
        json!({}),
    )
    .await?;
    signals::user_changed(tx, user, "confirmed");
    Ok((ConfirmState::Confirmed, true))
}

/// A person of a demo world.
pub struct DemoUser<'a> {
    pub email: &'a str,
    pub full_name: &'a str,
    /// Drawn when none is given.
    pub username: Option<&'a str>,
    /// Without one nobody signs in as this person.
    pub password: Option<&'a str>,
    /// Names of roles.
    pub roles: &'a [&'a str],
    pub locale: Locale,
    /// Signs in with an e-mailed code as second step.
    pub two_factor_email: bool,
}

/// A confirmed account with terms and address accepted, for the seed and for tests. Its place in the network: `affiliates::service::admit`.
///
/// # Errors
/// `email.taken`; `service.internal` in a production world or for a taken username.
pub async fn create_demo_user(context: &Context, tx: &mut Tx, demo: &DemoUser<'_>) -> Result<UserId, Error> {
    if context.world == crate::foundation::context::World::Production {
        return Err(Error::internal(
            "demo users do not belong into a production world",
        ));
    }
    let (now, user, email_key) = (tx.now(), UserId::fresh(), mail::address::key(demo.email));
    let hash = match demo.password {
        Some(password) => Some(passwords::hash(context, password).await?),
        None => None,
    };
    let new = NewAccount {
        id: user,
        email: demo.email,
        email_key: &email_key,
        username: "",
        full_name: demo.full_name,
        mobile_number: None,
        password_hash: hash.as_deref(),
        locale: demo.locale.as_str(),
        confirmed_at: Some(now),
        accepted_at: Some(now),
        terms_version: Some(TERMS_VERSION),
    };
    insert_named(context, tx, new, demo.username).await?;
    let address = Address {
        country: "Brasil".into(),
        state: "SP".into(),
        city: "São Paulo".into(),
        street: "Avenida Paulista".into(),
        number: "1000".into(),
        complement: None,
        district: "Bela Vista".into(),
        postal_code: "01310-100".into(),
    };
    store::put_address(tx.conn(), user, &address, now).await?;
    for role in demo.roles {
        give(tx, user, role, None, Some("seed")).await?;
    }
    if demo.two_factor_email {
        store::set_email_factor(tx.conn(), user, true, now).await?;
    }
    Ok(user)
}
