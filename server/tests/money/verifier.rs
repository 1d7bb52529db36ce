//! The verifier finds what was tampered with past every lock, and names it.

use crate::database::{books, fresh_key, gift, new_hold};
use protocol::{ids::UserId, money::Usdt};
use server::ledger::service;
use sqlx::AssertSqlSafe;

#[tokio::test]
async fn tampering_is_found_and_named() {
    for (sql, check) in [
        (
            "UPDATE ledger.account SET balance = balance + 1 WHERE name = 'available' AND balance = 90",
            "balance",
        ),
        (
            "UPDATE ledger.account SET version = version + 1 WHERE name = 'available' AND balance = 90",
            "history",
        ),
        (
            "UPDATE ledger.posting SET balance_after = balance_after + 1 WHERE amount = 10",
            "history",
        ),
        (
            "UPDATE ledger.posting SET amount = 11 WHERE amount = 10",
            "balance",
        ),
        (
            "UPDATE ledger.posting SET currency = 'PYX' WHERE amount = 10",
            "history",
        ),
        (
            "UPDATE ledger.account SET bound = 0 WHERE name = 'available'",
            "sign",
        ),
        (
            "DELETE FROM ledger.transfer WHERE kind = 'user_transfer'",
            "transfer",
        ),
        (
            "UPDATE ledger.transfer SET lines = 3 WHERE kind = 'user_transfer'",
            "transfer",
        ),
        ("UPDATE ledger.hold SET amount = 4 WHERE amount = 5", "hold"),
    ] {
        let books = books().await;
        let (a, b) = (UserId::fresh(), UserId::fresh());
        books.fund(a, Usdt(105)).await;
        books.post(gift(a, b, Usdt(10), fresh_key())).await.unwrap();
        let mut tx = books.db.begin().await.unwrap();
        service::hold(&mut tx, new_hold(a, Usdt(5))).await.unwrap();
        tx.commit().await.unwrap();
        let report = books.verify().await;
        assert!(report.exact, "{report}");
        assert_eq!(
            (report.transfers, report.postings, report.holds),
            (3, 8 - report_zero_legs(), 1)
        );

        let tamper =
            format!("SET session_replication_role = replica; {sql}; SET session_replication_role = origin");
        sqlx::raw_sql(AssertSqlSafe(tamper))
            .execute(&books.owner)
            .await
            .unwrap();
        let report = books.verify().await;
        assert!(!report.exact, "not found: {sql}");
        let found = report.first_difference.clone().unwrap();
        assert_eq!(found.check, check, "{sql}: {report}");
        if check == "balance" && sql.contains("account") {
            assert!(
                found.subject.contains(&a.to_string()) && found.found == "91" && found.expected == "90",
                "{report}"
            );
        }
    }
}

/// A deposit of 105 millionths is less than a centavo: its two BRL legs are zero and not written.
const fn report_zero_legs() -> i64 {
    2
}
