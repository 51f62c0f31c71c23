//! The records of a file as the file has them, for reports that trace a figure to the bank's line.

use std::borrow::Cow;

use super::format::{self, Format};
use super::options::Options;
use super::problem::Position;
use super::rules::Rules;
use super::text::{Text, line_end};
use super::{decode, required_encoding, sheet};

/// The most characters of the text of a record.
pub const MAX_CHARACTERS: usize = 1_000;

/// The byte order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The text of a file, cut where its records begin.
#[derive(Debug)]
pub struct Originals<B> {
    content: Content<B>,
    /// The positions of the records with the offsets of their texts, in the order of the file.
    starts: Vec<(Position, usize)>,
}

/// The text of a file: the UTF-8 bytes of the file from an offset, or a copy.
#[derive(Debug)]
enum Content<B> {
    Bytes(B, usize),
    Decoded(String),
}

impl<B: AsRef<[u8]>> Originals<B> {
    /// Cuts a file at the positions of its records, which may be in any order.
    ///
    /// Decodes the file as [`statements`](super::statements) does. The text of a record begins at
    /// its position, or with the line of the position if no other record is there. It ends where
    /// the next one begins.
    ///
    /// Returns `None` for a file whose positions are not those of a text: a workbook, a page or a
    /// packed book.
    pub fn cut(
        bytes: B,
        rules: Option<&Rules>,
        options: &Options,
        mut positions: Vec<Position>,
    ) -> Option<Self> {
        if sheet::detect(bytes.as_ref()).is_some() {
            return None;
        }
        let Text { content: text, .. } =
            decode(bytes.as_ref(), required_encoding(rules, options)).ok()?;
        if format::detect_text(&text) == Some(Format::Html) {
            return None;
        }
        positions.retain(|position| position.line > 0);
        positions.sort_unstable();
        positions.dedup();
        let starts = starts(&text, &positions);
        let content = match text {
            Cow::Borrowed(_) => {
                let start = if bytes.as_ref().starts_with(MARK) { MARK.len() } else { 0 };
                Content::Bytes(bytes, start)
            }
            Cow::Owned(text) => Content::Decoded(text),
        };
        Some(Self { content, starts })
    }

    /// Returns the text of the record at a position, without the blanks around it and up to
    /// [`MAX_CHARACTERS`]. It is empty for a position that no record has.
    pub fn find(&self, position: Position) -> &str {
        let Ok(index) = self.starts.binary_search_by_key(&position, |(start, _)| *start) else {
            return "";
        };
        let offset = |index: usize| self.starts.get(index).map(|(_, offset)| *offset);
        let start = offset(index).unwrap_or_default();
        let text = self.content.slice(start, offset(index.saturating_add(1))).trim();
        let end = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(end, _)| end);
        text.get(..end).unwrap_or_default()
    }
}

impl<B: AsRef<[u8]>> Content<B> {
    /// Returns the text from an offset to another, or to the end.
    fn slice(&self, start: usize, end: Option<usize>) -> &str {
        match self {
            Self::Bytes(bytes, skipped) => {
                let bytes = bytes.as_ref().get(*skipped..).unwrap_or_default();
                let bytes = bytes.get(start..end.unwrap_or(bytes.len())).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or_default()
            }
            Self::Decoded(text) => text.get(start..end.unwrap_or(text.len())).unwrap_or_default(),
        }
    }
}

/// Finds the offsets of sorted positions in one pass.
fn starts(text: &str, positions: &[Position]) -> Vec<(Position, usize)> {
    let mut starts = Vec::with_capacity(positions.len());
    let mut groups = positions.chunk_by(|one, next| one.line == next.line).peekable();
    let mut line_start = 0_usize;
    for (number, line) in (1_u32..).zip(text.split_inclusive(line_end(text))) {
        let is_here = |group: &&[Position]| group.first().is_some_and(|first| first.line == number);
        match groups.next_if(is_here).unwrap_or_default() {
            [only] => starts.push((*only, line_start)),
            several => {
                let (mut characters, mut column) = (line.char_indices(), 1_u32);
                for position in several {
                    let skipped = usize::try_from(position.column.saturating_sub(column));
                    let found = characters.nth(skipped.unwrap_or(usize::MAX));
                    starts.extend(
                        found.map(|(offset, _)| (*position, line_start.saturating_add(offset))),
                    );
                    column = position.column.saturating_add(1);
                }
            }
        }
        line_start = line_start.saturating_add(line.len());
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    #[track_caller]
    fn assert_texts(file: &[u8], encoding: Option<&str>, expected: &[(Position, &str)]) {
        let positions = expected.iter().map(|(position, _)| *position).rev().collect();
        let options = Options { encoding: encoding.map(str::to_owned), ..Options::default() };
        let originals = Originals::cut(file, None, &options, positions).expect("a text");
        for (position, text) in expected {
            assert_eq!(originals.find(*position), *text, "{position}");
        }
        assert_eq!(originals.find(at(900, 1)), "");
    }

    #[test]
    fn record_begins_with_its_line_and_ends_at_the_next_one() {
        let file =
            "Date,Text,Amount\n2026-01-02,\"Caf\u{e9}\nReceipt 7\",-5\n2026-01-03,Shop,x\n\n";
        let expected = [
            (at(1, 1), "Date,Text,Amount"),
            (at(2, 1), "2026-01-02,\"Caf\u{e9}\nReceipt 7\",-5"),
            (at(4, 17), "2026-01-03,Shop,x"),
        ];
        assert_texts(file.as_bytes(), None, &expected);
        let latin: Vec<u8> = file.chars().map(|c| u8::try_from(c).unwrap()).collect();
        assert_texts(&latin, Some("iso-8859-1"), &expected);
        assert_texts(format!("\u{feff}{file}").as_bytes(), None, &expected);
        assert_texts(
            file.replace('\n', "\r\n").as_bytes(),
            None,
            &[expected[0], (at(2, 1), "2026-01-02,\"Caf\u{e9}\r\nReceipt 7\",-5"), expected[2]],
        );
    }

    #[test]
    fn records_of_one_line_begin_at_their_positions() {
        let file = "<A>1\u{e9}<B>2<C>3";
        let expected = [(at(1, 1), "<A>1\u{e9}"), (at(1, 6), "<B>2"), (at(1, 10), "<C>3")];
        assert_texts(file.as_bytes(), None, &expected);
        assert_texts(b"a\rb\rc", None, &[(at(2, 1), "b"), (at(3, 1), "c")]);
        assert_texts(b"xa\nb", None, &[(at(1, 1), "xa\nb"), (at(1, 90), ""), (at(7, 1), "")]);
    }

    #[test]
    fn texts_are_bounded_and_tables_have_none() {
        let long = "\u{e9}".repeat(MAX_CHARACTERS + 1);
        let cut = |file: &[u8]| {
            let positions = vec![at(1, 1), at(0, 0)];
            let originals = Originals::cut(file, None, &Options::default(), positions)?;
            Some(originals.find(at(1, 1)).to_owned())
        };
        assert_eq!(cut(long.as_bytes()), Some("\u{e9}".repeat(MAX_CHARACTERS)));
        for table in ["<html><table><tr><td>1</td></tr></table></html>", "PK\u{3}\u{4}"] {
            assert_eq!(cut(table.as_bytes()), None, "{table}");
        }
    }
}
