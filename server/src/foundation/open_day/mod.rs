//! The open business day: to which day final sales and gains belong (docs/rules/foundation.md#business-day).
//!
//! One row says which day is open; none is before the first closing. Whoever books holds a shared advisory lock from its look on until it
//! ends, whoever opens the next day the exclusive one: what is booked to a day is committed before that day is closed, and whoever
//! comes later sees the next one. Not a lock on the row (2026-11-24): each settlement would write it, and many at once leave lists of holders
//! behind that have to be cleaned up; an advisory lock writes nothing.

mod store;

use super::{business_day, transaction::Tx};
use crate::error::Error;
use time::Date;

/// The day to which what is booked now belongs: the later of the open day and today. Asked once in a change.
///
/// # Errors
/// Whatever the database refuses.
pub async fn of(tx: &mut Tx) -> Result<Date, Error> {
    if let Some(day) = tx.open_day() {
        return Ok(day);
    }
    let today = business_day::of(tx.now());
    let open = store::open_day(tx.conn()).await?;
    let day = open.map_or(today, |open| open.max(today));
    tx.set_open_day(day);
    Ok(day)
}

/// Whether a day has not been closed, which stays so until the change ends. Before the first closing none has.
///
/// # Errors
/// Whatever the database refuses.
pub async fn is_open(tx: &mut Tx, day: Date) -> Result<bool, Error> {
    Ok(store::open_day(tx.conn()).await?.is_none_or(|open| day >= open))
}

/// The open day, which stays the open one until the change ends unless this change opens the next: for closings. Waits for everything
/// that is being booked to it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn lock(tx: &mut Tx) -> Result<Option<Date>, Error> {
    store::lock_open_day(tx.conn()).await
}

/// Opens a day; call it under [`lock`]. Days follow one another.
///
/// # Errors
/// Whatever the database refuses.
pub async fn open(tx: &mut Tx, day: Date) -> Result<(), Error> {
    store::open(tx.conn(), day).await
}
