//! The steps of a closing, each in chunks that say how far they came.

use super::{
    service::{self, Calculation, LEVELS, Run},
    store::{self, Closing, Matched, Reached, SEGMENT, Segment},
    tell,
    tree::{Match, Walk},
};
use crate::{
    affiliates::{
        bonuses::{
            binary,
            booking::{self, Booking},
            facts::{Fact, Upline},
            residual, work,
        },
        graduations::rules as ranks,
        model::{Bonus, DayResult, NewBonus},
    },
    approvals::guard,
    error::Error,
    foundation::{
        job_queue::NewJob,
        settings::{InForce, WHOLE},
        transaction::Tx,
    },
    identity::service::HOUSE,
    ledger::{
        mass::MassBooking,
        model::{AccountRef, Cause, CauseKind, HouseAccount, TransferKind, UserAccount},
        service as ledger,
    },
};
use protocol::{
    LiveEvent, StreamId,
    ids::{GraduationId, UserId},
    money::Usdt,
    stream_id::Queue,
    views::{BonusCause, BonusKind},
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use time::OffsetDateTime;
use uuid::Uuid;

/// Members of one transaction.
const CHUNK: usize = 5_000;
/// Bonuses of one transaction, where one member gets several; one member's are never parted.
const BONUSES: usize = 15_000;
/// Segments written at once.
const SEGMENTS: usize = 512;

/// Does what is left of a closing.
///
/// # Errors
/// Whatever the ledger or the database refuses; the chunks before stay booked.
pub(super) async fn finish(run: &Run<'_>, closing: &Closing, calculation: Calculation) -> Result<(), Error> {
    residual(run, closing, &calculation).await?;
    keep_legs(run, closing, &calculation).await?;
    binary(run, closing, &calculation).await?;
    graduations(run, closing).await?;
    tell::all(run, closing).await?;
    Ok(())
}

/// A chunk's transaction, if this step is still to be done: the closing's row is held.
pub(super) async fn chunk(
    run: &Run<'_>,
    closing: &Closing,
    step: &str,
) -> Result<Option<(Tx, Closing)>, Error> {
    let mut tx = run.begin().await?;
    let now = store::lock(tx.conn(), closing.id).await?;
    Ok((now.step == step).then_some((tx, now)))
}

/// Those of the sorted that are still to be done, a chunk of them.
fn next<T>(sorted: &[(UserId, T)], done: Option<Uuid>) -> &[(UserId, T)] {
    let from = done.map_or(0, |done| sorted.partition_point(|(member, _)| member.0 <= done));
    let rest = sorted.get(from..).unwrap_or_default();
    rest.get(..CHUNK.min(rest.len())).unwrap_or_default()
}

/// The same, but that all of one receiver are done together.
fn next_whole<T>(sorted: &[(UserId, T)], done: Option<Uuid>) -> &[(UserId, T)] {
    let from = done.map_or(0, |done| sorted.partition_point(|(member, _)| member.0 <= done));
    let rest = sorted.get(from..).unwrap_or_default();
    let last = rest
        .get(BONUSES.min(rest.len()).saturating_sub(1))
        .map(|(member, _)| *member);
    let end = last.map_or(0, |last| rest.partition_point(|(member, _)| *member <= last));
    rest.get(..end).unwrap_or_default()
}

/// Books bonuses that the closing found, in one transfer; what came of each, in their order. Matched points need the walk down the tree.
async fn book(
    run: &Run<'_>,
    tx: &mut Tx,
    closing: &Closing,
    settings: &Arc<InForce>,
    last: UserId,
    new: Vec<NewBonus>,
    walk: Option<&Walk>,
) -> Result<Vec<Bonus>, Error> {
    if new.is_empty() {
        return Ok(Vec::new());
    }
    let kind = new.first().map_or(BonusKind::Binary, |b| b.kind);
    let receivers: BTreeSet<UserId> = new.iter().map(|b| b.receiver).collect();
    let mut booking: Booking = booking::open(run.context, tx, &receivers)
        .await?
        .under(settings.clone());
    for bonus in new {
        booking.add(bonus);
    }
    booking.write(tx, walk).await?;
    let paid = booking.paid();
    if !paid.is_empty() {
        let order = paid.into_iter().fold(
            MassBooking::new(
                TransferKind::Bonus,
                format!("closing:{}:{kind}:{last}", closing.id),
                Cause::new(CauseKind::Closing, closing.id.0),
                HouseAccount::NetworkFund,
            )
            .settings(settings.version)
            .business_day(closing.day)
            // Opening the booking has locked these accounts, and the closing's row says that this chunk comes once.
            .guarded(0),
            |order, (member, amount)| order.leg(AccountRef::User(member, UserAccount::Bonus), amount),
        );
        ledger::post_mass(tx, order).await?;
    }
    Ok(booking.bonuses().to_vec())
}

/// A residual bonus to be booked: whose results it comes from, and their sum after the losses of earlier days.
struct Share {
    source: UserId,
    level: i16,
    rate: i64,
    base: Usdt,
    young_until: Option<OffsetDateTime>,
}

/// Residual bonuses on what the downline's robots brought: first what losses leave, then receiver by receiver, so that each is booked to
/// once.
async fn residual(run: &Run<'_>, closing: &Closing, calculation: &Calculation) -> Result<(), Error> {
    let Some(shares) = residual_shares(run, closing, calculation).await? else {
        return Ok(());
    };
    while let Some((mut tx, now)) = chunk(run, closing, "residual").await? {
        let due = next_whole(&shares, now.done_through);
        let at = tx.now();
        if let Some((last, _)) = due.last() {
            residual_chunk(run, &mut tx, closing, due, *last).await?;
            store::advance(tx.conn(), closing.id, "residual", Some(*last), at).await?;
        } else {
            store::advance(tx.conn(), closing.id, "binary", None, at).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// Sets losses off and writes what is left of them; who gets what from whom, by receivers, then sources. None once this step is done.
async fn residual_shares(
    run: &Run<'_>,
    closing: &Closing,
    calculation: &Calculation,
) -> Result<Option<Vec<(UserId, Share)>>, Error> {
    let Some((mut tx, _)) = chunk(run, closing, "residual").await? else {
        return Ok(None);
    };
    let sources: Vec<&(u32, DayResult)> = calculation
        .results
        .iter()
        .filter(|(_, r)| !r.result.is_zero())
        .collect();
    let ids: Vec<Uuid> = sources.iter().map(|(_, r)| r.member.0).collect();
    let before = store::to_set_off(tx.conn(), &ids, closing.day).await?;
    let mut carried = Vec::new();
    let mut gained = Vec::new();
    for (no, DayResult { member, result }) in sources {
        let owed = before.get(member).copied().unwrap_or_default();
        let (base, rest) = residual::base(owed, *result);
        if rest != owed {
            carried.push((*member, rest));
        }
        if base.is_positive() {
            gained.push((*no, *member, base));
        }
    }
    let above: BTreeSet<u32> = gained
        .iter()
        .flat_map(|(no, ..)| calculation.uplines(*no))
        .collect();
    let members: HashMap<u32, UserId> = above
        .into_iter()
        .filter_map(|no| Some((no, calculation.ids.get(no)?)))
        .collect();
    let sources: Vec<UserId> = gained.iter().map(|(_, source, _)| *source).collect();
    let young = guard::young_among(&mut tx, &sources).await?;
    let settings = service::settings_of(&mut tx, closing).await?;
    let rates: [i64; LEVELS] = settings.settings.residual_bonuses();
    tx.rollback().await?;
    // Whoever sums results waits for these rows: not for all of them. Those of a closing that was stopped are written again, and stay.
    for some in carried.chunks(CHUNK) {
        let Some((mut tx, _)) = chunk(run, closing, "residual").await? else {
            return Ok(None);
        };
        store::save_set_off(tx.conn(), some, closing.day).await?;
        tx.commit().await?;
    }
    let mut shares = Vec::new();
    for (no, source, base) in gained {
        for ((level, rate), above) in (1i16..).zip(rates).zip(calculation.uplines(no)) {
            if let Some(receiver) = members.get(&above) {
                let share = Share {
                    source,
                    level,
                    rate,
                    base,
                    young_until: young.get(&source).copied(),
                };
                shares.push((*receiver, share));
            }
        }
    }
    shares.sort_unstable_by_key(|(receiver, share)| (*receiver, share.source));
    Ok(Some(shares))
}

async fn residual_chunk(
    run: &Run<'_>,
    tx: &mut Tx,
    closing: &Closing,
    due: &[(UserId, Share)],
    last: UserId,
) -> Result<(), Error> {
    let first = due.first().map_or(last, |(receiver, _)| *receiver);
    let frozen = store::frozen(tx.conn(), closing.id, first, last).await?;
    let settings = Arc::new(service::settings_of(tx, closing).await?);
    let new = due
        .iter()
        .filter_map(|(member, share)| {
            let fact = Fact {
                cause_kind: BonusCause::Closing,
                cause: closing.id.0,
                source: share.source,
                base: share.base,
                business_day: closing.day,
                young_until: share.young_until,
            };
            let upline = Upline {
                member: *member,
                level: share.level,
                active: frozen.contains_key(member),
            };
            fact.bonus(BonusKind::Residual, &upline, share.rate)
        })
        .collect();
    book(run, tx, closing, &settings, last, new, None).await?;
    Ok(())
}

/// Keeps the points on the legs after this closing, and the team's size: those segments that changed.
async fn keep_legs(run: &Run<'_>, closing: &Closing, calculation: &Calculation) -> Result<(), Error> {
    let Some((mut tx, now)) = chunk(run, closing, "binary").await? else {
        return Ok(());
    };
    if now.done_through.is_some() {
        return Ok(());
    }
    let (legs, before) = (&calculation.legs, &calculation.before);
    let mut segments = Vec::new();
    let parts = legs.left.chunks(SEGMENT).zip(legs.right.chunks(SEGMENT));
    let parts_before = before.left.chunks(SEGMENT).zip(before.right.chunks(SEGMENT));
    for ((number, (left, right)), (left_before, right_before)) in (0i32..).zip(parts).zip(parts_before) {
        if left != left_before || right != right_before {
            segments.push(Segment::padded(number, left, right));
        }
    }
    for some in segments.chunks(SEGMENTS) {
        store::save_legs(tx.conn(), closing.day, some).await?;
    }
    let month = closing.day.replace_day(1).unwrap_or(closing.day);
    let team = |points: &[i64]| {
        points
            .iter()
            .map(|n| i32::try_from(*n).unwrap_or(i32::MAX))
            .collect::<Vec<i32>>()
    };
    for (first, (left, right)) in (0usize..).step_by(SEGMENTS).zip(
        calculation
            .team
            .left
            .chunks(SEGMENT * SEGMENTS)
            .zip(calculation.team.right.chunks(SEGMENT * SEGMENTS)),
    ) {
        let count = left.len().div_ceil(SEGMENT);
        let numbers: Vec<i32> = (first..first + count)
            .filter_map(|n| i32::try_from(n).ok())
            .collect();
        let fill = |points: &[i64]| {
            let mut team = team(points);
            team.resize(count * SEGMENT, 0);
            team
        };
        store::save_team(tx.conn(), month, &numbers, &fill(left), &fill(right)).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// The binary bonus on what both legs matched.
async fn binary(run: &Run<'_>, closing: &Closing, calculation: &Calculation) -> Result<(), Error> {
    let matched = by_member(calculation);
    while let Some((mut tx, now)) = chunk(run, closing, "binary").await? {
        let due = next(&matched, now.done_through);
        let at = tx.now();
        if let Some((last, _)) = due.last() {
            let settings = Arc::new(service::settings_of(&mut tx, closing).await?);
            binary_chunk(run, &mut tx, closing, calculation, &settings, due, *last).await?;
            store::advance(tx.conn(), closing.id, "binary", Some(*last), at).await?;
        } else {
            store::advance(tx.conn(), closing.id, "graduations", None, at).await?;
        }
        tx.commit().await?;
    }
    Ok(())
}

/// The house's own match is nobody's.
fn by_member(calculation: &Calculation) -> Vec<(UserId, Match)> {
    let mut sorted: Vec<(UserId, Match)> = calculation
        .matches
        .iter()
        .filter_map(|m| Some((calculation.ids.get(m.member)?, *m)))
        .filter(|(member, _)| *member != HOUSE)
        .collect();
    sorted.sort_unstable_by_key(|(member, _)| *member);
    sorted
}

async fn binary_chunk(
    run: &Run<'_>,
    tx: &mut Tx,
    closing: &Closing,
    calculation: &Calculation,
    settings: &Arc<InForce>,
    due: &[(UserId, Match)],
    last: UserId,
) -> Result<(), Error> {
    let first = due.first().map_or(last, |(member, _)| *member);
    let frozen = store::frozen(tx.conn(), closing.id, first, last).await?;
    let rate = settings.settings.binary_bonus;
    let new: Vec<NewBonus> = due
        .iter()
        .map(|(member, m)| NewBonus {
            receiver: *member,
            source: None,
            kind: BonusKind::Binary,
            level: 0,
            cause_kind: BonusCause::Closing,
            cause: closing.id.0,
            base: m.points,
            rate,
            gross: binary::gross(m.points, rate),
            bound: Some(binary::bound(frozen.get(member))),
            business_day: closing.day,
            young_until: calculation.young_until(m.member),
        })
        .filter(|b| b.gross.is_positive())
        .collect();
    let walk = Some(&calculation.walk);
    let booked = book(run, tx, closing, settings, last, new, walk).await?;
    let of: HashMap<UserId, &Bonus> = booked.iter().map(|b| (b.new.receiver, b)).collect();
    let matched: Vec<Matched> = due
        .iter()
        .map(|(member, m)| {
            let bonus = of.get(member);
            let earned = bonus.map_or(Usdt::ZERO, |b| b.earned());
            let lost = binary::points_lost(m.points, rate, earned, frozen.get(member));
            // Where it comes to no bonus, the rule's.
            let (rules, _) = binary::bound(frozen.get(member));
            let reason = bonus.and_then(|b| b.lost_reason).or(Some(rules));
            let leg = |legs: &[i64]| legs.get(m.member as usize).copied().unwrap_or(0) + m.points;
            Matched {
                member: *member,
                left: leg(&calculation.legs.left),
                right: leg(&calculation.legs.right),
                points: m.points,
                lost,
                reason: reason.filter(|_| lost > 0),
            }
        })
        .collect();
    store::save_matches(tx.conn(), closing.id, &matched).await
}

/// Ranks that were reached by what was paid; the bonus of each is paid by hand.
async fn graduations(run: &Run<'_>, closing: &Closing) -> Result<(), Error> {
    let Some((mut tx, _)) = chunk(run, closing, "graduations").await? else {
        return Ok(());
    };
    let settings = service::settings_of(&mut tx, closing).await?;
    let (ladder, rate) = (
        settings.settings.graduations(),
        settings.settings.graduation_bonus,
    );
    let risen = store::risen(tx.conn(), closing.id).await?;
    let moved = !risen.is_empty();
    let reached: Vec<Reached> = risen
        .into_iter()
        .flat_map(|(member, points, rank)| {
            ranks::reached(rank, points, &ladder)
                .into_iter()
                .map(move |(rank, threshold)| Reached {
                    id: GraduationId::fresh(),
                    member,
                    rank,
                    threshold: threshold.0,
                    amount: threshold.mul_div_floor(rate, WHOLE).unwrap_or_default(),
                })
        })
        .collect();
    let at = tx.now();
    if !reached.is_empty() {
        store::graduate(tx.conn(), closing, rate, &reached, at).await?;
    }
    if moved {
        // Who pays their bonuses sees them at once, and who is how near to the next rank.
        tx.emit(
            StreamId::Queue(Queue::GraduationBonuses),
            LiveEvent::RanksReached {
                count: i64::try_from(reached.len()).unwrap_or(i64::MAX),
            },
        );
    }
    store::advance(tx.conn(), closing.id, "tell", None, at).await?;
    // What waits for the fund may have been joined by what came meanwhile.
    tx.enqueue(NewJob::new(
        work::WORK,
        format!("{}:closing:{}", work::WORK, closing.id),
        &(),
    )?);
    tx.commit().await?;
    Ok(())
}
