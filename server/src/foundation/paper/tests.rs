//! Whatever people are called, it stays on the page, and every letter is drawn or a square stands for it.

use super::{
    Column, Head, Row, layout,
    letters::{Letters, Line, MISSING, Weight},
    press,
    press::{HEIGHT, Mark, Page, Part, Shape, WIDTH},
    write,
};
use crate::foundation::{context::World, locale::Locale, text::is_unseen};
use krilla::configure::{Accessibility, Archival, ConfigurationBuilder};
use proptest::prelude::*;
use std::sync::LazyLock;
use time::macros::datetime;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

static LETTERS: LazyLock<Letters> = LazyLock::new(|| Letters::load().unwrap());

fn head(name: &str) -> Head {
    Head {
        world: World::Demo,
        locale: Locale::Pt,
        brand: "Arbora".into(),
        kind: "Extrato",
        facts: vec![("Titular", name.to_owned()), ("Moeda", "USDT".into())],
        running: name.to_owned(),
        made_at: datetime!(2026-11-26 12:00 UTC),
    }
}

const COLUMNS: [Column; 4] = [
    Column::Short("Data"),
    Column::Text("Descrição"),
    Column::Text("Conta"),
    Column::Number("Saldo (USDT)"),
];

fn row(what: &str, account: &str, balance: &str) -> Row {
    let cells = ["26/11/2026 09:00", what, account, balance]
        .map(str::to_owned)
        .to_vec();
    Row { cells, sum: false }
}

fn texts(page: &Page) -> impl Iterator<Item = (&Mark, f32, f32, f32, &Line)> {
    page.iter().filter_map(|mark| match &mark.shape {
        Shape::Text { x, y, size, line } => Some((mark, *x, *y, *size, line)),
        _ => None,
    })
}

/// Left, upper, right, lower edge of a line's ink on its page.
fn ink((x, y, size, line): (f32, f32, f32, &Line)) -> Option<[f32; 4]> {
    let [left, low, right, high] = LETTERS.ink(line)?;
    Some([x + left * size, y - high * size, x + right * size, y - low * size])
}

/// All ink lies within the margins, and no line's touches another's.
fn is_in_place(pages: &[Page]) {
    for page in pages {
        let mut seen: Vec<([f32; 4], &str)> = Vec::new();
        for (_, x, y, size, line) in texts(page) {
            let Some(ink @ [left, top, right, bottom]) = ink((x, y, size, line)) else {
                continue;
            };
            let margin = layout::MARGIN - size;
            assert!(
                left >= margin && right <= WIDTH - margin && top >= margin && bottom <= HEIGHT - margin,
                "{ink:?} {:?}",
                line.text
            );
            for (other, text) in &seen {
                let apart = left >= other[2] || other[0] >= right || top >= other[3] || other[1] >= bottom;
                assert!(apart, "{:?} {ink:?} over {text:?} {other:?}", line.text);
            }
            seen.push((ink, &line.text));
        }
    }
}

/// Every letter of a text on lines has a glyph, never that of no letter; a square where it is none of the font's.
fn is_shown(text: &str, lines: &[&Line]) {
    let square = LETTERS.line(Weight::Regular, MISSING).glyphs[0].glyph_id;
    let mut shown = String::new();
    for line in lines {
        for letter in line.text.grapheme_indices(true) {
            let (at, letter) = letter;
            if letter.chars().all(is_unseen) {
                continue;
            }
            let glyphs: Vec<_> = line
                .glyphs
                .iter()
                .filter(|glyph| glyph.text_range == (at..at + letter.len()))
                .collect();
            assert!(!glyphs.is_empty(), "{letter:?} is not drawn");
            assert!(
                glyphs.iter().all(|glyph| glyph.glyph_id.to_u32() != 0),
                "{letter:?}"
            );
            assert!(!(letter == " " && line.glyphs.len() == 1), "a line of nothing");
            let stands_for = letter != MISSING && glyphs.iter().any(|glyph| glyph.glyph_id == square);
            if letter.chars().any(|c| matches!(c, '\u{590}'..='\u{1cff}' | '\u{2e80}'..='\u{a63f}' | '\u{ac00}'..='\u{d7ff}' | '\u{1f000}'..)) {
                assert!(stands_for, "{letter:?} is drawn as something else");
            }
            assert!(line.lacks || !stands_for);
        }
        shown.push_str(&line.text);
    }
    let bare = |text: &str| {
        text.nfc()
            .filter(|c| !c.is_whitespace() && !is_unseen(*c))
            .collect::<String>()
    };
    assert_eq!(bare(&shown), bare(text));
}

#[test]
fn a_mark_that_stands_with_nothing_is_a_square() {
    for text in ["a\0\u{483}", "a\u{ad}\u{301}b", "\u{301}"] {
        let line = LETTERS.line(Weight::Regular, text);
        is_shown(text, &[&line]);
        assert!(line.lacks, "{text:?}");
    }
}

#[test]
fn letters_of_four_scripts_are_drawn() {
    for weight in [Weight::Regular, Weight::Bold] {
        for name in [
            "Łukasz Żółć",
            "Œuvre",
            "Жанна Ёжикова",
            "Ελένη Παπαδοπούλου",
            "Ἀχιλλεύς",
            "José da Conceição",
            "Nguyễn Thị Ảnh",
            "Þórður Æsir",
            "Ğülşen İIıi",
            "Đặng Đỗ",
            "Ḥasan ʿAlī",
            "Їжак Ґанок Қазақ Ўзбек",
            "Ẹ\u{301}niọlá",
            "R$ 1.234,56 – “a” ‘b’ … € ₿ ₽ № 5",
            "ÅNGSTRÖM ŐŰ ÇĢĶĻŅ",
            "ǅ ǆ Ǌ ſ ẞ",
        ] {
            let line = LETTERS.line(weight, name);
            assert!(!line.lacks, "{name}");
            is_shown(name, &[&line]);
        }
    }
}

#[test]
fn a_square_stands_for_what_a_reader_counts_as_one_letter() {
    let squares = |text: &str| {
        let line = LETTERS.line(Weight::Regular, text);
        assert!(line.lacks, "{text}");
        is_shown(text, &[&line]);
        let square = LETTERS.line(Weight::Regular, MISSING).glyphs[0].glyph_id;
        line.glyphs
            .iter()
            .filter(|glyph| glyph.glyph_id == square)
            .count()
    };
    for (text, count) in [
        ("李 小龍", 3),
        ("Ana 🤷\u{200d}♀\u{fe0f}", 1),
        ("🇧🇷", 1),
        ("علی\u{200c}رضا", 6),
        ("שָׁלוֹם", 4),
        ("अनीता", 3),
        ("김민지", 3),
        ("\u{e000}", 1),
        ("a\u{20e3}", 1),
        // The font has both and nowhere to put the one on the other.
        ("Ѫ\u{301}", 1),
    ] {
        assert_eq!(squares(text), count, "{text}");
    }
    let heap = format!("e{}", "\u{301}".repeat(30));
    assert_eq!(squares(&heap), 1, "marks heaped up to the line above");
    assert!(
        !LETTERS.line(Weight::Regular, "a\u{ad}b\u{200b}c").lacks,
        "what is not seen needs no sign"
    );
}

#[test]
fn texts_are_broken_between_words_and_longer_words_between_letters() {
    let said = |text: &str, most: f32| -> Vec<String> {
        let lines = LETTERS.broken(Weight::Regular, text, most);
        for line in &lines {
            assert!(line.width <= most, "{:?}", line.text);
        }
        let texts = lines.into_iter().map(|line| line.text.trim_end().to_owned());
        texts.collect()
    };
    let width = |text: &str| LETTERS.line(Weight::Regular, text).width;
    assert_eq!(
        said("Ana Maria da Silva", width("Ana Maria ")),
        ["Ana Maria", "da Silva"]
    );
    assert_eq!(said("  Ana   Maria ", 100.0), ["Ana   Maria"]);
    assert_eq!(said("WWWWW", width("WW") + 0.1), ["WW", "WW", "W"]);
    assert_eq!(said("a WWWWW", width("WW") + 0.1), ["a", "WW", "WW", "W"]);
    assert_eq!(
        said("👩\u{200d}👩\u{200d}👧👩\u{200d}👩\u{200d}👧", width(MISSING)).len(),
        2
    );
    assert_eq!(said("1\u{a0}234 5", width("1\u{a0}234 ")), ["1\u{a0}234", "5"]);
    assert!(said(" ", 9.0).is_empty() && said("", 9.0).is_empty());
    let cut = LETTERS.fitted(Weight::Regular, &"Ana ".repeat(30), 20.0);
    assert!(cut.width <= 20.0 && cut.text.ends_with('…') && cut.text.starts_with("Ana Ana"));
}

#[test]
fn every_page_says_what_it_is_and_every_row_stands_on_one() {
    let rows: Vec<Row> = (0..200)
        .map(|n| row(&format!("Movimento {n}"), "Disponível", &format!("{n},000000")))
        .collect();
    let name = "Ana ".repeat(30);
    let pages = layout::pages(&LETTERS, &head(&name), &COLUMNS, &rows);
    assert!(pages.len() > 3);
    is_in_place(&pages);
    for (index, page) in pages.iter().enumerate() {
        let said: Vec<&str> = texts(page).map(|(.., line)| line.text.as_str()).collect();
        let place = format!("Página {}/{}", index + 1, pages.len());
        let demo = Locale::Pt.text("documents", "demo");
        for needed in ["Data", "Descrição", "Conta", "Saldo (USDT)", place.as_str(), demo] {
            assert!(said.contains(&needed), "{needed} on {place}");
        }
        let running = said
            .iter()
            .filter(|text| text.starts_with("Arbora · Extrato"))
            .count();
        assert_eq!(running, 1);
        assert!(!said.iter().any(|text| text.starts_with(MISSING)));
    }
    let numbers: Vec<usize> = pages
        .iter()
        .flat_map(texts)
        .filter_map(|(mark, .., line)| match mark.part {
            Part::Cell(row, 1) if row > 0 => Some((row, line)),
            _ => None,
        })
        .map(|(row, line)| {
            assert_eq!(line.text, format!("Movimento {}", row - 1));
            row
        })
        .collect();
    assert_eq!(numbers, (1..=200).collect::<Vec<_>>());
}

#[test]
fn a_cell_longer_than_a_page_goes_on_on_the_next() {
    let long = "palavra ".repeat(2_000);
    let pages = layout::pages(
        &LETTERS,
        &head("Ana"),
        &COLUMNS,
        &[row(&long, "x", "1,0"), row("y", "z", "2,0")],
    );
    assert!(pages.len() > 1);
    is_in_place(&pages);
    let said: Vec<&Line> = pages
        .iter()
        .flat_map(texts)
        .filter(|(mark, ..)| mark.part == Part::Cell(1, 1))
        .map(|(.., line)| line)
        .collect();
    is_shown(&long, &said);
}

#[test]
fn the_greatest_amounts_have_room() {
    let greatest = Locale::Pt.amount("-9223372036854.775808");
    let columns = [
        Column::Short("Data"),
        Column::Text("Descrição"),
        Column::Text("Conta"),
        Column::Number("Crédito"),
        Column::Number("Débito"),
        Column::Number("Saldo"),
    ];
    let cells = vec![
        "26/11/2026 09:00".to_owned(),
        "Patrocínio recebido".into(),
        "Disponível #12".into(),
        greatest.clone(),
        greatest.clone(),
        greatest.clone(),
    ];
    let rows = [
        Row {
            cells: cells.clone(),
            sum: false,
        },
        Row { cells, sum: true },
    ];
    let pages = layout::pages(&LETTERS, &head("Ana"), &columns, &rows);
    is_in_place(&pages);
    let whole = texts(&pages[0])
        .filter(|(.., line)| line.text == greatest)
        .count();
    assert_eq!(whole, 6, "none of them is broken");
    // More of them than a page is wide: broken, and still in place.
    let many = vec![Column::Number("Valor"); 12];
    let cells = vec![greatest; 12];
    is_in_place(&layout::pages(
        &LETTERS,
        &head("Ana"),
        &many,
        &[Row { cells, sum: false }],
    ));
}

#[test]
fn a_page_with_squares_says_what_they_stand_for() {
    for locale in Locale::ALL {
        let head = Head {
            locale,
            ..head("李小龍")
        };
        let pages = layout::pages(&LETTERS, &head, &COLUMNS, &[row("a", "b", "1")]);
        let first = texts(&pages[0]).next().unwrap().4;
        assert_eq!(first.text, MISSING, "before a square stands for anything else");
        let words = locale.text("documents", "missing_letter");
        assert!(texts(&pages[0]).any(|(.., line)| line.text == words), "{words}");
    }
}

/// The same bytes for the same words, and what readers for archives and for the blind ask of a document.
#[test]
fn documents_are_the_same_again_and_readable_to_all() {
    let head = head("Łukasz Żółć 李");
    let rows = [row("Saque PIX", "Disponível", "1,000000"), row("", "", "")];
    let bytes = write(&head, &COLUMNS, &rows).unwrap();
    assert_eq!(bytes, write(&head, &COLUMNS, &rows).unwrap());
    assert!(bytes.starts_with(b"%PDF-1."));
    let pages = layout::pages(&LETTERS, &head, &COLUMNS, &rows);
    for strict in [
        ConfigurationBuilder::new().with_accessibility_validator(Accessibility::UA1),
        ConfigurationBuilder::new().with_archival_validator(Archival::A2_A),
    ] {
        let settings = krilla::SerializeSettings {
            configuration: strict.finish().unwrap(),
            ..krilla::SerializeSettings::default()
        };
        press::bind(&head, &LETTERS, &pages, settings).unwrap();
    }
}

fn letter() -> impl Strategy<Value = String> {
    let of = |range: std::ops::RangeInclusive<char>| {
        proptest::char::range(*range.start(), *range.end()).prop_map(String::from)
    };
    prop_oneof![
        6 => of('a'..='z'),
        3 => of('A'..='Z'),
        2 => Just(" ".to_owned()),
        2 => of('\u{c0}'..='\u{24f}'),
        2 => of('\u{1e00}'..='\u{1eff}'),
        2 => of('\u{370}'..='\u{3ff}'),
        1 => of('\u{1f00}'..='\u{1fff}'),
        2 => of('\u{400}'..='\u{52f}'),
        1 => of('\u{590}'..='\u{6ff}'),
        1 => of('\u{900}'..='\u{97f}'),
        1 => of('\u{4e00}'..='\u{9fff}'),
        1 => of('\u{ac00}'..='\u{d7a3}'),
        1 => of('\u{1f300}'..='\u{1faff}'),
        1 => prop::sample::select(vec!["👩\u{200d}👩\u{200d}👧", "🇧🇷", "🤷🏽\u{200d}♀\u{fe0f}", "1\u{fe0f}\u{20e3}"]).prop_map(str::to_owned),
        1 => ("[a-zа-яα-ω]", prop::collection::vec(proptest::char::range('\u{300}', '\u{36f}'), 1..12)).prop_map(|(base, marks)| base + &String::from_iter(marks)),
        1 => any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_name_stays_on_its_page(
        name in prop::collection::vec(letter(), 1..=120).prop_map(|letters| letters.concat()),
        filled in 0_usize..60,
    ) {
        let mut rows = vec![row(&name, &name, "1,000000"); 1 + filled / 20];
        rows[0].sum = true;
        let pages = layout::pages(&LETTERS, &Head { brand: name.clone(), ..head(&name) }, &COLUMNS, &rows);
        is_in_place(&pages);
        let lines = |part: Part| -> Vec<&Line> {
            pages.iter().flat_map(texts).filter(|(mark, ..)| mark.part == part).map(|(.., line)| line).collect()
        };
        is_shown(&format!("Titular{name}"), &lines(Part::Said(1)));
        is_shown(&format!("{name} · Extrato"), &lines(Part::Title));
        for number in 1..=rows.len() {
            is_shown(&name, &lines(Part::Cell(number, 1)));
            is_shown(&name, &lines(Part::Cell(number, 2)));
        }
        write(&head(&name), &COLUMNS, &rows).unwrap();
    }
}
