//! Reading a bank's CSV as it comes in: one line at a time, bounded in every direction. Pure.
//!
//! The first line names the columns, in any order and case: `date` (2026-11-20 or 20/11/2026), `EndToEndId`, `txid`, `payer`, `BRL`
//! (1234.56 or 1.234,56; what left has a minus, before or behind, brackets or a D). Separator: comma, semicolon or tab. A quoted cell may
//! break its line. UTF-8, UTF-16 with or without its mark, or Windows-1252 as older banks write. What moved nothing (0,00) is left out. A line that does not have the cells of the first one
//! is refused with the whole file: an amount that its own comma cuts in two would be read short.

mod amount;
mod encoding;

use self::{
    amount::{amount, may_go_on},
    encoding::{Bytes, decode},
};
use crate::{
    foundation::{business_day, text},
    pix::rules::bank_key,
};
use protocol::money::Brl;
use time::{Date, macros::format_description};

/// Lines of one file.
pub const MOST_LINES: usize = 20_000;
/// Bytes of one file.
pub const MOST_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of one line.
pub const LONGEST_LINE: usize = 4 * 1024;
const PAYER_NAME: usize = 140;

/// A payment as the bank lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1 below the header.
    pub number: usize,
    pub day: Date,
    pub end_to_end_id: Option<String>,
    pub txid: Option<String>,
    pub payer: Option<String>,
    pub brl: Brl,
}

impl Line {
    /// The bank's id as it is compared.
    #[must_use]
    pub fn key(&self) -> Option<String> {
        self.end_to_end_id.as_deref().map(bank_key)
    }
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Line (1 is the header) and column.
    Malformed {
        line: usize,
        column: &'static str,
    },
    /// Of this line (1 is the header): more or fewer cells than the header names, or one that a separator seems to have cut.
    Cells {
        line: usize,
    },
    /// The header names it twice.
    ColumnTwice {
        column: &'static str,
    },
    /// This line (1 is the header) is longer than any of a bank's.
    LongLine {
        line: usize,
    },
    TooLong,
    Empty,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Date,
    EndToEndId,
    Txid,
    Payer,
    Brl,
}

impl Column {
    const NEEDED: [(Self, &'static str); 5] = [
        (Self::Date, "date"),
        (Self::EndToEndId, "EndToEndId"),
        (Self::Txid, "txid"),
        (Self::Payer, "payer"),
        (Self::Brl, "BRL"),
    ];

    fn read(name: &str) -> Option<Self> {
        let name = name.trim().to_lowercase();
        Some(match name.as_str() {
            "date" | "data" => Self::Date,
            "endtoendid" | "end_to_end_id" | "e2e" => Self::EndToEndId,
            "txid" => Self::Txid,
            "payer" | "pagador" => Self::Payer,
            "brl" | "valor" => Self::Brl,
            _ => return None,
        })
    }
}

/// Where in a line the next byte stands, as far as quotes matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// A quote opens here.
    #[default]
    CellBegins,
    Plain,
    Quoted,
    /// Behind a quote within a quoted cell: the end of it, or half of a quote.
    Closing,
    /// Only blanks since its end.
    Closed,
    /// More than that.
    Broken,
}

impl Place {
    const fn after(self, byte: u8, separator: u8) -> Self {
        match (self, byte) {
            (Self::CellBegins | Self::Closing, b'"') => Self::Quoted,
            (Self::Quoted, b'"') => Self::Closing,
            (Self::Quoted, _) => Self::Quoted,
            (Self::CellBegins, b' ') => Self::CellBegins,
            (_, byte) if byte == separator => Self::CellBegins,
            (Self::Closing | Self::Closed, b' ') => Self::Closed,
            (Self::Closing | Self::Closed | Self::Broken, _) => Self::Broken,
            _ => Self::Plain,
        }
    }
}

/// Takes bytes as they come and gives lines.
#[derive(Default)]
pub struct Reader {
    encoding: Bytes,
    rest: Vec<u8>,
    place: Place,
    bytes: usize,
    /// Lines seen, the header among them.
    seen: usize,
    header: Option<(u8, Vec<Option<Column>>)>,
    lines: Vec<Line>,
}

impl Reader {
    /// The next bytes of the file.
    ///
    /// # Errors
    /// See [`Problem`]; the reader is of no use then.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Problem> {
        self.bytes += chunk.len();
        if self.bytes > MOST_BYTES {
            return Err(Problem::TooLong);
        }
        let mut plain = std::mem::take(&mut self.encoding);
        let fed = plain.feed(chunk, |byte| self.byte(byte));
        self.encoding = plain;
        fed
    }

    fn byte(&mut self, byte: u8) -> Result<(), Problem> {
        // Of the first line the separator is not known yet; nobody breaks a column's name.
        if byte == b'\n' && (self.header.is_none() || self.place != Place::Quoted) {
            let line = std::mem::take(&mut self.rest);
            self.place = Place::default();
            return self.line(&line);
        }
        if let Some((separator, _)) = &self.header {
            self.place = self.place.after(byte, *separator);
        }
        self.rest.push(byte);
        if self.rest.len() <= LONGEST_LINE {
            Ok(())
        } else if self.place == Place::Quoted {
            Err(self.open_quote())
        } else {
            Err(Problem::LongLine { line: self.seen + 1 })
        }
    }

    const fn open_quote(&self) -> Problem {
        Problem::Malformed {
            line: self.seen + 1,
            column: "payer",
        }
    }

    /// The end of the file.
    ///
    /// # Errors
    /// See [`Problem`].
    pub fn finish(mut self) -> Result<Vec<Line>, Problem> {
        let mut plain = std::mem::take(&mut self.encoding);
        plain.finish(|byte| self.byte(byte))?;
        if self.place == Place::Quoted {
            return Err(self.open_quote());
        }
        let line = std::mem::take(&mut self.rest);
        self.line(&line)?;
        if self.lines.is_empty() {
            return Err(Problem::Empty);
        }
        Ok(self.lines)
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let at = self.seen + 1;
        // A line that is broken within a cell is several of the file.
        self.seen += 1 + bytes.iter().filter(|b| **b == b'\n').count();
        let text = decode(bytes);
        let text = text.trim_start_matches('\u{feff}').trim_end_matches('\r');
        if text.trim().is_empty() {
            return Ok(());
        }
        let Some((separator, columns)) = &self.header else {
            self.header = Some(header(text)?);
            return Ok(());
        };
        if self.lines.len() >= MOST_LINES {
            return Err(Problem::TooLong);
        }
        let cells = cells(text, *separator);
        if !fit(&cells, columns, *separator) {
            return Err(Problem::Cells { line: at });
        }
        let cell = |wanted: Column| {
            columns
                .iter()
                .position(|c| *c == Some(wanted))
                .and_then(|at| cells.get(at))
                .map(|c| c.text.trim())
                .filter(|c| !c.is_empty())
        };
        let bad = |column| Problem::Malformed { line: at, column };
        let word = |wanted, most: usize| {
            cell(wanted)
                .filter(|c| c.len() <= most && c.bytes().all(|b| b.is_ascii_alphanumeric()))
                .map(str::to_owned)
        };
        // A name that hides something is still a name.
        let payer = cell(Column::Payer)
            .map(|payer| text::cut(&text::cleaned(payer), PAYER_NAME))
            .filter(|p| !p.is_empty());
        let line = Line {
            number: self.lines.len() + 1,
            day: cell(Column::Date).and_then(day).ok_or_else(|| bad("date"))?,
            end_to_end_id: word(Column::EndToEndId, 32),
            // Ours are in capitals.
            txid: word(Column::Txid, 35).map(|txid| txid.to_ascii_uppercase()),
            payer,
            brl: cell(Column::Brl).and_then(amount).ok_or_else(|| bad("BRL"))?,
        };
        if !line.brl.is_zero() {
            self.lines.push(line);
        }
        Ok(())
    }
}

/// Whether a line has the cells that the header names: blank ones behind them say nothing, and what says something has a name.
fn fit(cells: &[Cell], columns: &[Option<Column>], separator: u8) -> bool {
    let behind = cells.get(columns.len()..);
    let cut = |pair: &[Cell]| match pair {
        [one, next] => !one.quoted && !next.quoted && may_go_on(&one.text, &next.text),
        _ => false,
    };
    let amount = columns.iter().position(|column| *column == Some(Column::Brl));
    let pair = amount.and_then(|at| cells.get(at..at + 2)).unwrap_or_default();
    behind.is_some_and(|behind| behind.iter().all(|cell| cell.text.trim().is_empty()))
        && !cells.iter().any(|cell| cell.broken)
        && !(separator == b',' && cut(pair))
}

/// Under which separator the first line names all columns, each once; else what is missing under the one that names most.
fn header(text: &str) -> Result<(u8, Vec<Option<Column>>), Problem> {
    let read = |separator: u8| -> Vec<Option<Column>> {
        let mut names = cells(text, separator);
        while names.last().is_some_and(|name| name.text.trim().is_empty()) {
            names.pop();
        }
        names.iter().map(|name| Column::read(&name.text)).collect()
    };
    let (separator, columns) = [b';', b'\t', b',']
        .map(|separator| (separator, read(separator)))
        .into_iter()
        .max_by_key(|(_, columns)| columns.iter().flatten().count())
        .unwrap_or_default();
    for (column, name) in Column::NEEDED {
        match columns.iter().filter(|named| **named == Some(column)).count() {
            0 => {
                return Err(Problem::Malformed {
                    line: 1,
                    column: name,
                });
            }
            1 => {}
            _ => return Err(Problem::ColumnTwice { column: name }),
        }
    }
    Ok((separator, columns))
}

#[derive(Default)]
struct Cell {
    text: String,
    quoted: bool,
    /// Something stands behind its closing quote.
    broken: bool,
}

/// The cells of a line; one that begins with a quote may hold the separator, a break, and `""` for a quote.
fn cells(text: &str, separator: u8) -> Vec<Cell> {
    let mut cells = Vec::new();
    let (mut cell, mut place) = (Cell::default(), Place::default());
    for c in text.chars() {
        // Whatever is no ASCII means nothing here.
        let byte = u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'x');
        let next = place.after(byte, separator);
        match (place, next) {
            (Place::CellBegins, Place::CellBegins) if byte == b' ' && separator != b' ' => {}
            (_, Place::CellBegins) => cells.push(std::mem::take(&mut cell)),
            (Place::CellBegins, Place::Quoted) => cell.quoted = true,
            (Place::Quoted, Place::Closing) | (_, Place::Closed) => {}
            (_, Place::Broken) => {
                cell.broken = true;
                cell.text.push(c);
            }
            _ => cell.text.push(c),
        }
        place = next;
    }
    cells.push(cell);
    cells
}

fn day(text: &str) -> Option<Date> {
    // A time behind the day says nothing here.
    let text = text.split([' ', 'T']).next().unwrap_or_default();
    business_day::read(text)
        .or_else(|| Date::parse(text, format_description!("[day]/[month]/[year]")).ok())
        .filter(|d| (2020..=2100).contains(&d.year()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use time::macros::date;

    const E2E: &str = "E6070119020261120123400000000aB1";

    fn read(text: &[u8], chunk: usize) -> Result<Vec<Line>, Problem> {
        let mut reader = Reader::default();
        for part in text.chunks(chunk) {
            reader.feed(part)?;
        }
        reader.finish()
    }

    #[test]
    fn both_ways_of_writing_are_read() {
        let comma = format!(
            "date,EndToEndId,txid,payer,BRL\n2026-11-20,{E2E},aBc1,\"Silva, Ana\",1234.56\n2026-11-21,,,,-10.00\n"
        );
        let semicolon = format!(
            "\u{feff}Valor;Pagador;TXID;endtoendid;Data;saldo\r\n1.234,56;Silva, Ana;ABC1;{E2E};20/11/2026 09:30;1\r\n\r\n-10,00;;;;21/11/2026;2"
        );
        let expected = vec![
            Line {
                number: 1,
                day: date!(2026 - 11 - 20),
                end_to_end_id: Some(E2E.into()),
                txid: Some("ABC1".into()),
                payer: Some("Silva, Ana".into()),
                brl: Brl(123_456),
            },
            Line {
                number: 2,
                day: date!(2026 - 11 - 21),
                end_to_end_id: None,
                txid: None,
                payer: None,
                brl: Brl(-1_000),
            },
        ];
        for chunk in [1, 7, 10_000] {
            assert_eq!(read(comma.as_bytes(), chunk).unwrap(), expected);
            assert_eq!(read(semicolon.as_bytes(), chunk).unwrap(), expected);
        }
        let tabs = format!(
            "date\tEndToEndId\ttxid\tpayer\tBRL\n2026-11-20\t{E2E}\tABC1\tSilva, Ana\t1.234,56\n2026-11-21\t\t\t\t10,00-\n"
        );
        let utf16 = |swap: bool| -> Vec<u8> {
            let units =
                std::iter::once(0xFEFF).chain(semicolon.trim_start_matches('\u{feff}').encode_utf16());
            units
                .flat_map(|unit| {
                    if swap {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect()
        };
        for chunk in [1, 7, 10_000] {
            assert_eq!(read(tabs.as_bytes(), chunk).unwrap(), expected);
            assert_eq!(read(&utf16(false), chunk).unwrap(), expected);
            assert_eq!(read(&utf16(true), chunk).unwrap(), expected);
            // Without its mark the zeros of the first letter tell which it is.
            assert_eq!(read(&utf16(false)[2..], chunk).unwrap(), expected);
            assert_eq!(read(&utf16(true)[2..], chunk).unwrap(), expected);
        }
        let latin = b"date,EndToEndId,txid,payer,BRL\n2026-11-20,,,Jo\xe3o,1.00";
        assert_eq!(read(latin, 9).unwrap()[0].payer.as_deref(), Some("João"));
    }

    #[test]
    fn names_come_as_the_bank_wrote_them() {
        for (cell, name) in [
            (b"Silva \x96 Jo\xe3o".as_slice(), "Silva – João"),
            (b"D\x92Avila \x80".as_slice(), "D’Avila €"),
            ("Silva – João".as_bytes(), "Silva – João"),
            (b"\"Silva,\r\n Ana\"".as_slice(), "Silva, Ana"),
            (
                b"\"Silva\nAna\nde \"\"Tal\"\"\"".as_slice(),
                "Silva Ana de \"Tal\"",
            ),
            (b" \"Silva, Ana\" ".as_slice(), "Silva, Ana"),
            ("Bar \"Zé".as_bytes(), "Bar \"Zé"),
            (b"5\" Ltda".as_slice(), "5\" Ltda"),
            ("Ana\0 \u{202e}Lima\u{200b}".as_bytes(), "Ana Lima"),
        ] {
            let mut file = b"date,EndToEndId,txid,payer,BRL\n2026-11-20,,,".to_vec();
            file.extend_from_slice(cell);
            file.extend_from_slice(b",1.00\r\n2026-11-21,,,Rui,2.00\r\n");
            for chunk in [1, 5, 1_000] {
                let lines = read(&file, chunk).unwrap();
                assert_eq!(lines[0].payer.as_deref(), Some(name));
                assert_eq!((lines.len(), lines[1].brl), (2, Brl(200)));
            }
        }
        // The line that is wrong is the file's, also behind a broken one.
        let file = b"date,EndToEndId,txid,payer,BRL\n2026-11-20,,,\"A\nB\",1.00\nontem,,,,1.00\n";
        assert_eq!(
            read(file, 9),
            Err(Problem::Malformed {
                line: 4,
                column: "date"
            })
        );
    }

    #[test]
    fn what_moved_nothing_is_left_out() {
        let file = "Data;E2E;Txid;Pagador;Valor\n20/11/2026;;;SALDO;0,00\n20/11/2026;;;Ana;10,00\n20/11/2026;;;Tarifa;-0,00\n21/11/2026;;;Rui;2,00\n";
        let lines = read(file.as_bytes(), 9).unwrap();
        let seen: Vec<(usize, i64)> = lines.iter().map(|l| (l.number, l.brl.0)).collect();
        assert_eq!(seen, [(1, 1_000), (2, 200)]);
        let nothing = "date,EndToEndId,txid,payer,BRL\n2026-11-20,,,,0.00\n";
        assert_eq!(read(nothing.as_bytes(), 9), Err(Problem::Empty));
        let still = "date,EndToEndId,txid,payer,BRL\nontem,,,,0.00\n";
        assert_eq!(
            read(still.as_bytes(), 9),
            Err(Problem::Malformed {
                line: 2,
                column: "date"
            })
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let file = |line: &str| read(format!("date,EndToEndId,txid,payer,BRL\n{line}").as_bytes(), 64);
        let bad = |line, column| Err(Problem::Malformed { line, column });
        assert_eq!(read(b"date,txid,payer,BRL\n", 64), bad(1, "EndToEndId"));
        assert_eq!(file("x,,,,1.00"), bad(2, "date"));
        assert_eq!(file("2026-11-20,,,,1.001"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,=1+1"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,12 34 56.00"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,--100.00"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,\"12.34.56,00\""), bad(2, "BRL"));
        let unclosed = format!(
            "2026-11-20,,,\"open,1.00\n{}",
            "2026-11-20,,,,1.00\n".repeat(1_000)
        );
        assert_eq!(file(&unclosed), bad(2, "payer"));
        assert_eq!(file("2026-11-20,,,\"open,1.00"), bad(2, "payer"));
        assert_eq!(file("2026-02-30,,,,1.00"), bad(2, "date"));
        assert_eq!(file(""), Err(Problem::Empty));
        assert_eq!(read(b"", 1), Err(Problem::Empty));
        assert_eq!(file(&"x".repeat(5_000)), Err(Problem::LongLine { line: 2 }));
        assert_eq!(
            read("x".repeat(5_000).as_bytes(), 64),
            Err(Problem::LongLine { line: 1 })
        );
        let many = "2026-11-20,,,,1.00\n".repeat(MOST_LINES + 1);
        assert_eq!(file(&many), Err(Problem::TooLong));
    }

    #[test]
    fn a_line_has_the_cells_that_the_header_names() {
        const HEADER: &str = "date,EndToEndId,txid,payer,BRL";
        let read = |text: &str| read(text.as_bytes(), 64);
        let file =
            |header: &str, line: &str| read(&format!("{header}\n2026-11-19,,,\"A, B\",1.00\n{line}\n"));
        let cells = Err(Problem::Cells { line: 3 });
        for line in [
            "2026-11-20,,,,100,55",
            "2026-11-20,,,,-100,55",
            "2026-11-20,,,,1,234.56",
            "2026-11-20,,,Silva, Ana,100.55",
            "2026-11-20,,,,100.55,x",
            "2026-11-20,,,",
            "2026-11-20",
            "2026-11-20,,,,\"100\"55",
            "2026-11-20,,,,\"100\" 55",
            "2026-11-20,,,\"Ana\"x,100.00",
        ] {
            assert_eq!(file(HEADER, line), cells, "{line}");
        }
        for line in [
            "2026-11-20,,,,\"100,55\"",
            "2026-11-20,,,,100.55",
            "2026-11-20,,,,\"100,55\" ,, ",
        ] {
            assert_eq!(file(HEADER, line).unwrap()[1].brl, Brl(10_055), "{line}");
        }
        let header = format!("{HEADER},,");
        assert_eq!(file(&header, "2026-11-20,,,,100,55"), cells);
        assert_eq!(
            file(&header, "2026-11-20,,,,100.55,,").unwrap()[1].brl,
            Brl(10_055)
        );
        // A balance behind the amount: what was cut may have as many cells as it should.
        let with_balance = |line: &str| read(&format!("{HEADER},saldo\n{line}\n"));
        for line in ["2026-11-20,,,,100,55", "2026-11-20,,,,1,234.56"] {
            assert_eq!(with_balance(line), Err(Problem::Cells { line: 2 }), "{line}");
        }
        for line in [
            "2026-11-20,,,,100.00,55",
            "2026-11-20,,,,\"100\",55",
            "2026-11-20,,,,100,1234.56",
            "2026-11-20,,,,100,\"55,00\"",
        ] {
            assert_eq!(with_balance(line).unwrap()[0].brl, Brl(10_000), "{line}");
        }
        let semicolons = "date;EndToEndId;txid;payer;BRL\n2026-11-20;;;Ana;1;2\n";
        assert_eq!(read(semicolons), Err(Problem::Cells { line: 2 }));
        let tabs = "date\tEndToEndId\ttxid\tpayer\tBRL\n2026-11-20\t\t\tAna\t1\t2\n";
        assert_eq!(read(tabs), Err(Problem::Cells { line: 2 }));
    }

    #[test]
    fn a_column_is_named_once() {
        for (header, column) in [
            ("date,EndToEndId,txid,payer,BRL,BRL", "BRL"),
            ("date,EndToEndId,txid,payer,BRL, Valor ", "BRL"),
            ("Data,date,EndToEndId,txid,payer,BRL", "date"),
            ("date,EndToEndId,e2e,txid,payer,BRL", "EndToEndId"),
        ] {
            let file = format!("{header}\n2026-11-20,,,,1.00,2.00\n");
            assert_eq!(
                read(file.as_bytes(), 64),
                Err(Problem::ColumnTwice { column }),
                "{header}"
            );
        }
    }

    proptest! {
        /// Whatever a stranger sends, in whatever pieces, it ends in lines or in a problem, the same ones.
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(any::<u8>(), 0..400), chunk in 1usize..50) {
            let file = [b"date;EndToEndId;txid;payer;BRL\n".as_slice(), &bytes].concat();
            prop_assert_eq!(read(&file, chunk), read(&file, file.len()));
        }
    }
}
