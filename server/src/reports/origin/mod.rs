//! Where a value comes from: one movement of the statement with all its postings on one's own accounts, and the fact behind it,
//! down to the operations, the bank's id or the chain's hash.

mod store;

use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::caller::Caller,
    robots,
};
use actix_web::{get, web};
use protocol::{
    ErrorCode,
    ids::{LicenceId, TransferId, UserId},
    money::{Brl, Usdt},
    views::{Coin, Mode, OrderView},
};
use serde::Serialize;
use time::OffsetDateTime;

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
    /// The desk's operations that were settled together, oldest first.
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
    /// A movement that is its own fact.
    Movement,
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
    /// The movement that undid this one.
    pub reversed_by: Option<TransferId>,
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
    let head = match store::head(pool, transfer).await? {
        Some(head) if !postings.is_empty() => head,
        _ => return Err(Error::code(ErrorCode::StatementUnknown)),
    };
    let licence = postings.iter().find_map(|(licence, _)| *licence);
    let fact = fact(context, user, &head, licence).await?;
    Ok(Origin {
        transfer,
        at: head.at,
        kind: head.kind,
        mode: head.mode,
        reverses: head.reverses,
        reversed_by: head.reversed_by,
        postings: postings.into_iter().map(|(_, posting)| posting).collect(),
        fact: fact.unwrap_or(OriginFact::Movement),
    })
}

/// Only of facts that are the person's own: a cause that names another's row tells nothing of it.
async fn fact(
    context: &Context,
    user: UserId,
    head: &store::Head,
    licence: Option<LicenceId>,
) -> Result<Option<OriginFact>, Error> {
    let pool = context.db.pool();
    let cause = head.cause;
    Ok(match (head.cause_kind.as_str(), licence) {
        ("batch", Some(licence)) => {
            let (operations, total) =
                robots::service::settled_together(context, user, licence, cause, OPERATIONS).await?;
            Some(OriginFact::Operations { operations, total })
        }
        ("pix_deposit", _) => store::pix_deposit(pool, user, cause).await?,
        ("withdrawal", _) => store::pix_withdrawal(pool, user, cause).await?,
        ("chain_deposit" | "deposit_intent", _) => store::chain_deposit(pool, user, cause).await?,
        ("transfer", _) => store::transfer(pool, user, cause).await?,
        ("licence", _) => store::licence(pool, user, cause).await?,
        ("pool", _) => store::pool(pool, user, cause).await?,
        ("decision", _) => Some(OriginFact::Sponsorship),
        _ => None,
    })
}
