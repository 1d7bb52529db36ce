//! What a load test says, to all sockets or to those of one person: a durable fact whose way it measures. Mounted only where limits are lifted
//! (`ARBORA_LIFT_LIMITS`), which production refuses.

use crate::{error::Error, foundation::context::Context, identity::gate::Gate};
use actix_web::{HttpResponse, web};
use protocol::{LiveEvent, StreamId, ids::UserId};
use serde::Deserialize;
use serde_json::json;

/// Mounts it below `/dev`.
pub fn configure(cfg: &mut web::ServiceConfig, gate: &Gate) {
    if gate.relaxed() {
        cfg.route("/dev/say", web::post().to(say));
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    n: u64,
    /// None: everybody.
    #[serde(default)]
    user: Option<UserId>,
}

async fn say(context: web::Data<Context>, said: web::Json<Said>) -> Result<HttpResponse, Error> {
    let mut tx = context.db.begin().await?;
    tx.emit(
        said.user.map_or(StreamId::Public, StreamId::User),
        LiveEvent::Announcement {
            code: "load-test".to_owned(),
            params: json!({ "n": said.n.to_string() }),
        },
    );
    tx.commit().await?;
    Ok(HttpResponse::NoContent().finish())
}
