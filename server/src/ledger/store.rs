//! SQL of the ledger's books. Statements take whole sets: a thousand transfers are four round trips.

use super::{
    account::Bound,
    amount::{Amount, Currency},
    booking::{NewAccount, NewHoldRow, Order},
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

/// What a row says in place of its owner's kind when it tells that its owner has closed their account.
const CLOSED: &str = "closed";

/// Locks rows in the order of their ids until the transaction ends, and says whether one of the keys was booked before. That, and whose owners
/// have closed their accounts, is asked behind the locks. Those of `fresh` that do not exist are created before anything is held.
pub async fn lock(
    conn: &mut PgConnection,
    ids: &[Uuid],
    fresh: &[NewAccount],
    keys: &[String],
    books: &mut Books,
) -> Result<bool, Error> {
    let Columns {
        ids: fresh_ids,
        kinds,
        owners,
        names,
        currencies,
        stripes,
        bounds,
    } = Columns::of(fresh);
    let rows = sqlx::query!(
        r#"SELECT id, owner_kind AS "owner_kind!", owner, name AS "name!", bound AS "bound!", balance AS "balance!: Amount",
                  version AS "version!"
           FROM ledger.lock_accounts($1, $2, $3, $4, $5, $6, $7, $8, $9)"#,
        ids,
        &fresh_ids,
        &kinds as &[&str],
        &owners as &[Option<Uuid>],
        &names,
        &currencies as &[&str],
        &stripes,
        &bounds,
        keys
    )
    .fetch_all(conn)
    .await?;
    let mut known = false;
    for row in rows {
        let Some(id) = row.id else {
            known = true;
            continue;
        };
        if row.owner_kind == CLOSED {
            books.close(id);
            continue;
        }
        AccountRow {
            id,
            owner_kind: row.owner_kind,
            owner: row.owner,
            name: row.name,
            bound: row.bound,
            balance: row.balance,
            version: row.version,
        }
        .enter(books);
    }
    Ok(known)
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

/// New accounts, a column each.
struct Columns {
    ids: Vec<Uuid>,
    kinds: Vec<&'static str>,
    owners: Vec<Option<Uuid>>,
    names: Vec<String>,
    currencies: Vec<&'static str>,
    stripes: Vec<i16>,
    bounds: Vec<i16>,
}

impl Columns {
    fn of(accounts: &[NewAccount]) -> Self {
        Self {
            ids: accounts.iter().map(|a| a.id).collect(),
            kinds: accounts.iter().map(|a| a.account.owner_kind()).collect(),
            owners: accounts.iter().map(|a| a.account.owner()).collect(),
            names: accounts.iter().map(|a| a.account.name().into_owned()).collect(),
            currencies: accounts.iter().map(|a| a.currency.as_str()).collect(),
            stripes: accounts.iter().map(|a| a.stripe).collect(),
            bounds: accounts.iter().map(|a| a.account.bound().as_i16()).collect(),
        }
    }
}

/// Creates empty accounts, in the order of their ids; those that exist stay as they are.
pub async fn create(conn: &mut PgConnection, accounts: &[NewAccount]) -> Result<(), Error> {
    let Columns {
        ids,
        kinds,
        owners,
        names,
        currencies,
        stripes,
        bounds,
    } = Columns::of(accounts);
    sqlx::query!(
        "INSERT INTO ledger.account (id, owner_kind, owner, name, currency, stripe, bound)
         SELECT n.* FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::smallint[], $7::smallint[])
             AS n(id, owner_kind, owner, name, currency, stripe, bound)
         WHERE NOT EXISTS (SELECT FROM ledger.account a WHERE a.id = n.id) ORDER BY n.id
         ON CONFLICT (id) DO NOTHING",
        &ids,
        &kinds as &[&str],
        &owners as &[Option<Uuid>],
        &names,
        &currencies as &[&str],
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

/// Writes transfers, their postings, the accounts' new balances and the holds that are placed. One statement: the database checks it as a
/// whole.
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
    let (mut modes, mut reverses, mut parts, mut reasons) = (
        Vec::with_capacity(n),
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
        lines.push(i32::try_from(posted.legs.len()).unwrap_or(i32::MAX));
        kinds.push(order.kind.as_str());
        keys.push(order.key.as_str());
        hashes.push(order.hash.as_slice());
        cause_kinds.push(order.cause.kind.as_str());
        causes.push(order.cause.id);
        orderers.push(order.orderer.id());
        modes.push(order.mode.map(Mode::as_str));
        reverses.push(order.reverses.map(|r| r.0));
        parts.push(order.part);
        reasons.push(order.reason.as_deref());
        for (line, (leg, ordered)) in (0i32..).zip(posted.legs.iter().zip(&order.legs)) {
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
    let holds: Vec<(&Order, &NewHoldRow)> = booked
        .iter()
        .filter_map(|(order, _)| Some((*order, order.hold.as_ref()?)))
        .collect();
    let h_ids: Vec<Uuid> = holds.iter().map(|(_, h)| h.id.0).collect();
    let h_transfers: Vec<Uuid> = holds.iter().map(|(o, _)| o.id.0).collect();
    let h_accounts: Vec<Uuid> = holds.iter().map(|(_, h)| h.account).collect();
    let h_returns: Vec<Uuid> = holds.iter().map(|(_, h)| h.returns_to).collect();
    let h_amounts: Vec<Amount> = holds.iter().map(|(_, h)| h.amount).collect();
    let h_expiries: Vec<Option<OffsetDateTime>> = holds.iter().map(|(_, h)| h.expires_at).collect();
    let updated = sqlx::query!(
        "WITH t AS (
             INSERT INTO ledger.transfer
                 (id, at, business_day, settings_version, lines, kind, key, hash, cause_kind, cause, orderer, mode, reverses, part, reason)
             SELECT * FROM unnest($1::uuid[], $2::timestamptz[], $3::date[], $4::int[], $5::int[], $6::text[], $7::text[],
                 $8::bytea[], $9::text[], $10::uuid[], $11::uuid[], $12::text[], $13::uuid[], $26::uuid[], $14::text[])
         ), p AS (
             INSERT INTO ledger.posting (transfer, line, account, version, currency, amount, balance_after)
             SELECT * FROM unnest($15::uuid[], $16::int[], $17::uuid[], $18::bigint[], $19::text[], $20::numeric[], $21::numeric[])
         ), h AS (
             INSERT INTO ledger.hold (id, placed_by, account, returns_to, amount, cause_kind, cause, at, expires_at)
             SELECT n.id, n.transfer, n.account, n.returns_to, n.amount, o.cause_kind, o.cause, o.at, n.expires_at
             FROM unnest($27::uuid[], $28::uuid[], $29::uuid[], $30::uuid[], $31::numeric[], $32::timestamptz[])
                  AS n(id, transfer, account, returns_to, amount, expires_at)
             JOIN unnest($1::uuid[], $2::timestamptz[], $9::text[], $10::uuid[]) AS o(id, at, cause_kind, cause) ON o.id = n.transfer
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
        &parts as &[Option<Uuid>],
        &h_ids,
        &h_transfers,
        &h_accounts,
        &h_returns,
        &h_amounts as &[Amount],
        &h_expiries as &[Option<OffsetDateTime>],
    )
    .execute(conn)
    .await?
    .rows_affected();
    if updated != u64::try_from(a_ids.len()).unwrap_or(u64::MAX) {
        return Err(Error::internal("an account moved meanwhile"));
    }
    Ok(())
}

/// Locks all accounts of these owners until the transaction ends, without waiting for anybody: `false` when one is in somebody's hands.
pub async fn lock_all(conn: &mut PgConnection, owners: &[Uuid]) -> Result<bool, Error> {
    let free = sqlx::query_scalar!(
        "SELECT id FROM ledger.account WHERE owner = ANY($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED",
        owners
    )
    .fetch_all(&mut *conn)
    .await?;
    let all = sqlx::query_scalar!(
        r#"SELECT count(*) AS "all!" FROM ledger.account WHERE owner = ANY($1)"#,
        owners
    )
    .fetch_one(conn)
    .await?;
    Ok(i64::try_from(free.len()) == Ok(all))
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

pub async fn hold_placed_by(conn: &mut PgConnection, transfer: TransferId) -> Result<Option<HoldId>, Error> {
    Ok(
        sqlx::query_scalar!("SELECT id FROM ledger.hold WHERE placed_by = $1", transfer.0)
            .fetch_optional(conn)
            .await?
            .map(HoldId),
    )
}

/// A hold that is to end with a transfer.
pub struct Ending {
    pub hold: HoldId,
    pub transfer: TransferId,
    pub outcome: &'static str,
    /// None: all of it.
    pub used: Option<Amount>,
    /// Only before its time is over.
    pub in_time: bool,
}

/// A hold as stored, with the owner and name of the account that it returns to.
pub struct EndingHold {
    pub amount: Amount,
    pub owner: Uuid,
    pub name: String,
    /// What is used is there, and its time is not over where that counts.
    pub fits: bool,
    /// It ends now: nobody had ended it before.
    pub ends: bool,
}

/// Writes down how holds end, each once, unless what is to be used is not there; waits for those who end the same at this moment. Holds that
/// do not exist are absent from the answer.
pub async fn end_holds(
    conn: &mut PgConnection,
    endings: &[Ending],
    now: OffsetDateTime,
) -> Result<HashMap<HoldId, EndingHold>, Error> {
    let holds: Vec<Uuid> = endings.iter().map(|e| e.hold.0).collect();
    let transfers: Vec<Uuid> = endings.iter().map(|e| e.transfer.0).collect();
    let outcomes: Vec<&str> = endings.iter().map(|e| e.outcome).collect();
    let used: Vec<Option<Amount>> = endings.iter().map(|e| e.used).collect();
    let in_time: Vec<bool> = endings.iter().map(|e| e.in_time).collect();
    let rows = sqlx::query!(
        r#"WITH asked AS (
               SELECT h.id, h.amount, h.returns_to, e.transfer, e.outcome, coalesce(e.used, h.amount) AS used,
                      coalesce(e.used, h.amount) <= h.amount AND (e.outcome <> 'posted' OR coalesce(e.used, h.amount) > 0)
                      AND (NOT e.in_time OR h.expires_at IS NULL OR h.expires_at > $6) AS fits
               FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::numeric[], $5::bool[]) AS e(hold, transfer, outcome, used, in_time)
               JOIN ledger.hold h ON h.id = e.hold
           ), ended AS (
               INSERT INTO ledger.hold_resolution (hold, transfer, outcome, used, at)
               SELECT id, transfer, outcome, used, $6 FROM asked WHERE fits ORDER BY id
               ON CONFLICT DO NOTHING RETURNING hold
           )
           SELECT a.id AS "id!", a.amount AS "amount!: Amount", o.owner AS "owner!", o.name AS "name!", a.fits AS "fits!", ended.hold IS NOT NULL AS "ends!"
           FROM asked a JOIN ledger.account o ON o.id = a.returns_to LEFT JOIN ended ON ended.hold = a.id"#,
        &holds,
        &transfers,
        &outcomes as &[&str],
        &used as &[Option<Amount>],
        &in_time,
        now
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let hold = EndingHold {
                amount: r.amount,
                owner: r.owner,
                name: r.name,
                fits: r.fits,
                ends: r.ends,
            };
            (HoldId(r.id), hold)
        })
        .collect())
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
