//! What owners of tickets hear, and who has taken one: pure.

use super::{Line, News};
use protocol::{
    LiveEvent,
    ids::{TicketId, UserId},
    views::{TicketSide, TicketStatus, TicketView},
};
use serde_json::json;

/// What a fact of a ticket's own stream asks for.
pub(super) fn told(ticket: TicketId, event: &LiveEvent) -> News {
    match event {
        LiveEvent::TicketMessage { message } => {
            let (number, by) = (message.number, message.author_name.clone());
            match message.side {
                TicketSide::Staff => News::Reply {
                    ticket,
                    number,
                    by,
                    mailed: message.mailed_to.is_some(),
                },
                TicketSide::Customer => News::Said {
                    ticket,
                    number,
                    by,
                    at: message.created_at,
                },
            }
        }
        LiveEvent::TicketStatusChanged { ticket } => status(ticket),
        LiveEvent::TicketRead { side, .. } => News::Seen(ticket, *side),
        _ => News::Nothing,
    }
}

fn status(ticket: &TicketView) -> News {
    if ticket.deleted {
        return News::Line(about_ticket(ticket, "ticket_deleted"));
    }
    if let Some(into) = &ticket.merged_into {
        // It leads to where one goes on.
        return News::Line(Line {
            params: json!({ "ticket": into.id, "number": ticket.number, "into": into.number }),
            ..about_ticket(ticket, "ticket_merged")
        });
    }
    match ticket.status {
        TicketStatus::Closed => News::Closed(Box::new(ticket.clone())),
        TicketStatus::Open => News::Nothing,
    }
}

/// A line about what was said in a ticket to a side of it.
#[must_use]
pub fn said(owner: UserId, ticket: TicketId, number: i64, by: &str, to: TicketSide) -> Line {
    Line {
        owner,
        code: match to {
            TicketSide::Customer => "ticket_reply",
            TicketSide::Staff => "ticket_said",
        },
        params: json!({ "ticket": ticket, "number": number, "by": by, "count": 1 }),
        amount: None,
        about: ticket.0,
    }
}

/// A line about a ticket as a whole.
#[must_use]
pub fn about_ticket(ticket: &TicketView, code: &'static str) -> Line {
    let params = json!({ "ticket": ticket.id, "number": ticket.number });
    Line {
        owner: ticket.user,
        code,
        params,
        amount: None,
        about: ticket.id.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notifications::rules::news;
    use protocol::{StreamId, ids::MessageId, live_event::Numbered, views::MessageView};
    use time::OffsetDateTime;

    fn fact(stream: StreamId, event: LiveEvent) -> Numbered {
        Numbered {
            stream,
            epoch: 1,
            seq: 1,
            at: OffsetDateTime::UNIX_EPOCH,
            event,
        }
    }

    #[test]
    fn what_one_side_says_is_news_to_the_other() {
        let ticket = TicketId::fresh();
        let message = |side| MessageView {
            id: MessageId::fresh(),
            ticket,
            number: 3,
            author: UserId::fresh(),
            author_name: "Bia".into(),
            author_avatar: None,
            side,
            text: "oi".into(),
            attachment: None,
            edited: false,
            deleted: false,
            client_id: None,
            mailed_to: None,
            created_at: OffsetDateTime::UNIX_EPOCH,
        };
        let said = |side| {
            fact(
                StreamId::Ticket(ticket),
                LiveEvent::TicketMessage {
                    message: Box::new(message(side)),
                },
            )
        };
        let (number, by) = (3, "Bia".to_owned());
        assert_eq!(
            news(&said(TicketSide::Customer)),
            News::Said {
                ticket,
                number,
                by: by.clone(),
                at: OffsetDateTime::UNIX_EPOCH
            }
        );
        let mailed = false;
        assert_eq!(
            news(&said(TicketSide::Staff)),
            News::Reply {
                ticket,
                number,
                by,
                mailed
            }
        );
        for side in [TicketSide::Staff, TicketSide::Customer] {
            let read = fact(
                StreamId::Ticket(ticket),
                LiveEvent::TicketRead {
                    ticket,
                    side,
                    up_to: 3,
                    message: None,
                },
            );
            assert_eq!(news(&read), News::Seen(ticket, side));
        }
    }
}
