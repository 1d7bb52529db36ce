//! Letters of documents: which of them the font draws and where, how wide a text is and where it breaks. Pure.
//!
//! The font has Latin, Greek and Cyrillic. Any other letter is drawn as a square, one for what a reader counts as one letter; who copies or
//! searches finds the letter itself.

use crate::{error::Error, foundation::text};
use harfrust::{Direction, Feature, ShapeOptions, ShaperData, Tag, UnicodeBuffer, script};
use krilla::text::{Font, GlyphId, KrillaGlyph};
use skrifa::{
    FontRef, MetadataProvider,
    charmap::Charmap,
    instance::{LocationRef, Size},
    metrics::GlyphMetrics,
};
use std::{collections::BTreeSet, ops::Range};
use unicode_linebreak::linebreaks;
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};
use unicode_segmentation::UnicodeSegmentation;

static REGULAR: &[u8] = include_bytes!("../../../fonts/Inter-Regular.ttf");
static BOLD: &[u8] = include_bytes!("../../../fonts/Inter-SemiBold.ttf");

/// What stands for a letter that the font does not draw.
pub const MISSING: &str = "□";
const MORE: &str = "…";
/// Blanks at which no line breaks.
const NO_BREAK: [char; 2] = ['\u{a0}', '\u{202f}'];

/// How far ink goes up and down from the line on which letters stand, in parts of their size. Marks heaped on one letter would go on
/// for ever: it counts as missing.
pub const HIGHEST: f32 = 1.15;
pub const LOWEST: f32 = -0.35;
/// How far ink reaches out of its letter's width.
const BESIDE: f32 = 0.2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Regular,
    Bold,
}

/// A text as it stands on one line; measures are parts of the letters' size.
#[derive(Clone, Debug)]
pub struct Line {
    pub weight: Weight,
    /// What it says; glyphs point into it.
    pub text: String,
    pub glyphs: Vec<KrillaGlyph>,
    pub width: f32,
    /// A square stands for a letter.
    pub lacks: bool,
}

/// The fonts of a document.
pub struct Letters {
    regular: Face,
    bold: Face,
}

struct Face {
    font: Font,
    known: Charmap<'static>,
    sizes: GlyphMetrics<'static>,
    reader: FontRef<'static>,
    shapes: ShaperData,
    em: f32,
}

/// What a reader counts as one letter: with its marks, or all of an emoji.
struct Letter {
    said: Range<usize>,
    drawn: Range<usize>,
    width: f32,
    lacks: bool,
    blank: bool,
    /// A line may begin with it.
    begins: bool,
}

/// A text with its letters in their places.
struct Shaped {
    said: String,
    letters: Vec<Letter>,
    glyphs: Vec<KrillaGlyph>,
}

impl Face {
    fn load(data: &'static [u8]) -> Result<Self, Error> {
        let unread = || Error::internal("a font of documents cannot be read");
        let reader = FontRef::new(data).map_err(|_| unread())?;
        let font = Font::new(data.into(), 0).ok_or_else(unread)?;
        Ok(Self {
            em: font.units_per_em(),
            font,
            known: reader.charmap(),
            sizes: reader.glyph_metrics(Size::unscaled(), LocationRef::default()),
            shapes: ShaperData::new(&reader),
            reader,
        })
    }

    fn parts(&self, units: i32) -> f32 {
        i16::try_from(units).map_or(0.0, f32::from) / self.em
    }

    fn draws(&self, letter: &str) -> bool {
        let known = |c: char| self.known.map(c).is_some();
        letter.chars().all(known) || letter.nfd().all(known)
    }

    /// Glyphs of a text whose letters are all known; their ranges begin where their letter does.
    fn glyphs(&self, text: &str) -> Vec<KrillaGlyph> {
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.set_direction(Direction::LeftToRight);
        // The font's rules for marks stand under Latin and place them on the letters of all three.
        buffer.set_script(script::LATIN);
        let features = [Feature::new(Tag::new(b"tnum"), 1, ..)];
        let shaper = self.shapes.shaper(&self.reader).build();
        let shaped = shaper.shape(buffer, ShapeOptions::new().features(&features));
        let drawn = shaped.glyph_infos().iter().zip(shaped.glyph_positions());
        drawn
            .map(|(glyph, at)| {
                let begin = usize::try_from(glyph.cluster).unwrap_or_default();
                KrillaGlyph::new(
                    GlyphId::new(glyph.glyph_id),
                    self.parts(at.x_advance),
                    self.parts(at.x_offset),
                    self.parts(at.y_offset),
                    0.0,
                    begin..begin,
                    None,
                )
            })
            .collect()
    }

    /// Left, lowest, right, highest of the ink of glyphs that follow each other, from the beginning of the first.
    fn ink(&self, glyphs: &[KrillaGlyph]) -> Option<[f32; 4]> {
        let mut pen = 0.0;
        let mut ink: Option<[f32; 4]> = None;
        for glyph in glyphs {
            let (x, y) = (pen + glyph.x_offset, glyph.y_offset);
            pen += glyph.x_advance;
            let bounds = self.sizes.bounds(skrifa::GlyphId::new(glyph.glyph_id.to_u32()));
            let Some(bounds) = bounds.filter(|b| b.x_max > b.x_min) else {
                continue;
            };
            let [left, low, right, high] = [
                x + bounds.x_min / self.em,
                y + bounds.y_min / self.em,
                x + bounds.x_max / self.em,
                y + bounds.y_max / self.em,
            ];
            ink = Some(ink.map_or([left, low, right, high], |before| {
                [
                    before[0].min(left),
                    before[1].min(low),
                    before[2].max(right),
                    before[3].max(high),
                ]
            }));
        }
        ink
    }

    fn stays_in_place(&self, letter: &Letter, glyphs: &[KrillaGlyph]) -> bool {
        self.ink(&glyphs[letter.drawn.clone()])
            .is_none_or(|[left, low, right, high]| {
                left >= -BESIDE && right <= letter.width + BESIDE && low >= LOWEST && high <= HIGHEST
            })
    }

    fn shaped(&self, text: &str) -> Shaped {
        let said: String = text
            .nfc()
            .map(|c| {
                if c.is_whitespace() && !NO_BREAK.contains(&c) {
                    ' '
                } else {
                    c
                }
            })
            .collect();
        let mut heaped = BTreeSet::new();
        loop {
            let (letters, glyphs) = self.placed(&said, &heaped);
            let known = heaped.len();
            let away = letters
                .iter()
                .filter(|letter| !letter.lacks && !self.stays_in_place(letter, &glyphs));
            heaped.extend(away.map(|letter| letter.said.start));
            if heaped.len() == known {
                return Shaped {
                    said,
                    letters,
                    glyphs,
                };
            }
        }
    }

    fn placed(&self, said: &str, heaped: &BTreeSet<usize>) -> (Vec<Letter>, Vec<KrillaGlyph>) {
        let chances: BTreeSet<usize> = linebreaks(said).map(|(at, _)| at).collect();
        let mut letters: Vec<Letter> = Vec::new();
        let mut begins = Vec::new();
        let mut drawn = String::with_capacity(said.len());
        for (at, letter) in said.grapheme_indices(true) {
            let seen: String = letter.chars().filter(|c| !text::is_unseen(*c)).collect();
            if seen.is_empty() {
                continue;
            }
            // A mark that something unseen parts from its letter would be drawn on it, and be missed here.
            let alone = seen.starts_with(is_combining_mark);
            let lacks = alone || heaped.contains(&at) || !self.draws(&seen);
            begins.push(drawn.len());
            letters.push(Letter {
                said: at..at + letter.len(),
                drawn: 0..0,
                width: 0.0,
                lacks,
                blank: letter == " ",
                begins: chances.contains(&at),
            });
            if lacks {
                drawn.push_str(MISSING);
            } else {
                drawn.push_str(&seen);
            }
        }
        let mut glyphs = self.glyphs(&drawn);
        for (index, glyph) in glyphs.iter_mut().enumerate() {
            let owner = begins
                .partition_point(|at| *at <= glyph.text_range.start)
                .saturating_sub(1);
            let Some(letter) = letters.get_mut(owner) else {
                continue;
            };
            if letter.drawn.is_empty() {
                letter.drawn = index..index;
            }
            letter.drawn.end = index + 1;
            letter.width += glyph.x_advance;
            glyph.text_range = letter.said.clone();
        }
        letters.retain(|letter| !letter.drawn.is_empty());
        (letters, glyphs)
    }
}

impl Shaped {
    /// Some of its letters as a line.
    fn line(&self, weight: Weight, letters: Range<usize>) -> Line {
        let letters = &self.letters[letters];
        let (Some(first), Some(last)) = (letters.first(), letters.last()) else {
            return Line {
                weight,
                text: String::new(),
                glyphs: Vec::new(),
                width: 0.0,
                lacks: false,
            };
        };
        let from = first.said.start;
        let mut glyphs = self.glyphs[first.drawn.start..last.drawn.end].to_vec();
        for glyph in &mut glyphs {
            glyph.text_range = glyph.text_range.start - from..glyph.text_range.end - from;
        }
        Line {
            weight,
            text: self.said[from..last.said.end].to_owned(),
            glyphs,
            width: letters.iter().map(|letter| letter.width).sum(),
            lacks: letters.iter().any(|letter| letter.lacks),
        }
    }

    /// Where the line ends that begins with a letter: before the first that has no room, at the last chance before it if there was one.
    fn end(&self, start: usize, most: f32) -> usize {
        let mut width = 0.0;
        let mut chance = None;
        for (index, letter) in self.letters.iter().enumerate().skip(start) {
            if letter.begins && index > start {
                chance = Some(index);
            }
            if width + letter.width > most && index > start && !letter.blank {
                return chance.unwrap_or(index);
            }
            width += letter.width;
        }
        self.letters.len()
    }
}

impl Letters {
    /// # Errors
    /// `service.internal` when a font in the program is none.
    pub fn load() -> Result<Self, Error> {
        Ok(Self {
            regular: Face::load(REGULAR)?,
            bold: Face::load(BOLD)?,
        })
    }

    const fn face(&self, weight: Weight) -> &Face {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    #[must_use]
    pub fn font(&self, weight: Weight) -> Font {
        self.face(weight).font.clone()
    }

    /// A text on one line, however long.
    #[must_use]
    pub fn line(&self, weight: Weight, text: &str) -> Line {
        let shaped = self.face(weight).shaped(text);
        shaped.line(weight, 0..shaped.letters.len())
    }

    /// A text on lines of at most a width: broken between words, a longer word between letters. Nothing of it is left out.
    #[must_use]
    pub fn broken(&self, weight: Weight, text: &str, most: f32) -> Vec<Line> {
        let shaped = self.face(weight).shaped(text);
        let blank = |index: usize| shaped.letters.get(index).is_some_and(|letter| letter.blank);
        let mut lines = Vec::new();
        let mut start = 0;
        while start < shaped.letters.len() {
            if blank(start) {
                start += 1;
                continue;
            }
            let end = shaped.end(start, most);
            let last = (start..end).rfind(|index| !blank(*index)).unwrap_or(start);
            let line = shaped.line(weight, start..last + 1);
            // Who copies the lines or has them read out is told where a word ended.
            let told = end.min(last + 2);
            lines.push(Line {
                width: line.width,
                ..shaped.line(weight, start..told)
            });
            start = end;
        }
        lines
    }

    /// The beginning of a text on one line of at most a width, with the sign that there is more: for what stands whole elsewhere.
    #[must_use]
    pub fn fitted(&self, weight: Weight, text: &str, most: f32) -> Line {
        let line = self.line(weight, text);
        if line.width <= most {
            return line;
        }
        let room = most - self.line(weight, MORE).width;
        let begun = self.broken(weight, text, room).into_iter().next();
        let begun = begun.map(|line| line.text).unwrap_or_default();
        self.line(weight, &format!("{}{MORE}", begun.trim_end()))
    }

    /// Left, lowest, right, highest of a line's ink.
    #[cfg(test)]
    pub fn ink(&self, line: &Line) -> Option<[f32; 4]> {
        self.face(line.weight).ink(&line.glyphs)
    }
}
