//! Whether two accounts belong together: by a device, a document or a payer that both have. Where a room above has to know it of many at once,
//! `approvals.shared_things` says the same in the database.

use super::{Flow, Movement, Reason, rules::Evidence, store};
use crate::{
    approvals::guard::Action,
    error::Error,
    foundation::{text, transaction::Tx},
    identity::service as identity,
    ledger::amount::Amount,
};
use protocol::{ids::UserId, money::Usdt};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use time::OffsetDateTime;

const RELATIONS: [Reason; 3] = [Reason::SameDevice, Reason::SameDocument, Reason::SamePayer];

/// What happened lately, as it was read.
pub struct Facts {
    pub outs_last_hour: i64,
    pub out_last_day: i64,
    pub in_last_day: Amount,
    pub device_accounts: i64,
    pub payer_accounts: i64,
    pub same_device: bool,
    pub same_document: bool,
    pub same_payer: bool,
    pub refused_before: bool,
}

impl Facts {
    /// The bonus of a rank is the house's money, and staff send it: what its member paid in and sent lately says nothing of it.
    pub fn evidence(self, movement: &Movement<'_>) -> Evidence {
        let own = movement.flow != Flow::Out(Action::GraduationBonus);
        Evidence {
            is_out: matches!(movement.flow, Flow::Out(_)),
            usdt: movement.usdt,
            outs_last_hour: if own { self.outs_last_hour } else { 0 },
            out_last_day: Usdt(self.out_last_day),
            in_last_day: own.then(|| Usdt::clamped(self.in_last_day.0)),
            payer_accounts: self.payer_accounts,
            device_accounts: self.device_accounts,
            related: relation(self.same_device, self.same_document, self.same_payer),
            refused_before: self.refused_before,
        }
    }
}

/// [`Facts`] from a row of the statements that read them, whose types differ.
macro_rules! facts {
    ($row:ident) => {
        $crate::approvals::compliance::Facts {
            outs_last_hour: $row.outs_last_hour,
            out_last_day: $row.out_last_day,
            in_last_day: $row.in_last_day,
            device_accounts: $row.device_accounts,
            payer_accounts: $row.payer_accounts,
            same_device: $row.same_device,
            same_document: $row.same_document,
            same_payer: $row.same_payer,
            refused_before: $row.refused_before,
        }
    };
}
pub(in crate::approvals) use facts;

/// Banks write one name with accents and without: it is one payer.
pub(super) fn fingerprint(payer: &str) -> [u8; 32] {
    let folded = text::folded(&payer.split_whitespace().collect::<Vec<_>>().join(" "));
    Sha256::digest(folded.as_bytes()).into()
}

/// Remembers who paid in to whom, at the credit.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_payer(tx: &mut Tx, user: UserId, payer: &str) -> Result<(), Error> {
    let now = tx.now();
    store::note_payer(tx.conn(), user, &fingerprint(payer), now).await
}

/// Remembers whose document this is, by its keyed fingerprint: the same document has the same one in every account. Call it where a
/// document is put on file.
///
/// # Errors
/// Whatever the database refuses.
pub async fn note_document(tx: &mut Tx, user: UserId, fingerprint: &[u8; 32]) -> Result<(), Error> {
    let now = tx.now();
    store::note_document(tx.conn(), user, fingerprint, now).await
}

/// A document was wrong and is no longer on file: it relates its account to nobody.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget_document(tx: &mut Tx, user: UserId) -> Result<(), Error> {
    store::forget_document(tx.conn(), user).await
}

/// Nothing relates people to anybody any more whose accounts are erased.
///
/// # Errors
/// Whatever the database refuses.
pub async fn forget(tx: &mut Tx, people: &[UserId]) -> Result<(), Error> {
    store::forget(tx.conn(), people).await
}

/// What relates the two accounts of each pair; strangers are absent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn related_among(
    tx: &mut Tx,
    pairs: &[(UserId, UserId)],
) -> Result<BTreeMap<(UserId, UserId), Vec<Reason>>, Error> {
    let mut related: BTreeMap<(UserId, UserId), Vec<Reason>> = BTreeMap::new();
    for pair in identity::sharing_devices(tx, pairs).await? {
        related.entry(pair).or_default().push(Reason::SameDevice);
    }
    for (pair, document, payer) in store::sharing(tx.conn(), pairs).await? {
        related
            .entry(pair)
            .or_default()
            .extend(relation(false, document, payer));
    }
    Ok(related)
}

/// Since when a device that two have used relates them, for a room above that asks `approvals.shared_things` together with what it knows of
/// these people: pairs of many who belong together are too many to be handed around.
#[must_use]
pub fn devices_since(tx: &Tx) -> OffsetDateTime {
    identity::related_since(tx)
}

/// What relates two, as `approvals.shared_things` and what was kept of it say it.
///
/// # Errors
/// A word of something else.
pub fn relations_named(words: &[String]) -> Result<Vec<Reason>, Error> {
    words.iter().map(|word| relation_named(word)).collect()
}

/// The same of one.
///
/// # Errors
/// A word of something else.
pub fn relation_named(word: &str) -> Result<Reason, Error> {
    let found = RELATIONS.into_iter().find(|reason| reason.as_str() == word);
    found.ok_or_else(|| Error::internal("an unknown relation of two"))
}

/// Everybody who shares a device, a document or a payer with somebody else, in groups of those who belong together over any number of
/// steps; accounts in the order of their ids, groups in that of their first.
///
/// # Errors
/// Whatever the database refuses.
pub async fn rings(tx: &mut Tx) -> Result<Vec<Vec<UserId>>, Error> {
    let mut shared = identity::shared_devices(tx).await?;
    shared.extend(store::shared(tx.conn()).await?);
    Ok(joined(&shared))
}

/// Joins groups that have somebody in common.
fn joined(groups: &[Vec<UserId>]) -> Vec<Vec<UserId>> {
    let mut above: BTreeMap<UserId, UserId> = BTreeMap::new();
    fn top(above: &mut BTreeMap<UserId, UserId>, mut at: UserId) -> UserId {
        while let Some(next) = above.get(&at).copied().filter(|next| *next != at) {
            // Half of the way is spared to the next who asks.
            let further = above.get(&next).copied().unwrap_or(next);
            above.insert(at, further);
            at = next;
        }
        at
    }
    for group in groups {
        let mut one = None;
        for member in group {
            above.entry(*member).or_insert(*member);
            let mine = top(&mut above, *member);
            match one {
                None => one = Some(mine),
                Some(other) => {
                    let (first, second) = (mine.min(other), mine.max(other));
                    above.insert(second, first);
                    one = Some(first);
                }
            }
        }
    }
    let members: Vec<UserId> = above.keys().copied().collect();
    let mut rings: BTreeMap<UserId, Vec<UserId>> = BTreeMap::new();
    for member in members {
        let first = top(&mut above, member);
        rings.entry(first).or_default().push(member);
    }
    rings.into_values().collect()
}

pub(super) fn relation(device: bool, document: bool, payer: bool) -> Vec<Reason> {
    RELATIONS
        .into_iter()
        .zip([device, document, payer])
        .filter_map(|(reason, is)| is.then_some(reason))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use uuid::Uuid;

    fn user(n: u8) -> UserId {
        UserId(Uuid::from_u128(n.into()))
    }

    #[test]
    fn a_payer_is_one_in_every_banks_spelling() {
        let name = fingerprint("João da Silva Conceição");
        for same in [
            "JOAO DA SILVA CONCEICAO",
            " joão  da silva conceição ",
            "Joa\u{303}o da Silva Conceição",
        ] {
            assert_eq!(fingerprint(same), name, "{same}");
        }
        assert_ne!(fingerprint("Joana da Silva Conceição"), name);
    }

    #[test]
    fn who_shares_with_one_of_a_ring_belongs_to_it() {
        let of = |groups: &[&[u8]]| {
            let groups: Vec<Vec<UserId>> = groups
                .iter()
                .map(|g| g.iter().copied().map(user).collect())
                .collect();
            joined(&groups)
        };
        assert_eq!(of(&[]), Vec::<Vec<UserId>>::new());
        assert_eq!(
            of(&[&[5, 1], &[2, 3], &[9, 5], &[3, 4, 2]]),
            [vec![user(1), user(5), user(9)], vec![user(2), user(3), user(4)]]
        );
    }

    proptest! {
        /// Two are in one ring when a chain of groups leads from one to the other, and only then.
        #[test]
        fn rings_are_what_chains_of_groups_join(groups in prop::collection::vec(prop::collection::btree_set(0u8..20, 2..4), 0..12)) {
            let mut naive: Vec<BTreeSet<u8>> = Vec::new();
            for group in &groups {
                let (touched, apart): (Vec<_>, Vec<_>) = naive.into_iter().partition(|g| !g.is_disjoint(group));
                naive = apart;
                naive.push(touched.into_iter().flatten().chain(group.iter().copied()).collect());
            }
            let mut naive: Vec<Vec<UserId>> = naive.into_iter().map(|g| g.into_iter().map(user).collect()).collect();
            naive.sort();
            let groups: Vec<Vec<UserId>> = groups.into_iter().map(|g| g.into_iter().map(user).collect()).collect();
            prop_assert_eq!(joined(&groups), naive);
        }
    }
}
