//! A person's own data: what identity knows of them, and changing it with a code.

use super::{
    acceptances::{self, Accepted},
    caller::Caller,
    closing,
    codes::{self, Purpose},
    documents::{self, DocumentView},
    email_change::{self, EmailChangeView},
    google::{self, GoogleView},
    passkeys, people,
    personal::{self, Social},
    registration::{TERMS_VERSION, clean_address},
    roles::{self, RoleView},
    rules::Form,
    service::{self, safety_changed},
    sessions, signals,
    store::{self, Account, Address, By, ProfilePatch},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        business_day,
        context::Context,
        locale::Locale,
        transaction::Tx,
    },
};
use protocol::{
    ErrorCode, Permission,
    ids::{FileId, UserId},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::OffsetDateTime;

/// Which second factors are on.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TwoFactor {
    pub email: bool,
    pub app: bool,
    /// Whether there are passkeys: `GET /me/passkeys` lists them.
    pub passkey: bool,
    /// Whether one of them stands in a code's place: none that may have been copied, none that lies aside.
    pub passkey_opens: bool,
    pub recovery_codes_left: i64,
}

/// Outgoing money waits.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hold {
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
    /// What happened: a key of the texts `holds` (`password`, `factor`, `staff_email`…). Who looks is told `safety` of what was done with factors.
    pub reason: String,
}

/// Everything that identity knows of a person, for the person.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub full_name: String,
    pub username: String,
    pub email: String,
    pub email_confirmed: bool,
    /// `active`, `inactive` or, as staff see it, `closed`.
    pub status: String,
    /// Why staff switched it off.
    pub status_reason: Option<String>,
    pub roles: Vec<RoleView>,
    pub two_factor: TwoFactor,
    pub mobile_number: Option<String>,
    pub avatar: Option<FileId>,
    pub address: Option<Address>,
    pub locale: Locale,
    pub anti_phishing: Option<String>,
    /// `1990-11-25`.
    pub birth_date: Option<String>,
    /// CPF or CNPJ, masked: the one by which PIX knows the person.
    pub document: Option<DocumentView>,
    /// An IANA name; times in mails are said in it.
    pub time_zone: Option<String>,
    /// Where the person's own network finds them elsewhere.
    pub social: Social,
    /// Another e-mail that waits to be confirmed at both addresses.
    pub email_change: Option<EmailChangeView>,
    pub hold: Option<Hold>,
    /// When the account is to be closed, as its owner asked.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closing_at: Option<OffsetDateTime>,
    /// The Google account that signs in here.
    pub google: Option<GoogleView>,
    /// Whether a password signs in; who came by Google may have none.
    pub has_password: bool,
    /// What must be completed before anything else: `email`, `terms`, `risk`, `adult`, `address`; of `/me` also `upline`.
    pub missing: Vec<&'static str>,
    /// Terms were accepted before: a newer version does not stand between a person and their money.
    pub terms_before: bool,
    #[serde(with = "time::serde::rfc3339")]
    pub registered_at: OffsetDateTime,
}

impl Profile {
    /// Leaves out what who looks at somebody else's screens is not to see: the phrase of their mails, how they sign in, where else they are, what was
    /// done with their factors.
    pub fn conceal(&mut self, caller: &Caller) {
        self.anti_phishing = None;
        self.google = None;
        self.email_change = None;
        self.social = Social::default();
        // Of somebody of the staff, too, no more than what is their own is looked at.
        for role in &mut self.roles {
            role.permissions
                .retain(|entry| entry.subject == Permission::RegisteredUser);
        }
        if let Some(hold) = &mut self.hold {
            hold.reason = caller.hold_reason(&hold.reason).to_owned();
        }
    }
}

/// A person's profile.
///
/// # Errors
/// `user.unknown`.
pub async fn profile(context: &Context, user: UserId) -> Result<Profile, Error> {
    let db = &context.db;
    let account = store::account(db.pool(), By::Id(user))
        .await?
        .ok_or_else(|| Error::code(ErrorCode::UserUnknown))?;
    let address = store::address(db.pool(), user).await?;
    let mut missing = Vec::new();
    if account.email_confirmed_at.is_none() {
        missing.push("email");
    }
    missing.extend(lacks(&account, address.is_some()));
    let now = db.now();
    let hold = account.hold_until.filter(|until| *until > now);
    Ok(Profile {
        id: user,
        email_confirmed: account.email_confirmed_at.is_some(),
        roles: roles::in_force(db, user, account.status == "active").await?,
        status_reason: people::status_reason(db, user, &account.status).await?,
        status: account.status,
        two_factor: TwoFactor {
            email: account.two_factor_email,
            app: account.totp_secret.is_some(),
            passkey: account.has_passkey,
            passkey_opens: account.has_passkey && passkeys::opens(db.pool(), user, false).await?,
            recovery_codes_left: store::unused_recovery_codes(db.pool(), user).await?,
        },
        hold: hold.map(|until| Hold {
            until,
            reason: account.hold_reason.unwrap_or_else(|| "password".into()),
        }),
        full_name: account.full_name,
        username: account.username,
        email: account.email,
        mobile_number: account.mobile_number,
        avatar: account.avatar.map(FileId),
        locale: Locale::parse(&account.locale).unwrap_or_default(),
        anti_phishing: account.anti_phishing,
        birth_date: account.birth_date.map(|day| day.to_string()),
        document: documents::of(context, user).await?,
        time_zone: account.time_zone,
        social: personal::social_of(db, &[user])
            .await?
            .remove(&user)
            .unwrap_or_default(),
        email_change: email_change::standing(db, user).await?,
        closing_at: closing::due(db, user).await?,
        google: google::of(db, user).await?,
        has_password: account.password_hash.is_some(),
        registered_at: account.created_at,
        terms_before: account.terms_accepted_at.is_some(),
        address,
        missing,
    })
}

/// What of its own an account still has to give.
fn lacks(account: &Account, has_address: bool) -> Vec<&'static str> {
    // The risk notice has the version of the terms.
    let current = account.terms_version.as_deref() == Some(TERMS_VERSION);
    [
        (account.terms_accepted_at.is_some() && current, "terms"),
        (account.risk_accepted_at.is_some() && current, "risk"),
        (account.adult_declared_at.is_some(), "adult"),
        (has_address, "address"),
    ]
    .into_iter()
    .filter_map(|(given, name)| (!given).then_some(name))
    .collect()
}

/// What completes an account. Only what is missing may stand here: the rest changes by its own calls.
#[derive(Clone, Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Completion {
    /// The terms of use are accepted.
    #[serde(default)]
    pub terms: bool,
    /// The risk notice is accepted.
    #[serde(default)]
    pub risk_notice: bool,
    /// 18 years or older.
    #[serde(default)]
    pub adult: bool,
    #[serde(default)]
    pub address: Option<Address>,
    /// The username of who brought this person; the house when nobody is named.
    #[serde(default)]
    pub upline: Option<String>,
}

/// Takes in what is missing of a person's own, inside the change that also holds the place in the network.
///
/// # Errors
/// `terms.missing`, `risk.missing`, `adult.missing`, `field.required` for an address that is missing here too;
/// `request.conflict` for one that is known.
pub async fn complete(tx: &mut Tx, user: UserId, given: &Completion) -> Result<(), Error> {
    let now = tx.now();
    store::lock(tx.conn(), user).await?;
    let account = service::account_within(tx, user).await?;
    let has_address = store::address(tx.conn(), user).await?.is_some();
    let missing = lacks(&account, has_address);
    let mut form = Form::default();
    for (name, field, is, code) in [
        ("terms", "terms", given.terms, ErrorCode::TermsMissing),
        ("risk", "riskNotice", given.risk_notice, ErrorCode::RiskMissing),
        ("adult", "adult", given.adult, ErrorCode::AdultMissing),
    ] {
        if missing.contains(&name) && !is {
            form.refuse(field, code);
        }
    }
    let address = match &given.address {
        // A known address changes with a code.
        Some(_) if has_address => {
            return Err(Error::code(ErrorCode::RequestConflict).field("address", ErrorCode::RequestConflict));
        }
        Some(address) => Some(clean_address(&mut form, address)),
        None => {
            if !has_address {
                form.refuse("address", ErrorCode::FieldRequired);
            }
            None
        }
    };
    form.finish()?;
    if missing.iter().any(|m| ["terms", "risk", "adult"].contains(m)) {
        store::accept(tx.conn(), user, TERMS_VERSION, now).await?;
        let all = [Accepted::Terms, Accepted::Risk, Accepted::Age];
        acceptances::record(tx, user, &all, None).await?;
    }
    if let Some(address) = &address {
        store::put_address(tx.conn(), user, address, now).await?;
    }
    audit::record(
        tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "profile.completed",
        json!({ "fields": missing, "terms": TERMS_VERSION }),
    )
    .await?;
    signals::user_changed(tx, user, "profile");
    Ok(())
}

/// The body of PATCH /me. What is missing stays; an empty text removes what may be removed.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PatchMe {
    #[serde(default)]
    pub full_name: Option<String>,
    #[serde(default)]
    pub mobile_number: Option<String>,
    #[serde(default)]
    pub address: Option<Address>,
    #[serde(default)]
    pub locale: Option<Locale>,
    /// At most 32 characters, shown in every mail.
    #[serde(default)]
    pub anti_phishing: Option<String>,
    /// `1990-11-25`, of somebody of 18 or older.
    #[serde(default)]
    pub birth_date: Option<String>,
    /// CPF or CNPJ as people write it. Once there is one it stays: staff take a wrong one off.
    #[serde(default)]
    pub document: Option<String>,
    /// An IANA name.
    #[serde(default)]
    pub time_zone: Option<String>,
    /// In place of all that stood: what is missing or empty is removed.
    #[serde(default)]
    pub social: Option<Social>,
    /// The mailed code, purpose `change-account-data`. Language and time zone alone need none.
    #[serde(default)]
    pub security_code: Option<String>,
    /// The authenticator's, where it is on.
    #[serde(default)]
    pub app_code: Option<String>,
}

/// Changes one's own data, with the codes of docs/rules/identity.md#codes.
pub async fn patch(context: &Context, user: UserId, body: PatchMe) -> Result<(), Error> {
    let account = service::account(&context.db, user).await?;
    let mut form = Form::default();
    let full_name = body
        .full_name
        .as_deref()
        .map(|n| form.line("fullName", n, 2, 120));
    let address = body.address.as_ref().map(|a| clean_address(&mut form, a));
    let anti_phishing = body
        .anti_phishing
        .as_deref()
        .map(|t| form.optional("antiPhishing", Some(t), 32));
    let mobile_number = body
        .mobile_number
        .as_deref()
        .map(|typed| form.phone("mobileNumber", typed));
    let social = body.social.as_ref().map(|s| s.clean(&mut form));
    let today = business_day::of(context.now());
    let birth_date = body.birth_date.as_deref().map(|typed| {
        let read = |typed: &str| personal::birth_date(typed, today);
        form.read("birthDate", typed, ErrorCode::BirthDateInvalid, read)
    });
    let time_zone = body
        .time_zone
        .as_deref()
        .map(|typed| form.read("timeZone", typed, ErrorCode::TimeZoneUnknown, personal::time_zone));
    form.finish()?;
    let document = match body.document.as_deref() {
        Some(typed) => documents::read(context, user, typed).await?,
        None => None,
    };
    let mut fields = Vec::new();
    for (name, given) in [
        ("fullName", full_name.is_some()),
        ("mobileNumber", mobile_number.is_some()),
        ("address", address.is_some()),
        ("antiPhishing", anti_phishing.is_some()),
        ("birthDate", birth_date.is_some()),
        ("document", document.is_some()),
        ("social", social.is_some()),
    ] {
        if given {
            fields.push(name);
        }
    }
    let proof = if fields.is_empty() {
        None
    } else {
        let code = body.security_code.as_deref().unwrap_or_default();
        Some(
            codes::check_both(
                context,
                &account,
                Purpose::ChangeAccountData,
                code,
                body.app_code.as_deref().unwrap_or_default(),
            )
            .await?,
        )
    };
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    store::lock(tx.conn(), user).await?;
    let personal = proof.is_some();
    if let Some(proof) = proof {
        proof.consume(&mut tx).await?;
    }
    let patch = ProfilePatch {
        full_name: full_name.as_deref(),
        mobile_number: mobile_number.as_ref().map(Option::as_deref),
        locale: body.locale.map(Locale::as_str),
        anti_phishing: anti_phishing.as_ref().map(Option::as_deref),
        birth_date,
        time_zone: time_zone.as_ref().map(Option::as_deref),
    };
    store::patch(tx.conn(), user, &patch, now).await?;
    if let Some(address) = &address {
        store::put_address(tx.conn(), user, address, now).await?;
    }
    if let Some(social) = &social {
        personal::put_social(&mut tx, user, social).await?;
    }
    if let Some(document) = &document {
        documents::keep(context, &mut tx, user, document).await?;
    }
    // Both without a code (docs/decisions/0118), not without a trace.
    if time_zone.is_some() {
        fields.push("timeZone");
    }
    if body.locale.is_some() {
        fields.push("locale");
    }
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "profile.changed",
        json!({ "fields": fields }),
    )
    .await?;
    if personal {
        safety_changed(context, &mut tx, &account, "profile", false).await?;
    } else {
        signals::user_changed(&mut tx, user, "profile");
    }
    let living = sessions::ids(&mut tx, user).await?;
    tx.commit().await?;
    // Names stand in the session cache; rights did not change.
    for session in living {
        sessions::forget(session).await;
    }
    Ok(())
}
