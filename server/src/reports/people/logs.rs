//! What the audit log says of a person: what they did, and what was done to them.

use crate::{
    error::{Error, ErrorBody},
    foundation::{
        audit::Category,
        context::Context,
        http::{ListParams, Page, Paging, named, takes},
        listing::{self, File},
    },
    identity::{caller::Caller, people},
    reports::audit::{
        AuditRow, COLUMNS,
        store::{self, Filter},
    },
};
use actix_web::{HttpResponse, get, web};
use protocol::Permission;

const SORT: &[(&str, &str)] = &[
    ("created_at", "l.at"),
    ("category", "l.category"),
    ("action", "l.action"),
];

const FILE: File<AuditRow> = File {
    name: "user-log",
    columns: COLUMNS,
};

/// What a person did and what was done to them. Sorts by created_at, category, action. Filters: startDate, endDate, category.
#[utoipa::path(tag = "people", security(("bearer" = [])),
    params(("userId" = String, Path), takes::Pages, takes::AsOf, takes::Sorting, takes::Days, takes::Category, takes::Format),
    responses((status = 200, content((Page<AuditRow> = "application/json"), (String = "text/csv"))), (status = 403, body = ErrorBody),
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
        .map_or("l.at", |(_, column)| column);
    let (from, until) = params.days()?;
    let category = named("category", params.category.as_deref(), Category::read)?;
    let user = people::named(&context.db, &id).await?.id;
    let filter = Filter {
        of: Some(user),
        category,
        from,
        until,
        ..Filter::default()
    };
    let db = context.db.clone();
    let read = async move |paging: Paging| store::entries(db.pool(), &filter, &paging, sort).await;
    listing::answer_growing(&context, caller.user, &params, 10, FILE, |l| l.created_at, read).await
}
