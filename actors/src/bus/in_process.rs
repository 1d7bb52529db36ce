//! The bus of nodes that live in one process: the default without Redis, and the tests' way to have several nodes.

use super::{Bus, BusMessage, Sink};
use crate::runtime::lock;
use protocol::ids::NodeId;
use std::sync::{Arc, Mutex};

/// What the nodes of one process share.
#[derive(Clone, Default)]
pub struct Hub(Arc<Mutex<Vec<(NodeId, Sink)>>>);

impl Hub {
    /// A node's place at the hub.
    #[must_use]
    pub fn node(&self, node: NodeId) -> Arc<InProcess> {
        Arc::new(InProcess {
            node,
            hub: self.clone(),
        })
    }
}

pub struct InProcess {
    node: NodeId,
    hub: Hub,
}

impl InProcess {
    /// The bus of a node that is alone.
    #[must_use]
    pub fn alone() -> Arc<Self> {
        Hub::default().node(NodeId::fresh())
    }
}

impl Bus for InProcess {
    fn publish(&self, message: BusMessage) {
        let others: Vec<Sink> = lock(&self.hub.0)
            .iter()
            .filter(|(node, _)| *node != self.node)
            .map(|(_, sink)| sink.clone())
            .collect();
        for sink in others {
            sink(self.node, message.clone());
        }
    }

    fn attach(&self, sink: Sink) {
        lock(&self.hub.0).push((self.node, sink));
    }

    fn connected(&self) -> bool {
        true
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        lock(&self.hub.0).retain(|(node, _)| *node != self.node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bus::Control;

    #[test]
    fn everyone_else_hears_it() {
        let hub = Hub::default();
        let nodes = [(); 3].map(|()| NodeId::fresh());
        let heard: Arc<Mutex<Vec<(NodeId, NodeId)>>> = Arc::default();
        let buses = nodes.map(|node| {
            let bus = hub.node(node);
            let heard = heard.clone();
            bus.attach(Arc::new(move |from, _| lock(&heard).push((node, from))));
            bus
        });
        let word = BusMessage::Control(Control::Invalidate("prices".into()));
        buses[1].publish(word.clone());
        assert_eq!(*lock(&heard), [(nodes[0], nodes[1]), (nodes[2], nodes[1])]);
        let [a, b, c] = buses;
        drop((a, c));
        b.publish(word);
        assert_eq!(lock(&heard).len(), 2);
    }
}
