//! Where everything stands on which page. Pure.

use super::{
    Column, Head, Row,
    letters::{HIGHEST, LOWEST, Letters, Line, MISSING, Weight},
    press::{HEIGHT, Ink, Mark, Page, Part, Shape, WIDTH},
};
use crate::foundation::context::World;

pub const MARGIN: f32 = 44.0;
const RIGHT: f32 = WIDTH - MARGIN;
/// Where a page's rows end, and the line below them.
const FOOT: f32 = HEIGHT - 68.0;
const LAST_LINE: f32 = HEIGHT - 36.0;
/// From line to line, in parts of the letters' size: no ink of one reaches the next.
const LEADING: f32 = 1.5;
const _: () = assert!(HIGHEST - LOWEST <= LEADING);
const TITLE: f32 = 17.0;
const FACT: f32 = 9.0;
const SMALL: f32 = 7.5;
/// The table's letters: the first size at which its columns have room.
const SIZES: [f32; 5] = [8.0, 7.5, 7.0, 6.5, 6.0];
/// Between two columns, and the least that a text's column takes.
const GAP: f32 = 10.0;
const TEXT_LEAST: f32 = 60.0;
/// Above and below what stands in a row.
const ROW_PADDING: f32 = 2.0;

/// From where to where a column goes.
#[derive(Clone, Copy, Debug)]
struct Span {
    left: f32,
    right: f32,
}

/// The table's columns and the size of its letters.
struct Grid<'a> {
    columns: &'a [Column],
    spans: Vec<Span>,
    size: f32,
}

struct Layout<'a> {
    letters: &'a Letters,
    head: &'a Head,
    pages: Vec<Page>,
    page: Page,
    /// The upper edge of what comes next.
    y: f32,
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Short(name) | Self::Text(name) | Self::Number(name) => name,
        }
    }

    const fn is_text(self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl Row {
    const fn weight(&self) -> Weight {
        if self.sum { Weight::Bold } else { Weight::Regular }
    }
}

fn count(number: usize) -> f32 {
    u16::try_from(number).map_or(0.0, f32::from)
}

impl<'a> Grid<'a> {
    fn of(letters: &Letters, columns: &'a [Column], rows: &[Vec<Line>]) -> Self {
        let wanted: Vec<f32> = columns
            .iter()
            .enumerate()
            .map(|(index, column)| {
                rows.iter()
                    .filter_map(|row| row.get(index))
                    .map(|line| line.width)
                    .fold(letters.line(Weight::Bold, column.name()).width, f32::max)
            })
            .collect();
        let sum = |texts: bool| -> f32 {
            let both = columns.iter().zip(&wanted);
            both.filter(|(column, _)| column.is_text() == texts)
                .map(|(_, width)| width)
                .sum()
        };
        let texts = count(columns.iter().filter(|column| column.is_text()).count());
        let least = TEXT_LEAST * texts;
        let room = RIGHT - MARGIN - GAP * count(columns.len().saturating_sub(1));
        let fits = |size: &f32| room - sum(false) * size >= least;
        let size = SIZES.into_iter().find(fits).unwrap_or(SIZES[SIZES.len() - 1]);
        // Below the smallest size numbers are broken, too.
        let squeezed = ((room - least) / (sum(false) * size)).min(1.0);
        let (for_texts, all) = (room - sum(false) * size * squeezed, sum(true) * size);
        let mut left = MARGIN;
        let spans = columns.iter().zip(&wanted).map(|(column, wanted)| {
            let width = match column {
                Column::Short(_) | Column::Number(_) => wanted * size * squeezed,
                Column::Text(_) if all <= for_texts => wanted * size + (for_texts - all) / texts,
                // What each has at least, then by what each would take.
                Column::Text(_) => TEXT_LEAST + (for_texts - least) * (wanted * size / all),
            };
            let right = left + width;
            let span = Span { left, right };
            left = right + GAP;
            span
        });
        Self {
            columns,
            spans: spans.collect(),
            size,
        }
    }

    fn leading(&self) -> f32 {
        self.size * LEADING
    }

    /// A cell's lines.
    fn broken(&self, letters: &Letters, whole: Line, column: usize) -> Vec<Line> {
        // What made the column as wide as it is fits to the last bit.
        let most = (self.spans[column].right - self.spans[column].left + 0.01) / self.size;
        if whole.text.is_empty() {
            Vec::new()
        } else if whole.width <= most {
            vec![whole]
        } else {
            letters.broken(whole.weight, &whole.text, most)
        }
    }

    /// How many lines of a row there is room for.
    fn lines_below(&self, y: f32) -> usize {
        let room = FOOT - y - ROW_PADDING - ROW_PADDING;
        let mut lines = 0;
        let mut taken = self.leading();
        while taken <= room {
            lines += 1;
            taken += self.leading();
        }
        lines
    }
}

impl Layout<'_> {
    fn words(&self, key: &str) -> &'static str {
        self.head.locale.text("documents", key)
    }

    fn mark(&mut self, part: Part, ink: Ink, shape: Shape) {
        self.page.push(Mark { part, ink, shape });
    }

    /// A line whose upper edge is `y`.
    fn text(&mut self, part: Part, ink: Ink, size: f32, (x, top): (f32, f32), line: Line) {
        let y = size.mul_add(HIGHEST, top);
        self.mark(part, ink, Shape::Text { x, y, size, line });
    }

    fn rule(&mut self, ink: Ink, thick: f32) {
        let y = self.y;
        self.mark(
            Part::Repeated,
            ink,
            Shape::Rule {
                left: MARGIN,
                right: RIGHT,
                y,
                thick,
            },
        );
    }

    fn said(&mut self, part: Part, ink: Ink, weight: Weight, size: f32, text: &str) {
        for line in self.letters.broken(weight, text, (RIGHT - MARGIN) / size) {
            self.text(part, ink, size, (MARGIN, self.y), line);
            self.y += size * LEADING;
        }
    }

    fn begin(&mut self) {
        self.y = MARGIN;
        if self.head.world == World::Demo {
            let part = if self.pages.is_empty() {
                Part::Said(0)
            } else {
                Part::Repeated
            };
            self.said(part, Ink::Warning, Weight::Bold, FACT, self.words("demo"));
            self.y += 4.0;
        }
    }

    fn heading(&mut self) {
        self.begin();
        let head = self.head;
        self.said(Part::Title, Ink::Text, Weight::Bold, TITLE, &head.title());
        self.y += 6.0;
        let labels: Vec<Line> = head
            .facts
            .iter()
            .map(|(label, _)| self.letters.line(Weight::Regular, label))
            .collect();
        let widest = labels.iter().map(|label| label.width * FACT).fold(0.0, f32::max);
        let left = MARGIN + widest.min((RIGHT - MARGIN) / 3.0) + GAP;
        for (number, (label, (_, fact))) in labels.into_iter().zip(&head.facts).enumerate() {
            let part = Part::Said(number + 1);
            self.text(part, Ink::Quiet, FACT, (MARGIN, self.y), label);
            let lines = self.letters.broken(Weight::Regular, fact, (RIGHT - left) / FACT);
            let height = count(lines.len().max(1)) * FACT * LEADING;
            for (index, line) in lines.into_iter().enumerate() {
                let y = (count(index) * FACT).mul_add(LEADING, self.y);
                self.text(part, Ink::Text, FACT, (left, y), line);
            }
            self.y += height;
        }
        self.y += 12.0;
    }

    /// A page after the first.
    fn turn(&mut self, grid: &Grid<'_>) {
        let page = std::mem::take(&mut self.page);
        self.pages.push(page);
        self.begin();
        let text = format!("{} · {}", self.head.title(), self.head.running);
        let line = self
            .letters
            .fitted(Weight::Regular, &text, (RIGHT - MARGIN) / FACT);
        self.text(Part::Repeated, Ink::Quiet, FACT, (MARGIN, self.y), line);
        self.y += FACT.mul_add(LEADING, 8.0);
        self.names(grid);
    }

    fn names(&mut self, grid: &Grid<'_>) {
        let first = self.pages.is_empty();
        let names = grid.columns.iter().enumerate();
        let cells: Vec<Vec<Line>> = names
            .map(|(index, column)| {
                let whole = self.letters.line(Weight::Bold, column.name());
                grid.broken(self.letters, whole, index)
            })
            .collect();
        let part = |column| {
            if first {
                Part::Cell(0, column)
            } else {
                Part::Repeated
            }
        };
        self.cells(grid, part, Ink::Quiet, &cells);
        self.y += 3.0;
        self.rule(Ink::Rule, 0.8);
        self.y += 3.0;
    }

    /// Lines of cells side by side; goes on below the highest.
    fn cells(&mut self, grid: &Grid<'_>, part: impl Fn(usize) -> Part, ink: Ink, cells: &[Vec<Line>]) {
        let top = self.y;
        for (index, lines) in cells.iter().enumerate() {
            if lines.is_empty() {
                self.mark(part(index), ink, Shape::Nothing);
            }
            let span = grid.spans[index];
            let mut y = top;
            for line in lines {
                let x = match grid.columns[index] {
                    Column::Number(_) => line.width.mul_add(-grid.size, span.right),
                    Column::Short(_) | Column::Text(_) => span.left,
                };
                self.text(part(index), ink, grid.size, (x, y), line.clone());
                y += grid.leading();
            }
            self.y = self.y.max(y);
        }
    }

    fn table(&mut self, columns: &[Column], rows: &[Row]) {
        let measured: Vec<Vec<Line>> = rows
            .iter()
            .map(|row| {
                let cells = row.cells.iter().take(columns.len());
                cells
                    .map(|cell| self.letters.line(row.weight(), cell.trim()))
                    .collect()
            })
            .collect();
        let grid = Grid::of(self.letters, columns, &measured);
        self.names(&grid);
        for (number, (row, whole)) in rows.iter().zip(measured).enumerate() {
            let whole = whole.into_iter().enumerate();
            let mut cells: Vec<Vec<Line>> = whole
                .map(|(index, line)| grid.broken(self.letters, line, index))
                .collect();
            let part = |column| Part::Cell(number + 1, column);
            let height = |cells: &[Vec<Line>]| cells.iter().map(Vec::len).max().unwrap_or_default();
            if height(&cells) > grid.lines_below(self.y) {
                self.turn(&grid);
            }
            // A cell that is longer than a page goes on on the next.
            while height(&cells) > grid.lines_below(self.y) {
                let fit = grid.lines_below(self.y).max(1);
                let now: Vec<Vec<Line>> = cells
                    .iter_mut()
                    .map(|lines| lines.drain(..fit.min(lines.len())).collect())
                    .collect();
                self.cells(&grid, part, Ink::Text, &now);
                self.turn(&grid);
            }
            self.y += ROW_PADDING;
            self.cells(&grid, part, Ink::Text, &cells);
            self.y += ROW_PADDING;
            let beside_sum = row.sum || rows.get(number + 1).is_some_and(|next| next.sum);
            self.rule(if beside_sum { Ink::Rule } else { Ink::FaintRule }, 0.5);
        }
    }

    /// Numbers the pages and says on each what its squares stand for. Comes before all else of a page: the font's table of what glyphs
    /// say then has the square as a square, and each letter that it stands for is said beside the table.
    fn number(mut self) -> Vec<Page> {
        let page = std::mem::take(&mut self.page);
        self.pages.push(page);
        let total = self.pages.len();
        let pages = std::mem::take(&mut self.pages);
        let mut done = Vec::with_capacity(total);
        for (index, marks) in pages.into_iter().enumerate() {
            let place = format!("{} {}/{total}", self.words("page"), index + 1);
            let line = self.letters.line(Weight::Regular, &place);
            let left = line.width.mul_add(-SMALL, RIGHT);
            let top = SMALL.mul_add(-LEADING, LAST_LINE);
            let lacks = |weight| {
                marks.iter().any(
                    |mark| matches!(&mark.shape, Shape::Text { line, .. } if line.lacks && line.weight == weight),
                )
            };
            let mut x = MARGIN;
            for weight in [Weight::Regular, Weight::Bold]
                .into_iter()
                .filter(|weight| lacks(*weight))
            {
                let sign = self.letters.line(weight, MISSING);
                let next = (sign.width + 0.3).mul_add(SMALL, x);
                self.text(Part::Repeated, Ink::Quiet, SMALL, (x, top), sign);
                x = next;
            }
            if x > MARGIN {
                let words = self.words("missing_letter");
                let line = self
                    .letters
                    .fitted(Weight::Regular, words, (left - GAP - x) / SMALL);
                self.text(Part::Repeated, Ink::Quiet, SMALL, (x, top), line);
            }
            self.text(Part::Repeated, Ink::Quiet, SMALL, (left, top), line);
            self.page.extend(marks);
            done.push(std::mem::take(&mut self.page));
        }
        done
    }
}

/// The pages of a document.
pub fn pages(letters: &Letters, head: &Head, columns: &[Column], rows: &[Row]) -> Vec<Page> {
    let mut layout = Layout {
        letters,
        head,
        pages: Vec::new(),
        page: Page::new(),
        y: MARGIN,
    };
    layout.heading();
    layout.table(columns, rows);
    layout.number()
}
