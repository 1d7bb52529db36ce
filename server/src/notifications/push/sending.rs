//! Handing what waits to the push services (docs/rules/notifications.md#push).
//!
//! One process sends in one job at a time, however many jobs were written: a service that does not answer keeps nobody else's work waiting, and is left
//! alone for a while. What is taken is nobody else's until its time is over; whoever is killed in between sends it once more, with the same tag.

use super::{
    endpoint::Services,
    plan::{self, Pace, Pending, Plan},
    resting::Resting,
    sealing,
    store::{self, Address, Device, Taken},
    vapid::Vapid,
    words::{self, Told},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed, NewJob, back_off},
        locale::Locale,
        outbound::{self, Purpose},
        quiet_hours::QuietHours,
    },
    notifications::rules,
};
use futures_util::{StreamExt, stream};
use protocol::views::NoticeGroup;
use reqwest::{
    StatusCode,
    header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER},
};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration as Patience,
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The job's kind.
pub const PUSH: &str = "notifications.push";

/// How long a service may take.
const PATIENCE: Patience = Patience::from_secs(5);
/// Messages on their way at once,
const WIDTH: usize = 16;
/// and those of one round: all of it is over before [`TAKEN`] is, even where nobody answers.
const MOST: usize = WIDTH * 8;
/// Devices of one round.
const DEVICES: i64 = 40;
/// Rounds of one job: whoever stops this process waits for no more than these.
const ROUNDS: usize = 8;
/// For how long what was taken is nobody else's.
const TAKEN: Duration = Duration::seconds(45);
/// How long a service is left alone that did not answer.
const SILENCE: Duration = Duration::seconds(30);
/// The longest that a service has us wait.
const LONGEST: Duration = Duration::HOUR;
/// The tag of what is told together.
const TOGETHER: &str = "notices";

/// How soon a device that sleeps is woken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    Low,
    Normal,
    High,
}

impl Urgency {
    const fn of(group: NoticeGroup) -> Self {
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
    fn begin(&self) -> Option<Sending<'_>> {
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
struct Sending<'a> {
    pusher: &'a Pusher,
    over: bool,
}

impl Sending<'_> {
    /// Ends it, unless somebody wrote more meanwhile.
    fn is_over(&mut self) -> bool {
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

/// Sends what is due; run it with each change that writes some, and every minute for what is told later. Of more than a few rounds the next job has
/// the rest.
///
/// # Errors
/// Whatever the database refuses; what was not sent is taken again.
pub async fn send(context: &Context, job: &Claimed) -> Result<(), Error> {
    let mut more = false;
    if let Some(pusher) = context.part::<Pusher>()
        && let Some(mut sending) = pusher.begin()
    {
        more = true;
        for _ in 0..ROUNDS {
            if !round(context, pusher).await? && sending.is_over() {
                more = false;
                break;
            }
        }
    }
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    if more {
        tx.enqueue(NewJob::new(PUSH, format!("{PUSH}:{}", Uuid::now_v7()), &())?);
    }
    job_queue::complete(tx.conn(), job, now).await?;
    tx.commit().await?;
    Ok(())
}

/// A message with the lines that it tells.
struct Message {
    device: Uuid,
    to: Address,
    lines: Vec<Uuid>,
    told: Told,
    urgency: Urgency,
}

impl Message {
    fn is_together(&self) -> bool {
        self.told.tag == TOGETHER
    }
}

/// A row that comes again.
struct Later {
    device: Uuid,
    line: Uuid,
    until: OffsetDateTime,
    /// How it was told, where it may have been.
    told: Option<bool>,
    /// Its service was asked and did not say when: the next try is later than this one was. Whatever else puts it off uses no try up; a
    /// day bounds all of it.
    tried: bool,
}

/// What became of all that was taken, by row.
#[derive(Default)]
struct Settled {
    never: Vec<(Uuid, Uuid)>,
    later: Vec<Later>,
    gone: Vec<(Uuid, String)>,
    sent: HashMap<Uuid, i32>,
}

/// One round; false when nothing was due.
async fn round(context: &Context, pusher: &Pusher) -> Result<bool, Error> {
    let (pool, now) = (context.db.pool(), context.now());
    let taken = store::take(pool, DEVICES, now, now + TAKEN).await?;
    if taken.is_empty() {
        return Ok(false);
    }
    let mut by_device: HashMap<Uuid, Vec<&Taken>> = HashMap::new();
    for row in &taken {
        by_device.entry(row.device).or_default().push(row);
    }
    let ids: Vec<Uuid> = by_device.keys().copied().collect();
    let devices = store::devices(pool, &ids, now).await?;
    let mut ids: Vec<Uuid> = taken.iter().map(|row| row.line).collect();
    ids.sort_unstable();
    ids.dedup();
    let lines: HashMap<Uuid, store::Told> = store::lines(pool, &ids)
        .await?
        .into_iter()
        .map(|line| (line.id, line))
        .collect();
    let attempts: HashMap<(Uuid, Uuid), &Taken> =
        taken.iter().map(|row| ((row.device, row.line), row)).collect();
    let before = |device: Uuid, line: Uuid| attempts.get(&(device, line)).and_then(|row| row.together);
    let mut settled = Settled::default();
    let mut messages = Vec::new();
    for device in &devices {
        let rows = by_device.remove(&device.id).unwrap_or_default();
        let plan = planned(device, &rows, &lines, now);
        let id = device.id;
        settled.never.extend(plan.never.iter().map(|line| (id, *line)));
        settled.later.extend(plan.later.iter().map(|(line, until)| Later {
            device: id,
            line: *line,
            until: *until,
            told: before(id, *line),
            tried: false,
        }));
        messages.extend(written(device, &plan, &lines));
    }
    // Of devices that are gone, or whose session or account is no more.
    for (device, rows) in by_device {
        settled.never.extend(rows.iter().map(|row| (device, row.line)));
    }
    // What is too much for this round comes again when its time is over.
    messages.truncate(MOST);
    decide(context, &messages).await?;
    let mut answers = stream::iter(messages)
        .map(|message: Message| async move {
            let told = message.told.clone();
            let outcome = pusher
                .hand_over(&message.to, told, message.urgency, context.now())
                .await;
            (message, outcome)
        })
        .buffer_unordered(WIDTH);
    while let Some((message, outcome)) = answers.next().await {
        let id = message.device;
        let outcome = outcome?;
        match outcome {
            Outcome::Later(_) | Outcome::Unanswered => {
                let (asked, heard) = match outcome {
                    Outcome::Later(asked) => (asked, true),
                    _ => (SILENCE, false),
                };
                let tried = !heard || asked.is_zero();
                let then = context.now();
                settled.later.extend(message.lines.iter().map(|line| {
                    let tries = attempts.get(&(id, *line)).map_or(1, |row| row.attempts + 1);
                    let wait = if tried { asked.max(back_off(tries)) } else { asked };
                    Later {
                        device: id,
                        line: *line,
                        until: then + wait,
                        // Nobody has been told: it may be told with what has come by then.
                        told: if heard {
                            before(id, *line)
                        } else {
                            Some(message.is_together())
                        },
                        tried,
                    }
                }));
                continue;
            }
            Outcome::Taken => *settled.sent.entry(id).or_default() += 1,
            Outcome::Gone => settled.gone.push((id, message.to.endpoint)),
            Outcome::Refused => {}
        }
        settled.never.extend(message.lines.iter().map(|line| (id, *line)));
    }
    settle(context, &settled, &attempts).await?;
    Ok(true)
}

fn planned(
    device: &Device,
    rows: &[&Taken],
    lines: &HashMap<Uuid, store::Told>,
    now: OffsetDateTime,
) -> Plan {
    let pending: Vec<Pending> = rows
        .iter()
        .map(|row| {
            let line = lines.get(&row.line);
            Pending {
                line: row.line,
                at: row.at,
                open: line.is_some_and(|line| !line.read),
                can_wait: line.is_none_or(|line| rules::group(&line.code) != NoticeGroup::Security),
                together: row.together,
            }
        })
        .collect();
    let hours = device
        .quiet_from
        .zip(device.quiet_until)
        .and_then(|(from, until)| QuietHours::new(from, until));
    let quiet_until = hours.and_then(|hours| hours.ends(now, device.time_zone.as_deref()));
    let pace = Pace {
        hour_from: device.hour_from,
        hour_sent: device.hour_sent,
    };
    plan::plan(&pending, pace, quiet_until, now)
}

/// The messages of a device's plan.
fn written(device: &Device, plan: &Plan, lines: &HashMap<Uuid, store::Told>) -> Vec<Message> {
    let locale = Locale::parse(&device.locale).unwrap_or_default();
    let message = |lines, told, urgency| Message {
        device: device.id,
        to: Address {
            endpoint: device.endpoint.clone(),
            p256dh: device.p256dh.clone(),
            auth: device.auth.clone(),
        },
        lines,
        told,
        urgency,
    };
    let mut messages: Vec<Message> = plan
        .alone
        .iter()
        .filter_map(|id| lines.get(id))
        .map(|line| {
            let values = rules::values(line.params.clone(), line.amount);
            let told = Told {
                id: line.id.to_string(),
                title: words::title(locale, &line.code).to_owned(),
                text: words::sentence(locale, &line.code, &values),
                url: words::screen(&line.code, &line.params),
                tag: line.id.to_string(),
                at: line.at,
            };
            message(vec![line.id], told, Urgency::of(rules::group(&line.code)))
        })
        .collect();
    let newest = plan
        .together
        .iter()
        .filter_map(|id| lines.get(id))
        .max_by_key(|line| (line.at, line.id));
    messages.extend(newest.map(|line| {
        let told = Told {
            id: line.id.to_string(),
            title: locale.text("push", "many.title").to_owned(),
            text: words::many(locale, plan.together.len()),
            url: words::INBOX.to_owned(),
            tag: TOGETHER.to_owned(),
            at: line.at,
        };
        message(plan.together.clone(), told, Urgency::Normal)
    }));
    messages
}

/// Keeps how each line is told, before anything leaves.
async fn decide(context: &Context, messages: &[Message]) -> Result<(), Error> {
    let (mut devices, mut lines, mut together) = (Vec::new(), Vec::new(), Vec::new());
    for message in messages {
        for line in &message.lines {
            devices.push(message.device);
            lines.push(*line);
            together.push(message.is_together());
        }
    }
    if devices.is_empty() {
        return Ok(());
    }
    store::decide(context.db.pool(), &devices, &lines, &together).await
}

/// Writes what became of it, in one change.
async fn settle(
    context: &Context,
    settled: &Settled,
    taken: &HashMap<(Uuid, Uuid), &Taken>,
) -> Result<(), Error> {
    let said = |device: &Uuid, line: &Uuid| taken.get(&(*device, *line)).map(|row| row.at);
    let mut tx = context.db.begin().await?;
    let now = tx.now();
    let never = settled.never.iter();
    let (mut devices, mut lines, mut at) = (Vec::new(), Vec::new(), Vec::new());
    for (device, line, moment) in never.filter_map(|(d, l)| Some((*d, *l, said(d, l)?))) {
        devices.push(device);
        lines.push(line);
        at.push(moment);
    }
    store::done(tx.conn(), &devices, &lines, &at).await?;
    let later = settled.later.iter();
    let (mut devices, mut lines, mut at) = (Vec::new(), Vec::new(), Vec::new());
    let (mut until, mut together, mut tried) = (Vec::new(), Vec::new(), Vec::new());
    for (moment, row) in later.filter_map(|row| Some((said(&row.device, &row.line)?, row))) {
        devices.push(row.device);
        lines.push(row.line);
        at.push(moment);
        until.push(row.until);
        together.push(row.told);
        tried.push(row.tried);
    }
    let off = store::Off {
        until: &until,
        together: &together,
        tried: &tried,
    };
    store::put_off(tx.conn(), &devices, &lines, &at, off).await?;
    let (ids, endpoints): (Vec<Uuid>, Vec<String>) = settled.gone.iter().cloned().unzip();
    store::gone(tx.conn(), &ids, &endpoints).await?;
    let (ids, counts): (Vec<Uuid>, Vec<i32>) = settled.sent.iter().map(|(id, n)| (*id, *n)).unzip();
    store::sent(tx.conn(), &ids, &counts, now).await?;
    tx.commit().await?;
    Ok(())
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
