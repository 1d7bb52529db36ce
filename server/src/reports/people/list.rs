//! The list of people.

use super::store;
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        http::{ListParams, Meta, Page, Paging, named, takes},
        listing::File,
        sheet::Cell,
    },
    identity::caller::Caller,
};
use actix_web::{HttpResponse, get, web};
use protocol::{
    Permission,
    ids::{FileId, UserId},
    money::Usdt,
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// Who brought a person.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct PersonSponsor {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
}

/// Which second factors are on.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
pub struct FactorsOn {
    pub email: bool,
    pub app: bool,
    pub passkey: bool,
}

/// A person of the list.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRow {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub full_name: String,
    pub username: String,
    pub avatar: Option<FileId>,
    pub email: String,
    /// Names of roles.
    pub roles: Vec<String>,
    /// None for who has no place yet.
    pub sponsor: Option<PersonSponsor>,
    /// The account `available`, in USDT; only for those who hold `admin_permissions`.
    pub balance: Option<Usdt>,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// `active`, `inactive` or `closed`.
    pub status: String,
    pub email_confirmed: bool,
    /// Was invited and has not chosen a password yet.
    pub invited: bool,
    pub two_factor: FactorsOn,
    /// Matched points are paid.
    pub binary_active: bool,
    /// The caller may change this account, by the rule of the person's own page.
    pub editable: bool,
}

/// A page of people.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct UsersPage {
    pub data: Vec<UserRow>,
    pub meta: Meta,
    /// What is available to all who were found, in USDT; only for those who hold `admin_permissions`.
    pub balance: Option<Usdt>,
}

/// What people alone are found by, beside the parameters of every list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PeopleFilter {
    /// Only those whose e-mail is confirmed (or, `false`, is not); who has left is neither.
    #[serde(default, rename = "emailConfirmed")]
    pub email_confirmed: Option<bool>,
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "a.created_at"),
    ("fullName", "lower(a.full_name)"),
    ("username", "a.username_key"),
    ("email", "a.email_key"),
    ("status", "a.status"),
    ("balance", "balance"),
];

/// People. Sorts by created_at, fullName, username, email, status and, for those who hold `admin_permissions`, balance. `search` finds by the
/// beginning of any word of name, username or e-mail; `status` is `active`, `inactive` or `closed`, `function` the name of a role; the days are those
/// on which they came.
#[utoipa::path(tag = "people", security(("bearer" = [])),
    params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Status, takes::Function, takes::Days, takes::Format, PeopleFilter),
    responses((status = 200, content((UsersPage = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/users-list/")]
pub async fn users(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    people: web::Query<PeopleFilter>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::ListUsers)?;
    let money = caller.permissions.holds(Permission::AdminPermissions);
    let keys: Vec<&'static str> = SORT
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| money || *key != "balance")
        .collect();
    let key = params.sort_key(&keys)?;
    let sort = SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("a.created_at", |(_, column)| column);
    let status = named("status", params.status.as_deref(), |word| {
        ["active", "inactive", "closed"]
            .contains(&word)
            .then(|| word.to_owned())
    })?;
    let (from, until) = params.days()?;
    let filter = store::Filter {
        search: params.searched(),
        status,
        role: params.role()?,
        confirmed: people.email_confirmed,
        from,
        until,
        money,
        asking: caller.clone(),
    };
    let paging = params.paging(10)?;
    let db = context.db.clone();
    if params.file()? {
        let read = async move |paging: Paging| store::people(db.pool(), &filter, &paging, sort).await;
        return FILE.respond(&context, caller.user, &paging, read).await;
    }
    let (rows, total) = store::people(db.pool(), &filter, &paging, sort).await?;
    let balance = if money {
        Some(store::available(db.pool(), &filter, &paging).await?)
    } else {
        None
    };
    let newest = params.newest(&rows, |user| user.created_at);
    let Page { data, meta } = Page::new(rows, &paging, total).growing(&paging, newest);
    Ok(HttpResponse::Ok().json(UsersPage { data, meta, balance }))
}

const FILE: File<UserRow> = File {
    name: "users",
    columns: &[
        ("date", |p, _| Cell::moment(p.created_at)),
        ("user", |p, _| Cell::from(&*p.username)),
        ("name", |p, _| Cell::from(&*p.full_name)),
        ("email", |p, _| Cell::from(&*p.email)),
        ("roles", |p, locale| {
            let names: Vec<&str> = p.roles.iter().map(|r| locale.text("roles", r)).collect();
            Cell::from(names.join(" · "))
        }),
        ("sponsor", |p, _| {
            Cell::maybe(p.sponsor.as_ref().map(|s| s.username.as_str()))
        }),
        ("available", |p, _| Cell::number(p.balance)),
        ("status", |p, locale| Cell::word(locale, &p.status)),
        ("email_confirmed", |p, locale| {
            Cell::word(locale, if p.email_confirmed { "yes" } else { "no" })
        }),
        ("two_factor", |p, locale| {
            Cell::word(
                locale,
                if p.two_factor.email || p.two_factor.app || p.two_factor.passkey {
                    "yes"
                } else {
                    "no"
                },
            )
        }),
        ("binary_active", |p, locale| {
            Cell::word(locale, if p.binary_active { "yes" } else { "no" })
        }),
    ],
};
