//! Mail to a real SMTP server.

use super::{address, store};
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
    transport::smtp::{
        Error as SmtpError,
        client::{AsyncSmtpConnection, TlsParameters},
        extension::{ClientId, Extension},
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use time::{Duration, OffsetDateTime};
use tokio::sync::Mutex;
use url::Url;
use uuid::Uuid;

/// A pooled connection to the configured server.
#[derive(Clone)]
pub struct Mailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    relay: Arc<Relay>,
}

/// How the server is reached, and what it said of itself.
struct Relay {
    host: String,
    port: u16,
    tls: Tls,
    /// Whether it takes addresses beyond ASCII, and until when that is not asked again.
    told: Mutex<Option<(bool, OffsetDateTime)>>,
    /// How often it was asked and did not answer.
    unanswered: AtomicU64,
}

enum Tls {
    No,
    FromTheFirstByte,
    Asked,
}

/// How long what the server says of itself is believed.
const BELIEVED: Duration = Duration::HOUR;
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);
/// A refusal of an address that lasts so long will not end: what the mail says has run out.
const HOPELESS: Duration = Duration::DAY;

impl Relay {
    /// As lettre reads the same address.
    fn read(url: &str) -> Option<Self> {
        let url = Url::parse(url).ok()?;
        let asked = url
            .query_pairs()
            .any(|(name, how)| name == "tls" && how == "required");
        let (tls, port) = match url.scheme() {
            "smtps" => (Tls::FromTheFirstByte, 465),
            _ if asked => (Tls::Asked, 587),
            _ if url.query_pairs().any(|(name, _)| name == "tls") => (Tls::No, 587),
            _ => (Tls::No, 25),
        };
        Some(Self {
            host: url.host_str()?.to_owned(),
            port: url.port().unwrap_or(port),
            tls,
            told: Mutex::new(None),
            unanswered: AtomicU64::new(0),
        })
    }

    /// Asks the server for what it offers, and hangs up.
    async fn ask(&self) -> Result<bool, SmtpError> {
        let hello = ClientId::default();
        let parameters = || TlsParameters::new(self.host.clone());
        let first = match self.tls {
            Tls::FromTheFirstByte => Some(parameters()?),
            Tls::No | Tls::Asked => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(PATIENCE), &hello, first, None).await?;
        if matches!(self.tls, Tls::Asked) {
            connection.starttls(parameters()?, &hello).await?;
        }
        let takes = connection.server_info().supports_feature(Extension::SmtpUtfEight);
        connection.abort().await;
        Ok(takes)
    }
}

impl Mailer {
    /// `url` as lettre reads it (`smtps://user:password@host`, `smtp://host?tls=required`); `from` is `Name <address>`.
    ///
    /// # Errors
    /// A sentence without the password when either cannot be read.
    pub fn connect(url: &str, from: &str) -> Result<Self, anyhow::Error> {
        let unreadable = || anyhow::anyhow!("SMTP_URL is not an SMTP address");
        let transport = AsyncSmtpTransport::<Tokio1Executor>::from_url(url)
            .map_err(|_| unreadable())?
            .timeout(Some(std::time::Duration::from_secs(20)))
            .build();
        let from = from
            .parse()
            .map_err(|_| anyhow::anyhow!("the sender {from:?} is not a mail address"))?;
        Ok(Self {
            transport,
            from,
            relay: Arc::new(Relay::read(url).ok_or_else(unreadable)?),
        })
    }

    /// Whether the server takes mail to addresses beyond ASCII (SMTPUTF8), as it said within the hour; none when it does not answer.
    pub async fn takes_beyond_ascii(&self, now: OffsetDateTime) -> Option<bool> {
        // Whoever waited behind one that got no answer asks no more: a server that is away holds up nobody twice.
        let before = self.relay.unanswered.load(Relaxed);
        let mut told = self.relay.told.lock().await;
        if let Some((takes, until)) = *told
            && now < until
        {
            return Some(takes);
        }
        if self.relay.unanswered.load(Relaxed) != before {
            return None;
        }
        let Ok(Ok(takes)) = tokio::time::timeout(PATIENCE, self.relay.ask()).await else {
            self.relay.unanswered.fetch_add(1, Relaxed);
            return None;
        };
        *told = Some((takes, now + BELIEVED));
        Some(takes)
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

/// Does the job of one mail: sends it if it has not left, then erases its body. One that can never be sent is parked with its reason.
///
/// A crash between the two sends it again, under the same Message-ID.
///
/// # Errors
/// When the server does not take it; the job comes back later.
pub async fn deliver(context: &Context, mailer: &Mailer, id: Uuid) -> Result<(), Error> {
    let Some(mail) = store::unsent(context.db.pool(), id).await? else {
        return Ok(());
    };
    if address::is_beyond_ascii(&mail.recipient) {
        match mailer.takes_beyond_ascii(context.now()).await {
            Some(true) => {}
            Some(false) => return park(context, id, "the mail server takes no address beyond ASCII").await,
            None => return Err(Error::internal("the SMTP server did not say what it takes")),
        }
    }
    let created_at = mail.created_at;
    let Some(message) = message(mailer, mail) else {
        return park(context, id, "the recipient is not a mail address").await;
    };
    let Err(error) = mailer.transport.send(message).await else {
        return store::sent(context.db.pool(), id, context.now()).await;
    };
    let refusal = cause(&error);
    if REFUSES_ADDRESS.contains(&refusal.as_str()) {
        if context.now() - created_at > HOPELESS {
            return park(
                context,
                id,
                &format!("the recipient's address was refused: {refusal}"),
            )
            .await;
        }
        return Err(Error::internal(format!(
            "a mail's address was refused: {refusal}"
        )));
    }
    Err(Error::internal(format!(
        "the SMTP server did not take a mail: {refusal}"
    )))
}

/// Answers that speak of an address, not of the server or of the way to it.
const REFUSES_ADDRESS: [&str; 8] = ["501", "510", "511", "513", "550", "551", "553", "556"];

fn message(mailer: &Mailer, mail: store::Stored) -> Option<Message> {
    let host = mailer.from.email.domain();
    Message::builder()
        .from(mailer.from.clone())
        .to(mail.recipient.parse().ok()?)
        .message_id(Some(format!("<{}@{host}>", mail.id)))
        .date(mail.created_at.into())
        .subject(mail.subject)
        .multipart(MultiPart::alternative_plain_html(mail.text_body, mail.html_body))
        .ok()
}

/// Nobody else is told: whose address it is reads no mail, and the log says which mail it was.
async fn park(context: &Context, id: Uuid, reason: &str) -> Result<(), Error> {
    tracing::warn!(mail = %id, reason, "a mail can never be sent and is parked");
    store::park(context.db.pool(), id, reason, context.now()).await
}

/// The answer of the server may quote the recipient: its code is enough for the log.
fn cause(error: &SmtpError) -> String {
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
