//! What support's calls take and give.

use protocol::{
    ids::{CannedReplyId, FileId, MessageId, TicketId, TicketNoteId, UserId},
    views::{DeskAgent, DeskView, MessageView, SubjectView, TicketView},
};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

/// A new ticket. Its attachment follows by `upload-image`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewTicket {
    /// One line, at most 120 characters.
    pub subject: String,
    /// The first message, at most 4 000 characters.
    pub description: String,
    /// `financial`, `account_data`, `other`, `affiliate_network` or `robot_trading`.
    #[serde(default)]
    pub category: Option<String>,
    /// The sender's own id of the first message: the same ticket is answered when it comes again.
    #[serde(default)]
    pub client_id: Option<Uuid>,
    /// A thing of one's own that the ticket is about: one of `GET /support/subjects`.
    #[serde(default)]
    pub about: Option<About>,
}

/// What a ticket is about.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// `pix_deposit`, `pix_withdrawal`, `crypto_deposit`, `crypto_withdrawal`, `licence` or `transfer`.
    pub kind: String,
    pub id: Uuid,
}

/// A reply, from either side.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewReply {
    pub ticket_id: TicketId,
    pub text: String,
    /// The sender's own id of the message: it is stored once however often it comes.
    #[serde(default)]
    pub client_id: Option<Uuid>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EditedMessage {
    pub message_id: MessageId,
    pub text: String,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TicketMail {
    pub ticket_id: TicketId,
    pub text: String,
    /// The sender's own id of the mail: it is sent once however often it comes.
    pub client_id: Uuid,
}

/// Which messages of a ticket: the newest by default.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessagePage {
    /// Messages with a smaller number, nearest first.
    #[serde(default)]
    pub before: Option<i64>,
    /// Messages with a greater number, nearest first.
    #[serde(default)]
    pub after: Option<i64>,
    /// 50 by default, at most 200.
    #[serde(default)]
    pub limit: Option<i64>,
}

/// Which messages of a ticket: those that have all of the words.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct MessageSearch {
    /// At most 100 characters.
    #[param(max_length = 100)]
    pub search: String,
    /// Messages with a smaller number.
    #[serde(default)]
    pub before: Option<i64>,
}

/// Filters of the list of all tickets, beside the parameters of every list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TicketFilter {
    /// Only those whose customer waits for a reply (or, `false`, does not).
    #[serde(default)]
    pub waiting: Option<bool>,
    /// Only this customer's.
    #[serde(default, rename = "userId")]
    pub user_id: Option<UserId>,
    /// By who has taken them: `me`, `nobody`, `someone`, or the id of one colleague.
    #[serde(default)]
    pub agent: Option<String>,
    /// Opened at least so long ago: `1d`, `3d`, `7d` or `30d`.
    #[serde(default)]
    pub age: Option<String>,
}

/// A ticket as staff's list shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffTicket {
    #[serde(flatten)]
    pub ticket: TicketView,
    pub desk: DeskView,
    /// Where words are searched for: the newest message that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundMessage>,
}

/// A message in which words were found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FoundMessage {
    /// Its place in the ticket.
    pub number: i64,
    /// What of it stands around the first of the words.
    pub text: String,
}

/// A message of a ticket that has the words, with its author and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundLine {
    /// Its place in the ticket.
    pub number: i64,
    /// What of it stands around the first of the words.
    pub text: String,
    pub author: UserId,
    pub author_name: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// What was found in a ticket.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundMessages {
    /// At most fifty, the newest first.
    pub data: Vec<FoundLine>,
    /// How many there are in the whole ticket.
    pub total: i64,
    /// Before the last of these there are more.
    pub has_older: bool,
}

/// Whom the caller saw as the ticket's holder.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeTicket {
    /// Absent: nobody. A ticket of somebody else is taken only from who is named here.
    #[serde(default)]
    pub from: Option<UserId>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HandOverTicket {
    /// One of `GET /support/agents` who answers.
    pub to: UserId,
}

/// Those who answer tickets, and those who have open ones without answering any more.
#[derive(Debug, Serialize, ToSchema)]
pub struct Agents {
    /// By name.
    pub data: Vec<AgentLoad>,
}

/// One of those who answer tickets or have some.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentLoad {
    #[serde(flatten)]
    pub agent: DeskAgent,
    /// How many open tickets they have taken.
    pub open: i64,
    /// They may answer, and be handed a ticket. Who no longer may is named while they have open ones.
    pub answers: bool,
}

/// The desk's work by day.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeskReport {
    /// Newest first, every day of the span.
    pub data: Vec<DeskDay>,
    /// Whose work was rated in the span, by name.
    pub agents: Vec<AgentRatings>,
}

/// How customers found the work of one of the staff.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentRatings {
    pub agent: DeskAgent,
    /// How many have said.
    pub ratings: i64,
    /// Their scores together: an average is this by `ratings`.
    pub rating_sum: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeskDay {
    /// `YYYY-MM-DD` of São Paulo.
    pub day: String,
    pub opened: i64,
    /// Closed on that day and not opened again.
    pub solved: i64,
    /// Of the tickets opened on that day: the middle one of the times to their first answer. None while none is answered.
    pub first_answer_seconds: Option<i64>,
    /// How many customers have said on that day how they found a ticket solved.
    pub ratings: i64,
    /// Their scores together: an average is this by `ratings`.
    pub rating_sum: i64,
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportSpan {
    /// How many days up to today: 14 by default, at most 90.
    #[serde(default)]
    pub days: Option<i64>,
}

/// Into which ticket one is merged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeTicket {
    /// An open one of the same customer.
    pub into: TicketId,
}

/// A ticket that was merged into another, as that one shows it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Double {
    #[serde(rename = "_id")]
    pub id: TicketId,
    pub number: i64,
    /// The newest hundred, by number.
    pub messages: Vec<MessageView>,
    /// Whether there are messages before the first of these: they are read in the ticket itself.
    pub has_older: bool,
}

/// How a customer found their ticket solved.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRating {
    /// From 1, very bad, to 5, very good. Absent: they do not want to say, and are asked no more.
    #[serde(default)]
    pub score: Option<i16>,
    /// At most 500 characters; only with a score.
    #[serde(default)]
    pub comment: Option<String>,
}

/// What a customer said of how a ticket was solved.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketRating {
    /// From 1, very bad, to 5, very good.
    pub score: i16,
    pub comment: Option<String>,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// That a ticket's conversation was mailed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TranscriptSent {
    /// Where to, masked.
    #[schema(example = "an***@example.com")]
    pub sent_to: String,
}

/// A new internal note.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NewTicketNote {
    /// At most 4 000 characters.
    pub text: String,
    /// The sender's own id of the note: it is stored once however often it comes.
    pub client_id: Uuid,
}

/// An internal note of staff on a ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TicketNote {
    #[serde(rename = "_id")]
    pub id: TicketNoteId,
    /// From 1, without a gap.
    pub number: i32,
    pub author: DeskAgent,
    pub text: String,
    #[serde(rename = "created_at", with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct TicketNotes {
    /// By number, all there are.
    pub data: Vec<TicketNote>,
}

/// What a canned reply says in each language. `{name}`, `{ticket}`, `{subject}` and `{agent}` stand for what they say; other braces are refused.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CannedTexts {
    pub pt: String,
    pub en: String,
    pub es: String,
}

/// A reply that staff keep ready, as it is typed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewCannedReply {
    /// One line, at most 80 characters.
    pub title: String,
    pub text: CannedTexts,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditedCannedReply {
    /// One line, at most 80 characters.
    pub title: String,
    pub text: CannedTexts,
    /// The one that was read: another meanwhile is not written over.
    pub version: i64,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CannedOrder {
    /// All that are in use, in their new order.
    pub ids: Vec<CannedReplyId>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CannedRetirement {
    /// `false` brings it back, behind the others.
    pub retired: bool,
}

/// A reply that staff keep ready.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct CannedReply {
    #[serde(rename = "_id")]
    pub id: CannedReplyId,
    pub title: String,
    pub text: CannedTexts,
    pub retired: bool,
    pub version: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CannedReplies {
    /// Those in use in their order, then the newest 200 of the retired.
    pub data: Vec<CannedReply>,
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AttachTo {
    /// The message; the ticket's first when absent.
    #[serde(default, rename = "messageId")]
    pub message_id: Option<MessageId>,
}

/// A ticket and the message that has just been written.
#[derive(Debug, Serialize, ToSchema)]
pub struct Written {
    pub ticket: TicketView,
    pub message: MessageView,
}

/// A message that has just been stored, and what staff alone know of its ticket since then.
#[derive(Debug)]
pub struct Stored {
    pub written: Written,
    pub desk: DeskView,
}

/// A ticket with its conversation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TicketDetail {
    pub ticket: TicketView,
    /// The first message's text.
    pub description: String,
    /// The first message's attachment.
    pub image: Option<FileId>,
    /// What it is about, as it stands now.
    pub about: Option<SubjectView>,
    /// How its customer found it solved; none while they have not said.
    pub rating: Option<TicketRating>,
    /// By number, ascending, without a gap.
    pub messages: Vec<MessageView>,
    /// Whether there are messages before the first of these.
    pub has_older: bool,
    /// What was merged into it; with its newest page alone.
    pub merged: Vec<Double>,
    /// The ticket's stream as it stood just before this was read: subscribe from here and nothing is missed.
    pub epoch: i32,
    pub seq: i64,
    /// Whom staff is talking to; absent for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub customer: Option<CustomerPanel>,
    /// What staff alone know of it; absent for the customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desk: Option<DeskView>,
}

/// The person behind a ticket, as support sees them.
#[derive(Debug, Serialize, ToSchema)]
pub struct CustomerPanel {
    #[serde(rename = "_id")]
    pub id: UserId,
    #[serde(rename = "fullName")]
    pub full_name: String,
    pub username: String,
    /// `active` or `inactive`.
    pub status: String,
    /// The language that they have chosen: `pt`, `en` or `es`.
    pub locale: String,
    /// When they registered.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// All their tickets, and those still open.
    pub tickets: i64,
    #[serde(rename = "openTickets")]
    pub open_tickets: i64,
    /// Their latest deposits and licences.
    pub recent: Vec<SubjectView>,
}

/// What a new ticket can be about.
#[derive(Debug, Serialize, ToSchema)]
pub struct OwnSubjects {
    /// Newest first, the latest of each kind.
    pub data: Vec<SubjectView>,
}

/// What other rooms may know of a ticket.
#[derive(Clone, Debug)]
pub struct Brief {
    pub owner: UserId,
    pub number: i64,
    pub read_by_customer: i64,
    pub read_by_staff: i64,
    /// Who has taken it.
    pub holder: Option<UserId>,
    pub closed_by: Option<UserId>,
}
