//! A ticket's conversation by mail, for its customer (docs/rules/support.md#transcripts). Of what staff write beside it nothing can come in: it is made
//! of messages alone.

use super::{
    model::TranscriptSent,
    rules,
    service::{lock, unknown},
    store,
};
use crate::{
    error::Error,
    foundation::{
        audit,
        context::Context,
        mail::{self, Mail, Said},
    },
    identity::{self, caller::Caller},
};
use protocol::{ids::TicketId, views::MessageView};
use serde_json::json;

/// Mails one's own ticket to oneself, in one's language and zone, the newest messages if there are many. Attachments are named, not sent.
///
/// # Errors
/// `ticket.unknown`; `request.rate_limited` above five a day, or where one has had enough mails this hour.
pub async fn send(context: &Context, caller: &Caller, id: TicketId) -> Result<TranscriptSent, Error> {
    let scope = caller.own();
    let mut tx = context.db.begin().await?;
    let last = lock(&mut tx, scope, id).await?.last_number;
    identity::service::asks_for_transcript(&mut tx, caller.user).await?;
    let ticket = store::ticket(tx.conn(), scope, id).await?.ok_or_else(unknown)?;
    let mut messages = store::messages(tx.conn(), id, last - rules::TRANSCRIPT_MESSAGES, last + 1).await?;
    let lengths: Vec<usize> = messages.iter().map(|m| m.text.chars().count()).collect();
    let shown = messages.split_off(rules::newest_within(&lengths, rules::TRANSCRIPT_TEXT));
    let to = identity::service::recipient(&mut tx, caller.user).await?;
    let mail = Mail::Transcript {
        number: ticket.number,
        subject: ticket.subject,
        left_out: shown.first().map_or(0, |first| first.number - 1),
        said: shown.into_iter().map(said).collect(),
        path: format!("/support/ticket/{id}"),
    };
    mail::send(context, &mut tx, &to, &mail).await?;
    let details = json!({ "number": ticket.number });
    audit::record(
        &mut tx,
        Some(caller.user),
        Some(id.0),
        audit::Category::Support,
        "ticket.transcript",
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(TranscriptSent {
        sent_to: rules::masked_address(&to.email),
    })
}

fn said(message: MessageView) -> Said {
    Said {
        at: message.created_at,
        author: message.author_name,
        text: (!message.deleted).then_some(message.text),
        attachment: message.attachment.map(|file| file.name),
    }
}
