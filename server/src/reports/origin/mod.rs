//! Where a value comes from: one movement of the statement with all its postings on one's own accounts, and the fact behind it,
//! down to the operations, the bank's id or the chain's hash.

mod store;

use super::{
    activity::rules::{self, Facts},
    figures::TOTAL,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
    robots,
};
use actix_web::{get, web};
use protocol::{
    ErrorCode,
    ids::{BonusId, LicenceId, TransferId, UserId},
    money::{Brl, Pyx, Usdt},
    views::{BonusKind, Coin, Mode, OrderView},
};
use serde::Serialize;
use std::collections::BTreeSet;
use time::OffsetDateTime;

/// The most bonuses of one movement that are told.
const BONUSES: i64 = 100;
/// The most operations of one settlement that are told.
const OPERATIONS: i64 = 100;

/// What a movement did to one of one's own accounts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginPosting {
    pub account: String,
    /// The licence's number, when the account is a licence's.
    pub licence: Option<i32>,
    /// `USDT` or `PYX`.
    pub currency: String,
    /// Above zero what came in, below what left.
    pub amount: Usdt,
    /// Of this account after it.
    pub balance: Usdt,
}

/// The fact behind a movement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OriginFact {
    /// What the desk's operations that were settled together made for one's own robots, oldest first.
    Operations {
        operations: Vec<OrderView>,
        total: i64,
    },
    PixDeposit {
        brl: Brl,
        #[serde(rename = "endToEndId")]
        end_to_end_id: Option<String>,
    },
    PixWithdrawal {
        brl: Brl,
        #[serde(rename = "endToEndId")]
        end_to_end_id: Option<String>,
    },
    CryptoDeposit {
        #[schema(value_type = Option<Coin>)]
        coin: Option<String>,
        /// Wei that were received.
        wei: String,
        hash: Option<String>,
        address: String,
    },
    /// Between members.
    Transfer {
        from: String,
        to: String,
        usdt: Usdt,
        fee: Usdt,
    },
    Licence {
        licence: LicenceId,
        number: i32,
        value: Usdt,
    },
    /// What went into a pool, came back, or is its share of revenue.
    #[serde(rename_all = "camelCase")]
    Pool {
        pool: String,
        value: Usdt,
        last_day: String,
    },
    Sponsorship,
    /// What paid of a bonus, or took of it back; or what a closing paid, all of one kind together. `/affiliates/bonus-log/{bonus}` tells each.
    #[serde(rename_all = "camelCase")]
    Bonuses {
        /// The day that was closed; none of what was paid at once.
        business_day: Option<String>,
        bonuses: Vec<OriginBonus>,
        total: i64,
    },
    /// A movement that is its own fact.
    Movement,
}

/// A bonus that a movement is of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct OriginBonus {
    #[serde(rename = "_id")]
    pub id: BonusId,
    pub kind: BonusKind,
    pub level: i16,
    /// Whose sale, allocation or gains it comes from; none of a binary bonus.
    pub source: Option<String>,
    /// USDT, or points matched.
    pub base: Usdt,
    /// As it was then, in percent.
    pub percentage: String,
    pub gross: Usdt,
}

/// What a movement is in its person's words; of an event of several movements its part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OriginEvent {
    pub kind: rules::EventKind,
    /// What the total gained or lost by it.
    pub amount: Usdt,
    /// Of what changed nothing in the total: what went from one own account to another.
    pub moved: Option<Usdt>,
    pub pyx: Option<Pyx>,
    pub licence: Option<i32>,
}

/// One movement and what stands behind it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub transfer: TransferId,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub kind: String,
    /// Of a trading result.
    #[schema(value_type = Option<Mode>)]
    pub mode: Option<String>,
    /// The movement that this one undoes.
    pub reverses: Option<TransferId>,
    /// The movement that undid this one, or what it did to one of one's own accounts.
    pub reversed_by: Option<TransferId>,
    pub event: OriginEvent,
    pub postings: Vec<OriginPosting>,
    pub fact: OriginFact,
}

/// A movement of one's own with its postings and the fact behind it.
#[utoipa::path(tag = "statement", security(("bearer" = [])), params(("transfer" = TransferId, Path)), responses((status = 200, body = Origin), (status = 404, body = ErrorBody)))]
#[get("/statement/{transfer}")]
pub async fn origin(
    context: web::Data<Context>,
    caller: Caller,
    transfer: web::Path<TransferId>,
) -> Result<web::Json<Origin>, Error> {
    Ok(web::Json(find(&context, caller.user, *transfer).await?))
}

/// # Errors
/// `statement.unknown` for what is not there and for what touched none of the person's accounts alike.
async fn find(context: &Context, user: UserId, transfer: TransferId) -> Result<Origin, Error> {
    let pool = context.db.pool();
    let postings = store::postings(pool, user, transfer).await?;
    let head = match store::head(pool, user, transfer).await? {
        Some(head) if !postings.is_empty() => head,
        _ => return Err(Error::code(ErrorCode::StatementUnknown)),
    };
    let licences: BTreeSet<LicenceId> = postings.iter().filter_map(|(licence, _)| *licence).collect();
    let fact = fact(context, user, transfer, &head, &licences).await?;
    let postings: Vec<OriginPosting> = postings.into_iter().map(|(_, posting)| posting).collect();
    Ok(Origin {
        transfer,
        at: head.at,
        event: event(&head, &postings, fact.as_ref()),
        kind: head.kind,
        mode: head.mode,
        reverses: head.reverses,
        reversed_by: head.reversed_by,
        postings,
        fact: fact.unwrap_or(OriginFact::Movement),
    })
}

fn event(head: &store::Head, postings: &[OriginPosting], fact: Option<&OriginFact>) -> OriginEvent {
    let amounts = |currency: &'static str| postings.iter().filter(move |p| p.currency == currency);
    let own = || amounts("USDT").filter(|p| TOTAL.contains(&p.account.as_str()));
    let amount: Usdt = own().map(|p| p.amount).sum();
    let came: Usdt = own().map(|p| p.amount).filter(|a| a.is_positive()).sum();
    let pyx: Usdt = amounts("PYX").map(|p| p.amount).sum();
    let kinds = [head.kind.clone()];
    let kind = rules::kind(&Facts {
        kinds: &kinds,
        about: &head.cause_kind,
        held: head.held,
        undoes: head.undoes.as_deref(),
        pix: matches!(fact, Some(OriginFact::PixWithdrawal { .. })),
        // Who sells PYX gives them; who sends balance has less.
        sent: if pyx.is_zero() {
            amount.is_negative()
        } else {
            pyx.is_negative()
        },
        pool: postings.iter().any(|p| p.account == "pool_principal"),
        ..Facts::default()
    });
    let mut licences = postings.iter().filter_map(|p| p.licence);
    let licence = licences.next();
    OriginEvent {
        kind,
        amount,
        moved: rules::moved(kind, amount, came),
        pyx: rules::coins(Pyx(pyx.0)),
        licence: licence.filter(|first| licences.all(|other| other == *first)),
    }
}

/// Only of facts that are the person's own: a cause that names another's row tells nothing of it.
async fn fact(
    context: &Context,
    user: UserId,
    transfer: TransferId,
    head: &store::Head,
    licences: &BTreeSet<LicenceId>,
) -> Result<Option<OriginFact>, Error> {
    let pool = context.db.pool();
    let cause = head.cause;
    Ok(match head.cause_kind.as_str() {
        "batch" if !licences.is_empty() => {
            let (operations, total) =
                robots::service::settled_together(context, user, licences, cause, OPERATIONS).await?;
            Some(OriginFact::Operations { operations, total })
        }
        "pix_deposit" => store::pix_deposit(pool, user, cause).await?,
        "withdrawal" => store::pix_withdrawal(pool, user, cause).await?,
        "chain_deposit" | "deposit_intent" => store::chain_deposit(pool, user, cause).await?,
        "transfer" => store::transfer(pool, user, cause).await?,
        "licence" => store::licence(pool, user, cause).await?,
        "pool" => store::pool(pool, user, transfer, cause).await?,
        "decision" => Some(OriginFact::Sponsorship),
        "bonus" => store::bonus(pool, user, cause).await?,
        "closing" => store::closing(pool, user, transfer, cause, BONUSES).await?,
        _ => None,
    })
}
