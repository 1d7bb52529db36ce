//! A person's money as staff see it: the [figures](super::figures), where it lies and what moved it. Only what is booked is added up.

mod store;

use super::{
    figures::{self, Balances, Figures},
    flows::Flows,
    statement,
};
use crate::{
    error::{Error, ErrorBody},
    foundation::context::Context,
    identity::{caller::Caller, service as identity},
};
use actix_web::{get, web};
use protocol::{ErrorCode, Permission, ids::UserId, money::Usdt};
use serde::Serialize;
use time::OffsetDateTime;

/// Where a person's USDT lies.
#[derive(Clone, Copy, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccountTotals {
    pub available: Usdt,
    pub held: Usdt,
    pub bonus: Usdt,
    pub sponsored: Usdt,
    /// ≤ 0.
    pub debt: Usdt,
    pub pool_principal: Usdt,
    /// Paid for licences whose sale is not final: not in the total.
    pub price: Usdt,
    pub topup: Usdt,
    pub allocated: Usdt,
    #[serde(rename = "yield")]
    pub yields: Usdt,
    /// ≤ 0.
    pub loan: Usdt,
}

impl From<&Balances> for AccountTotals {
    fn from(balances: &Balances) -> Self {
        let of = |account| balances.of(account);
        Self {
            available: of("available"),
            held: of("held"),
            bonus: of("bonus"),
            sponsored: of("sponsored"),
            debt: of("debt"),
            pool_principal: of("pool_principal"),
            price: of("price"),
            topup: of("topup"),
            allocated: of("allocated"),
            yields: of("yield"),
            loan: of("loan"),
        }
    }
}

/// What one kind of movement brought to `available` and took from it, in all.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct MovementTotals {
    pub kind: String,
    pub credits: Usdt,
    pub debits: Usdt,
    pub count: i64,
}

/// Deposits of one method: `pix`, `usdt_bep20`, `busd_bep20`, `bnb`.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct DepositSums {
    pub method: String,
    pub count: i64,
    pub credited: Usdt,
    /// What of it was taken back: by the bank, or with a block that left the chain.
    pub reversed: Usdt,
}

/// Paid withdrawals of one method: `pix`, `crypto`.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct WithdrawalSums {
    pub method: String,
    pub count: i64,
    /// What left the account, the fee inside.
    pub value: Usdt,
    pub fee: Usdt,
}

/// Transfers with other members.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TransferSums {
    pub sent: Usdt,
    pub sent_count: i64,
    pub fees: Usdt,
    pub received: Usdt,
    pub received_count: i64,
}

/// Licences, ended ones included.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LicenceSums {
    pub count: i64,
    pub value: Usdt,
    pub active_count: i64,
    pub active_value: Usdt,
}

/// Bonuses of the network.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct BonusSums {
    pub count: i64,
    pub received: Usdt,
    /// Taken to the balance, put to work, or taken back.
    pub used: Usdt,
}

/// Whose money it is.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPerson {
    #[serde(rename = "_id")]
    pub id: UserId,
    pub username: String,
    pub full_name: String,
    pub email: String,
    pub status: String,
    #[serde(with = "time::serde::rfc3339")]
    pub registered_at: OffsetDateTime,
}

/// A person's money: where it lies and what moved it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct FinancialSummary {
    pub user: SummaryPerson,
    pub figures: Figures,
    pub accounts: AccountTotals,
    /// Since the beginning.
    pub flows: Flows,
    pub deposits: Vec<DepositSums>,
    pub withdrawals: Vec<WithdrawalSums>,
    pub transfers: TransferSums,
    pub licences: LicenceSums,
    pub bonus: BonusSums,
    /// Of `available`, by kind, since the beginning.
    pub movements: Vec<MovementTotals>,
}

/// A person's money: where it lies and what moved it, in sums of what is booked.
#[utoipa::path(tag = "reports", security(("bearer" = [])), params(("id" = String, Path)), responses((status = 200, body = FinancialSummary), (status = 403, body = ErrorBody), (status = 404, body = ErrorBody)))]
#[get("/admin/user-financial-summary/{id}")]
pub async fn summary(
    context: web::Data<Context>,
    caller: Caller,
    id: web::Path<String>,
) -> Result<web::Json<FinancialSummary>, Error> {
    caller.staff(Permission::AdminPermissions)?;
    let user: UserId = id.parse().map_err(|_| Error::code(ErrorCode::UserUnknown))?;
    let account = identity::account(&context.db, user).await?;
    let mut tx = context.db.snapshot().await?;
    let (figures, balances) = figures::read(tx.conn(), user).await?;
    let summary = FinancialSummary {
        figures,
        accounts: AccountTotals::from(&balances),
        user: SummaryPerson {
            id: user,
            username: account.username,
            full_name: account.full_name,
            email: account.email,
            status: account.status,
            registered_at: account.created_at,
        },
        flows: statement::flows(tx.conn(), user, context.now()).await?,
        deposits: store::deposits(tx.conn(), user).await?,
        withdrawals: store::withdrawals(tx.conn(), user).await?,
        transfers: store::transfers(tx.conn(), user).await?,
        licences: store::licences(tx.conn(), user).await?,
        bonus: store::bonus(tx.conn(), user).await?,
        movements: store::movements(tx.conn(), user).await?,
    };
    tx.rollback().await?;
    Ok(web::Json(summary))
}
