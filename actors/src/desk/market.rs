//! What the desk trades on: venues, assets, instruments, quotes.
//!
//! Every price, quantity and amount is a scaled integer; no float comes near anything that becomes money (docs/rules/desk.md#quotes).
//! The set of instruments is fixed when a desk starts: the engine lays out its cycles once and never grows afterwards.
//! An asset is its symbol and nothing else: USDT and USDC are two assets, so no cycle can ever take one stablecoin for another.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
};

/// One whole unit of a price: prices are in 10⁻¹⁰ of the quote asset, up to 922 million.
pub const PRICE_ONE: i64 = 10_000_000_000;
/// One whole unit of a quantity: quantities and amounts of any asset are in 10⁻⁸ of it, up to 92 billion.
pub const QUANTITY_ONE: i64 = 100_000_000;
/// Rates and fees are in millionths.
pub const PPM: i64 = 1_000_000;
/// Units of 10⁻⁸ in one unit of `Usdt` (10⁻⁶).
pub const AMOUNT_PER_MICRO: i64 = 100;

/// Price of one base unit in the quote asset, in 10⁻¹⁰.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Price(pub i64);

/// Quantity of an asset, in 10⁻⁸.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(pub i64);

/// Why a text is no price or quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    #[error("not a plain decimal number")]
    Malformed,
    #[error("more decimals than are kept")]
    TooPrecise,
    #[error("out of range")]
    OutOfRange,
}

/// Reads an unsigned decimal into units of 10⁻`scale`; zeros beyond the scale are harmless, other digits are refused.
fn parse(text: &str, scale: usize) -> Result<i64, NumberError> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || text.ends_with('.') {
        return Err(NumberError::Malformed);
    }
    let fraction = fraction.trim_end_matches('0');
    if fraction.len() > scale {
        return Err(NumberError::TooPrecise);
    }
    let padding = std::iter::repeat_n(b'0', scale - fraction.len());
    let mut value: i64 = 0;
    for byte in whole.bytes().chain(fraction.bytes()).chain(padding) {
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i64::from(byte - b'0')))
            .ok_or(NumberError::OutOfRange)?;
    }
    Ok(value)
}

/// Writes units of 10⁻`scale` without superfluous zeros.
fn write(value: i64, scale: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unit = 10u64.pow(scale);
    let magnitude = value.unsigned_abs();
    let sign = if value < 0 { "-" } else { "" };
    let fraction = format!(
        "{:0width$}",
        magnitude % unit,
        width = usize::try_from(scale).unwrap_or(0)
    );
    match fraction.trim_end_matches('0') {
        "" => write!(f, "{sign}{}", magnitude / unit),
        rest => write!(f, "{sign}{}.{rest}", magnitude / unit),
    }
}

macro_rules! decimals {
    ($($name:ident, $scale:literal);+ $(;)?) => {$(
        impl std::str::FromStr for $name {
            type Err = NumberError;
            fn from_str(text: &str) -> Result<Self, NumberError> { parse(text, $scale).map(Self) }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { write(self.0, $scale, f) }
        }
    )+};
}
decimals! { Price, 10; Quantity, 8 }

/// Position of a venue, an asset, an instrument in its [`Market`]; ids of one market mean nothing in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VenueId(pub u16);
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetId(pub u16);
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstrumentId(pub u32);

impl InstrumentId {
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place that quotes; every fill there pays its taker fee, taken from what is received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Venue {
    pub name: String,
    /// Millionths of the received amount; 1 000 is 0.1 %.
    pub taker_fee_ppm: u32,
}

/// A pair at a venue: `base` is bought and sold, prices are in `quote`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instrument {
    pub venue: VenueId,
    pub base: AssetId,
    pub quote: AssetId,
}

/// Best bid and ask with what can be had at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quote {
    pub bid: Price,
    pub bid_quantity: Quantity,
    pub ask: Price,
    pub ask_quantity: Quantity,
    /// Milliseconds since the Unix epoch on the desk's clock; a venue's own time ahead of it counts as now.
    pub at_ms: i64,
}

impl Quote {
    /// Nothing sane comes from a book without prices, with negative depth, or crossed in itself.
    #[must_use]
    pub const fn is_sane(&self) -> bool {
        self.bid.0 > 0 && self.ask.0 >= self.bid.0 && self.bid_quantity.0 >= 0 && self.ask_quantity.0 >= 0
    }
}

/// Why an instrument or venue cannot be listed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarketError {
    #[error("venue {0} is unknown")]
    UnknownVenue(String),
    #[error("{0} is listed twice")]
    Twice(String),
    #[error("{0}: base and quote are the same")]
    SameAsset(String),
    #[error("the fee of {0} is not below 100 %")]
    Fee(String),
    #[error("a market holds at most {0}")]
    TooMany(&'static str),
}

/// More instruments than this at one desk means a configuration error, not a market.
pub const MAX_INSTRUMENTS: usize = 20_000;

/// The closed set of venues, assets and instruments of one desk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Market {
    venues: Vec<Venue>,
    assets: Vec<String>,
    instruments: Vec<Instrument>,
    by_name: HashMap<(VenueId, AssetId, AssetId), InstrumentId>,
}

impl Market {
    pub fn add_venue(&mut self, name: &str, taker_fee_ppm: u32) -> Result<VenueId, MarketError> {
        if i64::from(taker_fee_ppm) >= PPM {
            return Err(MarketError::Fee(name.into()));
        }
        if self.venue(name).is_some() {
            return Err(MarketError::Twice(name.into()));
        }
        let id =
            VenueId(u16::try_from(self.venues.len()).map_err(|_| MarketError::TooMany("65 536 venues"))?);
        self.venues.push(Venue {
            name: name.into(),
            taker_fee_ppm,
        });
        Ok(id)
    }

    pub fn add_instrument(
        &mut self,
        venue: &str,
        base: &str,
        quote: &str,
    ) -> Result<InstrumentId, MarketError> {
        let symbol = format!("{venue} {base}/{quote}");
        let venue = self
            .venue(venue)
            .ok_or_else(|| MarketError::UnknownVenue(venue.into()))?;
        if base == quote {
            return Err(MarketError::SameAsset(symbol));
        }
        if self.instruments.len() >= MAX_INSTRUMENTS {
            return Err(MarketError::TooMany("20 000 instruments"));
        }
        let (base, quote) = (self.add_asset(base)?, self.add_asset(quote)?);
        let id = InstrumentId(
            u32::try_from(self.instruments.len()).map_err(|_| MarketError::TooMany("20 000 instruments"))?,
        );
        match self.by_name.entry((venue, base, quote)) {
            Entry::Occupied(_) => return Err(MarketError::Twice(symbol)),
            Entry::Vacant(place) => place.insert(id),
        };
        self.instruments.push(Instrument { venue, base, quote });
        Ok(id)
    }

    fn add_asset(&mut self, symbol: &str) -> Result<AssetId, MarketError> {
        if let Some(id) = self.asset(symbol) {
            return Ok(id);
        }
        let id =
            AssetId(u16::try_from(self.assets.len()).map_err(|_| MarketError::TooMany("65 536 assets"))?);
        self.assets.push(symbol.into());
        Ok(id)
    }

    #[must_use]
    pub fn venue(&self, name: &str) -> Option<VenueId> {
        let at = self.venues.iter().position(|v| v.name == name)?;
        u16::try_from(at).ok().map(VenueId)
    }
    #[must_use]
    pub fn asset(&self, symbol: &str) -> Option<AssetId> {
        let at = self.assets.iter().position(|a| a == symbol)?;
        u16::try_from(at).ok().map(AssetId)
    }
    #[must_use]
    pub fn instrument(&self, venue: &str, base: &str, quote: &str) -> Option<InstrumentId> {
        let key = (self.venue(venue)?, self.asset(base)?, self.asset(quote)?);
        self.by_name.get(&key).copied()
    }
    #[must_use]
    pub fn venues(&self) -> &[Venue] {
        &self.venues
    }
    #[must_use]
    pub fn instruments(&self) -> &[Instrument] {
        &self.instruments
    }
    /// Ids of all instruments, in their order.
    pub fn ids(&self) -> impl Iterator<Item = InstrumentId> + use<> {
        (0..u32::try_from(self.instruments.len()).unwrap_or(u32::MAX)).map(InstrumentId)
    }
    #[must_use]
    pub fn get(&self, id: InstrumentId) -> Option<Instrument> {
        self.instruments.get(id.index()).copied()
    }
    #[must_use]
    pub fn venue_name(&self, id: InstrumentId) -> &str {
        let venue = self.get(id).and_then(|i| self.venues.get(usize::from(i.venue.0)));
        venue.map_or("?", |v| v.name.as_str())
    }
    /// Taker fee of the instrument's venue in millionths.
    #[must_use]
    pub fn fee_ppm(&self, id: InstrumentId) -> i64 {
        let venue = self.get(id).and_then(|i| self.venues.get(usize::from(i.venue.0)));
        venue.map_or(0, |v| i64::from(v.taker_fee_ppm))
    }
    #[must_use]
    pub fn asset_name(&self, id: AssetId) -> &str {
        self.assets.get(usize::from(id.0)).map_or("?", String::as_str)
    }
    /// `BASE/QUOTE`.
    #[must_use]
    pub fn symbol(&self, id: InstrumentId) -> String {
        self.get(id)
            .map(|i| format!("{}/{}", self.asset_name(i.base), self.asset_name(i.quote)))
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly_or_refused() {
        assert_eq!("25.35190000".parse(), Ok(Price(253_519_000_000)));
        assert_eq!("0.0000000001".parse(), Ok(Price(1)));
        assert_eq!("31.21".parse(), Ok(Quantity(3_121_000_000)));
        assert_eq!(
            "1.000000000000000".parse(),
            Ok(Quantity(QUANTITY_ONE)),
            "zeros beyond the scale"
        );
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e5", "1,0", " 1", "NaN", "٣"] {
            assert_eq!(text.parse::<Price>(), Err(NumberError::Malformed), "{text:?}");
        }
        assert_eq!("0.000000001".parse::<Quantity>(), Err(NumberError::TooPrecise));
        assert_eq!("92233720369".parse::<Quantity>(), Err(NumberError::OutOfRange));
        assert_eq!(
            "99999999999999999999999999".parse::<Price>(),
            Err(NumberError::OutOfRange)
        );
    }

    #[test]
    fn numbers_are_written_as_they_are_read() {
        for text in ["0", "1", "0.00000001", "64250.17", "92233720368.54775807"] {
            assert_eq!(text.parse::<Quantity>().unwrap().to_string(), text);
        }
        assert_eq!(Price(-15_000_000_000).to_string(), "-1.5");
    }

    #[test]
    fn a_market_refuses_what_makes_no_sense() {
        let mut market = Market::default();
        market.add_venue("a", 1_000).unwrap();
        let id = market.add_instrument("a", "BTC", "USDT").unwrap();
        assert_eq!(market.instrument("a", "BTC", "USDT"), Some(id));
        assert_eq!(market.symbol(id), "BTC/USDT");
        assert!(matches!(
            market.add_instrument("a", "BTC", "USDT"),
            Err(MarketError::Twice(_))
        ));
        assert_eq!(
            market.instruments().len(),
            1,
            "a refused instrument leaves nothing behind"
        );
        assert_eq!(market.instrument("a", "BTC", "USDT"), Some(id));
        assert!(matches!(
            market.add_instrument("b", "BTC", "USDT"),
            Err(MarketError::UnknownVenue(_))
        ));
        assert!(matches!(
            market.add_instrument("a", "BTC", "BTC"),
            Err(MarketError::SameAsset(_))
        ));
        assert!(matches!(market.add_venue("a", 1), Err(MarketError::Twice(_))));
        assert!(matches!(
            market.add_venue("z", 1_000_000),
            Err(MarketError::Fee(_))
        ));
    }
}
