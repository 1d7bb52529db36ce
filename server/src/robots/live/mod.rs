//! Live trading: triangles of one venue with real orders (docs/rules/desk.md#live-trading), off unless two persons have switched it on.
//!
//! Invariants: an operation, and each of its orders, is a committed row before the venue hears of it; an order is sent at most
//! once; whether one whose answer was lost exists is found out by its id, and it counts as never taken only when the venue
//! would no longer take it; nothing is ordered while a fate is open; what is begun is brought back and booked exactly once,
//! by the desk that began it or by the next one ([`service::recover`]). A demo never trades for real.
//!
//! Tables: live_switch, live_operation, live_order, live_fill, residue.

mod answers;
pub mod model;
pub mod routes;
pub mod service;
mod store;
pub mod switch;
pub mod venue;

use crate::config::Secret;
use crate::foundation::clock::SharedClock;
use std::{sync::Arc, time::Duration};
use url::Url;
use venue::{Venue, VenueError};

/// How long after its time the venue takes an order.
const WINDOW: Duration = Duration::from_secs(3);

/// The venue of this installation, where keys are configured, and whether its quotes are the desk's.
#[derive(Clone, Debug)]
pub struct Live {
    pub venue: Option<Arc<Venue>>,
    pub feed: bool,
}

impl Live {
    /// # Errors
    /// When there can be no HTTP client.
    pub fn new(
        keys: Option<(Secret, Secret)>,
        address: Url,
        clock: SharedClock,
        feed: bool,
    ) -> Result<Self, VenueError> {
        let venue = keys
            .map(|(key, secret)| Venue::new(address, key, secret, clock, WINDOW))
            .transpose()?
            .map(Arc::new);
        Ok(Self { venue, feed })
    }
}
