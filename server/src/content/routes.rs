//! Calls of content (docs/rules/content.md).

use super::{
    model::{
        ContentChange, ContentFilter, ContentView, LessonProgress, MediaLink, NewContent, ProgressMade,
        StaffContentView,
    },
    service, staff,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::{
        context::Context,
        files::{self, Purpose, Wanted},
        http::{Headers, ListParams, Page, takes},
    },
    identity::caller::Caller,
};
use actix_multipart::Multipart;
use actix_web::{
    HttpResponse, delete, get, patch, post,
    web::{Data, Json, Path, Query},
};
use protocol::{Permission, ids::ContentId};
use utoipa_actix_web::service_config::ServiceConfig;

/// The form of an upload.
#[derive(utoipa::ToSchema)]
#[allow(dead_code)] // the document's words for a multipart body
struct ContentUpload {
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(list)
        .service(media)
        .service(open)
        .service(progress)
        .service(link)
        .service(staff_list)
        .service(staff_open)
        .service(create)
        .service(change)
        .service(remove)
        .service(upload_file)
        .service(remove_file)
        .service(upload_cover)
        .service(remove_cover)
        .service(staff_link);
}

/// What is published, in its order: in the reader's language, or all where there is nothing in it; in the language that is asked for.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(takes::Pages, takes::Search, ContentFilter),
    responses((status = 200, body = Page<ContentView>), (status = "default", body = ErrorBody)))]
#[get("/content")]
async fn list(
    context: Data<Context>,
    caller: Caller,
    headers: Headers,
    params: Query<ListParams>,
    filter: Query<ContentFilter>,
) -> Result<Json<Page<ContentView>>, Error> {
    Ok(Json(
        service::list(&context, &caller, headers.locale, &params, &filter).await?,
    ))
}

/// One published item with all of its text.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = ContentView), (status = "default", body = ErrorBody)))]
#[get("/content/{id}")]
async fn open(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
) -> Result<Json<ContentView>, Error> {
    Ok(Json(service::open(&context, &caller, id.into_inner()).await?))
}

/// How far one came in a lesson.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)), request_body = ProgressMade,
    responses((status = 200, body = LessonProgress), (status = "default", body = ErrorBody)))]
#[post("/content/{id}/progress")]
async fn progress(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
    body: Json<ProgressMade>,
) -> Result<Json<LessonProgress>, Error> {
    Ok(Json(
        service::progress(&context, &caller, id.into_inner(), &body).await?,
    ))
}

/// A link to the item's file for a player, which sends no header; it lasts six hours.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = MediaLink), (status = "default", body = ErrorBody)))]
#[get("/content/{id}/link")]
async fn link(context: Data<Context>, caller: Caller, id: Path<ContentId>) -> Result<Json<MediaLink>, Error> {
    Ok(Json(
        service::link(&context, &caller, id.into_inner(), false).await?,
    ))
}

/// The file behind a link, or the one range of its bytes that `Range` asks for.
#[utoipa::path(tag = "content", params(("token" = String, Path)),
    responses((status = 200, description = "The bytes", content(
            ("image/png"), ("image/jpeg"), ("image/gif"), ("application/pdf"), ("video/mp4"), ("video/webm")
        )),
        (status = 206, description = "The bytes of the range", content(
            ("image/png"), ("image/jpeg"), ("image/gif"), ("application/pdf"), ("video/mp4"), ("video/webm")
        )),
        (status = 304, description = "The reader has it already"), (status = 416, description = "Nothing is there"), (status = 404, body = ErrorBody)))]
#[get("/content/media/{token}")]
async fn media(context: Data<Context>, wanted: Wanted, token: Path<String>) -> Result<HttpResponse, Error> {
    Ok(files::answer(service::follow(&context, &token).await?, &wanted))
}

/// Drafts and what is published, in their order. `status`: `draft`, `published`.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(takes::Pages, takes::Search, takes::Status, ContentFilter),
    responses((status = 200, body = Page<StaffContentView>), (status = "default", body = ErrorBody)))]
#[get("/admin/content")]
async fn staff_list(
    context: Data<Context>,
    caller: Caller,
    params: Query<ListParams>,
    filter: Query<ContentFilter>,
) -> Result<Json<Page<StaffContentView>>, Error> {
    Ok(Json(staff::list(&context, &caller, &params, &filter).await?))
}

/// Any item with all of its text.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[get("/admin/content/{id}")]
async fn staff_open(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
) -> Result<Json<StaffContentView>, Error> {
    Ok(Json(staff::open(&context, &caller, id.into_inner()).await?))
}

/// A new draft; the same id again answers the same draft.
#[utoipa::path(tag = "content", security(("bearer" = [])), request_body = NewContent,
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[post("/admin/content")]
async fn create(
    context: Data<Context>,
    caller: Caller,
    body: Json<NewContent>,
) -> Result<Json<StaffContentView>, Error> {
    Ok(Json(staff::create(&context, &caller, &body).await?))
}

/// Changes an item: its words, its place, whether it is published.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)), request_body = ContentChange,
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[patch("/admin/content/{id}")]
async fn change(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
    body: Json<ContentChange>,
) -> Result<Json<StaffContentView>, Error> {
    Ok(Json(
        staff::change(&context, &caller, id.into_inner(), &body).await?,
    ))
}

/// Deletes an item with its files and everybody's progress in it.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 204), (status = "default", body = ErrorBody)))]
#[delete("/admin/content/{id}")]
async fn remove(context: Data<Context>, caller: Caller, id: Path<ContentId>) -> Result<HttpResponse, Error> {
    staff::delete(&context, &caller, id.into_inner()).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn take_in(
    context: &Context,
    caller: &Caller,
    id: ContentId,
    payload: Multipart,
    purpose: Purpose,
) -> Result<Json<StaffContentView>, Error> {
    staff::may_attach(context, caller, id).await?;
    let received = files::receive(context, caller.user, payload, purpose).await?;
    Ok(Json(staff::attach(context, caller, id, received).await?))
}

/// The item's file: PNG, JPEG, GIF or PDF up to 8 MB, MP4 or WebM up to 64 MB.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    request_body(content = ContentUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[post("/admin/content/{id}/file")]
async fn upload_file(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
    payload: Multipart,
) -> Result<Json<StaffContentView>, Error> {
    take_in(&context, &caller, id.into_inner(), payload, Purpose::ContentFile).await
}

/// Takes the item's file away.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[delete("/admin/content/{id}/file")]
async fn remove_file(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
) -> Result<Json<StaffContentView>, Error> {
    Ok(Json(
        staff::detach(&context, &caller, id.into_inner(), Purpose::ContentFile).await?,
    ))
}

/// The picture on the item's card: PNG or JPEG up to 4 MB.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    request_body(content = ContentUpload, content_type = "multipart/form-data"),
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[post("/admin/content/{id}/cover")]
async fn upload_cover(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
    payload: Multipart,
) -> Result<Json<StaffContentView>, Error> {
    take_in(&context, &caller, id.into_inner(), payload, Purpose::ContentCover).await
}

/// Takes the picture on the item's card away.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = StaffContentView), (status = "default", body = ErrorBody)))]
#[delete("/admin/content/{id}/cover")]
async fn remove_cover(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
) -> Result<Json<StaffContentView>, Error> {
    Ok(Json(
        staff::detach(&context, &caller, id.into_inner(), Purpose::ContentCover).await?,
    ))
}

/// A link to the file of any item, drafts too, for a player.
#[utoipa::path(tag = "content", security(("bearer" = [])), params(("id" = ContentId, Path)),
    responses((status = 200, body = MediaLink), (status = "default", body = ErrorBody)))]
#[get("/admin/content/{id}/link")]
async fn staff_link(
    context: Data<Context>,
    caller: Caller,
    id: Path<ContentId>,
) -> Result<Json<MediaLink>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    Ok(Json(
        service::link(&context, &caller, id.into_inner(), true).await?,
    ))
}
