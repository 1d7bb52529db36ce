//! What each setting is: its group, its unit, its bounds, whether it is about money. Pure.
//!
//! A field of [`Settings`] without a line here cannot be edited, and a test fails. What guards a deployment (keys, addresses,
//! confirmations, caps of the hot wallet) is configuration and has no line.

use crate::foundation::{
    settings::{PERCENT, Settings, WHOLE},
    text,
};
use protocol::{ErrorCode, money::Usdt};
use serde_json::{Map, Value, json};

/// How a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SettingKind)]
pub enum Kind {
    /// In percent, at most four decimals; stored in parts per million.
    Percent,
    Usdt,
    Count,
    Days,
    Hours,
    Minutes,
    Seconds,
    Milliseconds,
    /// BRL per USDT, four decimals; stored in 10⁻⁴.
    Rate,
    /// Days of the month, with commas.
    MonthDays,
    /// `true` or `false`.
    Flag,
    Text,
}

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// As in the stored body and in every call.
    pub key: &'static str,
    pub group: &'static str,
    pub kind: Kind,
    /// In the stored unit; of a text its length.
    pub least: i64,
    pub most: i64,
    /// Needs a second person and takes effect a day after their agreement.
    pub money: bool,
}

const fn line(
    key: &'static str,
    group: &'static str,
    kind: Kind,
    least: i64,
    most: i64,
    money: bool,
) -> Descriptor {
    Descriptor {
        key,
        group,
        kind,
        least,
        most,
        money,
    }
}

const USDT: i64 = 1_000_000;
/// The most that any amount of the settings may be.
const MILLION: i64 = 1_000_000 * USDT;

use Kind::{
    Count, Days, Flag, Hours, Milliseconds, Minutes, MonthDays, Percent, Rate, Seconds, Text, Usdt as Amount,
};

/// Every setting, in the order of its screen.
#[rustfmt::skip]
pub const DESCRIPTORS: &[Descriptor] = &[
    line("brand",                     "platform",    Text,         1, 40, false),
    line("allocationFactor",          "licences",    Count,        1, 5, true),
    line("maximumReturnStandard",     "licences",    Percent,      WHOLE, 10 * WHOLE, true),
    line("maximumReturnHighRisk",     "licences",    Percent,      WHOLE, 10 * WHOLE, true),
    line("networkCeiling",            "licences",    Percent,      0, 20 * WHOLE, true),
    line("lotLockedDays",             "licences",    Days,         0, 365, true),
    line("cancelDays",                "licences",    Days,         7, 60, true),
    line("loanShare",                 "licences",    Percent,      0, 80 * PERCENT, true),
    line("loanFee",                   "licences",    Percent,      0, 20 * PERCENT, true),
    line("networkFundShare",          "funds",       Percent,      0, WHOLE, true),
    line("graduationFundShare",       "funds",       Percent,      0, WHOLE, true),
    line("feeNetworkFundShare",       "funds",       Percent,      0, WHOLE, true),
    line("yieldDays",                 "licences",    MonthDays,    1, 28, true),
    line("defaultGoal",               "robots",      Percent,      PERCENT / 10, 10 * PERCENT, false),
    line("minimumGoal",               "robots",      Percent,      PERCENT / 100, 10 * PERCENT, false),
    line("maximumGoal",               "robots",      Percent,      PERCENT / 10, 100 * PERCENT, false),
    line("minimumAllocation",         "robots",      Amount,       USDT, 10_000 * USDT, true),
    line("manualWaitSeconds",         "robots",      Seconds,      10, 3_600, false),
    line("leaderDays",                "robots",      Days,         1, 365, false),
    line("leaderOperations",          "robots",      Count,        1, 100_000, false),
    line("minimumEdge",               "desk",        Percent,      0, 5 * PERCENT, true),
    line("minimumEdgeHighRisk",       "desk",        Percent,      0, 5 * PERCENT, true),
    line("cohortShare",               "desk",        Percent,      PERCENT / 10, 50 * PERCENT, true),
    line("cohortShareHighRisk",       "desk",        Percent,      PERCENT / 10, 50 * PERCENT, true),
    line("minimumShare",              "desk",        Amount,       USDT / 100, 1_000 * USDT, true),
    line("latencyMs",                 "desk",        Milliseconds, 0, 5_000, false),
    line("opportunityLifeMs",         "desk",        Milliseconds, 100, 60_000, false),
    line("reservationSeconds",        "desk",        Seconds,      5, 600, false),
    line("deskMaxOperation",          "desk",        Amount,       USDT, MILLION, true),
    line("deskMaxVenue",              "desk",        Amount,       USDT, 10 * MILLION, true),
    line("deskDailyLoss",             "desk",        Amount,       0, MILLION, true),
    line("twoVenueTriangles",         "desk",        Flag,         0, 1, false),
    line("pixMinimum",                "pix",         Amount,       USDT, MILLION, true),
    line("pixMaximum",                "pix",         Amount,       USDT, MILLION, true),
    line("pixOpenDeposits",           "pix",         Count,        1, 20, false),
    line("pixRateLockedMinutes",      "pix",         Minutes,      5, 240, true),
    line("pixProofHours",             "pix",         Hours,        1, 168, false),
    line("defaultRate",               "pix",         Rate,         1_000, 1_000_000, true),
    line("withdrawalMinimum",         "withdrawals", Amount,       USDT, 10_000 * USDT, true),
    line("withdrawalFee",             "withdrawals", Percent,      0, 20 * PERCENT, true),
    line("withdrawalFeeMinimum",      "withdrawals", Amount,       0, 100 * USDT, true),
    line("pyxWithdrawalFee",          "withdrawals", Amount,       0, 100 * USDT, true),
    line("withdrawalQuoteTolerance",  "withdrawals", Percent,      0, 20 * PERCENT, true),
    line("pixWithdrawalDays",         "withdrawals", Days,         1, 60, false),
    line("withdrawalLinkMinutes",     "withdrawals", Minutes,      5, 1_440, false),
    line("cryptoWithdrawalDays",      "withdrawals", Days,         1, 60, false),
    line("depositFee",                "deposits",    Amount,       0, 100 * USDT, true),
    line("depositFeeShare",           "deposits",    Percent,      0, 20 * PERCENT, true),
    line("depositMinimum",            "deposits",    Amount,       USDT, MILLION, true),
    line("depositMaximum",            "deposits",    Amount,       USDT, MILLION, true),
    line("depositMinutes",            "deposits",    Minutes,      10, 1_440, false),
    line("openDeposits",              "deposits",    Count,        1, 20, false),
    line("twoPersonLimit",            "security",    Amount,       0, 100_000 * USDT, true),
    line("newApproverHours",          "security",    Hours,        1, 720, true),
    line("outboundPerTransaction",    "security",    Amount,       100 * USDT, MILLION, true),
    line("outboundPerDay",            "security",    Amount,       100 * USDT, MILLION, true),
    line("whitelistDelayHours",       "security",    Hours,        1, 720, true),
    line("transferFee",               "security",    Amount,       0, 100 * USDT, true),
    line("complianceAmount",          "compliance",  Amount,       0, MILLION, true),
    line("compliancePerHour",         "compliance",  Count,        1, 1_000, true),
    line("complianceInAndOut",        "compliance",  Amount,       0, MILLION, true),
    line("complianceInAndOutShare",   "compliance",  Percent,      0, WHOLE, true),
    line("compliancePairTrades",      "compliance",  Count,        2, 1_000, true),
    line("compliancePairLoss",        "compliance",  Amount,       USDT, MILLION, true),
    line("pyxBand",                   "pyx",         Percent,      PERCENT, 100 * PERCENT, true),
    line("pyxOpenOrders",             "pyx",         Count,        1, 1_000, false),
    line("pyxReferenceVolume",        "pyx",         Amount,       1_000 * USDT, MILLION, true),
    line("pyxReferenceMove",          "pyx",         Percent,      PERCENT, 50 * PERCENT, true),
    line("unlicensedPlaces",          "network",     Count,        1, 1_000, false),
    line("levelBonus1",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus2",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus3",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus4",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus5",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus6",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus7",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus8",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus9",                "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("levelBonus10",               "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("directSaleBonus",            "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("indirectSaleBonus",          "bonuses",     Percent,      0, 5 * PERCENT, true),
    line("residualBonus1",             "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("residualBonus2",             "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("residualBonus3",             "bonuses",     Percent,      0, 20 * PERCENT, true),
    line("binaryBonus",                "bonuses",     Percent,      PERCENT / 10, 20 * PERCENT, true),
    line("binaryDailyCap",             "bonuses",     Percent,      0, 10 * WHOLE, true),
    line("graduationBonus",            "graduations", Percent,      0, 20 * PERCENT, true),
    line("graduationBronze",           "graduations", Count,        1, 1_000_000_000, true),
    line("graduationPrata",            "graduations", Count,        1, 1_000_000_000, true),
    line("graduationOuro",             "graduations", Count,        1, 1_000_000_000, true),
    line("graduationPlatina",          "graduations", Count,        1, 1_000_000_000, true),
    line("graduationDiamante",         "graduations", Count,        1, 1_000_000_000, true),
    line("graduationDuploDiamante",    "graduations", Count,        1, 1_000_000_000, true),
    line("graduationEmbaixador",       "graduations", Count,        1, 1_000_000_000, true),
    line("graduationCoroa",            "graduations", Count,        1, 1_000_000_000, true),
    line("payoutCeiling",              "bonuses",     Percent,      PERCENT, WHOLE, true),
    line("mailsPerHour",              "accounts",    Count,        1, 100, false),
    line("codesPerHour",              "accounts",    Count,        1, 50, false),
    line("awayMailMinutes",           "accounts",    Minutes,      2, 1_440, false),
    line("contentMegabytes",          "platform",    Count,        16, 1_000_000, false),
];

#[must_use]
pub fn find(key: &str) -> Option<&'static Descriptor> {
    DESCRIPTORS.iter().find(|d| d.key == key)
}

/// The settings as their stored object.
#[must_use]
pub fn body(settings: &Settings) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// A whole number with so many decimals: at least two, no needless zeros behind.
fn decimals(value: i64, places: usize) -> String {
    let scale = 10i64.pow(u32::try_from(places).unwrap_or(0));
    let (sign, value) = (if value < 0 { "-" } else { "" }, value.abs());
    let mut fraction = format!("{:0places$}", value % scale);
    while fraction.len() > 2 && fraction.ends_with('0') {
        fraction.pop();
    }
    format!("{sign}{}.{fraction}", value / scale)
}

/// Up to so many decimals as a whole number of the last of them.
fn scaled(text: &str, places: usize) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || whole.len() > 12 || fraction.len() > places || !digits(whole) || !digits(fraction)
    {
        return None;
    }
    format!("{whole}{fraction:0<places$}").parse().ok()
}

impl Descriptor {
    /// A stored value as people write it.
    #[must_use]
    pub fn show(&self, stored: &Value) -> String {
        match (self.kind, stored) {
            (Kind::Percent | Kind::Rate, Value::Number(n)) => decimals(n.as_i64().unwrap_or_default(), 4),
            (Kind::MonthDays, Value::Array(days)) => {
                days.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
            }
            (_, Value::String(text)) => text.clone(),
            (_, other) => other.to_string(),
        }
    }

    /// A bound as people write it.
    #[must_use]
    pub fn bound(&self, value: i64) -> String {
        match self.kind {
            Kind::Usdt => Usdt(value).to_string(),
            Kind::Percent | Kind::Rate => decimals(value, 4),
            _ => value.to_string(),
        }
    }

    /// What people wrote as a stored value.
    ///
    /// # Errors
    /// `amount.invalid` for what is not of this kind, `rules.out_of_range`.
    pub fn read(&self, written: &str) -> Result<Value, ErrorCode> {
        let within = |value: i64| {
            if (self.least..=self.most).contains(&value) {
                Ok(value)
            } else {
                Err(ErrorCode::RuleOutOfRange)
            }
        };
        let invalid = ErrorCode::AmountInvalid;
        let written = written.trim();
        match self.kind {
            Kind::Percent | Kind::Rate => Ok(json!(within(scaled(written, 4).ok_or(invalid)?)?)),
            Kind::Usdt => Ok(json!(Usdt(within(
                written.parse::<Usdt>().map_err(|_| invalid)?.0
            )?))),
            Kind::Count | Kind::Days | Kind::Hours | Kind::Minutes | Kind::Seconds | Kind::Milliseconds => {
                Ok(json!(within(scaled(written, 0).ok_or(invalid)?)?))
            }
            Kind::MonthDays => {
                let mut days = written
                    .split(',')
                    .map(|day| within(scaled(day.trim(), 0).ok_or(invalid)?))
                    .collect::<Result<Vec<_>, _>>()?;
                days.sort_unstable();
                days.dedup();
                Ok(json!(days))
            }
            Kind::Flag => written.parse::<bool>().map(|on| json!(on)).map_err(|_| invalid),
            Kind::Text => {
                let line = text::line(written).ok_or(invalid)?;
                within(i64::try_from(line.chars().count()).unwrap_or(i64::MAX))?;
                Ok(json!(line))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_has_its_line_and_its_default_is_within_its_bounds() {
        let stored = body(&Settings::default());
        let keys: BTreeSet<&str> = stored.keys().map(String::as_str).collect();
        let lines: BTreeSet<&str> = DESCRIPTORS.iter().map(|d| d.key).collect();
        assert_eq!(lines, keys);
        assert_eq!(lines.len(), DESCRIPTORS.len(), "a key stands twice");
        for d in DESCRIPTORS {
            let Some(value) = stored.get(d.key) else { continue };
            assert_eq!(d.read(&d.show(value)).as_ref(), Ok(value), "{}", d.key);
        }
    }

    #[test]
    fn what_people_write() {
        let of = |key: &str, text: &str| find(key).map(|d| d.read(text));
        assert_eq!(of("withdrawalFee", "2.5"), Some(Ok(json!(25_000))));
        assert_eq!(of("withdrawalFee", "0.0001"), Some(Ok(json!(1))));
        assert_eq!(
            of("withdrawalFee", "0.00001"),
            Some(Err(ErrorCode::AmountInvalid))
        );
        assert_eq!(of("withdrawalFee", "-1"), Some(Err(ErrorCode::AmountInvalid)));
        assert_eq!(
            of("withdrawalFee", "20.0001"),
            Some(Err(ErrorCode::RuleOutOfRange))
        );
        assert_eq!(of("withdrawalFeeMinimum", "1"), Some(Ok(json!("1.000000"))));
        assert_eq!(of("yieldDays", "20, 5,5"), Some(Ok(json!([5, 20]))));
        assert_eq!(of("yieldDays", "29"), Some(Err(ErrorCode::RuleOutOfRange)));
        assert_eq!(of("yieldDays", ""), Some(Err(ErrorCode::AmountInvalid)));
        assert_eq!(of("defaultRate", "5.39"), Some(Ok(json!(53_900))));
        assert_eq!(
            of("allocationFactor", "6"),
            Some(Err(ErrorCode::RuleOutOfRange)),
            "five is the most"
        );
        assert_eq!(of("latencyMs", "1.5"), Some(Err(ErrorCode::AmountInvalid)));
        assert_eq!(of("twoVenueTriangles", "false"), Some(Ok(json!(false))));
        assert_eq!(of("twoVenueTriangles", "1"), Some(Err(ErrorCode::AmountInvalid)));
        assert_eq!(of("brand", "  "), Some(Err(ErrorCode::RuleOutOfRange)));
        assert_eq!(decimals(25_000, 4), "2.50");
        assert_eq!(decimals(125, 4), "0.0125");
        assert_eq!(decimals(20_000, 4), "2.00");
    }
}
