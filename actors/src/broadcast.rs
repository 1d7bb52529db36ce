//! Announcements to everyone: one actor for the largest audience of the node.

use crate::channel::Role;

pub struct Public;

impl Role for Public {
    fn fresh(&self) -> Box<dyn Role> {
        Box::new(Self)
    }
}
