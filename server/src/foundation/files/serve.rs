//! Who may see a file: the room of the thing that it belongs to answers.

use super::{FileRow, Purpose};
use crate::{error::Error, foundation::context::Context};
use actix_web::{FromRequest, HttpMessage, HttpRequest, dev::Payload};
use async_trait::async_trait;
use protocol::{ErrorCode, ids::UserId, permission::Permissions};
use std::{
    collections::HashMap,
    future::{Ready, ready},
    sync::Arc,
};

/// Who asks for a file; the gate puts it into every signed-in request.
#[derive(Clone, Copy, Debug)]
pub struct Viewer {
    pub user: UserId,
    pub permissions: Permissions,
}

impl FromRequest for Viewer {
    type Error = Error;
    type Future = Ready<Result<Self, Error>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(
            req.extensions()
                .get::<Self>()
                .copied()
                .ok_or_else(|| Error::code(ErrorCode::Unauthenticated)),
        )
    }
}

/// A room's answer for the files of its things.
#[async_trait]
pub trait MaySee: Send + Sync + 'static {
    async fn may_see(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<bool, Error>;
}

/// One answerer per purpose; a purpose without one is shown to nobody.
#[derive(Clone, Default)]
pub struct Authorisers(HashMap<Purpose, Arc<dyn MaySee>>);

impl Authorisers {
    #[must_use]
    pub fn with(mut self, purpose: Purpose, answers: impl MaySee) -> Self {
        self.0.insert(purpose, Arc::new(answers));
        self
    }

    /// # Errors
    /// `request.not_found` for what the viewer may not know of.
    pub async fn check(&self, context: &Context, viewer: &Viewer, file: &FileRow) -> Result<(), Error> {
        let allowed = match self.0.get(&file.purpose) {
            Some(room) => room.may_see(context, viewer, file).await?,
            None => false,
        };
        if allowed {
            Ok(())
        } else {
            Err(Error::code(ErrorCode::RequestNotFound))
        }
    }
}
