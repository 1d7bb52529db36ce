//! Use cases of the network, and its door for licences.
//!
//! Locks of a placement, always in this order, down the sponsor tree: the member, its sponsor's counters, its own counters, the chain.
//! Whoever comes below a member holds that member's counters: it sees the member's place, or is seen waiting for it.

pub use super::rules::Leg;
use super::{
    bonuses::service::{self as bonuses, Undone},
    model::DayResult,
    rules::{self, has_place},
    store::{self, Place},
};
use crate::{
    error::Error,
    foundation::{
        audit::{self, Category},
        context::Context,
        job_queue::NewJob,
        locale::Locale,
        open_day, text,
        transaction::{Db, Tx},
    },
    identity::{
        Browser, google,
        service::{self as identity, Completion, ConfirmState, HOUSE, Registered, Registration, Social},
        sessions,
        signals::{self, Signals},
    },
};
use protocol::{
    ErrorCode,
    ids::{LicenceId, UserId},
    money::Usdt,
};
use serde::Serialize;
use serde_json::json;
use sqlx::PgExecutor;
use std::collections::HashMap;
use time::Date;
use uuid::Uuid;

/// The job that places a member who waited for the sponsor's place; its payload is the member's id.
pub const PLACE_JOB: &str = "affiliates.place";

/// Who brings, or brought, somebody: no more than recognising them takes, for anybody has the link and anybody may register by it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Upline {
    pub username: String,
    pub first_name: String,
}

/// Who brought somebody, as that person sees them.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sponsor {
    pub username: String,
    pub first_name: String,
    /// Where they are found elsewhere.
    pub social: Social,
}

impl Sponsor {
    /// Without where they are found elsewhere: that is for their own network.
    pub fn without_places(&mut self) {
        self.social = Social::default();
    }
}

/// The confirmed member behind a referral link, the house included.
///
/// # Errors
/// `upline.unknown`.
pub async fn upline(context: &Context, username: &str) -> Result<(UserId, Upline), Error> {
    let unknown = || Error::code(ErrorCode::UplineUnknown);
    let key = text::key(username);
    let settings = context.settings.current(context.now()).await?;
    let (id, found) = if key == identity::HOUSE_USERNAME {
        (
            HOUSE,
            Upline {
                username: key,
                first_name: settings.settings.brand.clone(),
            },
        )
    } else {
        let account = identity::account_by_username(&context.db, &key)
            .await?
            .ok_or_else(unknown)?;
        (
            account.id,
            Upline {
                username: account.username,
                first_name: identity::first_name(&account.full_name).to_owned(),
            },
        )
    };
    let member = store::member(context.db.pool(), id).await?;
    member
        .filter(|m| m.confirmed_at.is_some())
        .map(|_| (id, found))
        .ok_or_else(unknown)
}

/// Registers a person under an upline: the account, its place in the sponsor tree, the confirmation mail, a session.
///
/// # Errors
/// `upline.unknown`, `email.taken`, what the form refuses; `request.rate_limited` after five taken addresses from one place.
pub async fn register(
    context: &Context,
    upline_name: &str,
    form: &Registration,
    locale: Locale,
    browser: &Browser,
) -> Result<Registered, Error> {
    let (sponsor, _) = upline(context, upline_name).await?;
    identity::watch_registration(context, browser).await?;
    let checked = form.check(context).await?;
    let mut tx = context.db.begin().await?;
    match identity::register(context, &mut tx, checked, locale, browser).await {
        Ok(registered) => {
            let now = tx.now();
            store::insert(tx.conn(), registered.user, sponsor, None, now).await?;
            tx.commit().await?;
            Ok(registered)
        }
        Err(error) if error.error_code() == ErrorCode::EmailTaken => {
            tx.rollback().await?;
            identity::note_taken(context, browser).await?;
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Looks at a confirmation link, or acts on it: confirms the address and gives the member a place.
///
/// # Errors
/// `link.confirmation_invalid`.
pub async fn confirm(
    context: &Context,
    signals: &Signals,
    user: UserId,
    token: &str,
    act: bool,
) -> Result<ConfirmState, Error> {
    let mut tx = context.db.begin().await?;
    let (state, confirmed_now) = identity::confirm(context, &mut tx, user, token, act).await?;
    if !confirmed_now {
        return Ok(state);
    }
    let now = tx.now();
    store::confirm(tx.conn(), user, now).await?;
    place(context, &mut tx, user).await?;
    let living = sessions::ids(&mut tx, user).await?;
    tx.commit().await?;
    signals.scope_changed(user, &living).await;
    Ok(state)
}

/// Lets in who comes back from Google, or links what they went for: somebody new stands below whose referral link was open, and whose address
/// is confirmed by it gets a place.
///
/// # Errors
/// What `identity::google` refuses.
pub async fn enter_by_google(
    context: &Context,
    signals: &Signals,
    code: &str,
    mark: Option<&str>,
    browser: &Browser,
) -> Result<google::Done, Error> {
    let back = google::redeem(context, code, mark).await?;
    let sponsor = match back.upline.as_deref() {
        None => None,
        Some(name) => match upline(context, name).await {
            Ok((id, _)) => Some(id),
            // Asked for with the rest.
            Err(error) if error.error_code() == ErrorCode::UplineUnknown => None,
            Err(error) => return Err(error),
        },
    };
    let mut tx = context.db.begin().await?;
    let came = google::enter(context, &mut tx, &back, browser, Locale::current()).await?;
    if came.confirmed {
        let now = tx.now();
        match store::member(tx.conn(), came.user).await? {
            Some(_) => {
                store::confirm(tx.conn(), came.user, now).await?;
                place(context, &mut tx, came.user).await?;
            }
            None if sponsor.is_some() => admit(context, &mut tx, came.user, sponsor).await?,
            None => {}
        }
    }
    tx.commit().await?;
    google::after(context, signals, came, browser).await
}

/// Takes in what an account still lacks: terms, risk notice, age, address, upline. Who has an upline keeps it.
///
/// # Errors
/// `upline.unknown`, what the form refuses; `request.conflict` for what is known already.
pub async fn complete(context: &Context, user: UserId, given: &Completion) -> Result<(), Error> {
    let named = given
        .upline
        .as_deref()
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let sponsor = match named {
        None => HOUSE,
        Some(name) => {
            let name = name.trim_start_matches('@');
            upline(context, name)
                .await
                .map_err(|error| match error.error_code() {
                    ErrorCode::UplineUnknown => error.field("upline", ErrorCode::UplineUnknown),
                    _ => error,
                })?
                .0
        }
    };
    let mut tx = context.db.begin().await?;
    let member = store::member(tx.conn(), user).await?;
    if member.is_some() && named.is_some() {
        return Err(Error::code(ErrorCode::RequestConflict).field("upline", ErrorCode::RequestConflict));
    }
    identity::complete(&mut tx, user, given).await?;
    if member.is_none() {
        let confirmed = identity::account_within(&mut tx, user).await?.email_confirmed_at;
        if confirmed.is_some() {
            admit(context, &mut tx, user, Some(sponsor)).await?;
        } else {
            let now = tx.now();
            store::insert(tx.conn(), user, sponsor, None, now).await?;
        }
    }
    let living = sessions::ids(&mut tx, user).await?;
    tx.commit().await?;
    // What it may do stands in the session cache.
    for session in living {
        sessions::forget(session).await;
    }
    Ok(())
}

/// Makes a confirmed account a member under a sponsor (the house when none) and places it: the seed, staff, whoever buys without
/// having come by a link. Does nothing for a member.
///
/// # Errors
/// Whatever the database refuses.
pub async fn admit(
    context: &Context,
    tx: &mut Tx,
    user: UserId,
    sponsor: Option<UserId>,
) -> Result<(), Error> {
    let now = tx.now();
    if store::insert(tx.conn(), user, sponsor.unwrap_or(HOUSE), Some(now), now).await? {
        place(context, tx, user).await?;
    }
    Ok(())
}

/// Gives a confirmed member the outermost free place down the sponsor's selected leg; O(1) at any depth. Waits when the sponsor has no
/// place, or has enough placed members without a licence; returns whether the member stands in the tree.
///
/// # Errors
/// Whatever the database refuses.
pub async fn place(context: &Context, tx: &mut Tx, user: UserId) -> Result<bool, Error> {
    let (now, limit) = (
        tx.now(),
        context.settings.within(tx).await?.settings.unlicensed_places,
    );
    let Some(found) = store::lock_place(tx.conn(), user).await? else {
        return Ok(false);
    };
    let (Some(sponsor), None, Some(_)) = (found.sponsor, found.placed_at, found.confirmed_at) else {
        return Ok(found.placed_at.is_some());
    };
    let free = has_place(found.unlicensed_placed, limit, found.licensed);
    let Some((leg, chain, parent, depth)) = found.end.filter(|_| free) else {
        return Ok(false);
    };
    // The newcomer ends the chain that it joins and begins one of its own on the other side.
    let place = Place {
        sponsor,
        parent,
        leg,
        joined: chain,
        own: Uuid::now_v7(),
        depth: depth + 1,
        counted_unlicensed: !found.licensed,
    };
    let waited = store::place(tx.conn(), user, &place, now).await?;
    audit::record(
        tx,
        None,
        Some(user.0),
        Category::Profile,
        "network.placed",
        json!({ "parent": parent, "leg": leg }),
    )
    .await?;
    signals::user_changed(tx, user, "placed");
    if sponsor != HOUSE {
        signals::user_changed(tx, sponsor, "network");
    }
    for waiting in waited {
        tx.enqueue(NewJob::new(
            PLACE_JOB,
            format!("{PLACE_JOB}:{waiting}"),
            &waiting,
        )?);
    }
    Ok(true)
}

/// A licence as the network knows it.
#[derive(Clone, Copy, Debug)]
pub struct NetworkLicence {
    pub id: LicenceId,
    pub member: UserId,
    pub value: Usdt,
    /// What bonuses may use of it.
    pub ceiling: Usdt,
    pub active: bool,
}

/// A licence of a member was bought or ended. The first one gives a waiting member a place.
///
/// # Errors
/// Whatever the database refuses.
pub async fn licence_changed(context: &Context, tx: &mut Tx, licence: &NetworkLicence) -> Result<(), Error> {
    let now = tx.now();
    if store::put_licence(tx.conn(), licence, HOUSE, now).await? {
        place(context, tx, licence.member).await?;
    }
    Ok(())
}

/// A sale became final: its points wait for the closing of their business day, its bonuses follow at once. Returns whether this call wrote
/// them.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sale_final(
    context: &Context,
    tx: &mut Tx,
    licence: LicenceId,
    member: UserId,
    value: Usdt,
    business_day: Date,
) -> Result<bool, Error> {
    let now = tx.now();
    let sale = store::Sale {
        licence,
        member,
        value,
        points: rules::points(value),
        business_day,
        cause: Uuid::now_v7(),
    };
    let sold = store::sell(tx.conn(), &sale, HOUSE, now).await?;
    if sold.admitted {
        place(context, tx, member).await?;
    }
    if sold.cause {
        bonuses::wake(tx, sale.cause)?;
    }
    Ok(sold.points)
}

/// A final sale was taken back: its points leave the carry, or future points where that does not hold them; its bonuses go back.
///
/// # Errors
/// Whatever the database refuses.
pub async fn sale_undone(tx: &mut Tx, licence: LicenceId, undone: &Undone) -> Result<(), Error> {
    let business_day = open_day::of(tx).await?;
    let now = tx.now();
    store::undo_points(tx.conn(), licence, business_day, now).await?;
    bonuses::sale_undone(tx, licence, undone).await
}

/// Leaves what robots of members brought on a day, one result of each, in the transaction that books it: what tonight's closing is foreseen to
/// bring those above counts it a little later (`closing::sums`). Waits for no row of theirs.
///
/// # Errors
/// Whatever the database refuses.
pub async fn results_left(tx: &mut Tx, day: Date, results: &[DayResult]) -> Result<(), Error> {
    if results.is_empty() {
        return Ok(());
    }
    let at = tx.now();
    store::leave_results(tx.conn(), day, at, results).await
}

/// What bonuses have used of the network ceilings of these licences; none of one that is absent.
///
/// # Errors
/// Whatever the database refuses.
pub async fn network_used(
    db: impl PgExecutor<'_>,
    licences: &[LicenceId],
) -> Result<HashMap<LicenceId, Usdt>, Error> {
    store::network_used(db, licences).await
}

/// Which leg new members will stand on.
///
/// # Errors
/// `request.conflict` for someone who is no member.
pub async fn select_leg(context: &Context, user: UserId, leg: Leg) -> Result<(), Error> {
    let mut tx = context.db.begin().await?;
    if !store::select_leg(tx.conn(), user, leg.as_str()).await? {
        return Err(Error::code(ErrorCode::RequestConflict));
    }
    audit::record(
        &mut tx,
        Some(user),
        Some(user.0),
        Category::Profile,
        "network.leg",
        json!({ "leg": leg }),
    )
    .await?;
    signals::user_changed(&mut tx, user, "network");
    tx.commit().await?;
    Ok(())
}

/// A member's standing, for /me and the network's pages.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    pub sponsor: Option<Sponsor>,
    /// The leg on which the member stands below its parent.
    pub binary_side: Option<Leg>,
    pub selected_leg: Leg,
    pub placed: bool,
}

/// A member's standing; none for those who are no members.
///
/// # Errors
/// Whatever the database refuses.
pub async fn standing(context: &Context, db: &Db, user: UserId) -> Result<Option<Standing>, Error> {
    let Some(member) = store::member(db.pool(), user).await? else {
        return Ok(None);
    };
    let sponsor = match member.sponsor {
        None => None,
        Some(HOUSE) => {
            let brand = context
                .settings
                .current(context.now())
                .await?
                .settings
                .brand
                .clone();
            Some(Sponsor {
                username: identity::HOUSE_USERNAME.into(),
                first_name: brand,
                social: Social::default(),
            })
        }
        Some(id) => {
            let account = identity::account(db, id).await?;
            let mut found = identity::social_of(db, &[id]).await?;
            Some(Sponsor {
                username: account.username,
                first_name: identity::first_name(&account.full_name).to_owned(),
                social: found.remove(&id).unwrap_or_default(),
            })
        }
    };
    Ok(Some(Standing {
        sponsor,
        binary_side: member.leg.as_deref().map(Leg::read),
        selected_leg: Leg::read(&member.selected_leg),
        placed: member.placed_at.is_some(),
    }))
}
