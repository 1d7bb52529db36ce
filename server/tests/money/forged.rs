//! Mass bookings and reversals written by hand: the database finds the one leg that is wrong.

use crate::{
    database::{books, fresh_key, licence, settlement},
    immutability::refused,
};
use protocol::{
    ids::{LicenceId, TransferId},
    money::Usdt,
    views::Mode,
};
use server::ledger::{
    mass::MassBooking,
    model::{Cause, CauseKind, HouseAccount, LicenceAccount, TransferKind},
    service,
};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

/// How a statement that books one transfer of a thousand legs differs from the right one, at its 777th.
#[derive(Clone, Copy)]
struct ForgedMass {
    mass: &'static str,
    lines: &'static str,
    line: &'static str,
    house_line: &'static str,
    version: &'static str,
    amount: &'static str,
    after: &'static str,
    stands: &'static str,
    house_amount: &'static str,
    key: &'static str,
    transfer: &'static str,
    transfers: &'static str,
}

const MASS: ForgedMass = ForgedMass {
    mass: "true",
    lines: "1001",
    line: "n",
    house_line: "0",
    version: "y.version + 1",
    amount: "1",
    after: "y.balance + 1",
    stands: "y.balance + 1",
    house_amount: "-1000",
    key: "'forged'",
    transfer: "gen_random_uuid()",
    transfers: "true",
};

impl ForgedMass {
    fn sql(self) -> String {
        let Self {
            mass,
            lines,
            line,
            house_line,
            version,
            amount,
            after,
            stands,
            house_amount,
            key,
            transfer,
            transfers,
        } = self;
        format!(
            "WITH y AS MATERIALIZED (SELECT id, balance, version, row_number() OVER (ORDER BY id) AS n FROM ledger.account WHERE name = 'yield'),
                  d AS MATERIALIZED (SELECT id, balance, version FROM ledger.account WHERE name = 'trading:simulated' ORDER BY stripe LIMIT 1),
                  i AS MATERIALIZED (SELECT {transfer} AS transfer),
                  t AS (INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, mode, mass)
                        SELECT transfer, now(), current_date, 0, {lines}, 'settlement', {key}, '', 'batch', transfer, 'simulated', {mass}
                        FROM i WHERE {transfers}),
                  p AS (INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
                        SELECT transfer, {house_line}, d.id, d.version + 1, 'USDT', {house_amount}, d.balance + {house_amount} FROM d, i
                        UNION ALL
                        SELECT transfer, {line}, y.id, {version}, 'USDT', {amount}, {after} FROM y, i)
             UPDATE ledger.account a SET balance = s.balance, version = s.version
             FROM (SELECT id, {stands} AS balance, {version} AS version FROM y
                   UNION ALL SELECT d.id, d.balance + {house_amount}, d.version + 1 FROM d) s
             WHERE a.id = s.id"
        )
    }
}

#[tokio::test]
async fn one_bad_leg_of_a_mass_booking_is_found() {
    let books = books().await;
    let mut booking = MassBooking::new(
        TransferKind::Settlement,
        fresh_key(),
        Cause::new(CauseKind::Batch, Uuid::now_v7()),
        HouseAccount::Trading(Mode::Simulated),
    )
    .mode(Mode::Simulated);
    for _ in 0..1_000 {
        booking.push(licence(LicenceId::fresh(), LicenceAccount::Yield), Usdt(9));
    }
    let mut tx = books.db.begin().await.unwrap();
    let first = service::post_mass(&mut tx, booking).await.unwrap().id;
    tx.commit().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(MASS.sql()))
        .execute(&books.pool)
        .await
        .unwrap();
    let before = (books.count("transfer").await, books.count("posting").await);
    let fresh = ForgedMass {
        key: "'another'",
        ..MASS
    };
    let again: &'static str = format!("'{first}'::uuid").leak();
    for (what, forged, code) in [
        ("a key that was used", MASS, "23505"),
        (
            "an amount that is not what the balance grew by",
            ForgedMass {
                amount: "CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..fresh
            },
            "LG004",
        ),
        (
            "a balance that is not what its posting says",
            ForgedMass {
                stands: "y.balance + CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..fresh
            },
            "LG004",
        ),
        (
            "a gap in one history",
            ForgedMass {
                version: "y.version + CASE n WHEN 777 THEN 2 ELSE 1 END",
                ..fresh
            },
            "LG004",
        ),
        (
            "a sum that is not zero",
            ForgedMass {
                house_amount: "-999",
                ..fresh
            },
            "LG006",
        ),
        (
            "a promise of another number of lines",
            ForgedMass {
                lines: "1000",
                ..fresh
            },
            "LG006",
        ),
        (
            "a line twice",
            ForgedMass {
                line: "CASE n WHEN 777 THEN 776 ELSE n END",
                ..fresh
            },
            "LG006",
        ),
        (
            "so many legs of what is no mass booking",
            ForgedMass {
                mass: "false",
                ..fresh
            },
            "23514",
        ),
        (
            "somebody else's line where the house's is",
            ForgedMass {
                line: "n - 1",
                house_line: "1000",
                ..fresh
            },
            "LG009",
        ),
        (
            "postings of a transfer that has its own",
            ForgedMass {
                transfer: again,
                transfers: "false",
                ..fresh
            },
            "23505",
        ),
    ] {
        for pool in [&books.pool, &books.owner] {
            assert_eq!(refused(pool, &forged.sql()).await, code, "{what}");
        }
    }
    assert_eq!(
        (books.count("transfer").await, books.count("posting").await),
        before
    );
    sqlx::raw_sql(AssertSqlSafe(fresh.sql()))
        .execute(&books.pool)
        .await
        .unwrap();
    books.done().await;
}

/// A reversal by hand: what it takes from each of these yields, of which transfer, of whose part.
fn forged_reversal(of: TransferId, part: Option<LicenceId>, taken: &[(LicenceId, i64)]) -> String {
    let part = part.map_or_else(|| "NULL".into(), |id| format!("'{id}'"));
    let values: Vec<String> = taken
        .iter()
        .map(|(id, amount)| format!("('{id}'::uuid, {amount})"))
        .collect();
    let values = values.join(", ");
    let lines = taken.len() + 1;
    let sum: i64 = taken.iter().map(|(_, amount)| amount).sum();
    format!(
        "WITH y AS MATERIALIZED (SELECT a.id, a.balance, a.version, v.amount, row_number() OVER (ORDER BY a.id) AS n
                                 FROM (VALUES {values}) v(owner, amount) JOIN ledger.account a ON a.owner = v.owner AND a.name = 'yield'),
              d AS MATERIALIZED (SELECT id, balance, version FROM ledger.account
                                 WHERE id = (SELECT account FROM ledger.posting WHERE transfer = '{of}' AND line = 0)),
              i AS MATERIALIZED (SELECT gen_random_uuid() AS transfer),
              t AS (INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, reverses, part)
                    SELECT transfer, now(), current_date, 0, {lines}, 'reversal', 'reversal:' || transfer, '', 'transfer', '{of}', '{of}', {part} FROM i),
              p AS (INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
                    SELECT transfer, 0, d.id, d.version + 1, 'USDT', {sum}, d.balance + {sum} FROM d, i
                    UNION ALL
                    SELECT transfer, n, y.id, y.version + 1, 'USDT', -amount, y.balance - amount FROM y, i)
         UPDATE ledger.account a SET balance = s.balance, version = s.version
         FROM (SELECT id, balance - amount AS balance, version + 1 AS version FROM y
               UNION ALL SELECT id, balance + {sum}, version + 1 FROM d) s
         WHERE a.id = s.id"
    )
}

#[tokio::test]
async fn a_reversal_undoes_exactly_what_it_names() {
    let books = books().await;
    let (one, two) = (LicenceId::fresh(), LicenceId::fresh());
    let mut booking = MassBooking::new(
        TransferKind::Settlement,
        fresh_key(),
        Cause::new(CauseKind::Batch, Uuid::now_v7()),
        HouseAccount::Trading(Mode::Simulated),
    )
    .mode(Mode::Simulated);
    for id in [one, two] {
        booking.push(licence(id, LicenceAccount::Yield), Usdt(9));
    }
    let mut tx = books.db.begin().await.unwrap();
    let mass = service::post_mass(&mut tx, booking).await.unwrap().id;
    tx.commit().await.unwrap();
    let single = settlement(one, Mode::Simulated, Usdt(5), Usdt(0));
    let single = books.post(single).await.unwrap().id;
    for (what, sql) in [
        (
            "more than it gave",
            forged_reversal(mass, Some(one), &[(one, 10)]),
        ),
        ("another's", forged_reversal(mass, Some(one), &[(two, 9)])),
        (
            "another's beside it",
            forged_reversal(mass, Some(one), &[(one, 9), (two, 1)]),
        ),
        (
            "a mass booking as a whole",
            forged_reversal(mass, None, &[(one, 9), (two, 9)]),
        ),
        (
            "a part of what has none",
            forged_reversal(single, Some(one), &[(one, 5)]),
        ),
        ("less than it gave", forged_reversal(single, None, &[(one, 4)])),
        (
            "what is not there",
            forged_reversal(mass, Some(one), &[(one, 9)]).replace(
                &format!("'transfer', '{mass}', '{mass}'"),
                "'transfer', gen_random_uuid(), gen_random_uuid()",
            ),
        ),
    ] {
        for pool in [&books.pool, &books.owner] {
            assert_eq!(refused(pool, &sql).await, "LG010", "{what}");
        }
    }
    let right = forged_reversal(mass, Some(one), &[(one, 9)]);
    sqlx::raw_sql(AssertSqlSafe(right.clone()))
        .execute(&books.pool)
        .await
        .unwrap();
    let whole = forged_reversal(single, None, &[(one, 5)]);
    sqlx::raw_sql(AssertSqlSafe(whole))
        .execute(&books.pool)
        .await
        .unwrap();
    books
        .post(settlement(one, Mode::Simulated, Usdt(50), Usdt(0)))
        .await
        .unwrap();
    assert_eq!(refused(&books.pool, &right).await, "23505", "once");
    books.done().await;
}
