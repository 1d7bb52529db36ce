//! The statement as a PDF: one page after another of plain text in the fonts that every reader has.

use super::{Asked, Line, Sums, routes::account_text};
use crate::foundation::{business_day, context::World, locale::Locale};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str};
use protocol::money::Usdt;
use time::{Date, OffsetDateTime};

/// What stands above the movements.
pub struct Head {
    pub brand: String,
    pub holder: String,
    pub world: World,
    pub made_at: OffsetDateTime,
    pub locale: Locale,
}

const WIDTH: f32 = 595.0;
const HEIGHT: f32 = 842.0;
const MARGIN: f32 = 40.0;
const LINE: f32 = 14.0;
const SIZE: f32 = 8.0;
/// Movements on one page.
const ROWS: usize = 46;
/// Left edges of the text columns and right edges of the numbers.
const DATE: f32 = MARGIN;
const KIND: f32 = 122.0;
const ACCOUNT: f32 = 258.0;
const CREDIT: f32 = 400.0;
const DEBIT: f32 = 478.0;
const BALANCE: f32 = WIDTH - MARGIN;
/// A digit of Courier, in parts of the font's size.
const DIGIT: f32 = 0.6;

const TEXT: Name = Name(b"Text");
const BOLD: Name = Name(b"Bold");
const NUMBER: Name = Name(b"Number");

/// Characters of the standard fonts (Windows code page 1252); what they lack becomes a question mark.
fn encoded(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| match c {
            '–' => 0x96,
            '—' => 0x97,
            '’' => 0x92,
            '“' => 0x93,
            '”' => 0x94,
            '…' => 0x85,
            '€' => 0x80,
            c => u8::try_from(u32::from(c)).unwrap_or(b'?'),
        })
        .collect()
}

struct Page(Content);

impl Page {
    fn put(&mut self, font: Name<'_>, size: f32, x: f32, y: f32, text: &str) {
        self.0.begin_text();
        self.0.set_font(font, size);
        self.0.next_line(x, y);
        self.0.show(Str(&encoded(text)));
        self.0.end_text();
    }

    /// A number that ends at `right`.
    fn number(&mut self, right: f32, y: f32, text: &str) {
        let length = u16::try_from(text.len()).map_or(0.0, f32::from);
        self.put(NUMBER, SIZE, length.mul_add(-DIGIT * SIZE, right), y, text);
    }

    fn rule(&mut self, y: f32) {
        self.0.set_line_width(0.4);
        self.0.set_stroke_gray(0.7);
        self.0.move_to(MARGIN, y);
        self.0.line_to(WIDTH - MARGIN, y);
        self.0.stroke();
    }
}

fn day(date: Date) -> String {
    format!("{:02}/{:02}/{}", date.day(), u8::from(date.month()), date.year())
}

/// Cuts a text to what fits into its column.
fn fit(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        text.to_owned()
    } else {
        text.chars().take(most - 1).chain(['…']).collect()
    }
}

fn heading(page: &mut Page, head: &Head, asked: &Asked, first: bool) -> f32 {
    let words = |key| head.locale.text("documents", key);
    let mut y = HEIGHT - MARGIN - 10.0;
    if head.world == World::Demo {
        page.0.set_fill_rgb(0.72, 0.42, 0.0);
        page.put(BOLD, 10.0, MARGIN, y, words("demo"));
        page.0.set_fill_gray(0.0);
        y -= 20.0;
    }
    page.put(
        BOLD,
        15.0,
        MARGIN,
        y,
        &format!("{} · {}", head.brand, words("statement")),
    );
    y -= LINE + 2.0;
    let account = asked
        .account
        .map_or_else(|| words("all_accounts"), |a| head.locale.text("accounts", a));
    for line in [
        head.holder.clone(),
        format!(
            "{}: {} – {} · {account} · {}",
            words("period"),
            day(asked.first),
            day(asked.last),
            asked.currency()
        ),
        format!("{}: {}", words("made_at"), business_day::shown(head.made_at)),
    ] {
        if first || line.starts_with(words("period")) {
            page.put(TEXT, 9.0, MARGIN, y, &line);
            y -= LINE - 1.0;
        }
    }
    y -= 8.0;
    for (x, key) in [(DATE, "date"), (KIND, "description"), (ACCOUNT, "account")] {
        page.put(BOLD, SIZE, x, y, words(key));
    }
    for (right, key) in [(CREDIT, "credit"), (DEBIT, "debit"), (BALANCE, "balance")] {
        // Helvetica's letters are about as wide as half their size.
        let length = u16::try_from(words(key).chars().count()).map_or(0.0, f32::from);
        page.put(BOLD, SIZE, length.mul_add(-0.55 * SIZE, right), y, words(key));
    }
    page.rule(y - 4.0);
    y - LINE
}

fn edge(page: &mut Page, y: f32, label: &str, value: Usdt) {
    page.put(BOLD, SIZE, KIND, y, label);
    page.number(BALANCE, y, &value.to_string());
}

fn movement(page: &mut Page, locale: Locale, y: f32, line: &Line) {
    page.put(TEXT, SIZE, DATE, y, &business_day::shown(line.at));
    page.put(TEXT, SIZE, KIND, y, &fit(locale.text("kinds", &line.kind), 32));
    page.put(TEXT, SIZE, ACCOUNT, y, &fit(&account_text(locale, line), 22));
    if line.amount.is_negative() {
        page.number(DEBIT, y, &(-line.amount).to_string());
    } else {
        page.number(CREDIT, y, &line.amount.to_string());
    }
    page.number(BALANCE, y, &line.balance.to_string());
}

/// The document's bytes.
#[must_use]
pub fn write(head: &Head, asked: &Asked, sums: &Sums, lines: &[Line]) -> Vec<u8> {
    let words = |key| head.locale.text("documents", key);
    let chunks: Vec<&[Line]> = if lines.is_empty() {
        vec![&[]]
    } else {
        lines.chunks(ROWS).collect()
    };
    let mut pages = Vec::with_capacity(chunks.len());
    for (index, chunk) in chunks.iter().enumerate() {
        let mut page = Page(Content::new());
        let first = index == 0;
        let mut y = heading(&mut page, head, asked, first);
        if first {
            edge(&mut page, y, words("opening"), sums.opening);
            y -= LINE;
        }
        for line in *chunk {
            movement(&mut page, head.locale, y, line);
            y -= LINE;
        }
        if index + 1 == chunks.len() {
            page.rule(y + LINE - 4.0);
            edge(&mut page, y, words("closing"), sums.closing);
            page.number(CREDIT, y, &sums.credits.to_string());
            page.number(DEBIT, y, &sums.debits.to_string());
        }
        page.put(
            TEXT,
            SIZE,
            MARGIN,
            MARGIN - 14.0,
            &format!("{} {}/{}", words("page"), index + 1, chunks.len()),
        );
        pages.push(page.0);
    }
    bind(pages)
}

fn bind(pages: Vec<Content>) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let mut next = 1;
    let mut fresh = || {
        let id = Ref::new(next);
        next += 1;
        id
    };
    let (catalog, tree) = (fresh(), fresh());
    let fonts = [(TEXT, "Helvetica"), (BOLD, "Helvetica-Bold"), (NUMBER, "Courier")]
        .map(|(name, base)| (name, base, fresh()));
    pdf.catalog(catalog).pages(tree);
    let mut kids = Vec::new();
    for content in pages {
        let (id, stream) = (fresh(), fresh());
        kids.push(id);
        let mut page = pdf.page(id);
        page.media_box(Rect::new(0.0, 0.0, WIDTH, HEIGHT))
            .parent(tree)
            .contents(stream);
        let mut resources = page.resources();
        let mut known = resources.fonts();
        for (name, _, font) in fonts {
            known.pair(name, font);
        }
        known.finish();
        resources.finish();
        page.finish();
        pdf.stream(stream, &content.finish());
    }
    let count = i32::try_from(kids.len()).unwrap_or(i32::MAX);
    pdf.pages(tree).kids(kids).count(count);
    for (_, base, font) in fonts {
        pdf.type1_font(font)
            .base_font(Name(base.as_bytes()))
            .encoding_predefined(Name(b"WinAnsiEncoding"));
    }
    pdf.finish()
}
