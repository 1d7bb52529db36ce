//! GET /me: everything that a signed-in person's screens need at once.

use crate::{
    affiliates::{
        self,
        graduations::service::{Graduation, NextGraduation},
        service::Sponsor,
    },
    approvals::{
        compliance::{
            self,
            pauses::{self, PauseOf},
        },
        guard::state::PausedView,
    },
    error::Error,
    foundation::{context::Context, outbox},
    identity::{
        caller::Caller,
        service::{Profile, Social, profile},
    },
    ledger,
};
use protocol::{
    StreamId,
    ids::LookId,
    money::Usdt,
    views::{AccountBalance, UserAccount},
};
use serde::Serialize;
use time::OffsetDateTime;

/// The signed-in person.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Me {
    #[serde(flatten)]
    pub profile: Profile,
    /// The account `available`.
    pub balance: Usdt,
    pub balances: Vec<AccountBalance>,
    pub sponsor: Option<Sponsor>,
    /// `left` or `right`: where the person stands below its parent.
    pub binary_side: Option<affiliates::service::Leg>,
    pub selected_leg: Option<affiliates::service::Leg>,
    /// The highest rank that was reached.
    pub graduation: Option<Graduation>,
    pub next_graduation_info: Option<NextGraduation>,
    /// Outgoing money stands still: one's own, or everyone's.
    pub pause: Option<PausedView>,
    /// The desk stands still: it begins nothing.
    pub desk_pause: Option<PausedView>,
    /// Somebody of the staff looks at the account as its owner sees it: what is not theirs to see is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<SeenUnder>,
}

/// A look, for who looks.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeenUnder {
    #[serde(rename = "_id")]
    pub id: LookId,
    pub reason: String,
    #[serde(with = "time::serde::rfc3339")]
    pub until: OffsetDateTime,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct MeAnswer {
    pub user: Me,
    /// Where the streams stood that tell of it, one's own and everybody's, before it was read: who begins to follow them there need not read it
    /// again.
    pub places: Vec<StreamPlace>,
}

/// A stream's last number at some moment.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct StreamPlace {
    pub stream: String,
    pub epoch: i32,
    pub seq: i64,
}

async fn places(context: &Context, caller: &Caller) -> Result<Vec<StreamPlace>, Error> {
    let streams = [StreamId::User(caller.user), StreamId::Public].map(|stream| stream.to_string());
    let known = outbox::heads(context.db.pool(), &streams).await?;
    let place = |stream: String| {
        let head = known.iter().find(|(name, ..)| *name == stream);
        let (epoch, seq) = head.map_or(outbox::BEGINNING, |(_, epoch, seq)| (*epoch, *seq));
        StreamPlace { stream, epoch, seq }
    };
    Ok(streams.map(place).into())
}

/// Reads it.
///
/// # Errors
/// Whatever the database refuses.
pub async fn me(context: &Context, caller: &Caller) -> Result<MeAnswer, Error> {
    // First: what changes while the rest is read is told by a later number.
    let places = places(context, caller).await?;
    let (mut profile, balances, standing, (graduation, next_graduation_info), pause, desk_pause) = futures_util::try_join!(
        profile(context, caller.user),
        ledger::service::balances(context.db.pool(), caller.user),
        affiliates::service::standing(context, &context.db, caller.user),
        affiliates::graduations::service::progress(context, caller.user),
        compliance::pause_shown(context, caller.user),
        pauses::standing(context.db.pool(), PauseOf::Desk),
    )?;
    let balance = balances
        .iter()
        .find(|b| b.account == UserAccount::Available)
        .map_or(Usdt::ZERO, |b| b.balance);
    if standing.is_none() {
        profile.missing.push("upline");
    }
    let (mut sponsor, binary_side, selected_leg) = standing.map_or((None, None, None), |s| {
        (s.sponsor, s.binary_side, Some(s.selected_leg))
    });
    if caller.seen_by.is_some() {
        profile.conceal(caller);
        if let Some(sponsor) = &mut sponsor {
            sponsor.social = Social::default();
        }
    }
    let look = caller.seen_by.as_ref().map(|seen| SeenUnder {
        id: seen.look,
        reason: seen.reason.clone(),
        until: seen.until,
    });
    Ok(MeAnswer {
        user: Me {
            profile,
            balance,
            balances,
            sponsor,
            binary_side,
            selected_leg,
            graduation,
            next_graduation_info,
            pause: pause.map(Into::into),
            desk_pause: desk_pause.map(Into::into),
            look,
        },
        places,
    })
}
