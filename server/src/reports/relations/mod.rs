//! Accounts that have something in common: a device, a document, a payer, a key or an address that money was sent to or that they have listed. For those who decide,
//! outside of any case: a sign, no proof, and nothing follows from it by itself (docs/decisions/0101-shared-things-for-staff.md).
//!
//! Whoever looks is noted in the audit, once an hour for the same person. What is shared is shown masked.

mod store;

use crate::{
    approvals::compliance,
    error::{Error, ErrorBody},
    foundation::{
        audit::{self, Category},
        context::Context,
        http::{ListParams, Page, named, takes},
    },
    identity::{caller::Caller, people},
};
use actix_web::{get, web};
use protocol::{Permission, ids::UserId};
use serde::Serialize;
use serde_json::json;
use sha2::{Digest, Sha256};
use store::Held;
use time::{Duration, OffsetDateTime};
use utoipa_actix_web::service_config::ServiceConfig;

pub fn configure(cfg: &mut ServiceConfig) {
    cfg.service(related).service(related_accounts);
}

/// A look that goes on is one look.
const NOTED_AGAIN: Duration = Duration::HOUR;

/// What accounts have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SharedKind {
    /// A browser that both used within 30 days.
    Device,
    /// A CPF or CNPJ.
    Document,
    /// Who paid in by PIX.
    Payer,
    /// A PIX key that withdrawals went to, or one that stands on lists of destinations.
    PixKey,
    /// An address that withdrawals went to, or that stands on a list of destinations.
    Address,
    /// An address that a wallet of ours sent to, or such a wallet itself.
    Wallet,
}

impl SharedKind {
    const ALL: [Self; 6] = [
        Self::Device,
        Self::Document,
        Self::Payer,
        Self::PixKey,
        Self::Address,
        Self::Wallet,
    ];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Document => "document",
            Self::Payer => "payer",
            Self::PixKey => "pix_key",
            Self::Address => "address",
            Self::Wallet => "wallet",
        }
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// An account that has it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedBy {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    pub full_name: String,
    /// `active`, `inactive` or `closed`.
    pub status: String,
    /// Since when.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
}

/// Something that several accounts have.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SharedThing {
    /// Tells it from others.
    #[serde(rename = "_id")]
    pub id: String,
    pub kind: SharedKind,
    /// How it is shown, masked; none of a payer, of whom only a digest is kept, and of a key that is listed alone.
    pub shown: Option<String>,
    /// Since a second account has it.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
    /// How many accounts have it.
    pub accounts: i64,
    /// The first twenty of them, and who was asked about.
    pub people: Vec<SharedBy>,
}

/// What a person's account has in common with others.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct SharedThings {
    pub data: Vec<SharedThing>,
}

/// `0x12ab…cd34` of an address; digests are not shown.
fn masked(kind: SharedKind, thing: &[u8]) -> Option<String> {
    if !matches!(kind, SharedKind::Address | SharedKind::Wallet) {
        return None;
    }
    let digits = hex::encode(thing);
    let (first, last) = (digits.get(..4)?, digits.get(digits.len().checked_sub(4)?..)?);
    Some(format!("0x{first}…{last}"))
}

/// Things with their accounts, the one that was shared last first; the rows of one thing stand together, its oldest account first.
fn things(rows: Vec<Held>) -> Result<Vec<SharedThing>, Error> {
    let mut things: Vec<(Vec<u8>, SharedThing)> = Vec::new();
    for row in rows {
        let kind = if row.by_wallet {
            "wallet"
        } else {
            row.kind.as_str()
        };
        let kind = SharedKind::read(kind).ok_or_else(|| Error::internal("an unknown thing of accounts"))?;
        let person = SharedBy {
            id: row.person,
            username: row.username,
            full_name: row.full_name,
            status: row.status,
            since: row.at,
        };
        match things.last_mut() {
            Some((thing, shared)) if *thing == row.thing && shared.kind == kind => {
                if shared.people.len() == 1 {
                    shared.since = person.since;
                }
                shared.people.push(person);
            }
            _ => {
                let digest = Sha256::new()
                    .chain_update(kind.as_str())
                    .chain_update(&row.thing)
                    .chain_update(person.id.0.as_bytes())
                    .finalize();
                let shared = SharedThing {
                    id: hex::encode(digest).chars().take(32).collect(),
                    kind,
                    shown: row.shown.or_else(|| masked(kind, &row.thing)),
                    since: person.since,
                    accounts: row.accounts,
                    people: vec![person],
                };
                things.push((row.thing, shared));
            }
        }
    }
    let mut shared: Vec<SharedThing> = things.into_iter().map(|(_, shared)| shared).collect();
    shared.sort_by_key(|shared| std::cmp::Reverse(shared.since));
    Ok(shared)
}

/// Notes that somebody looks, at one person or at the list, before anything is told.
async fn note(context: &Context, looker: UserId, subject: Option<UserId>) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    let since = tx.now() - NOTED_AGAIN;
    if store::noted(tx.conn(), looker, subject, since).await? {
        tx.rollback().await?;
        return Ok(());
    }
    audit::record(
        &mut tx,
        Some(looker),
        subject.map(|subject| subject.0),
        Category::Profile,
        store::LOOKED,
        json!({}),
    )
    .await?;
    tx.commit().await?;
    Ok(())
}

/// What a person's account has in common with other accounts, and with which. Noted in the audit.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(("id" = String, Path)), responses(
    (status = 200, body = SharedThings), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/user/{id}/related")]
pub async fn related(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<SharedThings>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let user = people::named(&context.db, &id).await?.id;
    note(&context, caller.user, Some(user)).await?;
    let mut tx = context.db.snapshot().await?;
    let since = compliance::devices_since(&tx);
    let of = store::things_of(tx.conn(), user, since).await?;
    let rows = store::held(tx.conn(), &of, since, Some(user)).await?;
    tx.rollback().await?;
    Ok(web::Json(SharedThings { data: things(rows)? }))
}

/// Everything that several accounts have, the one that was shared last first. Filters: `kind` (`device`, `document`, `payer`, `pix_key`,
/// `address`, `wallet`), `search` (username or name of one of them). Noted in the audit.
#[utoipa::path(tag = "people", security(("bearer" = [])), params(takes::Pages, takes::Sorting, takes::Search, takes::OfKind), responses(
    (status = 200, body = Page<SharedThing>), (status = 403, body = ErrorBody), (status = 422, body = ErrorBody)))]
#[get("/admin/related-accounts")]
pub async fn related_accounts(
    context: web::Data<Context>,
    caller: Caller,
    params: web::Query<ListParams>,
) -> Result<web::Json<Page<SharedThing>>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let paging = params.paging(10)?;
    params.one_order()?;
    let kind = named("kind", params.kind.as_deref(), SharedKind::read)?;
    note(&context, caller.user, None).await?;
    let mut tx = context.db.snapshot().await?;
    let since = compliance::devices_since(&tx);
    let (of, total) = store::shared(tx.conn(), kind, params.searched().as_deref(), &paging, since).await?;
    let rows = store::held(tx.conn(), &of, since, None).await?;
    tx.rollback().await?;
    Ok(web::Json(Page::new(things(rows)?, &paging, total)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;
    use uuid::Uuid;

    fn held(kind: &str, thing: u8, person: u128, at: OffsetDateTime) -> Held {
        Held {
            kind: kind.to_owned(),
            thing: vec![thing; 20],
            accounts: 2,
            shown: None,
            by_wallet: false,
            person: UserId(Uuid::from_u128(person)),
            username: format!("user{person}"),
            full_name: String::new(),
            status: "active".to_owned(),
            at,
        }
    }

    #[test]
    fn a_thing_is_shared_since_its_second_account_and_the_newest_comes_first() {
        let (first, second, third) = (
            datetime!(2026-11-01 12:00 UTC),
            datetime!(2026-11-02 12:00 UTC),
            datetime!(2026-11-03 12:00 UTC),
        );
        let shared = things(vec![
            held("address", 0xab, 1, first),
            held("address", 0xab, 2, second),
            held("payer", 0xcd, 1, first),
            held("payer", 0xcd, 3, third),
        ])
        .unwrap();
        let told: Vec<_> = shared
            .iter()
            .map(|thing| {
                (
                    thing.kind,
                    thing.shown.as_deref(),
                    thing.since,
                    thing.people.len(),
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                (SharedKind::Payer, None, third, 2),
                (SharedKind::Address, Some("0xabab…abab"), second, 2)
            ]
        );
        let ids: std::collections::BTreeSet<_> = shared.iter().map(|thing| &thing.id).collect();
        assert_eq!(ids.len(), 2);
    }

    #[test]
    fn a_kind_that_nobody_knows_is_no_thing() {
        assert!(things(vec![held("shoe", 1, 1, OffsetDateTime::UNIX_EPOCH)]).is_err());
    }
}
