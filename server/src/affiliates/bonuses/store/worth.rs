//! SQL of what bonuses are worth, and of what is taken back of them.

use crate::error::Error;
use protocol::{
    ids::{BonusId, LicenceId, UserId},
    money::Usdt,
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// What a bonus that was booked is worth now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookedBonus {
    pub id: BonusId,
    pub receiver: UserId,
    /// What was ever earned of it.
    pub whole: Usdt,
    pub waiting: Usdt,
    /// Of what was paid, what was not taken back.
    pub kept: Usdt,
}

impl BookedBonus {
    /// What of it still stands: paid and kept, or waiting.
    pub fn earned(&self) -> Usdt {
        self.kept + self.waiting
    }
}

struct BookedRow {
    id: Uuid,
    receiver: Uuid,
    gross: i64,
    lost: i64,
    paid: i64,
    returned: i64,
    waiting: i64,
}

impl From<BookedRow> for BookedBonus {
    fn from(r: BookedRow) -> Self {
        Self {
            id: BonusId(r.id),
            receiver: UserId(r.receiver),
            whole: Usdt(r.gross - r.lost),
            waiting: Usdt(r.waiting),
            kept: Usdt(r.paid - r.returned),
        }
    }
}

/// What stands of a sale's bonuses.
pub async fn of_sale(conn: &mut PgConnection, licence: LicenceId) -> Result<Vec<BookedBonus>, Error> {
    let rows = sqlx::query_as!(
        BookedRow,
        "SELECT b.id, b.receiver, b.gross, b.lost, b.paid, b.returned, b.waiting
         FROM affiliates.cause c JOIN affiliates.bonus b ON b.cause = c.id
         WHERE c.licence = $1 AND c.kind = 'sale' AND (b.paid > b.returned OR b.waiting > 0) ORDER BY b.id",
        licence.0
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(BookedBonus::from).collect())
}

/// What stands of a review's bonuses.
pub async fn of_review(conn: &mut PgConnection, review: Uuid) -> Result<Vec<BookedBonus>, Error> {
    let rows = sqlx::query_as!(
        BookedRow,
        "SELECT id, receiver, gross, lost, paid, returned, waiting FROM affiliates.bonus WHERE review = $1 ORDER BY id",
        review
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(BookedBonus::from).collect())
}

/// What stands of the bonuses of a member's rises between a credit and its reversal of which a part is undone, with the rise and that part.
pub async fn of_undone_rises(
    conn: &mut PgConnection,
    member: UserId,
    since: OffsetDateTime,
    before: i64,
) -> Result<Vec<(BookedBonus, Usdt, Usdt)>, Error> {
    let rows = sqlx::query!(
        "SELECT b.id, b.receiver, b.gross, b.lost, b.paid, b.returned, b.waiting, c.base, c.undone
         FROM affiliates.cause c JOIN affiliates.bonus b ON b.cause = c.id
         WHERE c.member = $1 AND c.kind = 'allocation' AND c.at >= $2 AND c.seq < $3 AND c.undone > 0 ORDER BY b.id",
        member.0,
        since,
        before
    )
    .fetch_all(conn)
    .await?;
    Ok(rows
        .into_iter()
        .map(|r| {
            let bonus = BookedBonus::from(BookedRow {
                id: r.id,
                receiver: r.receiver,
                gross: r.gross,
                lost: r.lost,
                paid: r.paid,
                returned: r.returned,
                waiting: r.waiting,
            });
            (bonus, Usdt(r.base), Usdt(r.undone))
        })
        .collect())
}

/// Notes of bonuses what was dropped and what went back.
pub async fn take_back(conn: &mut PgConnection, changed: &[(BonusId, Usdt, Usdt)]) -> Result<(), Error> {
    let ids: Vec<Uuid> = changed.iter().map(|(id, _, _)| id.0).collect();
    let dropped: Vec<i64> = changed.iter().map(|(_, dropped, _)| dropped.0).collect();
    let returned: Vec<i64> = changed.iter().map(|(_, _, returned)| returned.0).collect();
    sqlx::query!(
        "UPDATE affiliates.bonus b SET waiting = b.waiting - n.dropped, dropped = b.dropped + n.dropped,
                returned = b.returned + n.returned, version = b.version + 1
         FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS n(id, dropped, returned) WHERE b.id = n.id",
        &ids,
        &dropped,
        &returned
    )
    .execute(conn)
    .await?;
    Ok(())
}
