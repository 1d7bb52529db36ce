//! Pages as a PDF: marks in their places, and what they are for those who have the document read to them.

use super::{
    Head,
    letters::{Letters, Line},
};
use crate::error::Error;
use krilla::{
    Document,
    color::rgb,
    destination::XyzDestination,
    geom::{PathBuilder, Point, Rect},
    metadata::{DateTime, Metadata},
    num::NormalizedF32,
    outline::{Outline, OutlineNode},
    page::PageSettings,
    paint::Fill,
    surface::Surface,
    tagging::{
        Artifact, ArtifactType, ContentTag, Identifier, SpanTag, TableHeaderScope, Tag, TagGroup, TagTree,
    },
};
use std::{collections::BTreeMap, num::NonZeroU16};

pub const WIDTH: f32 = 595.0;
pub const HEIGHT: f32 = 842.0;

/// Colours, by what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Text,
    /// Labels, what repeats on each page.
    Quiet,
    /// The world of play money.
    Warning,
    Rule,
    FaintRule,
}

impl Ink {
    fn colour(self) -> rgb::Color {
        match self {
            Self::Text => rgb::Color::new(24, 26, 30),
            Self::Quiet => rgb::Color::new(92, 97, 105),
            Self::Warning => rgb::Color::new(150, 84, 0),
            Self::Rule => rgb::Color::new(150, 155, 163),
            Self::FaintRule => rgb::Color::new(222, 225, 230),
        }
    }
}

/// What a mark is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Title,
    /// A paragraph by its number.
    Said(usize),
    /// Row and column of the table; row 0 has the columns' names.
    Cell(usize, usize),
    /// Nothing that is read out: rules, what repeats on each page.
    Repeated,
}

/// What is seen in a place; y grows downwards from the page's upper edge.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A text from a point on the line on which letters stand.
    Text { x: f32, y: f32, size: f32, line: Line },
    Rule {
        left: f32,
        right: f32,
        y: f32,
        thick: f32,
    },
    /// An empty cell.
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Mark {
    pub part: Part,
    pub ink: Ink,
    pub shape: Shape,
}

pub type Page = Vec<Mark>;

/// What the document consists of, in the order of reading.
#[derive(Default)]
struct Order {
    title: Vec<Identifier>,
    said: BTreeMap<usize, Vec<Identifier>>,
    rows: BTreeMap<usize, BTreeMap<usize, Vec<Identifier>>>,
}

impl Order {
    fn take(&mut self, part: Part, id: Identifier) {
        match part {
            Part::Title => self.title.push(id),
            Part::Said(number) => self.said.entry(number).or_default().push(id),
            Part::Cell(row, column) => {
                let row = self.rows.entry(row).or_default();
                row.entry(column).or_default().push(id);
            }
            Part::Repeated => {}
        }
    }

    fn tree(self, head: &Head) -> TagTree {
        let group = |mut group: TagGroup, ids: Vec<Identifier>| {
            for id in ids {
                group.push(id);
            }
            group
        };
        let mut tree = TagTree::new().with_lang(Some(head.locale.as_str().to_owned()));
        let title = Tag::Hn(NonZeroU16::MIN, Some(head.title()));
        tree.push(group(TagGroup::new(title), self.title));
        for ids in self.said.into_values() {
            tree.push(group(TagGroup::new(Tag::P), ids));
        }
        let (mut names, mut body) = (TagGroup::new(Tag::THead), TagGroup::new(Tag::TBody));
        for (number, cells) in self.rows {
            let mut row = TagGroup::new(Tag::TR);
            for ids in cells.into_values() {
                row.push(if number == 0 {
                    group(TagGroup::new(Tag::TH(TableHeaderScope::Column)), ids)
                } else {
                    group(TagGroup::new(Tag::TD), ids)
                });
            }
            if number == 0 {
                names.push(row);
            } else {
                body.push(row);
            }
        }
        let mut table = TagGroup::new(Tag::Table);
        table.push(names);
        table.push(body);
        tree.push(table);
        tree
    }
}

fn draw(surface: &mut Surface<'_>, letters: &Letters, mark: &Mark) {
    surface.set_fill(Some(Fill {
        paint: mark.ink.colour().into(),
        opacity: NormalizedF32::ONE,
        rule: krilla::paint::FillRule::default(),
    }));
    match &mark.shape {
        Shape::Text { x, y, size, line } => {
            let font = letters.font(line.weight);
            surface.draw_glyphs(
                Point::from_xy(*x, *y),
                &line.glyphs,
                font,
                &line.text,
                *size,
                false,
            );
        }
        Shape::Rule {
            left,
            right,
            y,
            thick,
        } => {
            let mut path = PathBuilder::new();
            if let Some(bar) = Rect::from_xywh(*left, *y, right - left, *thick) {
                path.push_rect(bar);
            }
            if let Some(path) = path.finish() {
                surface.draw_path(&path);
            }
        }
        Shape::Nothing => {}
    }
}

fn moment(head: &Head) -> DateTime {
    let at = head.made_at;
    DateTime::new(u16::try_from(at.year()).unwrap_or_default())
        .month(at.month().into())
        .day(at.day())
        .hour(at.hour())
        .minute(at.minute())
        .second(at.second())
        .utc_offset_hour(0)
        .utc_offset_minute(0)
}

/// The document's bytes: the same for the same pages.
///
/// # Errors
/// `service.internal` when they make no document.
pub fn bind(
    head: &Head,
    letters: &Letters,
    pages: &[Page],
    settings: krilla::SerializeSettings,
) -> Result<Vec<u8>, Error> {
    let mut document = Document::new_with(settings);
    let mut order = Order::default();
    let size = PageSettings::from_wh(WIDTH, HEIGHT).ok_or_else(|| Error::internal("a page has no size"))?;
    for marks in pages {
        let mut page = document.start_page_with(size.clone());
        let mut surface = page.surface();
        for mark in marks {
            let id = surface.start_tagged(match mark.part {
                Part::Repeated => ContentTag::Artifact(Artifact::with_kind(ArtifactType::PaginationOther)),
                _ => ContentTag::Span(SpanTag::empty()),
            });
            draw(&mut surface, letters, mark);
            surface.end_tagged();
            order.take(mark.part, id);
        }
        surface.finish();
        page.finish();
    }
    document.set_tag_tree(order.tree(head));
    let mut contents = Outline::new();
    let beginning = XyzDestination::new(0, Point::from_xy(0.0, 0.0));
    contents.push_child(OutlineNode::new(head.title(), beginning));
    document.set_outline(contents);
    document.set_metadata(
        Metadata::new()
            .title(head.title())
            .language(head.locale.as_str().to_owned())
            .creator(head.brand.clone())
            .creation_date(moment(head)),
    );
    document
        .finish()
        .map_err(|e| Error::internal(format!("a document: {e:?}")))
}
