//! Reading a bank's CSV as it comes in: one line at a time, bounded in every direction. Pure.
//!
//! The first line names the columns, in any order and case: `date` (2026-11-20 or 20/11/2026), `EndToEndId`, `txid`, `payer`, `BRL`
//! (1234.56 or 1.234,56; what left has a minus). Separator: comma or semicolon. UTF-8, or Latin-1 as older banks write.

use crate::foundation::{business_day, text};
use protocol::money::Brl;
use time::{Date, macros::format_description};

/// Lines of one file.
pub const MOST_LINES: usize = 20_000;
/// Bytes of one file.
pub const MOST_BYTES: usize = 5 * 1024 * 1024;
/// Bytes of one line.
const LONGEST_LINE: usize = 4 * 1024;
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

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Line (1 is the header) and column.
    Malformed {
        line: usize,
        column: &'static str,
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

/// Takes bytes as they come and gives lines.
#[derive(Default)]
pub struct Reader {
    rest: Vec<u8>,
    bytes: usize,
    /// Lines seen, the header among them.
    seen: usize,
    header: Option<(char, Vec<Option<Column>>)>,
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
        for byte in chunk {
            if *byte == b'\n' {
                let line = std::mem::take(&mut self.rest);
                self.line(&line)?;
            } else {
                self.rest.push(*byte);
                if self.rest.len() > LONGEST_LINE {
                    return Err(Problem::TooLong);
                }
            }
        }
        Ok(())
    }

    /// The end of the file.
    ///
    /// # Errors
    /// See [`Problem`].
    pub fn finish(mut self) -> Result<Vec<Line>, Problem> {
        let line = std::mem::take(&mut self.rest);
        self.line(&line)?;
        if self.lines.is_empty() {
            return Err(Problem::Empty);
        }
        Ok(self.lines)
    }

    fn line(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        self.seen += 1;
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
        let cells = cells(text, *separator).ok_or(Problem::Malformed {
            line: self.seen,
            column: "payer",
        })?;
        let cell = |wanted: Column| {
            columns
                .iter()
                .position(|c| *c == Some(wanted))
                .and_then(|at| cells.get(at))
                .map(|c| c.trim())
                .filter(|c| !c.is_empty())
        };
        let bad = |column| Problem::Malformed {
            line: self.seen,
            column,
        };
        let word = |wanted, most: usize| {
            cell(wanted)
                .filter(|c| c.len() <= most && c.bytes().all(|b| b.is_ascii_alphanumeric()))
                .map(str::to_owned)
        };
        let payer = cell(Column::Payer)
            .and_then(text::line)
            .map(|p| text::cut(&p, PAYER_NAME))
            .filter(|p| !p.is_empty());
        let line = Line {
            number: self.lines.len() + 1,
            day: cell(Column::Date).and_then(day).ok_or_else(|| bad("date"))?,
            end_to_end_id: word(Column::EndToEndId, 32),
            txid: word(Column::Txid, 35),
            payer,
            brl: cell(Column::Brl).and_then(amount).ok_or_else(|| bad("BRL"))?,
        };
        self.lines.push(line);
        Ok(())
    }
}

fn decode(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

fn header(text: &str) -> Result<(char, Vec<Option<Column>>), Problem> {
    let separator = if text.contains(';') { ';' } else { ',' };
    let columns: Vec<Option<Column>> = cells(text, separator)
        .unwrap_or_default()
        .iter()
        .map(|name| Column::read(name))
        .collect();
    match Column::NEEDED
        .iter()
        .find(|(column, _)| !columns.contains(&Some(*column)))
    {
        Some((_, name)) => Err(Problem::Malformed {
            line: 1,
            column: name,
        }),
        None => Ok((separator, columns)),
    }
}

/// The cells of a line; a quoted one may hold the separator, and `""` for a quote. None when a quote stays open.
fn cells(text: &str, separator: char) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut()?;
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            c if c == separator && !quoted => cells.push(String::new()),
            c => cell.push(c),
        }
    }
    (!quoted).then_some(cells)
}

fn day(text: &str) -> Option<Date> {
    // A time behind the day says nothing here.
    let text = text.split([' ', 'T']).next().unwrap_or_default();
    business_day::read(text)
        .or_else(|| Date::parse(text, format_description!("[day]/[month]/[year]")).ok())
        .filter(|d| (2020..=2100).contains(&d.year()))
}

/// An amount with point or comma; zero is none.
fn amount(text: &str) -> Option<Brl> {
    let bare: String = text
        .chars()
        .filter(|c| !matches!(c, ' ' | '\u{a0}' | '+'))
        .collect::<String>()
        .replace("R$", "");
    let plain = match (bare.rfind(','), bare.rfind('.')) {
        (Some(comma), point) if point.is_none_or(|p| p < comma) => bare.replace('.', "").replace(',', "."),
        (Some(_), _) => bare.replace(',', ""),
        (None, _) => bare,
    };
    plain.parse().ok().filter(|brl: &Brl| !brl.is_zero())
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
            "date,EndToEndId,txid,payer,BRL\n2026-11-20,{E2E},ABC1,\"Silva, Ana\",1234.56\n2026-11-21,,,,-10.00\n"
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
        let latin = b"date,EndToEndId,txid,payer,BRL\n2026-11-20,,,Jo\xe3o,1.00";
        assert_eq!(read(latin, 9).unwrap()[0].payer.as_deref(), Some("João"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let file = |line: &str| read(format!("date,EndToEndId,txid,payer,BRL\n{line}").as_bytes(), 64);
        let bad = |line, column| Err(Problem::Malformed { line, column });
        assert_eq!(read(b"date,txid,payer,BRL\n", 64), bad(1, "EndToEndId"));
        assert_eq!(file("x,,,,1.00"), bad(2, "date"));
        assert_eq!(file("2026-11-20,,,,0.00"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,1.001"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,,=1+1"), bad(2, "BRL"));
        assert_eq!(file("2026-11-20,,,\"open,1.00"), bad(2, "payer"));
        assert_eq!(file("2026-02-30,,,,1.00"), bad(2, "date"));
        assert_eq!(file(""), Err(Problem::Empty));
        assert_eq!(read(b"", 1), Err(Problem::Empty));
        assert_eq!(file(&"x".repeat(5_000)), Err(Problem::TooLong));
        let many = "2026-11-20,,,,1.00\n".repeat(MOST_LINES + 1);
        assert_eq!(file(&many), Err(Problem::TooLong));
    }

    proptest! {
        /// Whatever a stranger sends, in whatever pieces, it ends in lines or in a problem, the same ones.
        #[test]
        fn pieces_do_not_matter(bytes in proptest::collection::vec(any::<u8>(), 0..400), chunk in 1usize..50) {
            let file = [b"date;EndToEndId;txid;payer;BRL\n".as_slice(), &bytes].concat();
            prop_assert_eq!(read(&file, chunk), read(&file, file.len()));
        }

        #[test]
        fn amounts_survive_both_ways(centavos in -1_000_000_000i64..1_000_000_000) {
            prop_assume!(centavos != 0);
            let plain = Brl(centavos).to_string();
            prop_assert_eq!(amount(&plain), Some(Brl(centavos)));
            prop_assert_eq!(amount(&plain.replace('.', ",")), Some(Brl(centavos)));
        }
    }
}
