//! Bonuses of what was taken back: those that wait are dropped, those that were paid go back to the fund.

use super::{booking::FUND, service, store};
use crate::{
    error::Error,
    foundation::{context::Context, transaction::Tx},
    ledger::{
        model::{
            AccountRef, Cause, CauseKind, Currency, HouseAccount, Orderer, Transfer, TransferKind,
            UserAccount,
        },
        service as ledger,
    },
};
use protocol::{
    ids::{BonusId, UserId},
    money::Usdt,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is asked back of a bonus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Back {
    pub bonus: store::BookedBonus,
    /// Of what was earned; what was dropped or went back before is taken off already.
    pub amount: Usdt,
}

/// How what is asked back of a bonus is made up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Parts {
    dropped: Usdt,
    from_bonus: Usdt,
    from_available: Usdt,
    owed: Usdt,
}

/// What waits is dropped first, then `bonus` gives, then `available`; the rest is owed.
fn split(amount: Usdt, waiting: Usdt, bonus: Usdt, available: Usdt) -> Parts {
    let dropped = amount.min(waiting);
    let from_bonus = (amount - dropped).min(bonus.max(Usdt::ZERO));
    let from_available = (amount - dropped - from_bonus).min(available.max(Usdt::ZERO));
    Parts {
        dropped,
        from_bonus,
        from_available,
        owed: amount - dropped - from_bonus - from_available,
    }
}

/// Who bears what is no longer there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// The receiver owes it; it is posted against these losses, never into a fund.
    Owed(HouseAccount),
    /// It stays.
    Stays,
}

/// Works a reversal off, under the fund's lock.
pub(super) async fn work(context: &Context, tx: &mut Tx, cause: &store::Cause) -> Result<(), Error> {
    let now = tx.now();
    let back = match cause.licence {
        Some(licence) => store::of_sale(tx.conn(), licence)
            .await?
            .into_iter()
            .map(|bonus| Back {
                amount: bonus.earned(),
                bonus,
            })
            .collect(),
        None => of_capital(tx, cause).await?,
    };
    let losses = match cause.losses.as_deref() {
        Some("pix_losses") => HouseAccount::PixLosses,
        _ => HouseAccount::ChainLosses,
    };
    let key = cause.id.to_string();
    take(context, tx, &key, &back, Rest::Owed(losses)).await?;
    store::worked_off(tx.conn(), &[cause.seq], now).await
}

/// The level bonuses of rises before the reversal of which a part was undone: what has gone back before is taken off, so a rise that another
/// reversal undid as well is taken back once.
async fn of_capital(tx: &mut Tx, cause: &store::Cause) -> Result<Vec<Back>, Error> {
    let Some(since) = cause.since else {
        return Ok(Vec::new());
    };
    let bonuses = store::of_undone_rises(tx.conn(), cause.member, since, cause.seq).await?;
    Ok(bonuses
        .into_iter()
        .map(|(bonus, base, gone)| Back {
            amount: undone_part(bonus.whole, base, gone) - (bonus.whole - bonus.earned()),
            bonus,
        })
        .collect())
}

/// The part of a bonus whose base is gone to this part: rounded up, so that nothing is kept for what is not there.
fn undone_part(whole: Usdt, base: Usdt, gone: Usdt) -> Usdt {
    if base.is_positive() {
        whole.mul_div_ceil(gone.0, base.0).unwrap_or(whole).min(whole)
    } else {
        whole
    }
}

/// Takes parts of bonuses back, under the fund's lock.
pub(super) async fn take(
    context: &Context,
    tx: &mut Tx,
    key: &str,
    back: &[Back],
    rest: Rest,
) -> Result<Vec<BonusId>, Error> {
    let back: Vec<&Back> = back.iter().filter(|b| b.amount.is_positive()).collect();
    if back.is_empty() {
        return Ok(Vec::new());
    }
    let settings = context.settings.within(tx).await?;
    let receivers: BTreeSet<UserId> = back.iter().map(|b| b.bonus.receiver).collect();
    let user = AccountRef::User;
    let mut accounts: Vec<(AccountRef, Currency)> = vec![(FUND, Currency::Usdt)];
    if let Rest::Owed(losses) = rest {
        accounts.push((AccountRef::House(losses), Currency::Usdt));
    }
    for receiver in &receivers {
        for which in [UserAccount::Bonus, UserAccount::Available, UserAccount::Debt] {
            accounts.push((user(*receiver, which), Currency::Usdt));
        }
    }
    ledger::lock_accounts(tx, &accounts).await?;
    let mut holds: BTreeMap<UserId, (Usdt, Usdt)> = BTreeMap::new();
    for receiver in &receivers {
        let bonus = ledger::usdt_balance(tx.conn(), user(*receiver, UserAccount::Bonus)).await?;
        let available = ledger::usdt_balance(tx.conn(), user(*receiver, UserAccount::Available)).await?;
        holds.insert(*receiver, (bonus, available));
    }
    let mut waiting = store::lock_fund(tx.conn()).await?;
    let (mut transfers, mut changed, mut freed) = (Vec::new(), Vec::new(), Vec::new());
    for one in back {
        let receiver = one.bonus.receiver;
        let Some((bonus, available)) = holds.get_mut(&receiver) else {
            continue;
        };
        let mut parts = split(one.amount, one.bonus.waiting, *bonus, *available);
        if rest == Rest::Stays {
            parts.owed = Usdt::ZERO;
        }
        *bonus -= parts.from_bonus;
        *available -= parts.from_available;
        waiting -= parts.dropped;
        let returned = parts.from_bonus + parts.from_available + parts.owed;
        changed.push((one.bonus.id, parts.dropped, returned));
        freed.push((receiver, parts.dropped + returned));
        if !returned.is_positive() {
            continue;
        }
        let mut order = Transfer::new(
            TransferKind::ClawBack,
            format!("bonus-back:{}:{key}", one.bonus.id),
            Cause::new(CauseKind::Bonus, one.bonus.id.0),
            Orderer::System,
        )
        .settings(settings.version)
        .usdt(user(receiver, UserAccount::Bonus), -parts.from_bonus)
        .usdt(user(receiver, UserAccount::Available), -parts.from_available)
        .usdt(FUND, parts.from_bonus + parts.from_available);
        if let Rest::Owed(losses) = rest {
            order = order
                .usdt(user(receiver, UserAccount::Debt), -parts.owed)
                .usdt(AccountRef::House(losses), parts.owed);
        }
        transfers.push(order);
    }
    if !transfers.is_empty() {
        ledger::post_many(tx, transfers).await?;
    }
    store::take_back(tx.conn(), &changed).await?;
    store::free_ceilings(tx.conn(), &freed).await?;
    store::save_fund(tx.conn(), waiting).await?;
    let ids: Vec<BonusId> = changed.iter().map(|(id, _, _)| *id).collect();
    service::tell(tx, &ids).await?;
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn first_what_waits_then_the_bonus_then_the_balance() {
        let of = |amount, waiting, bonus, available| {
            let p = split(Usdt(amount), Usdt(waiting), Usdt(bonus), Usdt(available));
            (p.dropped.0, p.from_bonus.0, p.from_available.0, p.owed.0)
        };
        assert_eq!(of(10, 20, 20, 20), (10, 0, 0, 0));
        assert_eq!(of(10, 3, 4, 20), (3, 4, 3, 0));
        assert_eq!(of(10, 1, 2, 3), (1, 2, 3, 4));
    }

    proptest! {
        #[test]
        fn all_of_it_comes_from_somewhere(amount in 0i64..1_000, waiting in 0i64..1_000, bonus in 0i64..1_000, available in 0i64..1_000) {
            let p = split(Usdt(amount), Usdt(waiting), Usdt(bonus), Usdt(available));
            prop_assert_eq!((p.dropped + p.from_bonus + p.from_available + p.owed).0, amount);
            prop_assert!(p.dropped.0 <= waiting && p.from_bonus.0 <= bonus && p.from_available.0 <= available);
            prop_assert!(p.owed.is_zero() || (p.from_bonus.0 == bonus && p.from_available.0 == available));
        }

        /// Taken away step by step, all of a bonus has gone with all of its base, and never more of it.
        #[test]
        fn a_bonus_goes_with_its_base(whole in 1i64..1_000_000, parts in prop::collection::vec(1i64..1_000, 1..20)) {
            let base: i64 = parts.iter().sum();
            let (mut gone, mut back) = (0, 0);
            for part in parts {
                gone += part;
                let due = undone_part(Usdt(whole), Usdt(base), Usdt(gone)).0;
                prop_assert!(due >= back && due <= whole);
                back = due;
            }
            prop_assert_eq!(back, whole);
        }
    }
}
