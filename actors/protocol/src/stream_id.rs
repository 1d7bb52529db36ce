//! Names of the durable, numbered streams of facts.

use crate::ids::{TicketId, UserId};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// A staff queue with a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Queue {
    PixDeposits,
    PixWithdrawals,
    CryptoDeposits,
    /// Transfers between members that the compliance rules held.
    Transfers,
    /// Cases of the compliance rules.
    Compliance,
    CryptoWithdrawals,
    Tickets,
    /// Changes of settings and plans.
    Settings,
    /// Revenue of pools that waits for its second person.
    PoolRevenue,
}

impl Queue {
    pub const ALL: &'static [Self] = &[
        Self::PixDeposits,
        Self::PixWithdrawals,
        Self::CryptoDeposits,
        Self::Transfers,
        Self::Compliance,
        Self::CryptoWithdrawals,
        Self::Tickets,
        Self::Settings,
        Self::PoolRevenue,
    ];
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::PixDeposits => "pix-deposits",
            Self::PixWithdrawals => "pix-withdrawals",
            Self::CryptoDeposits => "crypto-deposits",
            Self::Transfers => "transfers",
            Self::Compliance => "compliance",
            Self::CryptoWithdrawals => "crypto-withdrawals",
            Self::Tickets => "tickets",
            Self::Settings => "settings",
            Self::PoolRevenue => "pool-revenue",
        }
    }
}

/// A stream of numbered facts: `user:{id}`, `ticket:{id}`, `queue:{name}` or `public`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamId {
    User(UserId),
    Ticket(TicketId),
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
                .find(|q| q.as_str() == name)
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
        for stream in [
            StreamId::User(UserId::fresh()),
            StreamId::Ticket(TicketId::fresh()),
            StreamId::Queue(Queue::PixDeposits),
            StreamId::Queue(Queue::PixWithdrawals),
            StreamId::Queue(Queue::Transfers),
            StreamId::Queue(Queue::Compliance),
            StreamId::Queue(Queue::Tickets),
            StreamId::Public,
        ] {
            assert_eq!(stream.to_string().parse(), Ok(stream));
        }
        for bad in ["", "user:", "user:x", "queue:x", "Public", "ticket"] {
            assert_eq!(bad.parse::<StreamId>(), Err(()));
        }
    }
}
