//! A database per test, from the kit's private cluster; the ledger works as the server's own role.

#[path = "../api/kit/cluster.rs"]
pub mod cluster;

use protocol::{
    ErrorCode,
    ids::{LicenceId, TransferId, UserId},
    money::{Brl, Usdt},
    views::Mode,
};
use server::{
    foundation::{clock::ShiftedClock, transaction::Db},
    ledger::{
        amount::Amount,
        model::{
            AccountRef, Cause, CauseKind, Fx, HouseAccount, LicenceAccount, NewHold, Orderer, Posted,
            Transfer, TransferKind, UserAccount,
        },
        service,
        verify::{self, Report},
    },
};
use sqlx::PgPool;
use std::sync::Arc;
use uuid::Uuid;

pub struct Books {
    pub db: Db,
    /// As the server's role.
    pub pool: PgPool,
    /// As the owner of all tables.
    pub owner: PgPool,
    pub clock: Arc<ShiftedClock>,
    _database: cluster::Database,
}

pub async fn books() -> Books {
    let name = cluster::fresh_database().await;
    let pool = cluster::connect("arbora_app", &name, 12).await;
    let owner = cluster::connect("app", &name, 2).await;
    let clock = Arc::new(ShiftedClock::default());
    Books {
        db: Db::new(pool.clone(), clock.clone()),
        pool,
        owner,
        clock,
        _database: name,
    }
}

impl Books {
    /// Whatever a test did, at its end the books are exact.
    pub async fn done(self) {
        let report = self.verify().await;
        assert!(report.exact, "{report}");
    }

    pub async fn verify(&self) -> Report {
        verify::verify(&self.db).await.unwrap()
    }

    pub async fn reverse(&self, id: TransferId) -> Result<Posted, ErrorCode> {
        let mut tx = self.db.begin().await.unwrap();
        let posted = service::reverse(&mut tx, id, Orderer::System, "test")
            .await
            .map_err(|e| e.error_code())?;
        tx.commit().await.map_err(|e| e.error_code())?;
        Ok(posted)
    }

    pub async fn count(&self, table: &'static str) -> i64 {
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!(
            "SELECT count(*) FROM ledger.{table}"
        )))
        .fetch_one(&self.owner)
        .await
        .unwrap()
    }

    /// Posts in a transaction of its own.
    pub async fn post(&self, transfer: Transfer) -> Result<Posted, server::error::Error> {
        let mut tx = self.db.begin().await?;
        let posted = service::post(&mut tx, transfer).await?;
        tx.commit().await?;
        Ok(posted)
    }

    /// A PIX deposit at 5 BRL: money from outside.
    pub async fn fund(&self, user: UserId, amount: Usdt) {
        self.post(deposit(user, amount, fresh_key())).await.unwrap();
    }

    pub async fn available(&self, user: UserId) -> Usdt {
        service::usdt_balance(&self.pool, available(user)).await.unwrap()
    }

    pub async fn held(&self, user: UserId) -> Usdt {
        service::usdt_balance(&self.pool, AccountRef::User(user, UserAccount::Held))
            .await
            .unwrap()
    }
}

pub fn fresh_key() -> String {
    Uuid::now_v7().to_string()
}

pub fn available(user: UserId) -> AccountRef {
    AccountRef::User(user, UserAccount::Available)
}

pub fn licence(id: LicenceId, account: LicenceAccount) -> AccountRef {
    AccountRef::Licence(id, account)
}

pub fn deposit(user: UserId, amount: Usdt, key: String) -> Transfer {
    let brl = Brl(amount.0 / 10_000 * 5);
    Transfer::new(
        TransferKind::DepositPix,
        key,
        Cause::new(CauseKind::PixDeposit, Uuid::now_v7()),
        Orderer::System,
    )
    .brl(AccountRef::House(HouseAccount::CustodyPix), -brl)
    .brl(AccountRef::House(HouseAccount::Fx(Fx::Brl)), brl)
    .usdt(AccountRef::House(HouseAccount::Fx(Fx::Brl)), -amount)
    .usdt(available(user), amount)
}

/// From one user to another.
pub fn gift(from: UserId, to: UserId, amount: Usdt, key: String) -> Transfer {
    Transfer::new(
        TransferKind::UserTransfer,
        key,
        Cause::new(CauseKind::User, from.0),
        Orderer::User(from),
    )
    .move_usdt(available(from), available(to), amount)
}

/// What the desk books for one robot: gain to `yield`, loss from `allocated`.
pub fn settlement(licence_id: LicenceId, mode: Mode, gain: Usdt, loss: Usdt) -> Transfer {
    let trading = AccountRef::House(HouseAccount::Trading(mode));
    Transfer::new(
        TransferKind::Settlement,
        fresh_key(),
        Cause::new(CauseKind::Batch, Uuid::now_v7()),
        Orderer::System,
    )
    .mode(mode)
    .move_usdt(trading, licence(licence_id, LicenceAccount::Yield), gain)
    .move_usdt(licence(licence_id, LicenceAccount::Allocated), trading, loss)
}

pub fn new_hold(user: UserId, amount: Usdt) -> NewHold {
    NewHold {
        from: available(user),
        amount: Amount::from(amount),
        key: fresh_key(),
        cause: Cause::new(CauseKind::Withdrawal, Uuid::now_v7()),
        orderer: Orderer::User(user),
        settings_version: 0,
        expires_at: None,
    }
}
