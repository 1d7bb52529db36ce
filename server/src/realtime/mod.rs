//! Between the database and the sockets: the gateway takes connections, the relay brings committed facts to the actors,
//! replay answers what a reconnecting client missed, the doorkeeper says who may listen to what.
//!
//! Invariants: a fact is delivered only after its commit; what the direct way misses the outbox poll finds within a second;
//! every subscription is checked against the database. No tables of its own.

mod doorkeeper;
pub mod measuring;
pub mod relay;
mod replay;
pub mod routes;
mod signals;

pub use doorkeeper::Doorkeeper;
pub use relay::Relay;
pub use replay::OutboxReplay;
pub use signals::signals;

use crate::foundation::context::Context;
use actors::{Config, Ports, Realtime, bus::Bus};
use std::sync::Arc;

/// Starts the real-time part of this node over the context; the caller runs [`relay::poll`] as well.
///
/// Must be called on a running actix system.
#[must_use]
pub fn start(context: &Context, config: Config, bus: Arc<dyn Bus>) -> Realtime {
    let doorkeeper = Arc::new(Doorkeeper::new(context.clone()));
    let ports = Ports {
        replay: Arc::new(OutboxReplay::new(context.db.clone())),
        gatekeeper: doorkeeper.clone(),
        inbound: doorkeeper,
    };
    let realtime = Realtime::start(config, ports, bus);
    context.db.listen(Arc::new(Relay::new(realtime.clone())));
    realtime
}

/// The actors' configuration for this context's clock.
#[must_use]
pub fn config(context: &Context) -> Config {
    let clock = context.clock.clone();
    Config::new(Arc::new(move || clock.now()))
}
