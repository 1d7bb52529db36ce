//! The demo's network: its people and the days behind them.
//!
//! On a fresh database the days are lived on an earlier clock before anything else runs: the same services, bonuses worked off as they
//! arise, each day closed by the real closing. Later, or where that was interrupted, what is missing comes at the time at which it comes:
//! nothing is ever booked into a past that others have seen (docs/decisions/0064-demo-with-days-behind-it.md).

use std::{sync::Arc, time::Instant};

use protocol::{
    ErrorCode,
    ids::{NodeId, UserId},
};
use time::{Date, Duration, OffsetDateTime};
use uuid::Uuid;

use super::{
    LEASE,
    cast::{self, Comes, Step},
    desk,
    member::{Approvers, Member},
};
use crate::{
    affiliates::{
        bonuses::work,
        closing::service as closings,
        service::{self as affiliates, Leg},
    },
    error::Error,
    foundation::{
        business_day,
        clock::{Clock, ShiftedClock},
        context::Context,
        lease::{self, Lease},
        locale::Locale,
        transaction::Db,
    },
    identity::{
        Browser,
        service::{self as identity, Address, DemoUser, Registration},
    },
    jobs, robots,
};

/// Prolonged with every day; so long waits the start after one that was killed.
const LEASE_LIFE: Duration = Duration::seconds(20);
/// A day's steps begin this long after midnight, one after another.
const MORNING: Duration = Duration::hours(9);
const BETWEEN: Duration = Duration::minutes(41);
/// In the afternoon the desk trades until so much has settled: enough that robots have results of the day.
const AFTERNOON: Duration = Duration::hours(15);
const SETTLED: usize = 2;
/// A moment after a day is closed.
const AFTER_CLOSING: Duration = Duration::minutes(6);

/// One node at a time fills a demo.
pub struct Filling<'a> {
    context: &'a Context,
    node: NodeId,
}

impl<'a> Filling<'a> {
    /// Waits until no other node fills.
    pub async fn begin(context: &'a Context) -> Result<Self, Error> {
        let filling = Self {
            context,
            node: NodeId::fresh(),
        };
        while filling.lease().await?.is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(250)).await;
        }
        Ok(filling)
    }

    /// By the clock of now, whatever the time of what is filled in.
    async fn lease(&self) -> Result<Option<Lease>, Error> {
        let now = self.context.now();
        lease::acquire(self.context.db.pool(), LEASE, self.node, now, LEASE_LIFE).await
    }

    async fn prolong(&self) -> Result<Lease, Error> {
        self.lease()
            .await?
            .ok_or_else(|| Error::code(ErrorCode::RequestConflict))
    }

    pub async fn end(self) -> Result<(), Error> {
        let lease = self.prolong().await?;
        lease::release(self.context.db.pool(), &lease, self.context.now()).await
    }

    /// The network of a database in which nobody has done anything yet: days behind it, then today.
    pub async fn live_through(&self, past: &Past) -> Result<(), Error> {
        let today = business_day::of(self.context.now());
        let first = cast::steps().map(|s| s.days_ago).max().unwrap_or_default();
        for days_ago in (1..=first).rev() {
            self.prolong().await?;
            let day = today - Duration::days(days_ago);
            self.live_a_day(past, day, days_ago).await?;
        }
        Ok(())
    }

    async fn live_a_day(&self, past: &Past, day: Date, days_ago: i64) -> Result<(), Error> {
        let begun = Instant::now();
        let mut at = business_day::start(day) + MORNING;
        for step in cast::steps().filter(|s| s.days_ago == days_ago) {
            past.turn_to(at);
            take(&past.context, &step).await?;
            at += BETWEEN;
        }
        // Many sales at once: each of them is no more than a few statements then.
        work::work_off(&past.context).await?;
        let bought = begun.elapsed();
        desk::trade(past, business_day::start(day) + AFTERNOON, SETTLED).await?;
        let closed = day
            .next_day()
            .map(|next| business_day::start(next) + AFTER_CLOSING);
        let traded = begun.elapsed();
        // Right after midnight the last day is still to be closed: by the schedule, like any other.
        if let Some(closed) = closed.filter(|at| *at <= self.context.now()) {
            past.turn_to(closed);
            robots::days::close_due(&past.context).await?;
            closings::close_due(&past.context, robots::days::results_of).await?;
        }
        let closed = begun.elapsed();
        // What was left to jobs, as their runner does it.
        while jobs::round(&past.context).await? > 0 {}
        tracing::info!(
            %day, buying = ?bought, trading = ?(traded - bought), closing = ?(closed - traded), jobs = ?(begun.elapsed() - closed),
            "a day of the demo's network is over"
        );
        Ok(())
    }

    /// What is still missing of the last so many days, now.
    pub async fn complete(&self, days: i64) -> Result<(), Error> {
        for step in cast::steps().filter(|s| s.days_ago <= days) {
            self.prolong().await?;
            take(self.context, &step).await?;
        }
        waits(self.context).await
    }
}

/// The context of an earlier time.
pub struct Past {
    pub context: Context,
    clock: Arc<ShiftedClock>,
}

impl Past {
    /// So many days ago.
    #[must_use]
    pub fn of(context: &Context) -> Self {
        let clock = Arc::new(ShiftedClock::default());
        let first = cast::steps().map(|s| s.days_ago).max().unwrap_or_default();
        let day = business_day::of(context.now()) - Duration::days(first);
        let past = Self {
            context: Context {
                db: Db::new(context.db.pool().clone(), clock.clone()),
                clock: clock.clone(),
                ..context.clone()
            },
            clock,
        };
        past.turn_to(business_day::start(day) + Duration::hours(8));
        past
    }

    pub fn turn_to(&self, at: OffsetDateTime) {
        self.clock.advance(at - self.clock.now());
    }
}

/// One step, unless it was taken: who has a licence has bought.
async fn take(context: &Context, step: &Step) -> Result<(), Error> {
    if let Some(comes) = &step.comes {
        join(context, step.username, comes).await?;
    }
    let Some(member) = Member::find(context, step.username).await? else {
        return Err(Error::internal(format!("the demo lacks {}", step.username)));
    };
    if step.licences.is_empty() || !member.licences(context).await?.is_empty() {
        return Ok(());
    }
    let paid = (approvers(context).await?, step.deposit);
    member.buy(context, Some(paid), step.licences).await
}

/// The demo's administrators.
pub async fn approvers(context: &Context) -> Result<Approvers, Error> {
    Ok([admin(context, "admin1").await?, admin(context, "admin2").await?])
}

async fn admin(context: &Context, username: &str) -> Result<UserId, Error> {
    let account = identity::account_by_username(&context.db, username).await?;
    account
        .map(|a| a.id)
        .ok_or_else(|| Error::internal(format!("the demo lacks {username}")))
}

/// Has a sponsor select this leg.
pub async fn select_leg(context: &Context, sponsor: UserId, leg: Leg) -> Result<(), Error> {
    let chosen = affiliates::standing(context, &context.db, sponsor).await?;
    if chosen.is_some_and(|s| s.selected_leg != leg) {
        affiliates::select_leg(context, sponsor, leg).await?;
    }
    Ok(())
}

/// Makes a confirmed member, unless there is one of this name; whether it was made.
pub async fn join(context: &Context, username: &str, comes: &Comes) -> Result<bool, Error> {
    if identity::account_by_username(&context.db, username)
        .await?
        .is_some()
    {
        return Ok(false);
    }
    let sponsor = match comes.sponsor {
        identity::HOUSE_USERNAME => identity::HOUSE,
        name => {
            let account = identity::account_by_username(&context.db, name).await?;
            account
                .ok_or_else(|| Error::internal(format!("the demo lacks {name}")))?
                .id
        }
    };
    if let Some(leg) = comes.leg {
        select_leg(context, sponsor, leg).await?;
    }
    let email = format!("{username}@arbora.example");
    let demo = DemoUser {
        email: &email,
        full_name: comes.full_name,
        username: Some(username),
        password: None,
        roles: &["customer"],
        locale: Locale::default(),
        two_factor_email: false,
    };
    let mut tx = context.db.begin().await?;
    let user = identity::create_demo_user(context, &mut tx, &demo).await?;
    affiliates::admit(context, &mut tx, user, Some(sponsor)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Somebody who registered and waits for a place.
async fn waits(context: &Context) -> Result<(), Error> {
    let (email, full_name, sponsor) = cast::WAITS;
    let mut tx = context.db.begin().await?;
    let known = identity::account_by_email_within(&mut tx, email).await?;
    tx.rollback().await?;
    if known.is_some() {
        return Ok(());
    }
    // Nobody is to sign in with it.
    let password = Uuid::new_v4().to_string();
    let form = Registration {
        full_name: full_name.to_owned(),
        email: email.to_owned(),
        password_confirmation: password.clone(),
        password,
        terms: true,
        adult: true,
        risk_notice: true,
        mobile_number: None,
        address: Address {
            country: "Brasil".into(),
            state: "RJ".into(),
            city: "Rio de Janeiro".into(),
            street: "Rua do Ouvidor".into(),
            number: "50".into(),
            complement: None,
            district: "Centro".into(),
            postal_code: "20040-030".into(),
        },
    };
    let browser = Browser {
        device: "demo".into(),
        address: "127.0.0.1".into(),
        token: None,
    };
    affiliates::register(context, sponsor, &form, Locale::default(), &browser).await?;
    Ok(())
}
