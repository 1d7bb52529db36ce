//! One actor per user who is connected to this node: balances, licences, robots, notifications. It carries facts, no more.

use crate::channel::Role;

pub struct User;

impl Role for User {
    fn fresh(&self) -> Box<dyn Role> {
        Box::new(Self)
    }
}
