//! How many sockets: per address and per node before they have said who they are, and per node at all.

use crate::{config::Config, runtime::lock};
use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

pub struct Limits {
    per_address: usize,
    strangers_max: usize,
    total_max: usize,
    total: AtomicUsize,
    strangers: Mutex<Strangers>,
}

#[derive(Default)]
struct Strangers {
    count: usize,
    by_address: HashMap<u64, usize>,
}

/// A socket's place; given back when dropped.
pub struct Admission {
    limits: Arc<Limits>,
    /// Set until the peer has said who it is.
    stranger: Option<u64>,
}

/// One key per IPv4 address and per IPv6 network of 64 bits, which is what one household or attacker has.
fn key(address: IpAddr) -> u64 {
    match address.to_canonical() {
        // The network ff..::/16 is multicast, never a peer.
        IpAddr::V4(v4) => 0xFF00_0000_0000_0000 | u64::from(v4.to_bits()),
        IpAddr::V6(v6) => u64::try_from(v6.to_bits() >> 64).unwrap_or_default(),
    }
}

impl Limits {
    #[must_use]
    pub fn new(config: &Config) -> Self {
        Self {
            per_address: config.unauthenticated_per_address,
            strangers_max: config.unauthenticated_per_node,
            total_max: config.sessions_per_node,
            total: AtomicUsize::new(0),
            strangers: Mutex::default(),
        }
    }

    /// A place for a socket from `address`, if there is one.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Admission> {
        let key = key(address);
        let mut strangers = lock(&self.strangers);
        if strangers.count >= self.strangers_max
            || self.total.load(Ordering::Relaxed) >= self.total_max
            || strangers
                .by_address
                .get(&key)
                .is_some_and(|n| *n >= self.per_address)
        {
            return None;
        }
        strangers.count += 1;
        *strangers.by_address.entry(key).or_default() += 1;
        self.total.fetch_add(1, Ordering::Relaxed);
        Some(Admission {
            limits: self.clone(),
            stranger: Some(key),
        })
    }

    #[must_use]
    pub fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    #[must_use]
    pub fn strangers(&self) -> usize {
        lock(&self.strangers).count
    }
}

impl Admission {
    /// The peer has said who it is.
    pub fn known(&mut self) {
        let Some(key) = self.stranger.take() else { return };
        let mut strangers = lock(&self.limits.strangers);
        strangers.count = strangers.count.saturating_sub(1);
        if let Some(n) = strangers.by_address.get_mut(&key) {
            *n -= 1;
            if *n == 0 {
                strangers.by_address.remove(&key);
            }
        }
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.known();
        self.limits.total.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(per_address: usize, strangers: usize, total: usize) -> Arc<Limits> {
        let mut config = Config::new(Arc::new(|| time::OffsetDateTime::UNIX_EPOCH));
        config.unauthenticated_per_address = per_address;
        config.unauthenticated_per_node = strangers;
        config.sessions_per_node = total;
        Arc::new(Limits::new(&config))
    }

    #[test]
    fn places_are_counted_and_given_back() {
        let limits = limits(2, 3, 4);
        let (a, b): (IpAddr, IpAddr) = ("10.0.0.1".parse().unwrap(), "2001:db8::1".parse().unwrap());
        let same_net: IpAddr = "2001:db8::ffff:1".parse().unwrap();
        let mut first = limits.admit(a).unwrap();
        let second = limits.admit(a).unwrap();
        assert!(limits.admit(a).is_none(), "two strangers of one address");
        let third = limits.admit(b).unwrap();
        assert!(limits.admit(same_net).is_none(), "three strangers");
        first.known();
        first.known();
        assert_eq!((limits.strangers(), limits.total()), (2, 3));
        let fourth = limits.admit(same_net).unwrap();
        drop(third);
        drop(fourth);
        assert_eq!((limits.strangers(), limits.total()), (1, 2));
        drop((first, second));
        assert_eq!((limits.strangers(), limits.total()), (0, 0));
        assert!(lock(&limits.strangers).by_address.is_empty());
    }
}
