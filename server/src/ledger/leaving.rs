//! Who closes their account holds all that can be booked to: whoever books at the same moment comes before, and is seen, or after, and finds
//! it closed (docs/rules/ledger.md#closed-accounts).

use super::{
    account::{AccountRef, UserAccount},
    amount::Currency,
    booking::NewAccount,
    store,
};
use crate::{error::Error, foundation::transaction::Tx};
use protocol::ids::{LicenceId, UserId};
use uuid::Uuid;

/// What others can book to without the owner having had anything there before.
const ACCOUNTS: [(UserAccount, Currency); 8] = [
    (UserAccount::Available, Currency::Usdt),
    (UserAccount::Held, Currency::Usdt),
    (UserAccount::Bonus, Currency::Usdt),
    (UserAccount::Sponsored, Currency::Usdt),
    (UserAccount::Debt, Currency::Usdt),
    (UserAccount::Pyx, Currency::Pyx),
    (UserAccount::PyxLocked, Currency::Pyx),
    (UserAccount::PyxHeld, Currency::Pyx),
];

/// Makes the rows of a person's accounts, so that [`hold_all`] holds them: a row that another makes meanwhile would be nobody's. In a
/// transaction of its own, committed before that one begins: who makes rows waits for others who make the same.
///
/// # Errors
/// Whatever the database refuses.
pub async fn make_rows(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    let mut rows: Vec<NewAccount> = ACCOUNTS
        .iter()
        .map(|(which, currency)| {
            let account = AccountRef::User(user, *which);
            NewAccount {
                id: account.row_id(*currency, 0),
                account,
                currency: *currency,
                stripe: 0,
            }
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.id);
    store::create(tx.conn(), &rows).await
}

/// Holds every account of a person and of their licences until the change ends, without waiting: `false` when somebody is booking to one of
/// them at this moment. Who books may be waiting for the person's own row, which the caller has.
///
/// # Errors
/// Whatever the database refuses.
pub async fn hold_all(tx: &mut Tx, user: UserId, licences: &[LicenceId]) -> Result<bool, Error> {
    let owners: Vec<Uuid> = std::iter::once(user.0)
        .chain(licences.iter().map(|licence| licence.0))
        .collect();
    store::lock_all(tx.conn(), &owners).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_are_told_apart_and_kept_in_their_currency() {
        let user = UserId::fresh();
        let mut ids: Vec<Uuid> = ACCOUNTS
            .iter()
            .map(|(which, currency)| {
                let account = AccountRef::User(user, *which);
                assert!(account.accepts(*currency), "{which:?}");
                account.row_id(*currency, 0)
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), ACCOUNTS.len());
    }
}
