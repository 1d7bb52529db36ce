//! SQL of the ledger's books. Statements take whole sets: a batch of a thousand transfers is four round trips.

use super::{
    account::Bound,
    amount::{Amount, Currency},
    booking::{NewAccount, Order},
    model::{Posted, PostedLeg, StatementLine, TransferKind},
    rules::{Books, Row},
};
use crate::error::Error;
use protocol::{
    ids::{HoldId, TransferId, UserId},
    views::{self, Mode},
};
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;
use time::OffsetDateTime;
use uuid::Uuid;

/// Locks rows in the order of their ids until the transaction ends. While one of `required` does not exist nothing is locked and
/// `false` returned: it has to be created before anything is held, or two who create could wait for each other.
pub async fn lock(
    conn: &mut PgConnection,
    ids: &[Uuid],
    required: &[Uuid],
    books: &mut Books,
) -> Result<bool, Error> {
    let rows = sqlx::query_as!(
        AccountRow,
        r#"SELECT id, owner_kind, owner, name, bound, balance AS "balance: Amount", version
           FROM ledger.account
           WHERE id = ANY($1) AND (SELECT count(*) FROM ledger.account WHERE id = ANY($2)) = cardinality($2::uuid[])
           ORDER BY id FOR NO KEY UPDATE"#,
        ids,
        required
    )
    .fetch_all(conn)
    .await?;
    if rows.is_empty() {
        return Ok(required.is_empty());
    }
    for row in rows {
        row.enter(books);
    }
    Ok(true)
}

/// Reads rows without locking them: [`write()`] refuses what has moved since. Absent ones are passed over.
pub async fn read(conn: &mut PgConnection, ids: &[Uuid], books: &mut Books) -> Result<(), Error> {
    let rows = sqlx::query_as!(
        AccountRow,
        r#"SELECT id, owner_kind, owner, name, bound, balance AS "balance: Amount", version
           FROM ledger.account WHERE id = ANY($1)"#,
        ids
    )
    .fetch_all(conn)
    .await?;
    for row in rows {
        row.enter(books);
    }
    Ok(())
}

struct AccountRow {
    id: Uuid,
    owner_kind: String,
    owner: Option<Uuid>,
    name: String,
    bound: i16,
    balance: Amount,
    version: i64,
}

impl AccountRow {
    fn enter(self, books: &mut Books) {
        let shown = match (
            self.owner_kind.as_str(),
            self.owner,
            self.name.parse::<views::UserAccount>(),
        ) {
            ("user", Some(owner), Ok(account)) => Some((UserId(owner), account)),
            _ => None,
        };
        books.insert(
            self.id,
            Row {
                shown,
                bound: Bound::read(self.bound),
                balance: self.balance,
                version: self.version,
            },
        );
    }
}

/// Which of these rows exist.
pub async fn existing(conn: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Uuid>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT id FROM ledger.account WHERE id = ANY($1)", ids)
            .fetch_all(conn)
            .await?,
    )
}

/// Creates empty accounts, in the given order; those that exist by now stay as they are.
pub async fn create(conn: &mut PgConnection, accounts: &[NewAccount]) -> Result<(), Error> {
    let ids: Vec<Uuid> = accounts.iter().map(|a| a.id).collect();
    let kinds: Vec<String> = accounts
        .iter()
        .map(|a| a.account.owner_kind().to_owned())
        .collect();
    let owners: Vec<Option<Uuid>> = accounts.iter().map(|a| a.account.owner()).collect();
    let names: Vec<String> = accounts.iter().map(|a| a.account.name().into_owned()).collect();
    let currencies: Vec<String> = accounts.iter().map(|a| a.currency.as_str().to_owned()).collect();
    let stripes: Vec<i16> = accounts.iter().map(|a| a.stripe).collect();
    let bounds: Vec<i16> = accounts.iter().map(|a| a.account.bound().as_i16()).collect();
    sqlx::query!(
        "INSERT INTO ledger.account (id, owner_kind, owner, name, currency, stripe, bound)
         SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::smallint[], $7::smallint[])
         ON CONFLICT (id) DO NOTHING",
        &ids,
        &kinds,
        &owners as &[Option<Uuid>],
        &names,
        &currencies,
        &stripes,
        &bounds
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Transfers that were booked under these keys, with the hash of what was ordered.
pub async fn by_keys(
    conn: &mut PgConnection,
    keys: &[String],
) -> Result<HashMap<String, (Vec<u8>, Posted)>, Error> {
    let rows = sqlx::query!(
        "SELECT id, key, hash, at, business_day FROM ledger.transfer WHERE key = ANY($1)",
        keys
    )
    .fetch_all(&mut *conn)
    .await?;
    if rows.is_empty() {
        return Ok(HashMap::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|r| r.id).collect();
    let mut legs: HashMap<Uuid, Vec<PostedLeg>> = HashMap::new();
    for leg in postings(conn, &ids).await? {
        legs.entry(leg.0).or_default().push(leg.1);
    }
    Ok(rows
        .into_iter()
        .map(|r| {
            let legs = legs.remove(&r.id).unwrap_or_default();
            let posted = Posted {
                id: TransferId(r.id),
                at: r.at,
                business_day: r.business_day,
                replayed: true,
                legs,
            };
            (r.key, (r.hash, posted))
        })
        .collect())
}

async fn postings(conn: &mut PgConnection, transfers: &[Uuid]) -> Result<Vec<(Uuid, PostedLeg)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT transfer, account, amount AS "amount: Amount", balance_after AS "balance_after: Amount", version
           FROM ledger.posting WHERE transfer = ANY($1) ORDER BY transfer, line"#,
        transfers
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            (
                r.transfer,
                PostedLeg {
                    account: r.account,
                    amount: r.amount,
                    balance_after: r.balance_after,
                    version: r.version,
                },
            )
        })
        .collect())
}

/// Writes transfers, their postings and the accounts' new balances. One statement: the database checks it as a whole.
pub async fn write(
    conn: &mut PgConnection,
    booked: &[(&Order, &Posted)],
    books: &Books,
) -> Result<(), Error> {
    let n = booked.len();
    let (mut ids, mut ats, mut days, mut settings, mut lines) = (
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
    );
    let (mut kinds, mut keys, mut hashes) = (
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
    );
    let (mut cause_kinds, mut causes, mut orderers) = (
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
    );
    let (mut modes, mut reverses, mut reasons) = (
        Vec::with_capacity(n),
        Vec::with_capacity(n),
        Vec::with_capacity(n),
    );
    let (mut p_transfers, mut p_lines, mut p_accounts) = (
        Vec::with_capacity(2 * n),
        Vec::with_capacity(2 * n),
        Vec::with_capacity(2 * n),
    );
    let (mut p_versions, mut p_currencies) = (Vec::with_capacity(2 * n), Vec::with_capacity(2 * n));
    let (mut p_amounts, mut p_balances) = (Vec::with_capacity(2 * n), Vec::with_capacity(2 * n));
    for (order, posted) in booked {
        ids.push(posted.id.0);
        ats.push(posted.at);
        days.push(posted.business_day);
        settings.push(order.settings_version);
        lines.push(i16::try_from(posted.legs.len()).unwrap_or(i16::MAX));
        kinds.push(order.kind.as_str());
        keys.push(order.key.as_str());
        hashes.push(order.hash.as_slice());
        cause_kinds.push(order.cause.kind.as_str());
        causes.push(order.cause.id);
        orderers.push(order.orderer.id());
        modes.push(order.mode.map(Mode::as_str));
        reverses.push(order.reverses.map(|r| r.0));
        reasons.push(order.reason.as_deref());
        for (line, (leg, ordered)) in (0i16..).zip(posted.legs.iter().zip(&order.legs)) {
            p_transfers.push(posted.id.0);
            p_lines.push(line);
            p_accounts.push(leg.account);
            p_versions.push(leg.version);
            p_currencies.push(ordered.currency.as_str());
            p_amounts.push(leg.amount);
            p_balances.push(leg.balance_after);
        }
    }
    let (mut a_ids, mut a_befores, mut a_versions, mut a_balances) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (id, before, row) in books.moved() {
        a_ids.push(id);
        a_befores.push(before);
        a_versions.push(row.version);
        a_balances.push(row.balance);
    }
    let updated = sqlx::query!(
        "WITH t AS (
             INSERT INTO ledger.transfer
                 (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, orderer, mode, reverses, reason)
             SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::date[], $4::int[], $5::smallint[], $6::text[], $7::text[],
                 $8::bytea[], $9::text[], $10::uuid[], $11::uuid[], $12::text[], $13::uuid[], $14::text[])
         ), p AS (
             INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
             SELECT * FROM unnest($15::uuid[], $16::smallint[], $17::uuid[], $18::bigint[], $19::text[], $20::numeric[], $21::numeric[])
         )
         UPDATE ledger.account a SET balance = n.balance, version = n.version
         FROM unnest($22::uuid[], $23::bigint[], $24::bigint[], $25::numeric[]) AS n(id, version_before, version, balance)
         WHERE a.id = n.id AND a.version = n.version_before",
        &ids,
        &ats,
        &days,
        &settings,
        &lines,
        &kinds as &[&str],
        &keys as &[&str],
        &hashes as &[&[u8]],
        &cause_kinds as &[&str],
        &causes,
        &orderers as &[Option<Uuid>],
        &modes as &[Option<&str>],
        &reverses as &[Option<Uuid>],
        &reasons as &[Option<&str>],
        &p_transfers,
        &p_lines,
        &p_accounts,
        &p_versions,
        &p_currencies as &[&str],
        &p_amounts as &[Amount],
        &p_balances as &[Amount],
        &a_ids,
        &a_befores,
        &a_versions,
        &a_balances as &[Amount],
    )
    .execute(conn)
    .await?
    .rows_affected();
    if updated != u64::try_from(a_ids.len()).unwrap_or(u64::MAX) {
        return Err(Error::internal("an account moved meanwhile"));
    }
    Ok(())
}

/// Balances and versions of rows; absent rows have never moved.
pub async fn balances(db: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<HashMap<Uuid, (Amount, i64)>, Error> {
    let rows = sqlx::query!(
        r#"SELECT id, balance AS "balance: Amount", version FROM ledger.account WHERE id = ANY($1)"#,
        ids
    )
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|r| (r.id, (r.balance, r.version))).collect())
}

/// What a reversal needs of the transfer that it undoes.
pub struct Original {
    pub kind: String,
    pub settings_version: i32,
    pub legs: Vec<OriginalLeg>,
}

pub struct OriginalLeg {
    pub account: Uuid,
    pub owner_kind: String,
    pub owner: Option<Uuid>,
    pub name: String,
    pub currency: String,
    pub amount: Amount,
}

pub async fn original(conn: &mut PgConnection, id: TransferId) -> Result<Option<Original>, Error> {
    let Some(t) = sqlx::query!(
        "SELECT kind, settings_version FROM ledger.transfer WHERE id = $1",
        id.0
    )
    .fetch_optional(&mut *conn)
    .await?
    else {
        return Ok(None);
    };
    let legs = sqlx::query_as!(
        OriginalLeg,
        r#"SELECT p.account, a.owner_kind, a.owner, a.name, p.currency, p.amount AS "amount: Amount"
           FROM ledger.posting p JOIN ledger.account a ON a.id = p.account WHERE p.transfer = $1 ORDER BY p.line"#,
        id.0
    )
    .fetch_all(conn)
    .await?;
    Ok(Some(Original {
        kind: t.kind,
        settings_version: t.settings_version,
        legs,
    }))
}

/// Lines of a user's accounts (and of given licences), newest first.
pub struct StatementFilter<'a> {
    pub owners: &'a [Uuid],
    pub kinds: Option<&'a [String]>,
    pub from: Option<OffsetDateTime>,
    pub before: Option<OffsetDateTime>,
    pub limit: i64,
    pub offset: i64,
}

pub async fn statement(
    db: impl PgExecutor<'_>,
    filter: &StatementFilter<'_>,
) -> Result<(Vec<StatementLine>, i64), Error> {
    let rows = sqlx::query!(
        r#"SELECT p.transfer, t.kind, t.at, t.cause_kind, t.cause, t.mode, t.reverses, a.name, a.owner AS "owner!", p.currency,
                  p.amount AS "amount: Amount", p.balance_after AS "balance_after: Amount", count(*) OVER () AS "total!"
           FROM ledger.account a
           JOIN ledger.posting p ON p.account = a.id
           JOIN ledger.transfer t ON t.id = p.transfer
           WHERE a.owner = ANY($1)
             AND ($2::text[] IS NULL OR t.kind = ANY($2))
             AND ($3::timestamptz IS NULL OR t.at >= $3) AND ($4::timestamptz IS NULL OR t.at < $4)
           ORDER BY t.at DESC, p.transfer DESC, p.line
           LIMIT $5 OFFSET $6"#,
        filter.owners,
        filter.kinds as Option<&[String]>,
        filter.from,
        filter.before,
        filter.limit,
        filter.offset
    )
    .fetch_all(db)
    .await?;
    let total = rows.first().map_or(0, |r| r.total);
    let lines = rows
        .into_iter()
        .filter_map(|r| {
            Some(StatementLine {
                transfer: TransferId(r.transfer),
                kind: TransferKind::read(&r.kind)?,
                at: r.at,
                cause_kind: r.cause_kind,
                cause: r.cause,
                mode: r.mode.and_then(|m| m.parse().ok()),
                reverses: r.reverses.map(TransferId),
                account: r.name,
                owner: r.owner,
                currency: Currency::read(&r.currency)?,
                amount: r.amount,
                balance_after: r.balance_after,
            })
        })
        .collect();
    Ok((lines, total))
}

/// A hold as stored.
pub struct HoldRow {
    pub account: Uuid,
    pub returns_to: Uuid,
    pub amount: Amount,
    pub cause_kind: String,
    pub cause: Uuid,
    pub expires_at: Option<OffsetDateTime>,
}

pub async fn insert_hold(
    conn: &mut PgConnection,
    id: HoldId,
    placed_by: TransferId,
    row: &HoldRow,
    now: OffsetDateTime,
) -> Result<(), Error> {
    sqlx::query!(
        "INSERT INTO ledger.hold (id, placed_by, account, returns_to, amount, cause_kind, cause, at, expires_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        id.0,
        placed_by.0,
        row.account,
        row.returns_to,
        row.amount as Amount,
        row.cause_kind,
        row.cause,
        now,
        row.expires_at
    )
    .execute(conn)
    .await?;
    Ok(())
}

pub async fn hold_placed_by(conn: &mut PgConnection, transfer: TransferId) -> Result<Option<HoldId>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT id FROM ledger.hold WHERE placed_by = $1", transfer.0)
            .fetch_optional(conn)
            .await?
            .map(HoldId),
    )
}

/// A hold with the owner and name of the account that it returns to.
pub async fn find_hold(
    conn: &mut PgConnection,
    id: HoldId,
) -> Result<Option<(HoldRow, Uuid, String)>, Error> {
    let row = sqlx::query!(
        r#"SELECT h.account, h.returns_to, h.amount AS "amount: Amount", h.cause_kind, h.cause, h.expires_at, a.owner AS "owner!", a.name
           FROM ledger.hold h JOIN ledger.account a ON a.id = h.returns_to WHERE h.id = $1"#,
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|r| {
        let hold = HoldRow {
            account: r.account,
            returns_to: r.returns_to,
            amount: r.amount,
            cause_kind: r.cause_kind,
            cause: r.cause,
            expires_at: r.expires_at,
        };
        (hold, r.owner, r.name)
    }))
}

/// `false` when the hold was resolved before; waits for a resolution that is under way.
pub async fn insert_resolution(
    conn: &mut PgConnection,
    hold: HoldId,
    transfer: TransferId,
    outcome: &str,
    used: Amount,
    now: OffsetDateTime,
) -> Result<bool, Error> {
    let written = sqlx::query!(
        "INSERT INTO ledger.hold_resolution (hold, transfer, outcome, used, at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
        hold.0,
        transfer.0,
        outcome,
        used as Amount,
        now
    )
    .execute(conn)
    .await?;
    Ok(written.rows_affected() == 1)
}

pub async fn expired_holds(
    conn: &mut PgConnection,
    now: OffsetDateTime,
    max: i64,
) -> Result<Vec<HoldId>, Error> {
    let ids = sqlx::query_scalar!(
        "SELECT h.id FROM ledger.hold h
         WHERE h.expires_at <= $1 AND NOT EXISTS (SELECT 1 FROM ledger.hold_resolution r WHERE r.hold = h.id)
         ORDER BY h.expires_at, h.id LIMIT $2",
        now,
        max
    )
    .fetch_all(conn)
    .await?;
    Ok(ids.into_iter().map(HoldId).collect())
}

/// The running transaction's number.
pub async fn current_xid(conn: &mut PgConnection) -> Result<String, Error> {
    Ok(
        sqlx::query_scalar!(r#"SELECT pg_current_xact_id()::text AS "xid!""#)
            .fetch_one(conn)
            .await?,
    )
}

/// `committed`, `aborted` or `in progress`; none for one too old to be known.
pub async fn xact_status(db: impl PgExecutor<'_>, xid: &str) -> Result<Option<String>, Error> {
    Ok(sqlx::query_scalar!("SELECT pg_xact_status($1::text::xid8)", xid)
        .fetch_one(db)
        .await?)
}

/// The sum of an account's credits by these kinds of transfers since then.
pub async fn received_since(
    conn: &mut PgConnection,
    account: Uuid,
    kinds: &[String],
    since: OffsetDateTime,
) -> Result<Amount, Error> {
    Ok(sqlx::query_scalar!(
        r#"SELECT COALESCE(sum(p.amount), 0)::numeric(38, 0) AS "sum!: Amount"
           FROM ledger.transfer t JOIN ledger.posting p ON p.transfer = t.id
           WHERE p.account = $1 AND p.amount > 0 AND t.at > $3 AND t.kind = ANY($2)"#,
        account,
        kinds,
        since
    )
    .fetch_one(conn)
    .await?)
}
