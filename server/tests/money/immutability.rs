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

pub async fn refused(pool: &PgPool, sql: &str) -> String {
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
        ("a fork of the history", forged(1, -1, 2, 1, 0), "23505"),
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

/// How a statement that books a thousand settlements at once differs from the right one, at its 777th.
#[derive(Clone, Copy)]
struct Forged {
    kind: &'static str,
    mode: &'static str,
    lines: &'static str,
    line: &'static str,
    currency: &'static str,
    amount: &'static str,
    after: &'static str,
    stands: &'static str,
    desk_after: &'static str,
    desk_version: &'static str,
    desk_stands: &'static str,
    desk_stands_at: &'static str,
    transfers: &'static str,
    postings: &'static str,
    accounts: &'static str,
}

const RIGHT: Forged = Forged {
    kind: "'settlement'",
    mode: "'simulated'",
    lines: "2",
    line: "1",
    currency: "'USDT'",
    amount: "1",
    after: "y.balance + 1",
    stands: "y.balance + 1",
    desk_after: "d.balance - n",
    desk_version: "d.version + n",
    desk_stands: "d.balance - count(*)",
    desk_stands_at: "d.version + count(*)",
    transfers: "true",
    postings: "true",
    accounts: "true",
};

impl Forged {
    fn sql(self) -> String {
        let Self {
            kind,
            mode,
            lines,
            line,
            currency,
            amount,
            after,
            stands,
            desk_after,
            desk_version,
            desk_stands,
            desk_stands_at,
            transfers,
            postings,
            accounts,
        } = self;
        format!(
            "WITH y AS MATERIALIZED (SELECT id, balance, version, row_number() OVER (ORDER BY id) AS n, md5(id::text || version)::uuid AS transfer
                                     FROM ledger.account WHERE name = 'yield'),
                  d AS MATERIALIZED (SELECT id, balance, version FROM ledger.account WHERE name = 'trading:simulated' ORDER BY stripe LIMIT 1),
                  t AS (INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, mode)
                        SELECT transfer, now(), current_date, 0, {lines}, {kind}, 'forged:' || transfer, '', 'batch', transfer, {mode}
                        FROM y WHERE {transfers}),
                  p AS (INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
                        SELECT transfer, 0, d.id, {desk_version}, 'USDT', -1, {desk_after} FROM y, d
                        UNION ALL
                        SELECT transfer, {line}, y.id, y.version + 1, {currency}, {amount}, {after} FROM y WHERE {postings})
             UPDATE ledger.account a SET balance = s.balance, version = s.version
             FROM (SELECT id, {stands} AS balance, y.version + 1 AS version FROM y WHERE {accounts}
                   UNION ALL SELECT d.id, {desk_stands}, {desk_stands_at} FROM y, d GROUP BY d.id, d.balance, d.version) s
             WHERE a.id = s.id"
        )
    }
}

#[tokio::test]
async fn one_bad_line_among_thousands_is_found() {
    let books = books().await;
    let settlements = (0..1_000)
        .map(|_| settlement(LicenceId::fresh(), Mode::Simulated, Usdt::whole(1), Usdt(0)))
        .collect();
    let mut tx = books.db.begin().await.unwrap();
    server::ledger::service::post_many(&mut tx, settlements)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    let before = books.count("posting").await;
    for (what, forged, code) in [
        (
            "an amount that is not what the balance grew by",
            Forged {
                amount: "CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "a balance that is not what its posting says",
            Forged {
                stands: "y.balance + CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "another currency than the account's",
            Forged {
                currency: "CASE n WHEN 777 THEN 'PYX' ELSE 'USDT' END",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "a balance within a long history",
            Forged {
                desk_after: "d.balance - n + (n = 777)::int",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "a gap within a long history",
            Forged {
                desk_version: "d.version + n + (n >= 777)::int",
                desk_stands_at: "d.version + count(*) + 1",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "the end of a long history",
            Forged {
                desk_stands: "d.balance - count(*) + 1",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "a long history of which the account knows only a part",
            Forged {
                desk_stands: "d.balance - count(*) + 1",
                desk_stands_at: "d.version + count(*) - 1",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "an account that stands where it stood",
            Forged {
                desk_stands: "d.balance",
                desk_stands_at: "d.version",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "an account that went back to where it once stood",
            Forged {
                desk_stands: "d.balance + 1000000",
                desk_stands_at: "d.version - 1",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "an account that has not moved",
            Forged {
                accounts: "n <> 777",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "an account that moved by nothing",
            Forged {
                postings: "n <> 777",
                ..RIGHT
            },
            "LG004",
        ),
        (
            "a sum that is not zero",
            Forged {
                amount: "CASE n WHEN 777 THEN 2 ELSE 1 END",
                after: "y.balance + CASE n WHEN 777 THEN 2 ELSE 1 END",
                stands: "y.balance + CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..RIGHT
            },
            "LG006",
        ),
        (
            "a promise of another number of lines",
            Forged {
                lines: "CASE n WHEN 777 THEN 3 ELSE 2 END",
                ..RIGHT
            },
            "LG006",
        ),
        (
            "lines that are not counted through",
            Forged {
                line: "CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..RIGHT
            },
            "LG006",
        ),
        (
            "postings without a transfer",
            Forged {
                transfers: "n <> 777",
                ..RIGHT
            },
            "LG006",
        ),
        (
            "yield that no operation stands behind",
            Forged {
                kind: "CASE n WHEN 777 THEN 'topup' ELSE 'settlement' END",
                mode: "CASE WHEN n <> 777 THEN 'simulated' END",
                ..RIGHT
            },
            "LG008",
        ),
        (
            "another mode than the desk's",
            Forged {
                mode: "CASE n WHEN 777 THEN 'paper' ELSE 'simulated' END",
                ..RIGHT
            },
            "LG008",
        ),
    ] {
        for pool in [&books.pool, &books.owner] {
            assert_eq!(refused(pool, &forged.sql()).await, code, "{what}");
        }
    }
    let bare = "INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause)
        SELECT gen_random_uuid(), now(), current_date, 0, 2, 'user_transfer', 'bare:' || n, '', 'user', gen_random_uuid() FROM generate_series(1, 1000) n";
    assert_eq!(refused(&books.owner, bare).await, "LG007");
    assert_eq!(books.count("posting").await, before);
    // Twice, so that histories of several statements are gone on from.
    for _ in 0..2 {
        sqlx::raw_sql(AssertSqlSafe(RIGHT.sql()))
            .execute(&books.pool)
            .await
            .unwrap();
    }
    assert_eq!(books.count("posting").await, before + 4_000);
    books.done().await;
}

#[tokio::test]
async fn what_robots_did_is_changed_by_nobody_and_has_its_operation() {
    let books = books().await;
    let operations = "INSERT INTO robots.batch (id, fence, mode, at, operations, posted)
            VALUES ('00000000-0000-7000-8000-00000000000b', 1, 'simulated', now(), 2, true);
        INSERT INTO robots.operation (id, batch, mode, route, triangular, manual, edge_ppm, decided_at, filled_at, legs, volume, fees, result)
            SELECT md5(n::text)::uuid, '00000000-0000-7000-8000-00000000000b', 'simulated', 'r', false, false, 1, now(), now(), '[]', 1, 0, 1
            FROM generate_series(1, 2) n";
    sqlx::raw_sql(operations).execute(&books.pool).await.unwrap();
    let shares = |operation: &str| {
        format!(
            "INSERT INTO robots.share (licence, operation, owner, amount, volume, fees, result, cut, filled_at)
             SELECT md5('l' || n)::uuid, {operation}, md5('o' || n)::uuid, 1, 1, 0, 1, 0, now() FROM generate_series(1, 2000) n"
        )
    };
    for pool in [&books.pool, &books.owner] {
        assert_eq!(
            refused(
                pool,
                &shares("md5(CASE n WHEN 1777 THEN '3' ELSE (n % 2 + 1)::text END)::uuid")
            )
            .await,
            "23503",
            "a share of an operation that does not exist"
        );
    }
    let right = shares("md5((n % 2 + 1)::text)::uuid");
    sqlx::raw_sql(AssertSqlSafe(right.clone()))
        .execute(&books.pool)
        .await
        .unwrap();
    assert_eq!(refused(&books.pool, &right).await, "23505", "a share counts once");
    for table in ["operation", "share"] {
        for sql in [
            format!("UPDATE robots.{table} SET result = 2"),
            format!("DELETE FROM robots.{table}"),
            format!("TRUNCATE robots.{table} CASCADE"),
        ] {
            assert_eq!(refused(&books.pool, &sql).await, "42501", "{sql}");
            assert_eq!(refused(&books.owner, &sql).await, "P0001", "{sql}");
        }
    }
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
