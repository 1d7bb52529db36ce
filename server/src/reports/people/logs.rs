//! What the audit log says of a person: what they did, and what was done to them.

use super::store;
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        audit::Category,
        context::Context,
        http::{ListParams, Page, Paging, takes},
        listing::{self, File},
        sheet::Cell,
    },
    identity::{caller::Caller, people},
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, Permission, views::StaffPerson};
use serde::Serialize;
use time::OffsetDateTime;

/// A line of the audit log.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserLogRow {
    #[serde(rename = "_id")]
    pub id: i64,
    /// Who did it; none: the platform itself.
    pub actor: Option<StaffPerson>,
    /// Whom it was done to, where it was a person.
    pub subject: Option<StaffPerson>,
    /// `auth`, `profile`, `money`, `roles`, `settings`, `support`.
    pub category: String,
    /// A stable code: `user.status`.
    pub action: String,
    /// Ids, states and amounts; of a change `before` and `after`.
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

const SORT: &[(&str, &str)] = &[
    ("created_at", "l.id"),
    ("category", "l.category"),
    ("action", "l.action"),
];

const FILE: File<UserLogRow> = File {
    name: "user-log",
    columns: &[
        ("date", |l, _| Cell::moment(l.created_at)),
        ("category", |l, locale| {
            Cell::word(locale, &format!("log_{}", l.category))
        }),
        ("action", |l, _| Cell::from(&*l.action)),
        ("actor", |l, _| {
            Cell::maybe(l.actor.as_ref().map(|p| p.username.as_str()))
        }),
        ("user", |l, _| {
            Cell::maybe(l.subject.as_ref().map(|p| p.username.as_str()))
        }),
        ("details", |l, _| Cell::from(l.details.to_string())),
    ],
};

/// What a person did and what was done to them. Sorts by created_at, category, action. Filters: startDate, endDate, category.
#[utoipa::path(tag = "people", security(("bearer" = [])),
    params(("userId" = String, Path), takes::Pages, takes::AsOf, takes::Sorting, takes::Days, takes::Category, takes::Format),
    responses((status = 200, content((Page<UserLogRow> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody),
    (status = 404, body = ErrorBody), (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/user-logs-list/{userId}")]
pub async fn logs(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
    params: web::Query<ListParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    params.checked()?;
    let keys: Vec<&'static str> = SORT.iter().map(|(key, _)| *key).collect();
    let key = params.sort_key(&keys)?;
    let sort = SORT
        .iter()
        .find(|(name, _)| *name == key)
        .map_or("l.id", |(_, column)| column);
    let (from, until) = params.days()?;
    let category = match params
        .category
        .as_deref()
        .map(str::trim)
        .filter(|c| !c.is_empty())
    {
        None => None,
        Some(word) => Some(Category::read(word).ok_or_else(|| {
            Error::code(ErrorCode::RequestInvalid).field("category", ErrorCode::RequestInvalid)
        })?),
    };
    let user = people::named(&context.db, &id).await?.id;
    let filter = store::LogFilter {
        user,
        category,
        from,
        until,
    };
    let db = context.db.clone();
    let read = async move |paging: Paging| store::log(db.pool(), &filter, &paging, sort).await;
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |l| l.created_at, read).await
}
