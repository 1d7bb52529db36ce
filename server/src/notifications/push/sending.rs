//! Handing what waits to the push services (docs/rules/notifications.md#push).
//!
//! One process sends in one job at a time, however many jobs were written: a service that does not answer keeps nobody else's work waiting, and is left
//! alone for a while. What is taken is nobody else's until its time is over; whoever is killed in between sends it once more, with the same tag.

use super::{
    plan::{self, Pace, Pending, Plan},
    pusher::{Outcome, Pusher, SILENCE, Urgency},
    store::{self, Address, Device, Taken},
    words::{self, Told},
};
use crate::{
    error::Error,
    foundation::{
        context::Context,
        job_queue::{self, Claimed, NewJob, back_off},
        locale::Locale,
        quiet_hours::QuietHours,
    },
    notifications::rules,
};
use futures_util::{StreamExt, stream};
use protocol::views::NoticeGroup;
use std::collections::HashMap;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// The job's kind.
pub const PUSH: &str = "notifications.push";

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
/// The tag of what is told together.
const TOGETHER: &str = "notices";

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
