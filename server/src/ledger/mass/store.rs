//! SQL of mass bookings.

use super::{After, MassBooking, Order};
use crate::{
    error::{Error, violates},
    ledger::rules::Refusal,
};
use protocol::{money::Usdt, views::Mode};
use sqlx::PgConnection;
use time::{Date, OffsetDateTime};
use uuid::Uuid;

/// Which of these rows do not exist, in their order.
pub async fn missing(conn: &mut PgConnection, rows: &[Uuid]) -> Result<Vec<Uuid>, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT r.id AS "id!" FROM unnest($1::uuid[]) AS r(id)
           WHERE NOT EXISTS (SELECT FROM ledger.account a WHERE a.id = r.id) ORDER BY r.id"#,
        rows
    )
    .fetch_all(conn)
    .await?)
}

/// Memory for what the database keeps of the rows of large statements until the transaction ends: it would write it to files.
pub async fn make_room(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query!("SET LOCAL work_mem = '128MB'").execute(conn).await?;
    Ok(())
}

/// Locks rows in the order of their ids until the transaction ends. Absent ones are passed over.
pub async fn lock(conn: &mut PgConnection, rows: &[Uuid]) -> Result<(), Error> {
    sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!"
           FROM (SELECT FROM ledger.account WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE) locked"#,
        rows
    )
    .fetch_one(conn)
    .await?;
    Ok(())
}

/// Whether one of these people has closed their account. Asked behind the locks of their ledger's accounts, which who closes takes too.
pub async fn is_any_closed(conn: &mut PgConnection, people: &[Uuid]) -> Result<bool, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM identity.account WHERE id = ANY($1) AND status = 'closed') AS "any!""#,
        people
    )
    .fetch_one(conn)
    .await?)
}

/// Moves the accounts and writes the transfer with its postings: one statement, which the database checks as a whole. Where each
/// leg's account stands then, by its place in the order's lines, counted from 1.
pub async fn write(
    conn: &mut PgConnection,
    booking: &MassBooking,
    order: &Order,
    now: OffsetDateTime,
    day: Date,
) -> Result<Vec<(i64, After)>, Error> {
    let mut rows: Vec<Uuid> = order.lines.iter().map(|l| l.row).collect();
    let mut amounts: Vec<i64> = order.lines.iter().map(|l| l.amount).collect();
    rows.push(order.house.id);
    amounts.push(order.sides.iter().map(|s| s.amount.0).sum());
    let sides: Vec<i64> = order.sides.iter().map(|s| s.amount.0).collect();
    let later: Vec<i64> = order.sides.iter().map(|s| s.later).collect();
    let later_amounts: Vec<i64> = order.sides.iter().map(|s| s.later_amount.0).collect();
    let lines = i32::try_from(order.lines.len() + order.sides.len()).unwrap_or(i32::MAX);
    let written = sqlx::query!(
        r#"WITH moved AS (
               UPDATE ledger.account a SET balance = a.balance + l.amount,
                   version = a.version + CASE WHEN a.id = $3 THEN cardinality($4::bigint[]) ELSE 1 END
               FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS l(id, amount, place)
               WHERE a.id = l.id
               RETURNING a.id, a.version, a.balance, l.amount, l.place
           ), t AS (
               INSERT INTO ledger.transfer (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, orderer, mode, mass)
               VALUES ($7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, true)
           ), p AS (
               INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
               SELECT $7, h.line - 1, m.id, m.version - h.later, 'USDT', h.amount, m.balance - h.later_amount
               FROM moved m, unnest($4::bigint[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS h(amount, later, later_amount, line)
               WHERE m.id = $3
               UNION ALL
               SELECT $7, m.place - 1 + cardinality($4::bigint[]), m.id, m.version, 'USDT', m.amount, m.balance FROM moved m WHERE m.id <> $3
           )
           SELECT place AS "place!", version AS "version!", balance::bigint AS "balance!" FROM moved WHERE id <> $3"#,
        &rows,
        &amounts,
        order.house.id,
        &sides,
        &later,
        &later_amounts,
        order.id.0,
        now,
        day,
        booking.settings_version,
        lines,
        booking.kind.as_str(),
        booking.key,
        order.hash.as_slice(),
        booking.cause.kind.as_str(),
        booking.cause.id,
        booking.orderer.id(),
        booking.mode.map(Mode::as_str)
    )
    .fetch_all(conn)
    .await
    .map_err(refusal)?;
    Ok(written
        .into_iter()
        .map(|r| {
            let balance = Usdt(r.balance);
            (
                r.place,
                After {
                    balance,
                    version: r.version,
                },
            )
        })
        .collect())
}

/// What a constraint that was broken says of the booking.
fn refusal(error: sqlx::Error) -> Error {
    let broken = |constraint| violates(&error, constraint);
    if broken("account_never_below_zero") || broken("account_never_above_zero") {
        Refusal::Insufficient(Uuid::nil()).into()
    } else if broken("transfer_key_key") {
        Refusal::KeyReused.into()
    } else {
        error.into()
    }
}
