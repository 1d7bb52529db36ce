//! A person's document (CPF or CNPJ): one each. It is kept, sealed, by the room that pays to it; floors above are not known here, they
//! join in at the start.

use crate::{
    error::Error,
    foundation::{context::Context, pix_keys::Document, transaction::Tx},
};
use futures_util::future::BoxFuture;
use protocol::{ErrorCode, ids::UserId, views::PixKeyKind};
use serde::Serialize;
use std::sync::Arc;

/// A document as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct DocumentView {
    /// `cpf` or `cnpj`.
    pub kind: PixKeyKind,
    pub masked: String,
}

/// The room that keeps documents.
pub trait Documents: Send + Sync + 'static {
    fn of<'a>(
        &'a self,
        context: &'a Context,
        user: UserId,
    ) -> BoxFuture<'a, Result<Option<DocumentView>, Error>>;

    /// Whether a document is still to be kept: `false` for the one that is. Another one than stands is refused: `pix.document_set`.
    fn is_new<'a>(
        &'a self,
        context: &'a Context,
        user: UserId,
        document: &'a Document,
    ) -> BoxFuture<'a, Result<bool, Error>>;

    /// Keeps it, in the change of which it is part.
    fn keep<'a>(
        &'a self,
        context: &'a Context,
        tx: &'a mut Tx,
        user: UserId,
        document: &'a Document,
    ) -> BoxFuture<'a, Result<(), Error>>;
}

/// Who keeps them. Part of the context.
#[derive(Clone)]
pub struct Keeper(pub Arc<dyn Documents>);

fn keeper(context: &Context) -> Result<&dyn Documents, Error> {
    context
        .part::<Keeper>()
        .map(|keeper| &*keeper.0)
        .ok_or_else(|| Error::internal("no room keeps documents"))
}

/// A person's document, as shown.
pub(super) async fn of(context: &Context, user: UserId) -> Result<Option<DocumentView>, Error> {
    keeper(context)?.of(context, user).await
}

/// Reads what was typed; none when it is the document that stands.
///
/// # Errors
/// `pix.document_invalid`, `pix.document_set`, at `document`.
pub(super) async fn read(context: &Context, user: UserId, typed: &str) -> Result<Option<Document>, Error> {
    let document = Document::read(typed).ok_or_else(|| at_field(ErrorCode::PixDocumentInvalid))?;
    match keeper(context)?.is_new(context, user, &document).await {
        Ok(fresh) => Ok(fresh.then_some(document)),
        Err(error) if error.error_code() == ErrorCode::PixDocumentSet => {
            Err(at_field(ErrorCode::PixDocumentSet))
        }
        Err(error) => Err(error),
    }
}

#[track_caller]
fn at_field(code: ErrorCode) -> Error {
    Error::code(code).field("document", code)
}

/// Keeps it.
pub(super) async fn keep(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    document: &Document,
) -> Result<(), Error> {
    keeper(context)?.keep(context, tx, user, document).await
}
