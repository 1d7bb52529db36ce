//! One person.

use super::{
    list::{FactorsOn, PersonSponsor},
    network, store,
};
use crate::{
    affiliates::{
        graduations::service::{self as graduations, Graduation, NextGraduation},
        service::{self as affiliates, Leg},
    },
    approvals::grants::service as grants,
    error::{Error, ErrorBody},
    foundation::{context::Context, locale::Locale},
    identity::{
        acceptances::{self, Acceptance},
        caller::Caller,
        closing,
        email_change::EmailChangeView,
        people,
        service::{Address, DocumentView, Hold, Social, profile},
    },
    ledger,
};
use actix_web::{get, web};
use protocol::{
    Permission,
    ids::{FileId, UserId},
    money::Usdt,
    permission::Permissions,
    views::{AdminGrantView, BinaryNeed, StaffPerson, UserAccount},
};
use serde::Serialize;
use time::OffsetDateTime;

/// A role of a person.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PersonRole {
    #[serde(rename = "_id")]
    pub id: protocol::ids::RoleId,
    pub name: String,
}

/// A person as staff see them.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PersonView {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub full_name: String,
    pub username: String,
    pub avatar: Option<FileId>,
    pub email: String,
    pub email_confirmed: bool,
    pub mobile_number: Option<String>,
    pub locale: Locale,
    /// An IANA name; none where none was chosen.
    pub time_zone: Option<String>,
    /// `1990-11-25`; only for those who see what is personal.
    pub birth_date: Option<String>,
    /// CPF or CNPJ, masked; only for those who see what is personal.
    pub document: Option<DocumentView>,
    pub address: Option<Address>,
    /// Where the person is found elsewhere.
    pub social: Social,
    /// Another e-mail, masked, that its owner asked for and that is not confirmed at both addresses yet; only for those who see what is
    /// personal.
    pub email_change: Option<EmailChangeView>,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_sign_in_at: Option<OffsetDateTime>,
    /// Was invited and has not chosen a password yet: the invitation may be sent again.
    pub invited: bool,
    /// `active`, `inactive` or `closed`.
    pub status: String,
    /// When its owner wants it closed.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closing_at: Option<OffsetDateTime>,
    /// Why staff last put it so, by whom and since when; none where they never did.
    pub status_reason: Option<String>,
    pub status_by: Option<StaffPerson>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub status_at: Option<OffsetDateTime>,
    /// When its owner closed it, and why, if they said so. What staff said of the status before stays as it was.
    #[serde(with = "time::serde::rfc3339::option")]
    pub closed_at: Option<OffsetDateTime>,
    pub closing_reason: Option<String>,
    /// By its owner, through a mail's link: no sign-in until the password is set anew.
    pub frozen: bool,
    /// Staff put another e-mail in place: no sign-in until a password is set by that mailbox.
    pub password_ended: bool,
    pub two_factor: FactorsOn,
    /// Outgoing money waits.
    pub hold: Option<Hold>,
    /// What the owner has still to give: `email`, `terms`, `risk`, `adult`, `address`.
    pub missing: Vec<&'static str>,
    /// The terms and risk notices that the owner accepted, version by version, the newest first.
    pub acceptances: Vec<Acceptance>,
    pub roles: Vec<PersonRole>,
    pub sponsor: Option<PersonSponsor>,
    /// Where the person stands below its parent; none while it waits for a place.
    pub binary_side: Option<Leg>,
    pub placed: bool,
    /// The highest rank that was reached, and the next.
    pub graduation: Option<Graduation>,
    pub next_graduation_info: Option<NextGraduation>,
    /// Matched points are paid.
    pub binary_active: bool,
    /// What is missing for it.
    pub binary_needs: Vec<BinaryNeed>,
    /// The account `available`, in USDT; only for those who hold `admin_permissions`.
    pub balance: Option<Usdt>,
    /// What waits for a second person; only for those who hold `admin_permissions`.
    pub request: Option<AdminGrantView>,
    /// The caller may change this account: it is another's, of nobody in their direct line, and holds no permission that the caller lacks.
    pub editable: bool,
    /// Another e-mail waits for a second person.
    pub email_by_two: bool,
    /// The caller decides about people or answers them, and so sees what is personal.
    pub personal: bool,
}

/// Whether a caller may change an account: it is another's, not closed, of nobody in their direct line, and holds no permission that the
/// caller lacks.
pub fn is_editable(caller: &Caller, person: UserId, status: &str, in_line: bool, held: Permissions) -> bool {
    caller.user != person
        && status != closing::CLOSED
        && !in_line
        && caller.permissions.holds(Permission::UserEdit)
        && caller.permissions.covers(held)
}

/// A person: profile, states, roles, place in the network.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = PersonView), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/user/{id}")]
pub async fn user(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<PersonView>, Error> {
    caller.staff(Permission::UserView)?;
    let user = people::named(&context.db, &id).await?.id;
    let money = caller.permissions.holds(Permission::AdminPermissions);
    let personal = money || caller.permissions.holds(Permission::ResponseTicket);
    let (
        profile,
        beside,
        accepted,
        standing,
        (graduation, next_graduation_info),
        (binary_active, binary_needs),
    ) = futures_util::try_join!(
        profile(&context, user),
        store::beside(context.db.pool(), caller.user, user),
        acceptances::of(&context.db, user),
        affiliates::standing(&context, &context.db, user),
        graduations::progress(&context, user),
        network::binary(&context, user),
    )?;
    let (balance, request) = if money {
        let balances = ledger::service::balances(context.db.pool(), user).await?;
        let available = balances.iter().find(|b| b.account == UserAccount::Available);
        (
            Some(available.map_or(Usdt::ZERO, |b| b.balance)),
            grants::waiting_about(&context, user).await?,
        )
    } else {
        (None, None)
    };
    Ok(web::Json(PersonView {
        id: user,
        full_name: profile.full_name,
        username: profile.username,
        avatar: profile.avatar,
        email: profile.email,
        email_confirmed: profile.email_confirmed,
        mobile_number: profile.mobile_number,
        locale: profile.locale,
        time_zone: profile.time_zone,
        birth_date: profile.birth_date.filter(|_| personal),
        document: profile.document.filter(|_| personal),
        address: profile.address,
        social: profile.social,
        email_change: profile.email_change.filter(|_| personal),
        created_at: profile.registered_at,
        last_sign_in_at: beside.last_sign_in_at,
        invited: beside.invited,
        closing_at: profile.closing_at,
        status_reason: beside.status_reason,
        status_by: beside.status_by,
        status_at: beside.status_at,
        closed_at: beside.closed_at,
        closing_reason: beside.closing_reason,
        frozen: beside.frozen,
        password_ended: beside.password_ended,
        two_factor: FactorsOn {
            email: profile.two_factor.email,
            app: profile.two_factor.app,
            passkey: profile.two_factor.passkey,
        },
        hold: profile.hold,
        missing: profile.missing,
        acceptances: accepted,
        editable: is_editable(&caller, user, &profile.status, beside.in_line, beside.permissions),
        personal,
        email_by_two: beside.proven || beside.permissions.holds(Permission::AdminPermissions),
        roles: profile
            .roles
            .into_iter()
            .map(|r| PersonRole {
                id: r.id,
                name: r.name,
            })
            .collect(),
        status: profile.status,
        sponsor: beside.sponsor,
        binary_side: standing.as_ref().and_then(|s| s.binary_side),
        placed: standing.is_some_and(|s| s.placed),
        graduation,
        next_graduation_info,
        binary_active,
        binary_needs,
        balance,
        request,
    }))
}
