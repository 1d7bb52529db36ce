//! The manual-operation key: its owner switches it ([`super::service::configure`]), staff may take it away. While it is on the
//! robot trades only at its owner's word.

use super::{
    model::Licence,
    service::{self, joins},
    store,
};
use crate::{
    approvals::{
        rules::Kind,
        service::{self as approvals, Subject},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        text,
    },
    identity::caller::{Caller, Scope},
};
use protocol::{LiveEvent, StreamId, ids::LicenceId, views::LicenceView};
use serde_json::json;
use sqlx::PgExecutor;
use uuid::Uuid;

/// A licence in scope, as stored.
///
/// # Errors
/// `licence.unknown` for one that is not in scope.
pub async fn own(db: impl PgExecutor<'_>, scope: Scope, id: LicenceId) -> Result<Licence, Error> {
    store::list(db, scope.owner(), Some(id.0))
        .await?
        .pop()
        .ok_or_else(service::unknown)
}

/// Licences by id, as stored.
///
/// # Errors
/// Whatever the database refuses.
pub async fn with_ids(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<Vec<Licence>, Error> {
    store::with_ids(db, ids).await
}

/// Takes the key of a licence away, which switches it off at once, or gives it back; on record, with the reason.
///
/// # Errors
/// `licence.unknown`, `licence.state`, `decision.reason_missing`, `decision.*`.
pub async fn revoke(
    context: &Context,
    caller: &Caller,
    id: LicenceId,
    revoked: bool,
    reason: &str,
) -> Result<LicenceView, Error> {
    let reason = text::reason(reason, "reason")?;
    let mut tx = context.db.begin().await?;
    let settings = context.settings.within(&mut tx).await?;
    let mut licences = store::lock(tx.conn(), None, &[id.0]).await?;
    let now = tx.now();
    let licence = service::one(&mut licences, id)?;
    service::active(licence)?;
    if licence.manual_key && revoked {
        licence.manual_key = false;
        licence.eligible_from = joins(now);
    }
    // Said again it is no news to its owner.
    let changes = licence.manual_revoked != revoked;
    licence.manual_revoked = revoked;
    let owner = licence.owner;
    let subject = Subject::about(Kind::ManualKey, owner, &reason);
    approvals::act(&mut tx, &subject, caller.user).await?;
    let view = service::tell(context, &mut tx, &settings, &mut licences, id).await?;
    if changes {
        tx.emit(
            StreamId::User(owner),
            LiveEvent::ManualKeyDecided {
                licence: id,
                number: view.number,
                revoked,
                reason: reason.clone(),
            },
        );
    }
    let action = if revoked {
        "licence.manual_revoked"
    } else {
        "licence.manual_given_back"
    };
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(owner.0),
        Category::Money,
        action,
        json!({ "licence": id, "reason": reason }),
    )
    .await?;
    tx.commit().await?;
    Ok(view)
}
