//! Entries of the audit: the list with its filters, and one with its link.

use super::{
    actions,
    store::{self, Filter, Named},
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        audit::{
            Category,
            standing::{self, Linked},
        },
        context::Context,
        http::{ListParams, Page, Paging, given, named, takes},
        listing::{self, Columns, File},
        sheet::Cell,
    },
    identity::{caller::Caller, service as identity},
};
use actix_web::{HttpResponse, get, web};
use protocol::{ErrorCode, Permission, views::StaffPerson};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use uuid::Uuid;

/// An entry of the audit.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditRow {
    #[serde(rename = "_id")]
    pub id: i64,
    /// Who did it; none: the platform itself.
    pub actor: Option<StaffPerson>,
    /// Whom it was done to, where it was a person.
    pub subject: Option<StaffPerson>,
    /// The id of what it was done to, a person or a thing.
    pub about: Option<Uuid>,
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

/// How an entry stands in the chain.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditLink {
    /// The number of its link.
    pub number: i64,
    /// The digest of the link before it, hexadecimal; none where that link is gone.
    pub before: Option<String>,
    /// Its own digest, hexadecimal.
    pub digest: String,
    #[serde(with = "time::serde::rfc3339")]
    pub linked_at: OffsetDateTime,
    /// The digest is that of the entry as it reads now, behind the link before it. Of all other links it says nothing.
    pub matches: bool,
}

impl From<Linked> for AuditLink {
    fn from(l: Linked) -> Self {
        Self {
            number: l.number,
            before: l.before.map(hex::encode),
            digest: hex::encode(l.digest),
            linked_at: l.at,
            matches: l.matches,
        }
    }
}

/// An entry with its link.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct AuditEntry {
    pub entry: AuditRow,
    /// None within the minute in which it was written.
    pub link: Option<AuditLink>,
}

/// What the list of entries is narrowed by, beside what all lists share.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditParams {
    /// Who did it: a username or an id.
    #[param(max_length = 100)]
    #[serde(default)]
    pub actor: Option<String>,
    /// Whom or what it was done to: a username or an id.
    #[param(max_length = 100)]
    #[serde(default)]
    pub subject: Option<String>,
    /// A code of the list's own closed set.
    #[param(max_length = 100)]
    #[serde(default)]
    pub action: Option<String>,
}

/// What a file of entries holds of each.
pub const COLUMNS: Columns<AuditRow> = &[
    ("number", |l, _| Cell::number(Some(l.id))),
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
];

const FILE: File<AuditRow> = File {
    name: "audit",
    columns: COLUMNS,
};

/// The id that a username or an id names. A name that is nobody's finds nothing, as a filter of any other list.
async fn whose(context: &Context, text: Option<&str>) -> Result<Option<Uuid>, Error> {
    let Some(text) = given(text) else {
        return Ok(None);
    };
    if let Ok(id) = text.parse() {
        return Ok(Some(id));
    }
    let found = identity::account_by_username(&context.db, text.trim_start_matches('@')).await?;
    // Nobody has this one.
    Ok(Some(found.map_or(Uuid::nil(), |account| account.id.0)))
}

/// Entries, the newest first. Filters: startDate, endDate, actor, subject, category, action; `search` is the number of an entry, or an id that it
/// names.
#[utoipa::path(tag = "reports", security(("bearer" = [])),
    params(takes::Pages, takes::AsOf, takes::Sorting, takes::Search, takes::Days, takes::Category, takes::Format, AuditParams),
    responses((status = 200, content((Page<AuditRow> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody),
    (status = 422, body = ErrorBody), (status = 429, body = ErrorBody)))]
#[get("/admin/audit")]
pub async fn entries(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
    more: web::Query<AuditParams>,
) -> Result<HttpResponse, Error> {
    caller.staff(Permission::AdminPermissions)?;
    params.checked()?;
    params.sort_key(&["created_at"])?;
    let (from, until) = params.days()?;
    let category = named("category", params.category.as_deref(), Category::read)?;
    let action = named("action", more.action.as_deref(), |code| {
        actions::known(code).then(|| code.to_owned())
    })?;
    let filter = Filter {
        of: None,
        actor: whose(&context, more.actor.as_deref()).await?,
        subject: whose(&context, more.subject.as_deref()).await?,
        category,
        action,
        named: params.searched().map(|text| Named::read(&text)),
        from,
        until,
    };
    let db = context.db.clone();
    let read = async move |paging: Paging| store::entries(db.pool(), &filter, &paging, "l.at").await;
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |l| l.created_at, read).await
}

/// One entry with its link, whose digest is computed anew.
#[utoipa::path(tag = "reports", security(("bearer" = [])), params(("id" = i64, Path)), responses(
    (status = 200, body = AuditEntry), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/audit/{id}")]
pub async fn entry(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<i64>,
) -> Result<web::Json<AuditEntry>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let id = id.into_inner();
    let entry = store::entry(context.db.pool(), id)
        .await?
        .ok_or_else(|| Error::code(ErrorCode::RequestNotFound))?;
    let link = standing::link_of(&context.db, id).await?.map(AuditLink::from);
    Ok(web::Json(AuditEntry { entry, link }))
}
