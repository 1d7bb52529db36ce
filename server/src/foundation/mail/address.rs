//! Mail addresses in one form (docs/rules/identity.md#mail-addresses): the domain in ASCII (UTS 46), the local part as it was typed. Two
//! spellings of one mailbox have one key. Pure.

use crate::foundation::text;
use idna::{
    AsciiDenyList,
    uts46::{DnsLength, Hyphens, Uts46},
};
use unicode_normalization::{UnicodeNormalization, is_nfkc};

const LONGEST: usize = 254;
const LONGEST_LOCAL: usize = 64;

/// Reads an address as people type it: one @, a host with a dot, no blanks, quotes or controls.
#[must_use]
pub fn read(typed: &str) -> Option<String> {
    let line = text::line(typed)?;
    let (local, host) = line.rsplit_once('@')?;
    let host = domain(host)?;
    let address = format!("{local}@{host}");
    (address.len() <= LONGEST && is_local(local)).then_some(address)
}

/// The domain as name servers have it: letters of other scripts in Punycode, full-width ones as plain ones, lower case.
fn domain(typed: &str) -> Option<String> {
    let host = Uts46::new()
        .to_ascii(
            typed.as_bytes(),
            AsciiDenyList::STD3,
            Hyphens::CheckFirstLast,
            DnsLength::Verify,
        )
        .ok()?;
    is_named(&host).then(|| host.into_owned())
}

/// Whether a domain ends in a name: numbers alone are an address, and no mailbox is below one.
#[must_use]
pub fn is_named(domain: &str) -> bool {
    domain
        .rsplit_once('.')
        .is_some_and(|(_, last)| last.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Dot-separated atoms. Letters beyond ASCII are those that have no plainer form: a full-width `ａ` is no `a`, and no letter of its own.
fn is_local(local: &str) -> bool {
    (1..=LONGEST_LOCAL).contains(&local.len())
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..")
        && is_nfkc(local)
        && local
            .chars()
            .all(|c| c.is_alphanumeric() || "!#$%&'*+/=?^_`{|}~.-".contains(c))
}

/// The form in which two spellings of a mailbox are the same, whatever was typed.
#[must_use]
pub fn key(typed: &str) -> String {
    text::key(&read(typed).unwrap_or_else(|| typed.nfc().collect()))
}

/// What somebody searches for: a whole address in its one form, anything else as it was typed.
#[must_use]
pub fn searched(typed: &str) -> String {
    read(typed).unwrap_or_else(|| typed.to_owned())
}

/// Only a relay that speaks SMTPUTF8 takes mail to it.
#[must_use]
pub fn is_beyond_ascii(address: &str) -> bool {
    !address.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn addresses_as_people_type_them() {
        for (typed, read_as) in [
            ("a@b.co", "a@b.co"),
            (" Ana.Maria+x@Exemplo.com.BR ", "Ana.Maria+x@exemplo.com.br"),
            ("ana@exämple.example", "ana@xn--exmple-cua.example"),
            ("ana@exa\u{308}mple.example", "ana@xn--exmple-cua.example"),
            ("ana@XN--exmple-cua.example", "ana@xn--exmple-cua.example"),
            ("ana@ｅｘａｍｐｌｅ．com", "ana@example.com"),
            ("ana@exemplo。com", "ana@exemplo.com"),
            ("josé@exemplo.com", "josé@exemplo.com"),
            ("jose\u{301}@exemplo.com", "josé@exemplo.com"),
        ] {
            assert_eq!(read(typed).as_deref(), Some(read_as), "{typed}");
        }
        for bad in [
            "",
            "a",
            "@b.co",
            "a@b",
            "a@@b.co",
            "a b@c.co",
            "a@b..co",
            "a@-b.co",
            "a@b-.co",
            ".a@b.co",
            "a..b@c.co",
            "a\u{202e}@b.co",
            "a@b.co\nBcc: x@y.z",
            "<a@b.co>",
            "ａｎａ@exemplo.com",
            "ﬁ@exemplo.com",
            "a@b_c.co",
            "a@[127.0.0.1]",
            "a@exemplo.com.",
            "a@1234",
            "a@1.2.3.4",
            "a@１.２.３.４",
            "a@exemplo.5",
            "a@1.0x7f",
        ] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn one_mailbox_has_one_key() {
        for (one, other) in [
            ("Ana@Exämple.example", "ana@xn--exmple-cua.example"),
            ("ana@EXA\u{308}MPLE.example", "ANA@xn--EXMPLE-cua.example"),
            ("JOSÉ@exemplo.com", "jose\u{301}@EXEMPLO.COM"),
        ] {
            assert_eq!(key(one), key(other), "{one}");
        }
        assert_eq!(key(" Not An Address "), "not an address");
        assert_eq!(searched("ana@exämple.example"), "ana@xn--exmple-cua.example");
        assert_eq!(searched("Ana@"), "Ana@");
        assert!(is_beyond_ascii("josé@exemplo.com") && !is_beyond_ascii("ana@xn--exmple-cua.example"));
    }

    proptest! {
        /// Reading what was read changes nothing, and its key is its own.
        #[test]
        fn what_was_read_stays(text in "\\PC{0,60}", local in "[a-zé.]{1,9}", host in "[a-zä-]{1,9}\\.[a-z]{2,3}") {
            for typed in [text, format!("{local}@{host}")] {
                if let Some(address) = read(&typed) {
                    prop_assert_eq!(read(&address), Some(address.clone()));
                    prop_assert_eq!(key(&address), key(&typed));
                    prop_assert!(address.rsplit_once('@').is_some_and(|(_, host)| host.is_ascii()));
                }
            }
        }
    }
}
