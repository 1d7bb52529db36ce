//! BRL per USDT: the rate service's last answer while it is fresh, else the default in a demo world, else nothing.

use super::{rules::Rate, store};
use crate::{
    error::Error,
    foundation::{
        context::{Context, World},
        outbound,
        settings::Settings,
        transaction::Tx,
    },
};
use protocol::ErrorCode;
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use time::{Duration, OffsetDateTime};

/// How long the service's last answer serves (docs/rules/pix.md#rate).
const SERVES: Duration = Duration::HOUR;
/// Where known public services keep the figure. The first that is there counts.
const PLACES: &[&[&str]] = &[
    &["USDTBRL", "ask"],
    &["USDBRL", "ask"],
    &["USDBRL", "bid"],
    &["rates", "BRL"],
    &["conversion_rates", "BRL"],
    &["usd", "brl"],
    &["data", "BRL"],
    &["rate"],
];

/// Where a rate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RateSource {
    Default,
    Service,
}

impl RateSource {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Service => "service",
        }
    }
}

/// A rate with where and when it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Current {
    pub rate: Rate,
    pub source: RateSource,
    /// When the service said so; none for the default.
    pub at: Option<OffsetDateTime>,
}

/// The rate for a deposit made now.
///
/// # Errors
/// `rate.unavailable` in production when the service has been silent for an hour.
pub async fn current(context: &Context) -> Result<Current, Error> {
    let now = context.now();
    let last = store::last_rate(context.db.pool()).await?;
    let settings = context.settings.current(now).await?;
    choose(context.world, last, now, &settings.settings)
}

/// As [`current`], inside a change and through its connection.
///
/// # Errors
/// As [`current`].
pub async fn within(context: &Context, tx: &mut Tx) -> Result<Current, Error> {
    let last = store::last_rate(tx.conn()).await?;
    of_last(context, tx, last).await
}

/// As [`within`], of the service's last answer that was read with something else.
///
/// # Errors
/// As [`current`].
pub async fn of_last(
    context: &Context,
    tx: &mut Tx,
    last: Option<(Rate, OffsetDateTime)>,
) -> Result<Current, Error> {
    let settings = context.settings.within(tx).await?;
    choose(context.world, last, tx.now(), &settings.settings)
}

fn choose(
    world: World,
    last: Option<(Rate, OffsetDateTime)>,
    now: OffsetDateTime,
    settings: &Settings,
) -> Result<Current, Error> {
    match last.filter(|(_, at)| now - *at <= SERVES) {
        Some((rate, at)) => Ok(Current {
            rate,
            source: RateSource::Service,
            at: Some(at),
        }),
        None if world == World::Production => Err(Error::code(ErrorCode::RateUnavailable)),
        None => Ok(Current {
            rate: Rate(settings.default_rate),
            source: RateSource::Default,
            at: None,
        }),
    }
}

/// Asks the service and keeps its answer; a schedule calls it every minute. Without an address nothing is asked.
///
/// # Errors
/// `service.unavailable` when the service cannot be asked or says nothing plausible; the last answer stays.
pub async fn refresh(context: &Context) -> Result<Option<Rate>, Error> {
    let Some(address) = &context.pix.rate_url else {
        return Ok(None);
    };
    let body = outbound::fetch(address, context.world == World::Demo).await?;
    let rate = read(&body).ok_or_else(|| {
        tracing::warn!("the rate service's answer holds no plausible rate");
        Error::code(ErrorCode::Unavailable)
    })?;
    store::keep_rate(context.db.pool(), rate, context.now()).await?;
    Ok(Some(rate))
}

/// Finds the figure in an answer, digit by digit as it was sent.
fn read(body: &[u8]) -> Option<Rate> {
    PLACES.iter().find_map(|place| {
        let mut here: &str = std::str::from_utf8(body).ok()?;
        for name in *place {
            let object: HashMap<&str, &RawValue> = serde_json::from_str(here).ok()?;
            here = object.get(name)?.get();
        }
        Rate::read(here.trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_services_are_understood() {
        for (body, rate) in [
            (
                r#"{"USDBRL":{"code":"USD","bid":"5.3912","ask":"5.3923"}}"#,
                53_923,
            ),
            (r#"{"amount":1.0,"base":"USD","rates":{"BRL":5.3921}}"#, 53_921),
            (r#"{"usd":{"brl":5.392112}}"#, 53_922),
            (r#"{"rate":"5.39"}"#, 53_900),
        ] {
            assert_eq!(read(body.as_bytes()), Some(Rate(rate)), "{body}");
        }
        for bad in [
            "",
            "[]",
            "5.39",
            r#"{"rates":{"BRL":0}}"#,
            r#"{"rates":{"BRL":"x"}}"#,
            r#"{"rate":1000}"#,
        ] {
            assert_eq!(read(bad.as_bytes()), None, "{bad}");
        }
    }
}
