//! Somewhere money may go, in one form however it was typed (docs/rules/approvals.md#destinations). What is listed, what a code binds
//! and what leaves are compared by [`Destination::key`] alone. Pure.

use super::whitelist::Kind;
use crate::{
    error::Error,
    foundation::{evm_address, mail::address, pix_keys::PixKey, text},
    identity::service::Purpose,
};
use alloy::primitives::Address;
use protocol::ErrorCode;

/// A place that was understood. Of a member it is only the username or e-mail that was typed; whether there is one, the database says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    Chain(Address),
    Pix(PixKey),
    Member(String),
}

/// What stands before the destination in the code of a list's change.
const CHANGES: [&str; 2] = ["add:", "remove:"];

impl Destination {
    /// Reads a destination of a kind as people write it.
    #[must_use]
    pub fn read(kind: Kind, typed: &str) -> Option<Self> {
        match kind {
            Kind::Chain => evm_address::read(typed).map(Self::Chain),
            Kind::Pix => PixKey::guess(typed).map(Self::Pix),
            Kind::Member => member(typed).map(Self::Member),
        }
    }

    /// Reads a destination whose kind nobody told.
    #[must_use]
    pub fn guess(typed: &str) -> Option<Self> {
        [Kind::Chain, Kind::Pix, Kind::Member]
            .into_iter()
            .find_map(|kind| Self::read(kind, typed))
    }

    /// An address of which nobody has the key.
    #[must_use]
    pub fn is_nobodys(&self) -> bool {
        matches!(self, Self::Chain(address) if evm_address::is_nobodys(*address))
    }

    /// As it is compared and kept.
    #[must_use]
    pub fn key(&self) -> String {
        match self {
            Self::Chain(address) => evm_address::write(*address).to_ascii_lowercase(),
            Self::Pix(key) => key.expose().to_owned(),
            Self::Member(username) => username.clone(),
        }
    }

    /// As people read it.
    #[must_use]
    pub fn written(&self) -> String {
        match self {
            Self::Chain(address) => evm_address::write(*address),
            Self::Pix(key) => key.written(),
            Self::Member(username) => username.clone(),
        }
    }
}

/// A username (letters, then digits), or a member's e-mail.
fn member(typed: &str) -> Option<String> {
    if let Some(email) = address::read(typed) {
        return Some(address::key(&email));
    }
    let username = text::key(typed.trim().trim_start_matches('@'));
    let plain = username.bytes().all(|b| b.is_ascii_alphanumeric());
    (plain && username.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(username)
}

/// What says that a destination is none of its kind.
#[must_use]
pub const fn refusal(kind: Kind) -> ErrorCode {
    match kind {
        Kind::Chain => ErrorCode::WalletAddressInvalid,
        Kind::Pix => ErrorCode::PixKeyInvalid,
        Kind::Member => ErrorCode::UserUnknown,
    }
}

/// A destination in a code's request: what stands before it, and how it is read there.
struct Named<'a> {
    before: &'static str,
    typed: &'a str,
    kind: Option<Kind>,
}

fn named(purpose: Purpose, typed: &str) -> Option<Named<'_>> {
    let kind = match purpose {
        Purpose::CryptoWithdraw | Purpose::TransferTokens => Kind::Chain,
        Purpose::PixWithdraw | Purpose::NewPixKey => Kind::Pix,
        Purpose::Transfer => Kind::Member,
        Purpose::Whitelist => {
            let (before, rest) = CHANGES
                .into_iter()
                .find_map(|before| Some((before, typed.strip_prefix(before)?)))?;
            return Some(Named {
                before,
                typed: rest,
                kind: None,
            });
        }
        _ => return None,
    };
    Some(Named {
        before: "",
        typed,
        kind: Some(kind),
    })
}

impl Named<'_> {
    fn read(&self) -> Option<Destination> {
        match self.kind {
            Some(kind) => Destination::read(kind, self.typed),
            None => Destination::guess(self.typed),
        }
    }
}

/// The destination that a code binds: spellings of one place are one.
#[must_use]
pub fn bound(purpose: Purpose, typed: &str) -> String {
    named(purpose, typed)
        // A username may read like a company's number: without capitals both are one.
        .and_then(|named| Some(format!("{}{}", named.before, named.read()?.key().to_lowercase())))
        .unwrap_or_else(|| text::key(typed))
}

/// The destination as the code's mail shows it.
///
/// # Errors
/// What says that it is none, at `destination`: no code is mailed for a place that the order itself would be refused for.
pub fn shown(purpose: Purpose, typed: &str) -> Result<String, Error> {
    let Some(named) = named(purpose, typed) else {
        return Ok(typed.to_owned());
    };
    match (named.read(), named.kind) {
        (Some(destination), kind) if destination.is_nobodys() && named.before != CHANGES[1] => {
            let code = match (purpose, kind) {
                (Purpose::CryptoWithdraw, _) => ErrorCode::AddressRefused,
                _ => ErrorCode::WalletAddressRefused,
            };
            Err(Error::code(code).field("destination", code))
        }
        (Some(destination), _) => Ok(format!("{}{}", named.before, destination.written())),
        // Whoever is no member is the transfer's own refusal, and what stands on a list comes off it whatever it is.
        (None, Some(Kind::Member)) => Ok(typed.to_owned()),
        (None, None) if named.before != "add:" => Ok(typed.to_owned()),
        (None, kind) => {
            let code = refusal(kind.unwrap_or_else(|| meant(named.typed)));
            Err(Error::code(code).field("destination", code))
        }
    }
}

/// What somebody seems to have meant with what is no place.
fn meant(typed: &str) -> Kind {
    if typed.trim_start().to_ascii_lowercase().starts_with("0x") {
        Kind::Chain
    } else {
        Kind::Pix
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use protocol::views::PixKeyKind;

    const ADDRESS: &str = "0x52908400098527886E0F7030069857D2E4169EE7";

    #[test]
    fn spellings_of_one_place_are_one() {
        for (kind, spellings, key, written) in [
            (
                Kind::Pix,
                &["031.886.936-56", " 03188693656 ", "031 886 936 56"][..],
                "03188693656",
                "031.886.936-56",
            ),
            (
                Kind::Pix,
                &[
                    "(11) 98765-4321",
                    "+5511987654321",
                    "5511987654321",
                    "11 98765 4321",
                ],
                "+5511987654321",
                "+55 (11) 98765-4321",
            ),
            (
                Kind::Pix,
                &["Ana@Example.COM", "ana@example.com"],
                "ana@example.com",
                "ana@example.com",
            ),
            (
                Kind::Pix,
                &["12.abc.345/01de-35", "12ABC34501DE35"],
                "12ABC34501DE35",
                "12.ABC.345/01DE-35",
            ),
            (
                Kind::Chain,
                &[
                    ADDRESS,
                    "0x52908400098527886e0f7030069857d2e4169ee7",
                    " 0x52908400098527886E0F7030069857D2E4169EE7",
                ],
                "0x52908400098527886e0f7030069857d2e4169ee7",
                ADDRESS,
            ),
            (Kind::Member, &["@Ana21", "ana21", " ANA21 "], "ana21", "ana21"),
        ] {
            for typed in spellings {
                let read = Destination::read(kind, typed).unwrap();
                assert_eq!(
                    (read.key().as_str(), read.written().as_str()),
                    (key, written),
                    "{typed}"
                );
                assert_eq!(Destination::guess(typed), Some(read), "{typed}");
            }
        }
    }

    #[test]
    fn what_is_no_place_is_none() {
        for (kind, bad) in [
            (Kind::Pix, "isto nao e chave"),
            (Kind::Pix, "031.886.936-57"),
            (Kind::Pix, ""),
            (Kind::Chain, "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"),
            (Kind::Chain, "0x12"),
            (Kind::Member, "ana maria"),
            (Kind::Member, "ａｎａ21"),
        ] {
            assert_eq!(Destination::read(kind, bad), None, "{bad}");
        }
    }

    #[test]
    fn codes_bind_the_place_and_show_it() {
        use Purpose::{CryptoWithdraw, PixWithdraw, SwapTokens, Transfer, Whitelist};
        for (purpose, one, other) in [
            (PixWithdraw, "031.886.936-56", "03188693656"),
            (PixWithdraw, "(11) 98765-4321", "+5511987654321"),
            (Whitelist, "add:031.886.936-56", "add:03188693656"),
            (Whitelist, "remove:@ana21", "remove:ANA21"),
            (
                CryptoWithdraw,
                ADDRESS,
                "0x52908400098527886e0f7030069857d2e4169ee7",
            ),
            (Transfer, "@ana21", "ana21"),
            (Whitelist, "add:Ana@Example.com", "add:ana@example.com"),
            (Whitelist, "off", " OFF "),
            (Whitelist, "on", "ON"),
            // One that is a company's number, were it not a member's name.
            (Whitelist, "add:@abcdefghijkl80", "add:abcdefghijkl80"),
            (SwapTokens, "usdt", "USDT"),
        ] {
            assert_eq!(bound(purpose, one), bound(purpose, other), "{one}");
        }
        assert_ne!(bound(Whitelist, "add:ana21"), bound(Whitelist, "remove:ana21"));
        assert_ne!(
            bound(PixWithdraw, "03188693656"),
            bound(PixWithdraw, "52998224725")
        );
        assert_eq!(shown(PixWithdraw, "03188693656").unwrap(), "031.886.936-56");
        assert_eq!(shown(Whitelist, "add:bea").unwrap(), "add:bea");
        for (purpose, bad) in [
            (PixWithdraw, "x"),
            (CryptoWithdraw, "0x12"),
            (Whitelist, "add:isto nao e chave"),
        ] {
            assert!(shown(purpose, bad).is_err(), "{bad}");
        }
        assert!(shown(Whitelist, "remove:isto nao e chave").is_ok());
        let code = |purpose, typed: &str| shown(purpose, typed).unwrap_err().error_code();
        let zero = "0x0000000000000000000000000000000000000000";
        for (purpose, typed, expected) in [
            (CryptoWithdraw, zero.to_owned(), ErrorCode::AddressRefused),
            (Whitelist, format!("add:{zero}"), ErrorCode::WalletAddressRefused),
            // Meant as an address, and none.
            (
                Whitelist,
                format!("add: {}", ADDRESS.replace("0x", "0X")),
                ErrorCode::WalletAddressInvalid,
            ),
            (Whitelist, "add:0x12".to_owned(), ErrorCode::WalletAddressInvalid),
            (Whitelist, "add:12".to_owned(), ErrorCode::PixKeyInvalid),
        ] {
            assert_eq!(code(purpose, &typed), expected, "{typed}");
        }
        assert!(
            shown(Whitelist, &format!("remove:{zero}")).is_ok(),
            "what stands on a list comes off it"
        );
    }

    proptest! {
        /// What is kept is read again as what it was, whatever kind it had: lists hold no kind of key.
        #[test]
        fn keys_are_their_own_spelling(text in "\\PC{0,60}", digits in "[0-9]{11}", phone in "[1-9]{2}9[0-9]{8}") {
            for typed in [&text, &digits, &phone] {
                for kind in PixKeyKind::ALL {
                    if let Some(key) = PixKey::read(*kind, typed) {
                        let again = Destination::read(Kind::Pix, key.expose());
                        prop_assert_eq!(again.map(|d| d.key()), Some(key.expose().to_owned()));
                    }
                }
            }
        }
    }
}
