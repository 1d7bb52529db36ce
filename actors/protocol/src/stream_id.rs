//! Names of the durable, numbered streams of facts.

pub use crate::queue::Queue;

use crate::ids::{TicketId, UserId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A stream of numbered facts: `user:{id}`, `ticket:{id}`, `queue:{name}` or `public`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamId {
    User(UserId),
    Ticket(TicketId),
    /// A queue with a stream of its own.
    Queue(Queue),
    /// Announcements to everyone who is signed in.
    Public,
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => write!(f, "user:{id}"),
            Self::Ticket(id) => write!(f, "ticket:{id}"),
            Self::Queue(queue) => write!(f, "queue:{}", queue.as_str()),
            Self::Public => f.write_str("public"),
        }
    }
}

impl FromStr for StreamId {
    type Err = ();
    fn from_str(s: &str) -> Result<Self, ()> {
        if s == "public" {
            return Ok(Self::Public);
        }
        match s.split_once(':').ok_or(())? {
            ("user", id) => id.parse().map(Self::User).map_err(|_| ()),
            ("ticket", id) => id.parse().map(Self::Ticket).map_err(|_| ()),
            ("queue", name) => Queue::ALL
                .iter()
                .find(|q| q.streams() && q.as_str() == name)
                .map(|q| Self::Queue(*q))
                .ok_or(()),
            _ => Err(()),
        }
    }
}

impl Serialize for StreamId {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for StreamId {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(d)?;
        text.parse().map_err(|()| de::Error::custom("unknown stream"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_back() {
        let queues = Queue::ALL.iter().filter(|q| q.streams());
        let others = [
            StreamId::User(UserId::fresh()),
            StreamId::Ticket(TicketId::fresh()),
            StreamId::Public,
        ];
        for stream in queues.map(|q| StreamId::Queue(*q)).chain(others) {
            assert_eq!(stream.to_string().parse(), Ok(stream));
        }
        // The last two have no stream of their own.
        for bad in [
            "",
            "user:",
            "user:x",
            "queue:x",
            "Public",
            "ticket",
            "queue:grants",
            "queue:holdings",
        ] {
            assert_eq!(bad.parse::<StreamId>(), Err(()));
        }
    }
}
