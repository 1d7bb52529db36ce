//! One actor per open ticket: its messages, who has it open (on any node), who is typing.
//!
//! Presence is told by each node for its own sessions, on every change and again every 20 s; a node that falls silent for a
//! minute is taken for gone. It is a glimpse: never stored, and wrong for a moment at worst.

use crate::{
    bus::BusMessage,
    channel::{Effect, Role},
    ports::Identity,
};
use protocol::{
    Glimpse,
    glimpse::Present,
    ids::{NodeId, TicketId},
};
use std::{collections::BTreeMap, time::Duration};
use tokio::time::Instant;

const FORGET: Duration = Duration::from_secs(60);

pub struct Ticket {
    id: TicketId,
    /// Each of our sessions' person.
    here: Vec<(u64, Present)>,
    elsewhere: BTreeMap<NodeId, (Instant, Vec<Present>)>,
}

impl Ticket {
    #[must_use]
    pub const fn new(id: TicketId) -> Self {
        Self {
            id,
            here: vec![],
            elsewhere: BTreeMap::new(),
        }
    }

    /// Our people, each once.
    fn ours(&self) -> Vec<Present> {
        let once: BTreeMap<_, _> = self.here.iter().map(|(_, p)| (p.id, p.clone())).collect();
        once.into_values().collect()
    }

    /// Everyone, each once.
    fn everyone(&self) -> Vec<Present> {
        let here = self.here.iter().map(|(_, p)| p);
        let there = self.elsewhere.values().flat_map(|(_, users)| users);
        let once: BTreeMap<_, _> = here.chain(there).map(|p| (p.id, p.clone())).collect();
        once.into_values().collect()
    }

    fn show(&self) -> Effect {
        Effect::Show(Glimpse::Presence {
            ticket: self.id,
            users: self.everyone(),
        })
    }

    fn publish(&self) -> Effect {
        Effect::Publish(BusMessage::Presence {
            ticket: self.id,
            users: self.ours(),
        })
    }
}

impl Role for Ticket {
    fn joined(&mut self, session: u64, who: &Identity) -> Vec<Effect> {
        let first = self.here.is_empty();
        self.here.retain(|(s, _)| *s != session);
        self.here.push((
            session,
            Present {
                id: who.user,
                name: who.name.clone(),
                staff: who.staff,
            },
        ));
        let mut effects = vec![self.show(), self.publish()];
        if first {
            effects.push(Effect::Publish(BusMessage::PresenceAsked { ticket: self.id }));
        }
        effects
    }

    fn left(&mut self, session: u64) -> Vec<Effect> {
        let before = self.here.len();
        self.here.retain(|(s, _)| *s != session);
        if self.here.len() == before {
            vec![]
        } else {
            vec![self.show(), self.publish()]
        }
    }

    fn presence(&mut self, from: NodeId, users: Vec<Present>, now: Instant) -> Vec<Effect> {
        let before = self.everyone();
        if users.is_empty() {
            self.elsewhere.remove(&from);
        } else {
            self.elsewhere.insert(from, (now, users));
        }
        if self.everyone() == before {
            vec![]
        } else {
            vec![self.show()]
        }
    }

    fn presence_asked(&mut self) -> Vec<Effect> {
        if self.here.is_empty() {
            vec![]
        } else {
            vec![self.publish()]
        }
    }

    fn presence_due(&mut self, now: Instant) -> Vec<Effect> {
        let before = self.elsewhere.len();
        self.elsewhere
            .retain(|_, (heard, _)| now.duration_since(*heard) < FORGET);
        let mut effects = self.presence_asked();
        if self.elsewhere.len() != before {
            effects.push(self.show());
        }
        effects
    }

    fn fresh(&self) -> Box<dyn Role> {
        let mut fresh = Self::new(self.id);
        fresh.elsewhere.clone_from(&self.elsewhere);
        Box::new(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{
        ids::{SessionId, UserId},
        permission::Permissions,
    };

    fn who(name: &str, staff: bool) -> Identity {
        Identity {
            user: UserId::fresh(),
            session: SessionId::fresh(),
            name: name.into(),
            permissions: Permissions::NONE,
            staff,
            expires_at: time::OffsetDateTime::UNIX_EPOCH,
        }
    }
    fn shown(effects: &[Effect]) -> Option<Vec<String>> {
        effects.iter().find_map(|e| match e {
            Effect::Show(Glimpse::Presence { users, .. }) => {
                Some(users.iter().map(|u| u.name.clone()).collect())
            }
            _ => None,
        })
    }

    #[test]
    fn everyone_is_seen_once_wherever_they_are() {
        let mut ticket = Ticket::new(TicketId::fresh());
        let (ana, bia) = (who("Ana", false), who("Bia", true));
        assert_eq!(shown(&ticket.joined(1, &ana)), Some(vec!["Ana".into()]));
        // A second tab of the same person.
        assert_eq!(shown(&ticket.joined(2, &ana)), Some(vec!["Ana".into()]));
        let node = NodeId::fresh();
        let now = Instant::now();
        let there = vec![Present {
            id: bia.user,
            name: bia.name.clone(),
            staff: true,
        }];
        assert_eq!(
            shown(&ticket.presence(node, there.clone(), now)),
            Some(vec!["Ana".into(), "Bia".into()])
        );
        assert_eq!(shown(&ticket.presence(node, there, now)), None, "nothing new");
        assert_eq!(shown(&ticket.left(1)), Some(vec!["Ana".into(), "Bia".into()]));
        assert_eq!(shown(&ticket.left(2)), Some(vec!["Bia".into()]));
        assert!(ticket.left(2).is_empty());
        assert_eq!(shown(&ticket.presence_due(now + FORGET)), Some(vec![]));
    }
}
