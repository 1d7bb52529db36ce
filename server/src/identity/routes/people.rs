//! Roles, for administrators. Giving and taking them stands in `approvals::grants`: some need two persons.

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::roles::{self, RoleView},
};
use actix_web::{get, web};
use serde::Serialize;

#[derive(Serialize, utoipa::ToSchema)]
pub struct Roles {
    pub data: Vec<RoleView>,
}

#[utoipa::path(tag = "roles", security(("bearer" = [])), responses((status = 200, body = Roles), (status = 403, body = ErrorBody)))]
#[get("/admin/roles")]
pub(super) async fn list_roles(context: web::Data<Context>) -> Result<web::Json<Roles>, Error> {
    Ok(web::Json(Roles {
        data: roles::all(&context.db).await?,
    }))
}
