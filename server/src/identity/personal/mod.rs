//! What people tell of themselves beside name and address: birth date, time zone, and where their network finds them elsewhere.
//!
//! Invariants: shown to the person and to staff who see people, the birth date only to those of them who decide or answer; places elsewhere
//! also to whom the person brought and to who brought them, no further. The audit names fields, never values. Tables: `identity.account`, `identity.social`.

mod rules;
mod store;

pub use rules::{birth_date, time_zone};

use super::rules::Form;
use crate::{
    error::Error,
    foundation::transaction::{Db, Tx},
};
use protocol::{ErrorCode, ids::UserId};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Where a person is found elsewhere: a handle, or an https link on that network's own host, at most 100 characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Social {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instagram: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telegram: Option<String>,
    /// A number in digits behind a `+`, or a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whatsapp: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facebook: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub youtube: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linkedin: Option<String>,
}

impl Social {
    fn places(&mut self) -> [(&'static str, &mut Option<String>); 7] {
        [
            ("instagram", &mut self.instagram),
            ("telegram", &mut self.telegram),
            ("whatsapp", &mut self.whatsapp),
            ("facebook", &mut self.facebook),
            ("youtube", &mut self.youtube),
            ("x", &mut self.x),
            ("linkedin", &mut self.linkedin),
        ]
    }

    /// As it is kept; an empty text is none.
    pub(super) fn clean(&self, form: &mut Form) -> Self {
        let mut clean = self.clone();
        for (network, place) in clean.places() {
            let typed = place.take().filter(|typed| !typed.trim().is_empty());
            *place = typed.and_then(|typed| {
                let read = rules::place(network, &typed);
                if read.is_none() {
                    form.refuse(&format!("social.{network}"), ErrorCode::SocialInvalid);
                }
                read
            });
        }
        clean
    }

    fn put(&mut self, network: &str, text: String) {
        for (name, place) in self.places() {
            if name == network {
                *place = Some(text);
                return;
            }
        }
    }
}

/// Where these people are found; those who said nothing are left out.
///
/// # Errors
/// Whatever the database refuses.
pub async fn social_of(db: &Db, people: &[UserId]) -> Result<HashMap<UserId, Social>, Error> {
    let mut all: HashMap<UserId, Social> = HashMap::new();
    if people.is_empty() {
        return Ok(all);
    }
    for row in store::social(db.pool(), people).await? {
        all.entry(row.account).or_default().put(&row.network, row.place);
    }
    Ok(all)
}

/// Puts these places in place of all others.
pub(super) async fn put_social(tx: &mut Tx, user: UserId, social: &Social) -> Result<(), Error> {
    let mut social = social.clone();
    let (networks, places): (Vec<String>, Vec<String>) = social
        .places()
        .into_iter()
        .filter_map(|(network, place)| Some((network.to_owned(), place.take()?)))
        .unzip();
    store::put_social(tx.conn(), user, &networks, &places).await
}
