//! What stands in documents and demos for a name, a mailbox or a number of one's own.

use protocol::views::PixKeyKind;

use crate::foundation::pix_keys::PixKey;

/// What a demo calls itself.
const WORDS: [&str; 5] = ["demo", "demonstracao", "example", "exemplo", "ejemplo"];

/// Documents and random keys that documents and tests of many programs show, their check digits right.
const PUBLISHED: [&str; 9] = [
    "11122233396",
    "11144477735",
    "52998224725",
    "11222333000181",
    "11444777000161",
    "12ABC34501DE35",
    "123e4567-e12b-12d1-a456-426655440000",
    "123e4567-e89b-12d3-a456-426614174000",
    "123e4567-e89b-12d3-a456-426655440000",
];

/// Whether a name or mailbox is a demo's or an example's, in whatever letters: as a BR Code has it, without accents and in Latin letters,
/// and with digits read as the letters that they look like.
pub(super) fn says_demo(text: &str) -> bool {
    let plain = deunicode::deunicode(text).to_lowercase();
    plain.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| {
        let alike: String = word.chars().map(alike).collect();
        let numbered = word.trim_end_matches(|c: char| c.is_ascii_digit());
        WORDS
            .iter()
            .any(|known| alike.ends_with(known) || numbered.ends_with(known))
    })
}

const fn alike(c: char) -> char {
    match c {
        '0' => 'o',
        '1' => 'l',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        c => c,
    }
}

/// Whether nobody's account is meant by a key: published ones, and those whose digits count or repeat.
pub(super) fn is_sample(key: &PixKey) -> bool {
    let text = key.expose();
    let digits = match key.kind() {
        PixKeyKind::Cpf => text.get(..9),
        PixKeyKind::Cnpj => text.get(..8),
        // The line without its first digit, which says only that it is a mobile.
        PixKeyKind::Phone => text.len().checked_sub(8).and_then(|at| text.get(at..)),
        PixKeyKind::Email | PixKeyKind::Evp => None,
    };
    PUBLISHED.contains(&text) || digits.is_some_and(counts)
}

/// `12345678`, `87654321`, `99999999`.
fn counts(digits: &str) -> bool {
    let steps = || {
        let next = digits.bytes().skip(1);
        digits
            .bytes()
            .zip(next)
            .map(|(one, two)| i16::from(two) - i16::from(one))
    };
    steps()
        .next()
        .is_some_and(|first| (-1..=1).contains(&first) && steps().all(|step| step == first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_is_known_in_any_letters() {
        for demo in [
            "ARBORA DEMO",
            "Arbora Demo",
            "ARBORA DÉMO",
            "ＤＥＭＯ LTDA",
            "ARBORA DЕMO",
            "ARBORA ДЕМО",
            "ARBORA DΕΜΟ",
            "DEM0",
            "D3MO LTDA",
            "arborademo",
            "demo-2",
            "demo2",
            "Exemplo S.A.",
            "examp1e",
        ] {
            assert!(says_demo(demo), "{demo}");
        }
        for real in [
            "ARBORA PAGAMENTOS LTDA",
            "Demóstenes Lima",
            "Demolidora Sul",
            "no-reply",
            "Modem",
            "",
        ] {
            assert!(!says_demo(real), "{real}");
        }
    }

    #[test]
    fn a_key_out_of_a_document_is_nobodys() {
        for sample in [
            "123.456.789-09",
            "111.444.777-35",
            "12.345.678/0001-95",
            "11.222.333/0001-81",
            "+55 11 99999-9999",
            "+55 11 91234-5678",
            "123e4567-e12b-12d1-a456-426655440000",
        ] {
            assert!(is_sample(&PixKey::guess(sample).unwrap()), "{sample}");
        }
        for own in [
            "390.533.447-05",
            "+55 (41) 99714-2086",
            "6f1c3ac8-0d0b-4f63-9d5b-3f4f8a0f5b7e",
            "pix@casa-arbora.com.br",
        ] {
            assert!(!is_sample(&PixKey::guess(own).unwrap()), "{own}");
        }
    }
}
