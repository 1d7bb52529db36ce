//! One message to its service: who hands it over, what the service said, and whose turn it is in this process.

use super::{endpoint::Services, plan, resting::Resting, sealing, store::Address, vapid::Vapid, words::Told};
use crate::{
    error::Error,
    foundation::outbound::{self, Purpose},
};
use protocol::views::NoticeGroup;
use reqwest::{
    StatusCode,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER},
};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration as Patience,
};
use time::{Duration, OffsetDateTime};

/// How long a service may take.
const PATIENCE: Patience = Patience::from_secs(5);
/// How long a service is left alone that did not answer.
pub(super) const SILENCE: Duration = Duration::seconds(30);
/// The longest that a service has us wait.
const LONGEST: Duration = Duration::HOUR;

/// How soon a device that sleeps is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    Low,
    Normal,
    High,
}

impl Urgency {
    pub(super) const fn of(group: NoticeGroup) -> Self {
        match group {
            NoticeGroup::Security => Self::High,
            NoticeGroup::Network | NoticeGroup::News => Self::Low,
            _ => Self::Normal,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// What a service said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Taken,
    /// There is no such device any more.
    Gone,
    /// Not now, and nothing was delivered: not before so long, where it says so or is left alone, else zero.
    Later(Duration),
    /// It did not answer: who knows whether it was delivered.
    Unanswered,
    /// Never: another try would be refused like this one.
    Refused,
}

/// Who hands messages over. Part of the context.
pub struct Pusher {
    vapid: Vapid,
    services: Services,
    client: reqwest::Client,
    turn: Mutex<Turn>,
    resting: Resting,
}

#[derive(Default)]
struct Turn {
    under_way: bool,
    /// Somebody wrote more meanwhile.
    again: bool,
}

/// Why there can be no pusher.
#[derive(Debug, thiserror::Error)]
pub enum NoPusher {
    #[error("the key of pushing is none of its curve")]
    Key,
    #[error(transparent)]
    Client(#[from] outbound::NoClient),
}

impl Pusher {
    /// With the installation's key, and the mailbox that a service writes to about it.
    ///
    /// # Errors
    /// For bytes that are no key; when TLS cannot be prepared.
    pub fn new(key: &[u8; 32], email: &str, services: Services) -> Result<Self, NoPusher> {
        let purpose = Purpose {
            public_only: true,
            ..Purpose::within(PATIENCE)
        };
        Ok(Self {
            vapid: Vapid::new(key, email).ok_or(NoPusher::Key)?,
            services,
            client: outbound::client(purpose)?,
            turn: Mutex::default(),
            resting: Resting::default(),
        })
    }

    /// The public key, as browsers are asked with.
    #[must_use]
    pub fn key(&self) -> &str {
        self.vapid.public()
    }

    pub(super) const fn services(&self) -> &Services {
        &self.services
    }

    /// Hands one message over, unless its service is left alone.
    ///
    /// # Errors
    /// `service.internal` when it cannot be written.
    pub(super) async fn hand_over(
        &self,
        to: &Address,
        told: Told,
        urgency: Urgency,
        now: OffsetDateTime,
    ) -> Result<Outcome, Error> {
        // An operator may have taken a service off since.
        let Some(url) = self.services.address(&to.endpoint) else {
            return Ok(Outcome::Refused);
        };
        let origin = outbound::origin(&url);
        if let Some(rest) = self.resting.rest(&origin, now) {
            return Ok(Outcome::Later(rest));
        }
        let life = (told.at + plan::LIFE - now).whole_seconds().max(0);
        let topic = told.tag.replace('-', "");
        let Some(sealed) = sealing::seal(&to.p256dh, &to.auth, &told.bytes()?) else {
            return Ok(Outcome::Refused);
        };
        let request = self
            .client
            .post(url)
            .header(AUTHORIZATION, self.vapid.authorization(&origin, now)?)
            .header(CONTENT_ENCODING, "aes128gcm")
            .header(CONTENT_TYPE, "application/octet-stream")
            .header("TTL", life)
            .header("Urgency", urgency.as_str())
            .header("Topic", topic)
            .body(sealed);
        let outcome = match request.send().await {
            Ok(answer) => outcome(answer.status(), answer.headers().get(RETRY_AFTER), &origin),
            Err(error) => {
                tracing::warn!(
                    reason = outbound::told(&error),
                    "a push service could not be asked"
                );
                Outcome::Unanswered
            }
        };
        match outcome {
            Outcome::Later(asked) => self.resting.leave(&origin, asked, now),
            Outcome::Unanswered => self.resting.leave(&origin, SILENCE, now),
            Outcome::Taken | Outcome::Gone | Outcome::Refused => {}
        }
        let word = match outcome {
            Outcome::Taken => "taken",
            Outcome::Gone => "gone",
            Outcome::Later(_) | Outcome::Unanswered => "later",
            Outcome::Refused => "refused",
        };
        metrics::counter!("push_messages_total", "outcome" => word).increment(1);
        Ok(outcome)
    }

    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This process's turn; none while another job has it, which then looks once more before its end.
    pub(super) fn begin(&self) -> Option<Sending<'_>> {
        let mut turn = self.turn();
        if turn.under_way {
            turn.again = true;
            return None;
        }
        turn.under_way = true;
        Some(Sending {
            pusher: self,
            over: false,
        })
    }
}

/// A job's turn, given back also where its job fails or is dropped: who relied on it has its rows, which the next one finds.
pub(super) struct Sending<'a> {
    pusher: &'a Pusher,
    over: bool,
}

impl Sending<'_> {
    /// Ends it, unless somebody wrote more meanwhile.
    pub(super) fn is_over(&mut self) -> bool {
        let mut turn = self.pusher.turn();
        if turn.again {
            turn.again = false;
            return false;
        }
        turn.under_way = false;
        self.over = true;
        true
    }
}

impl Drop for Sending<'_> {
    fn drop(&mut self) {
        if !self.over {
            *self.pusher.turn() = Turn::default();
        }
    }
}

fn outcome(status: StatusCode, retry: Option<&reqwest::header::HeaderValue>, origin: &str) -> Outcome {
    match status.as_u16() {
        200..=299 => Outcome::Taken,
        404 | 410 => Outcome::Gone,
        429 | 500..=599 => {
            let seconds = retry.and_then(|value| value.to_str().ok()?.trim().parse::<u32>().ok());
            let asked = Duration::seconds(i64::from(seconds.unwrap_or_default()));
            Outcome::Later(asked.min(LONGEST))
        }
        _ => {
            tracing::warn!(%status, origin, "a push service refused a message");
            Outcome::Refused
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::HeaderValue;

    #[test]
    fn what_a_service_says_is_understood() {
        let say = |status: u16, retry: Option<&'static str>| {
            let retry = retry.map(HeaderValue::from_static);
            outcome(
                StatusCode::from_u16(status).unwrap(),
                retry.as_ref(),
                "https://a.b",
            )
        };
        assert_eq!(say(201, None), Outcome::Taken);
        assert_eq!(say(404, None), Outcome::Gone);
        assert_eq!(say(410, None), Outcome::Gone);
        assert_eq!(say(413, None), Outcome::Refused);
        assert_eq!(say(301, None), Outcome::Refused);
        assert_eq!(say(403, None), Outcome::Refused);
        assert_eq!(say(503, None), Outcome::Later(Duration::ZERO));
        assert_eq!(say(429, Some("90")), Outcome::Later(Duration::seconds(90)));
        assert_eq!(say(429, Some("900000")), Outcome::Later(LONGEST));
        assert_eq!(say(429, Some("soon")), Outcome::Later(Duration::ZERO));
    }

    #[test]
    fn one_job_of_a_process_sends_and_looks_again_for_the_others() {
        let services = Services::new(&[], false);
        let pusher = Pusher::new(&[7; 32], "a@b.example", services).unwrap();
        let mut first = pusher.begin().unwrap();
        assert!(pusher.begin().is_none());
        assert!(!first.is_over(), "somebody wrote more");
        assert!(first.is_over());
        let second = pusher.begin().unwrap();
        drop(first);
        assert!(pusher.begin().is_none(), "the second has its turn still");
        drop(second);
        assert!(pusher.begin().is_some());
    }
}
