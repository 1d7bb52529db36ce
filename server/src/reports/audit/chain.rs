//! How the chain over the audit stands, as far as is known without reading all of it.

use crate::{
    error::{Error, ErrorBody},
    foundation::{audit::standing, context::Context},
    identity::caller::Caller,
};
use actix_web::{get, web};
use protocol::Permission;
use serde::Serialize;
use time::{Duration, OffsetDateTime};

/// A day's signature comes a day after the one before, and the pass over the whole audit takes its time.
const SIGNED_WITHIN: Duration = Duration::hours(26);

/// The chain over the audit.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditChain {
    /// Entries that it holds.
    pub entries: i64,
    /// The digest of its last link, hexadecimal.
    pub digest: Option<String>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub linked_at: Option<OffsetDateTime>,
    /// What this server has signed; none where it has no key.
    pub signing: Option<AuditSigning>,
}

/// Signatures of the chain's head, as they stand in this server's file.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSigning {
    /// The public key, hexadecimal.
    pub key: String,
    pub signatures: usize,
    /// Lines of the file that are no signature.
    pub unreadable: usize,
    pub newest: Option<AuditSignature>,
    /// The newest one is more than a day old, or there is none although there is a chain: the chain was found changed, or nobody signs.
    pub overdue: bool,
}

/// A head that was signed. None is before the whole chain was verified.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditSignature {
    /// The number of the link that was the last one.
    pub number: i64,
    /// Its digest, hexadecimal.
    pub digest: String,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// It is of this server's key, and that link still has that digest.
    pub stands: bool,
}

/// How the chain over the audit stands: how long it is, and when it was last verified and signed.
#[utoipa::path(tag = "reports", security(("bearer" = [])), responses(
    (status = 200, body = AuditChain), (status = 403, body = ErrorBody)))]
#[get("/admin/audit-chain")]
pub async fn chain(context: web::Data<Context>, caller: Caller) -> Result<web::Json<AuditChain>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let now = context.now();
    let found = standing::standing(&context).await?;
    let signing = found.signing.map(|signing| {
        let newest = signing.newest.map(|newest| AuditSignature {
            number: newest.head.seq,
            digest: newest.head.digest,
            at: newest.head.at,
            stands: newest.stands,
        });
        AuditSigning {
            key: signing.key,
            signatures: signing.heads,
            unreadable: signing.unreadable,
            overdue: found.last.is_some()
                && newest
                    .as_ref()
                    .is_none_or(|newest| now - newest.at > SIGNED_WITHIN),
            newest,
        }
    });
    Ok(web::Json(AuditChain {
        entries: found.last.as_ref().map_or(0, |last| last.seq),
        digest: found.last.as_ref().map(|last| hex::encode(&last.digest)),
        linked_at: found.last.map(|last| last.at),
        signing,
    }))
}
