//! One actor per staff queue. It carries what enters, changes and leaves the queue, and glimpses of who is about to decide on
//! what, so that two people do not open the same item. Queues may have several writers; the numbers keep their order.

use crate::channel::Role;

pub struct Queue;

impl Role for Queue {
    fn fresh(&self) -> Box<dyn Role> {
        Box::new(Self)
    }
}
