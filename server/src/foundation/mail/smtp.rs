//! Mail to a real SMTP server.

use super::store;
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed},
        outbound,
    },
};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor,
    message::{Mailbox, MultiPart},
};
use uuid::Uuid;

/// A pooled connection to the configured server.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
}

impl Mailer {
    /// `url` as lettre reads it (`smtps://user:password@host`, `smtp://host?tls=required`); `from` is `Name <address>`.
    ///
    /// # Errors
    /// A sentence without the password when either cannot be read.
    pub fn connect(url: &str, from: &str) -> Result<Self, anyhow::Error> {
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|_| anyhow::anyhow!("SMTP_URL is not an SMTP address"))?
            .timeout(Some(std::time::Duration::from_secs(20)))
            .build();
        let from = from
            .parse()
            .map_err(|_| anyhow::anyhow!("the sender {from:?} is not a mail address"))?;
        Ok(Self { transport, from })
    }
}

/// The job of one mail.
///
/// # Errors
/// When the server does not take it; the job comes back later.
pub async fn send_job(context: &Context, job: &Claimed) -> Result<(), Error> {
    let id: Uuid = serde_json::from_value(job.payload.clone())?;
    // Without a server (it was taken out of the configuration) the mail stays where the mailbox shows it.
    if let Some(mailer) = &context.mailer {
        deliver(context, mailer, id).await?;
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

/// Does the job of one mail: sends it if it has not left, then erases its body.
///
/// A crash between the two sends it again, under the same Message-ID.
///
/// # Errors
/// When the server does not take it; the job comes back later.
pub async fn deliver(context: &Context, mailer: &Mailer, id: Uuid) -> Result<(), Error> {
    let Some(mail) = store::unsent(context.db.pool(), id).await? else {
        return Ok(());
    };
    let host = mailer.from.email.domain().to_owned();
    let message = Message::builder()
        .from(mailer.from.clone())
        .to(mail
            .recipient
            .parse()
            .map_err(|_| Error::internal("a stored recipient is not a mail address"))?)
        .message_id(Some(format!("<{id}@{host}>")))
        .date(mail.created_at.into())
        .subject(mail.subject)
        .multipart(MultiPart::alternative_plain_html(mail.text_body, mail.html_body))
        .map_err(|e| Error::internal(format!("a mail cannot be built: {e}")))?;
    mailer
        .transport
        .send(message)
        .await
        .map_err(|e| Error::internal(format!("the SMTP server did not take a mail: {}", cause(&e))))?;
    store::sent(context.db.pool(), id, context.now()).await
}

/// The answer of the server may quote the recipient: its code is enough for the log.
fn cause(error: &lettre::transport::smtp::Error) -> String {
    match error.status() {
        Some(code) => code.to_string(),
        None => outbound::known(error).unwrap_or_else(|| "no answer".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foundation::outbound::stranger;

    #[tokio::test]
    async fn a_certificate_of_nobody_known_is_refused_and_named() {
        let stranger = stranger::listen().await;
        let mailer = Mailer::connect(
            &format!("smtps://someone:hush@{stranger}"),
            "Arbora <no-reply@arbora.example>",
        )
        .unwrap();
        let refused = mailer.transport.test_connection().await.unwrap_err();
        assert_eq!(
            cause(&refused),
            "certificate refused: it was issued by nobody whom this program trusts"
        );
    }
}
