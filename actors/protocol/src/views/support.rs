//! Tickets and what is said in them.

use super::{wire, words};
use crate::ids::{FileId, MessageId, TicketId, UserId};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

words! {
    TicketStatus { Open = "open", Closed = "closed" }
    TicketCategory { Financial = "financial", AccountData = "account_data", Other = "other", AffiliateNetwork = "affiliate_network", RobotTrading = "robot_trading" }
    /// Which side of a ticket speaks.
    TicketSide { Customer = "customer", Staff = "staff" }
}

wire! {
    pub struct AttachmentView {
        pub file: FileId,
        pub name: String,
        pub mime: String,
        pub bytes: i64,
    }
    /// A message of a ticket; `number` is gap-free within the ticket.
    pub struct MessageView {
        #[serde(rename = "_id")]
        pub id: MessageId,
        pub ticket: TicketId,
        pub number: i64,
        pub author: UserId,
        pub author_name: String,
        /// The author's picture as it was then; none for who had none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub author_avatar: Option<FileId>,
        pub side: TicketSide,
        pub text: String,
        pub attachment: Option<AttachmentView>,
        pub edited: bool,
        pub deleted: bool,
        /// The sender's own id of the message: lets a client match what it shows as pending.
        pub client_id: Option<uuid::Uuid>,
        /// It was mailed to the ticket's owner, at this address (masked); none: a message of the conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mailed_to: Option<String>,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
    }
    /// Another ticket of the same customer.
    pub struct TicketLink {
        #[serde(rename = "_id")]
        pub id: TicketId,
        pub number: i64,
    }
    /// A ticket in a list or a queue.
    pub struct TicketView {
        #[serde(rename = "_id")]
        pub id: TicketId,
        /// Readable running number.
        pub number: i64,
        pub user: UserId,
        pub user_name: String,
        pub subject: String,
        pub category: TicketCategory,
        pub status: TicketStatus,
        pub last_number: i64,
        pub last_message: String,
        pub read_by_customer: i64,
        pub read_by_staff: i64,
        /// Since when the customer waits for a reply; none when staff spoke last.
        #[serde(with = "time::serde::rfc3339::option")]
        pub waiting_since: Option<OffsetDateTime>,
        #[serde(with = "time::serde::rfc3339")]
        pub last_message_at: OffsetDateTime,
        #[serde(rename = "created_at", with = "time::serde::rfc3339")]
        pub created_at: OffsetDateTime,
        #[serde(with = "time::serde::rfc3339::option")]
        pub closed_at: Option<OffsetDateTime>,
        /// Staff answered it, it is closed, and its customer has neither said how they found it solved nor that they do not want to.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub asks_rating: bool,
        /// It is a double: what is to be said is said there. Closed for good.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub merged_into: Option<TicketLink>,
        /// How many tickets were merged into it.
        #[serde(default)]
        pub doubles: i32,
        /// Staff deleted it: whoever shows it stops doing so.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub deleted: bool,
        pub version: i64,
    }
    /// A thing of a customer that a ticket can be about, as it stands.
    pub struct SubjectView {
        /// `pix_deposit`, `pix_withdrawal`, `crypto_deposit`, `crypto_withdrawal`, `licence` or `transfer`.
        pub kind: String,
        pub id: uuid::Uuid,
        /// A decimal number of `currency`.
        pub amount: String,
        /// `USDT` or `PYX`.
        pub currency: String,
        pub status: String,
        /// When it last changed.
        #[serde(with = "time::serde::rfc3339")]
        pub at: OffsetDateTime,
    }
    /// One of the staff who answer, as colleagues see them.
    pub struct DeskAgent {
        #[serde(rename = "_id")]
        pub id: UserId,
        pub name: String,
    }
    /// What staff alone know of a ticket, beside what its customer sees: told on the staff's queue, never on a stream of a customer.
    pub struct DeskView {
        /// The ticket.
        #[serde(rename = "_id")]
        pub id: TicketId,
        /// Who has taken it; none when nobody has.
        pub taken_by: Option<DeskAgent>,
        #[serde(with = "time::serde::rfc3339::option")]
        pub taken_at: Option<OffsetDateTime>,
        /// When staff first answered it.
        #[serde(with = "time::serde::rfc3339::option")]
        pub first_answered_at: Option<OffsetDateTime>,
        /// How many internal notes it has.
        pub notes: i32,
        /// How its customer found it solved, from 1 to 5; none while they have not said.
        pub rating: Option<i16>,
        /// The ticket's.
        pub version: i64,
    }
}
