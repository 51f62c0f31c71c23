//! Records and fields of a CSV text.
//!
//! The scanner is more lenient than RFC 4180, because banks are: blanks may surround a quoted
//! field, and a quote within a field that no separator or line end follows is text. A quoted field
//! that runs over a line end and has such a quote is refused, because a stray quote at the
//! beginning of a field would otherwise swallow the records up to the next quote. The crate
//! `csv-core` has neither these rules nor the columns of fields.

use std::borrow::Cow;

use crate::read::limits::{MAX_FIELD_BYTES, MAX_FIELDS};
use crate::read::problem::{Kind, Position, Problem};
use crate::read::text::{line_end, number, position_after};

/// A record of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    /// The offset of its first byte.
    pub(crate) offset: usize,
    /// Its first line.
    pub(crate) line: u32,
    cells: Vec<Cell<'a>>,
    text: &'a str,
    is_table: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Cell<'a> {
    offset: usize,
    content: Cow<'a, str>,
}

impl Row<'_> {
    /// Returns a cell without white space around it; empty if the record has none there.
    pub(crate) fn cell(&self, index: usize) -> &str {
        self.cells.get(index).map_or("", |cell| cell.content.trim())
    }

    pub(crate) const fn len(&self) -> usize {
        self.cells.len()
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = &str> {
        self.cells.iter().map(|cell| cell.content.trim())
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.cells().all(str::is_empty)
    }

    /// Returns the record with commas between its cells, as matchers read it.
    pub(crate) fn joined(&self) -> String {
        let mut joined = String::new();
        for (index, cell) in self.cells().enumerate() {
            if index > 0 {
                joined.push(',');
            }
            joined.push_str(cell);
        }
        joined
    }

    /// Returns the place of a cell, or of the record if it has none there.
    pub(crate) fn position(&self, index: usize) -> Position {
        if self.is_table {
            let column = if index < self.len() { index.saturating_add(1) } else { 1 };
            return Position { line: self.line, column: number(column) };
        }
        let offset = self.cells.get(index).map_or(self.offset, |cell| cell.offset);
        let after = self.text.get(self.offset..offset).map_or(Position::START, position_after);
        let line = self.line.saturating_add(after.line.saturating_sub(1));
        Position { line, column: after.column }
    }
}

/// A place from which a record can be read again. Places are in the order of the file.
///
/// Texts are shorter than 4 GB: a file has [`MAX_BYTES`](crate::read::limits::MAX_BYTES), and
/// decoding turns one byte into at most three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    offset: u32,
    pub(crate) line: u32,
}

/// Reads records one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    separator: char,
    line_end: char,
    /// Whether the columns of places are those of a table, and not characters.
    is_table: bool,
}

/// Why a record cannot be read, and where it goes on.
struct Broken {
    kind: Kind,
    offset: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, separator: char) -> Self {
        Self { text, offset: 0, line: 1, separator, line_end: line_end(text), is_table: false }
    }

    /// Reads the text of a [`Table`](crate::read::sheet::Table).
    pub(crate) const fn of_table(text: &'a str) -> Self {
        Self { text, offset: 0, line: 1, separator: '\t', line_end: '\n', is_table: true }
    }

    /// Returns the separator, unless it is that of a table.
    pub(crate) fn stated_separator(&self) -> Option<char> {
        (!self.is_table).then_some(self.separator)
    }

    /// Continues at the beginning of a record that was read before.
    pub(crate) fn at(self, place: Place) -> Self {
        let offset = usize::try_from(place.offset).unwrap_or(usize::MAX);
        Self { offset, line: place.line, ..self }
    }

    /// Returns the place behind the last record.
    pub(crate) fn place(&self) -> Place {
        Place { offset: number(self.offset), line: self.line }
    }

    /// Returns an upper bound of the number of remaining records.
    pub(crate) fn max_rows(&self) -> usize {
        self.rest(self.offset).matches(self.line_end).count().saturating_add(1)
    }

    fn rest(&self, offset: usize) -> &'a str {
        self.text.get(offset..).unwrap_or_default()
    }

    /// Reads the next record that is not a blank line.
    pub(crate) fn next_row(&mut self) -> Option<Result<Row<'a>, Problem>> {
        loop {
            let rest = self.rest(self.offset);
            if rest.is_empty() {
                return None;
            }
            let (line, after) = split_line(rest, self.line_end);
            // Joined files have a byte order mark in the middle.
            let content = line.trim_start_matches('\u{feff}');
            if content.trim().is_empty() {
                self.offset = self.text.len() - after.len();
                self.line = self.line.saturating_add(1);
                continue;
            }
            let start = self.offset + (line.len() - content.len());
            let begin = (self.offset, self.line);
            return Some(match self.row(start) {
                Ok((cells, end)) => {
                    self.advance(end);
                    Ok(Row {
                        offset: start,
                        line: begin.1,
                        cells,
                        text: self.text,
                        is_table: self.is_table,
                    })
                }
                Err(broken) => {
                    let after = self.text.get(start..broken.offset).map(position_after);
                    let after = after.unwrap_or(Position::START);
                    let line = begin.1.saturating_add(after.line.saturating_sub(1));
                    let before = self.text.get(start..broken.offset).unwrap_or_default();
                    let column = if self.is_table {
                        number(before.matches(self.separator).count() + 1)
                    } else {
                        after.column
                    };
                    let position = Position { line, column };
                    // The lines that were read are records of their own, except for the first.
                    self.advance(
                        self.text.len() - split_line(self.rest(start), self.line_end).1.len(),
                    );
                    Err(Problem::at(position, broken.kind))
                }
            });
        }
    }

    fn advance(&mut self, offset: usize) {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let lines = passed.matches(self.line_end).count();
        self.line = self.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
        self.offset = offset;
    }

    /// Reads the cells of a record and returns the offset behind it.
    fn row(&self, start: usize) -> Result<(Vec<Cell<'a>>, usize), Broken> {
        let mut cells = Vec::new();
        let mut offset = start;
        let (mut stop, mut behind) = self.line_stop(start);
        loop {
            if cells.len() >= MAX_FIELDS {
                return Err(Broken { kind: Kind::TooManyFields(MAX_FIELDS), offset });
            }
            let line = self.text.get(offset..stop).unwrap_or_default();
            let content = line.trim_start_matches(|c| self.is_blank(c));
            let cell_offset = stop - content.len();
            let (content, end) = if content.starts_with('"') {
                let (content, end) = self.quoted(cell_offset)?;
                if end > stop {
                    (stop, behind) = self.line_stop(end);
                }
                (content, end)
            } else {
                let length = line.find(self.separator).unwrap_or(line.len());
                if length > MAX_FIELD_BYTES {
                    return Err(Broken { kind: Kind::FieldTooLong(MAX_FIELD_BYTES), offset });
                }
                (Cow::Borrowed(line.get(..length).unwrap_or_default()), offset + length)
            };
            cells.push(Cell { offset: cell_offset, content });
            let rest = self.text.get(end..stop).unwrap_or_default();
            if !rest.starts_with(self.separator) {
                return Ok((cells, behind));
            }
            offset = end + self.separator.len_utf8();
        }
    }

    /// Returns the offset of the end of a line, and the one behind it.
    fn line_stop(&self, offset: usize) -> (usize, usize) {
        let (line, after) = split_line(self.rest(offset), self.line_end);
        let content = line.strip_suffix('\r').unwrap_or(line);
        (offset + content.len(), self.text.len() - after.len())
    }

    fn is_blank(&self, c: char) -> bool {
        matches!(c, ' ' | '\t') && c != self.separator
    }

    /// Reads a quoted field, and returns the offset of the separator or line end behind it.
    fn quoted(&self, offset: usize) -> Result<(Cow<'a, str>, usize), Broken> {
        let inside = self.rest(offset + 1);
        let window = inside.get(..inside.floor_char_boundary(MAX_FIELD_BYTES)).unwrap_or(inside);
        let unclosed = || Broken { kind: Kind::UnclosedQuote, offset };
        let (mut at, mut is_escaped, mut has_stray) = (0, false, false);
        loop {
            let rest = window.get(at..).unwrap_or_default();
            let quote = at + rest.find('"').ok_or_else(unclosed)?;
            let content = window.get(..quote).unwrap_or_default();
            let behind = window.get(quote + 1..).unwrap_or_default();
            if has_stray && content.contains('\n') {
                return Err(Broken { kind: Kind::TextAfterQuote, offset });
            }
            if behind.starts_with('"') {
                is_escaped = true;
                at = quote + 2;
                continue;
            }
            let trimmed = behind.trim_start_matches(|c| self.is_blank(c));
            if trimmed.is_empty() || trimmed.starts_with([self.separator, '\n', '\r']) {
                let end = offset + 1 + quote + 1 + (behind.len() - trimmed.len());
                let content = if is_escaped {
                    Cow::Owned(content.replace("\"\"", "\""))
                } else {
                    Cow::Borrowed(content)
                };
                return Ok((content, end));
            }
            has_stray = true;
            at = quote + 1;
        }
    }
}

/// Splits the first line off.
fn split_line(text: &str, line_end: char) -> (&str, &str) {
    text.split_once(line_end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, separator: char) -> Vec<String> {
        let mut scanner = Scanner::new(text, separator);
        std::iter::from_fn(|| scanner.next_row())
            .map(|row| match row {
                Ok(row) => format!("{}: {}", row.line, row.cells().collect::<Vec<_>>().join("|")),
                Err(problem) => problem.to_string(),
            })
            .collect()
    }

    #[test]
    fn fields_are_split() {
        for (text, expected) in [
            ("a,b\r\nc,,\n", &["1: a|b", "2: c||"][..]),
            ("a,\"b,\"\"c\"\"\",d", &["1: a|b,\"c\"|d"]),
            ("\n \na, \"Shop\nReceipt 7\" ,5\nb", &["3: a|Shop\nReceipt 7|5", "5: b"]),
            ("a,5\" pipe,9\n", &["1: a|5\" pipe|9"]),
            ("a,\"5\" pipe\",9\n", &["1: a|5\" pipe|9"]),
            ("\u{feff}a,b\n\u{feff}c,d\n", &["1: a|b", "2: c|d"]),
            ("a\rb\r", &["1: a", "2: b"]),
            ("", &[]),
        ] {
            assert_eq!(rows(text, ','), expected, "{text:?}");
        }
        assert_eq!(rows("a;b,c\n", ';'), ["1: a|b,c"]);
        assert_eq!(rows("a\tb c\t\"d\"\n", '\t'), ["1: a|b c|d"]);
    }

    #[test]
    fn stray_quotes_refuse_their_own_record() {
        let text = "1,\"5 pipe,9\n2,\"Shop\",3\n3,x,4\n";
        let expected = "line 1, column 3: the record has text after a closing quote";
        assert_eq!(rows(text, ','), [expected, "2: 2|Shop|3", "3: 3|x|4"]);
        let text = "1,\"open,9\n2,x,3\n";
        let expected = "line 1, column 3: the record has a quoted field without a closing quote";
        assert_eq!(rows(text, ','), [expected, "2: 2|x|3"]);
    }

    #[test]
    fn long_fields_are_refused() {
        let text = format!("a,{}\nb,c\n", "x".repeat(MAX_FIELD_BYTES + 1));
        assert_eq!(rows(&text, ',').len(), 2);
        let text = format!("{}\nb,c\n", ",".repeat(MAX_FIELDS));
        assert!(rows(&text, ',')[0].contains("more than 1000 fields"));
    }

    #[test]
    fn cells_have_places() {
        let row = Scanner::new("\na, \"x\ny\", é,z", ',').next_row().unwrap().unwrap();
        let places = [(0, 2, 1), (1, 2, 4), (2, 3, 5), (3, 3, 7), (9, 2, 1)];
        for (index, line, column) in places {
            assert_eq!(row.position(index), Position { line, column }, "{index}");
        }
    }
}
