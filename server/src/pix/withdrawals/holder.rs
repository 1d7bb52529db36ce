//! Whose money it is, by a taxpayer's number: kept sealed, shown masked, found again by a MAC.

use super::store;
use crate::{
    approvals::{
        compliance,
        rules::Kind,
        service::{self as approvals, Subject},
    },
    error::Error,
    foundation::{
        audit::{self, Category},
        context::{Context, Keys},
        text,
        transaction::Tx,
    },
    identity::{
        secrets,
        service::{self as identity, Purpose},
        signals,
    },
    pix::keys::Document,
};
use protocol::{ErrorCode, ids::UserId, views::PixKeyKind};
use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;

/// A document as its owner and staff see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HolderView {
    /// `cpf` or `cnpj`.
    pub kind: PixKeyKind,
    /// Masked.
    pub document: String,
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
}

/// Sealed for this owner and this use: a key's bytes do not open as a document's.
pub(in crate::pix) fn bound_to(user: UserId, what: &str) -> Vec<u8> {
    [user.0.as_bytes().as_slice(), what.as_bytes()].concat()
}

/// The same text has the same MAC in every account.
pub(super) fn mac(keys: &Keys, what: &'static str, text: &str) -> [u8; 32] {
    secrets::mac(keys, what, &[text.as_bytes()])
}

/// A person's document as it was kept.
///
/// # Errors
/// `service.internal` when it does not open.
pub(super) fn opened(context: &Context, user: UserId, sealed: &[u8]) -> Result<Document, Error> {
    let text = secrets::open(&context.keys, &bound_to(user, "document"), sealed)?;
    std::str::from_utf8(&text)
        .ok()
        .and_then(Document::read)
        .ok_or_else(|| Error::internal("a stored document is none"))
}

/// What is shown of a person's document.
///
/// # Errors
/// Whatever the database refuses.
pub async fn view(context: &Context, user: UserId) -> Result<Option<HolderView>, Error> {
    let row = store::holder(context.db.pool(), user).await?;
    row.map(|row| {
        Ok(HolderView {
            kind: row
                .kind
                .parse()
                .map_err(|()| Error::internal("a document of an unknown kind"))?,
            document: row.masked,
            since: row.created_at,
        })
    })
    .transpose()
}

/// Puts one's document on file, once, with the codes that change one's data: later it decides which keys are one's own.
///
/// # Errors
/// `pix.document_invalid`, `pix.document_set`, `code.*`.
pub async fn put(context: &Context, user: UserId, typed: &str, mailed: &str, app: &str) -> Result<(), Error> {
    let document = Document::read(typed).ok_or_else(|| {
        Error::code(ErrorCode::PixDocumentInvalid).field("document", ErrorCode::PixDocumentInvalid)
    })?;
    if store::holder(context.db.pool(), user).await?.is_some() {
        return Err(Error::code(ErrorCode::PixDocumentSet));
    }
    let proof = identity::check_both_codes(context, user, Purpose::ChangeAccountData, mailed, app).await?;
    let mut tx = context.db.begin().await?;
    proof.consume(&mut tx).await?;
    keep(context, &mut tx, user, &document).await?;
    tx.commit().await?;
    Ok(())
}

/// Whether a document is still to be kept: `false` for the one that stands.
///
/// # Errors
/// `pix.document_set` for another one than stands.
pub async fn is_new(context: &Context, user: UserId, document: &Document) -> Result<bool, Error> {
    let mac = mac(&context.keys, "pix-document", document.expose());
    match store::holder_mac(context.db.pool(), user).await? {
        None => Ok(true),
        Some(standing) if secrets::same(&standing, &mac) => Ok(false),
        Some(_) => Err(Error::code(ErrorCode::PixDocumentSet)),
    }
}

/// Keeps a document, once, inside the change of which it is part.
///
/// # Errors
/// `pix.document_set`.
pub async fn keep(context: &Context, tx: &mut Tx, user: UserId, document: &Document) -> Result<(), Error> {
    let sealed = secrets::seal(
        &context.keys,
        &bound_to(user, "document"),
        document.expose().as_bytes(),
    )?;
    let mac = mac(&context.keys, "pix-document", document.expose());
    let now = tx.now();
    if !store::keep_holder(tx.conn(), user, document, &sealed, &mac, now).await? {
        return Err(Error::code(ErrorCode::PixDocumentSet));
    }
    compliance::note_document(tx, user, &mac).await?;
    record(tx, user, user, "pix_holder.put", document).await
}

/// Staff take a wrong document off; its owner enters it anew.
///
/// # Errors
/// `request.not_found`; `decision.*`; `decision.reason_missing`.
pub async fn remove(context: &Context, by: UserId, user: UserId, reason: &str) -> Result<(), Error> {
    let reason = text::reason(reason, "reason")?;
    let mut tx = context.db.begin().await?;
    if !store::drop_holder(tx.conn(), user).await? {
        return Err(Error::code(ErrorCode::RequestNotFound));
    }
    let subject = Subject::about(Kind::PixHolder, user, &reason);
    approvals::act(&mut tx, &subject, by).await?;
    compliance::forget_document(&mut tx, user).await?;
    audit::record(
        &mut tx,
        Some(by),
        Some(user.0),
        Category::Profile,
        "pix_holder.remove",
        json!({ "reason": reason }),
    )
    .await?;
    // Whoever can move the document could move the money: outgoing money rests a day.
    identity::hold(&mut tx, user, "staff_document", identity::HOLD).await?;
    signals::user_changed(&mut tx, user, "pix_holder");
    tx.commit().await?;
    Ok(())
}

async fn record(
    tx: &mut Tx,
    by: UserId,
    user: UserId,
    action: &str,
    document: &Document,
) -> Result<(), Error> {
    let details = json!({ "kind": document.kind() });
    audit::record(tx, Some(by), Some(user.0), Category::Profile, action, details).await
}

/// Forgets the documents of people who closed their accounts long ago.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget(tx: &mut Tx, users: &[UserId]) -> Result<(), Error> {
    for user in users {
        store::drop_holder(tx.conn(), *user).await?;
    }
    Ok(())
}
