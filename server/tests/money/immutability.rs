//! What the database itself refuses, whoever asks: changes of history, unbalanced books, play money in production.

use crate::database::{Books, available, books, deposit, fresh_key, gift, licence, settlement};
use protocol::{
    ErrorCode,
    ids::{LicenceId, UserId},
    money::Usdt,
    views::Mode,
};
use server::ledger::model::{
    AccountRef, Cause, CauseKind, HouseAccount, LicenceAccount, Orderer, Transfer, TransferKind, UserAccount,
};
use sqlx::{AssertSqlSafe, PgPool};

async fn refused(pool: &PgPool, sql: &str) -> String {
    match sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(pool).await {
        Ok(_) => panic!("accepted: {sql}"),
        Err(sqlx::Error::Database(e)) => e.code().unwrap_or_default().into_owned(),
        Err(e) => panic!("{e}"),
    }
}

async fn with_history() -> (Books, UserId, UserId) {
    let books = books().await;
    let (a, b) = (UserId::fresh(), UserId::fresh());
    books.fund(a, Usdt::whole(100)).await;
    books.post(gift(a, b, Usdt::whole(1), fresh_key())).await.unwrap();
    let mut tx = books.db.begin().await.unwrap();
    let held = server::ledger::service::hold(&mut tx, crate::database::new_hold(a, Usdt::whole(1)))
        .await
        .unwrap();
    server::ledger::service::void_hold(&mut tx, held.id, Orderer::System)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    (books, a, b)
}

#[tokio::test]
async fn history_is_changed_by_nobody() {
    let (books, ..) = with_history().await;
    for table in ["transfer", "posting", "hold", "hold_resolution"] {
        for sql in [
            format!("UPDATE ledger.{table} SET {} = {}", column(table), column(table)),
            format!("DELETE FROM ledger.{table}"),
            format!("TRUNCATE ledger.{table} CASCADE"),
        ] {
            assert_eq!(
                refused(&books.pool, &sql).await,
                "42501",
                "the server's role lacks the right: {sql}"
            );
            assert_eq!(
                refused(&books.owner, &sql).await,
                "LG001",
                "the owner is refused by the trigger: {sql}"
            );
        }
    }
    for sql in ["DELETE FROM ledger.account", "TRUNCATE ledger.account CASCADE"] {
        assert_eq!(refused(&books.pool, sql).await, "42501");
        assert_eq!(refused(&books.owner, sql).await, "LG001");
    }
    for column in [
        "bound = 0",
        "name = 'bonus'",
        "owner = NULL",
        "currency = 'PYX'",
        "stripe = 1",
    ] {
        let sql = format!("UPDATE ledger.account SET {column} WHERE name = 'available'");
        assert_eq!(refused(&books.pool, &sql).await, "42501");
        assert_eq!(refused(&books.owner, &sql).await, "LG001");
    }
    books.done().await;
}

fn column(table: &str) -> &'static str {
    match table {
        "transfer" => "kind",
        "posting" => "amount",
        "hold" => "cause_kind",
        _ => "outcome",
    }
}

#[tokio::test]
async fn balances_move_only_with_their_postings() {
    let (books, ..) = with_history().await;
    for pool in [&books.pool, &books.owner] {
        for sql in [
            "UPDATE ledger.account SET balance = balance + 1 WHERE name = 'available'",
            "UPDATE ledger.account SET balance = balance + 1, version = version + 1 WHERE name = 'available'",
            "UPDATE ledger.account SET version = version - 1 WHERE name = 'available'",
            "UPDATE ledger.account SET version = version + 1 WHERE name = 'available'",
        ] {
            let code = refused(pool, sql).await;
            assert!(["LG001", "LG004"].contains(&code.as_str()), "{code} for {sql}");
        }
        let born = "INSERT INTO ledger.account (id, owner_kind, name, currency, bound, balance)
            VALUES (ledger.account_id('house', NULL, 'sponsorship', 'USDT', 0::smallint), 'house', 'sponsorship', 'USDT', 0, 5)";
        assert_eq!(
            refused(pool, born).await,
            "LG002",
            "no account is born with money"
        );
        let unknown = "INSERT INTO ledger.account (id, owner_kind, name, currency, bound)
            VALUES (ledger.account_id('house', NULL, 'pocket', 'USDT', 0::smallint), 'house', 'pocket', 'USDT', 0)";
        assert_eq!(refused(pool, unknown).await, "LG002");
    }
    books.done().await;
}

/// Books by hand what the service would never book: `amount` to one account against `against` on another.
fn forged(amount: i64, against: i64, lines: i64, after: i64, version: i64) -> String {
    format!(
        "WITH u AS (SELECT id, balance, version FROM ledger.account WHERE name = 'available' ORDER BY balance DESC LIMIT 1),
              v AS (SELECT id, balance, version FROM ledger.account WHERE name = 'available' ORDER BY balance LIMIT 1),
              t AS (INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause)
                    VALUES ('00000000-0000-7000-8000-000000000001', now(), current_date, 0, {lines}, 'user_transfer', 'forged', '', 'user', gen_random_uuid())),
              p AS (INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
                    SELECT '00000000-0000-7000-8000-000000000001'::uuid, 0::smallint, id, version + {version}, 'USDT', {amount}, balance + {after} FROM u
                    UNION ALL
                    SELECT '00000000-0000-7000-8000-000000000001', 1, id, version + 1, 'USDT', {against}, balance + {against} FROM v)
         UPDATE ledger.account a SET balance = n.balance, version = n.version
         FROM (SELECT id, balance + {after} AS balance, version + {version} AS version FROM u
               UNION ALL SELECT id, balance + {against}, version + 1 FROM v) n
         WHERE a.id = n.id"
    )
}

#[tokio::test]
async fn the_database_counts_for_itself() {
    let (books, ..) = with_history().await;
    for (what, sql, code) in [
        ("does not sum to zero", forged(2, -1, 2, 2, 1), "LG006"),
        (
            "promises another number of lines",
            forged(1, -1, 3, 1, 1),
            "LG006",
        ),
        (
            "a balance after that is not the sum",
            forged(1, -1, 2, 2, 1),
            "LG004",
        ),
        ("a gap in the history", forged(1, -1, 2, 1, 2), "LG004"),
        ("a fork of the history", forged(1, -1, 2, 1, 0), "LG001"),
        (
            "below zero",
            forged(1_000_000_000, -1_000_000_000, 2, 1_000_000_000, 1),
            "23514",
        ),
    ] {
        assert_eq!(refused(&books.pool, &sql).await, code, "{what}");
        assert_eq!(refused(&books.owner, &sql).await, code, "{what}");
    }
    let bare = "INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause)
        VALUES (gen_random_uuid(), now(), current_date, 0, 2, 'user_transfer', 'bare', '', 'user', gen_random_uuid())";
    assert_eq!(
        refused(&books.owner, bare).await,
        "LG007",
        "a transfer without postings"
    );
    let loose = "INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
        SELECT gen_random_uuid(), 0, id, version + 1, currency, 1, balance + 1 FROM ledger.account WHERE name = 'available' LIMIT 1";
    assert_eq!(
        refused(&books.owner, loose).await,
        "LG004",
        "a posting without a transfer"
    );
    // The same statement, right in every respect, is accepted: what was refused was refused for its fault.
    sqlx::raw_sql(AssertSqlSafe(forged(1, -1, 2, 1, 1)))
        .execute(&books.pool)
        .await
        .unwrap();
    books.done().await;
}

#[tokio::test]
async fn no_yield_without_an_operation() {
    let books = books().await;
    let (user, id) = (UserId::fresh(), LicenceId::fresh());
    books.fund(user, Usdt::whole(10)).await;
    let gift = Transfer::new(
        TransferKind::Bonus,
        fresh_key(),
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .move_usdt(
        available(user),
        licence(id, LicenceAccount::Yield),
        Usdt::whole(1),
    );
    assert_eq!(
        books.post(gift).await.unwrap_err().error_code(),
        ErrorCode::Internal
    );
    let disguised = Transfer::new(
        TransferKind::Topup,
        fresh_key(),
        Cause::new(CauseKind::User, user.0),
        Orderer::System,
    )
    .move_usdt(
        AccountRef::House(HouseAccount::Trading(Mode::Simulated)),
        licence(id, LicenceAccount::Topup),
        Usdt::whole(1),
    );
    assert_eq!(
        books.post(disguised).await.unwrap_err().error_code(),
        ErrorCode::Internal,
        "trading moves by settlements only"
    );
    let mut mixed = settlement(id, Mode::Paper, Usdt::whole(1), Usdt(0));
    mixed.mode = Some(Mode::Simulated);
    assert_eq!(
        books.post(mixed).await.unwrap_err().error_code(),
        ErrorCode::Internal,
        "modes are never mixed"
    );
    books
        .post(settlement(id, Mode::Simulated, Usdt::whole(1), Usdt(0)))
        .await
        .unwrap();
    books.done().await;
}

#[tokio::test]
async fn in_production_only_live_results_are_booked() {
    let books = books().await;
    sqlx::raw_sql("DELETE FROM foundation.world; INSERT INTO foundation.world (kind, chain_id) VALUES ('production', 56)")
        .execute(&books.owner)
        .await
        .unwrap();
    let id = LicenceId::fresh();
    for mode in [Mode::Simulated, Mode::Paper] {
        assert_eq!(
            books
                .post(settlement(id, mode, Usdt::whole(1), Usdt(0)))
                .await
                .unwrap_err()
                .error_code(),
            ErrorCode::Internal
        );
    }
    books
        .post(settlement(id, Mode::Live, Usdt::whole(1), Usdt(0)))
        .await
        .unwrap();
    assert_eq!(books.count("transfer").await, 1);
    books.done().await;
}

#[tokio::test]
async fn malformed_orders_do_not_reach_the_books() {
    let books = books().await;
    let user = UserId::fresh();
    books.fund(user, Usdt::whole(10)).await;
    let cause = Cause::new(CauseKind::User, user.0);
    let order = || {
        Transfer::new(
            TransferKind::UserTransfer,
            fresh_key(),
            cause,
            Orderer::User(user),
        )
    };
    let other = available(UserId::fresh());
    let held = AccountRef::User(user, UserAccount::Held);
    for (what, transfer) in [
        ("no legs", order()),
        ("one leg", order().usdt(other, Usdt(1))),
        (
            "not zero",
            order().usdt(available(user), Usdt(-2)).usdt(other, Usdt(1)),
        ),
        (
            "zero in sum but not per currency",
            order().usdt(available(user), Usdt(-1)).brl(
                AccountRef::House(HouseAccount::CustodyPix),
                protocol::money::Brl(1),
            ),
        ),
        (
            "a currency that the account is not kept in",
            order()
                .pyx(available(user), protocol::money::Pyx(-1))
                .pyx(other, protocol::money::Pyx(1)),
        ),
        (
            "held money moves by holds only",
            order().move_usdt(available(user), held, Usdt(1)),
        ),
        (
            "a settlement without a mode",
            Transfer::new(TransferKind::Settlement, fresh_key(), cause, Orderer::System).move_usdt(
                available(user),
                other,
                Usdt(1),
            ),
        ),
        (
            "a key too long",
            Transfer {
                key: "k".repeat(201),
                ..order().move_usdt(available(user), other, Usdt(1))
            },
        ),
    ] {
        assert_eq!(
            books.post(transfer).await.unwrap_err().error_code(),
            ErrorCode::Internal,
            "{what}"
        );
    }
    assert_eq!(books.count("transfer").await, 1);
    // Money from nowhere: custody may not turn positive, so nobody can deposit a negative amount.
    assert_eq!(
        books
            .post(deposit(user, Usdt::whole(-50), fresh_key()))
            .await
            .unwrap_err()
            .error_code(),
        ErrorCode::BalanceInsufficient
    );
    books.done().await;
}
