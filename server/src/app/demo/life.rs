//! The demo's network lives: now and then somebody comes, buys or puts more into a licence. Bounded: [`cast::NEWCOMERS`] are all who come,
//! a neighbour has [`MOST_LICENCES`] at most and spends what was paid in before. No money of whoever tries the demo moves by it: who buys
//! has come by the house's link, so that a sale brings points to the legs above and bonuses to the house alone. Nor is anything approved:
//! what administrators may still decide alone today is theirs.

use protocol::{
    ErrorCode,
    ids::NodeId,
    money::Usdt,
    views::{LicenceState, LicenceView},
};
use rand::{
    Rng,
    seq::{IndexedRandom, SliceRandom},
};
use time::Duration;
use tokio_util::sync::CancellationToken;

use super::{
    cast,
    member::{Licence, Member},
    network,
};
use crate::{
    error::Error,
    foundation::{context::Context, lease},
};

/// Held by the node on which the network lives.
const LEASE: &str = "demo.life";
/// Between two moves while somebody is likely to look, and later.
const OFTEN: std::time::Duration = std::time::Duration::from_secs(25);
const SELDOM: std::time::Duration = std::time::Duration::from_secs(180);
/// So many moves of a node come often.
const AT_FIRST: u32 = 24;
/// Longer than any pause: who lives goes on living.
const LEASE_LIFE: Duration = Duration::seconds(240);

const MOST_LICENCES: usize = 3;
/// What is bought while the demo runs, with what is put into it.
const BOUGHT: [Licence; 3] = [
    Licence::saved(50, 60),
    Licence::saved(100, 120),
    Licence::saved(250, 200),
];

/// Moves now and then until told to stop, on one node at a time.
pub async fn run(context: Context, stop: CancellationToken) {
    let node = NodeId::fresh();
    let mut moves = 0;
    loop {
        let pause = if moves < AT_FIRST { OFTEN } else { SELDOM };
        if stop
            .run_until_cancelled(tokio::time::sleep(pause))
            .await
            .is_none()
        {
            break;
        }
        match turn(&context, node).await {
            Ok(true) => moves += 1,
            Ok(false) => moves = AT_FIRST,
            Err(error) => {
                tracing::debug!(?error, "the demo's network rests");
                moves = AT_FIRST;
            }
        }
    }
    if let Err(error) = rest(&context, node).await {
        tracing::debug!(?error, "the lease on the demo's network runs out by itself");
    }
}

/// Lets another node go on.
async fn rest(context: &Context, node: NodeId) -> Result<(), Error> {
    let pool = context.db.pool();
    if let Some(lease) = lease::acquire(pool, LEASE, node, context.now(), LEASE_LIFE).await? {
        lease::release(pool, &lease, context.now()).await?;
    }
    Ok(())
}

/// A move of this node, if it is the one that moves; whether something moved.
///
/// # Errors
/// What the services refuse: somebody has changed what the demo's people are.
pub async fn turn(context: &Context, node: NodeId) -> Result<bool, Error> {
    let pool = context.db.pool();
    if lease::acquire(pool, LEASE, node, context.now(), LEASE_LIFE)
        .await?
        .is_none()
    {
        return Ok(false);
    }
    if rand::rng().random_ratio(1, 3) && comes(context).await? {
        return Ok(true);
    }
    let mut neighbours: Vec<&str> = cast::neighbours().collect();
    neighbours.shuffle(&mut rand::rng());
    for username in neighbours {
        let Some(member) = Member::find(context, username).await? else {
            continue;
        };
        let licences = member.licences(context).await?;
        let holdings: Vec<Holding> = licences.iter().map(Holding::of).collect();
        let done = match wish(&holdings, rand::rng().random()) {
            Some(Wish::Buy) => {
                let fresh = BOUGHT.choose(&mut rand::rng()).copied().unwrap_or(BOUGHT[0]);
                member.buy(context, None, &[fresh]).await
            }
            Some(Wish::Add { place, value }) => match licences.get(place) {
                Some(licence) => member.add(context, licence, value).await,
                None => continue,
            },
            None => continue,
        };
        match done {
            Ok(()) => return Ok(true),
            // All of what was paid in is in licences: somebody else.
            Err(error) if error.error_code() == ErrorCode::BalanceInsufficient => {}
            Err(error) => return Err(error),
        }
    }
    comes(context).await
}

/// A licence, in whole USDT.
#[derive(Clone, Copy, Debug)]
struct Holding {
    active: bool,
    value: i64,
    /// What may still be put into it.
    room: i64,
}

impl Holding {
    fn of(licence: &LicenceView) -> Self {
        let room = licence.allocation_limit - licence.topup - licence.allocated;
        Self {
            active: licence.state == LicenceState::Active,
            value: licence.value.0 / Usdt::ONE,
            room: room.0 / Usdt::ONE,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Buy,
    Add { place: usize, value: i64 },
}

/// What somebody does next: another licence, or as much as a licence's value into one that has room for it. Nothing when all are there and
/// full.
fn wish(holdings: &[Holding], rather_buys: bool) -> Option<Wish> {
    let buy = (holdings.len() < MOST_LICENCES).then_some(Wish::Buy);
    let add = holdings
        .iter()
        .position(|h| h.active && h.room >= h.value)
        .and_then(|place| {
            holdings.get(place).map(|h| Wish::Add {
                place,
                value: h.value,
            })
        });
    if rather_buys || holdings.is_empty() {
        buy.or(add)
    } else {
        add.or(buy)
    }
}

/// The next who comes; `false` when all are there.
async fn comes(context: &Context) -> Result<bool, Error> {
    for (username, who) in &cast::NEWCOMERS {
        if network::join(context, username, who).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever somebody would rather do, it ends: after three licences and five times the value of each.
        #[test]
        fn a_neighbour_comes_to_rest(coins in prop::collection::vec(any::<bool>(), 40..60)) {
            let mut holdings: Vec<Holding> = Vec::new();
            let mut moves = 0;
            for coin in coins {
                match wish(&holdings, coin) {
                    Some(Wish::Buy) => holdings.push(Holding { active: true, value: 100, room: 380 }),
                    Some(Wish::Add { place, value }) => holdings[place].room -= value,
                    None => break,
                }
                moves += 1;
                prop_assert!(holdings.iter().all(|h| h.room >= 0));
            }
            prop_assert_eq!(moves, MOST_LICENCES * 4);
            prop_assert_eq!((wish(&holdings, true), wish(&holdings, false)), (None, None));
        }
    }
}
