//! Decoding: byte order marks, valid UTF-8, declared encodings, and a guess in this order.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::limits::{MAX_BYTES, MAX_FIELD_BYTES};
use super::problem::{Kind, Position, Problem, excerpt};

/// A decoded file.
#[derive(Debug, Clone)]
pub struct Text<'a> {
    /// The text without its byte order mark and without NUL characters behind it.
    pub content: Cow<'a, str>,
    /// The name of the encoding as the Encoding Standard writes it, or `US-ASCII`.
    pub encoding: &'static str,
}

/// How the encoding of a file is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label<'a> {
    /// From the bytes alone.
    Guess,
    /// As the file declares.
    ///
    /// A byte order mark and valid UTF-8 take precedence.
    Declared(&'a str),
    /// As the user demands.
    Required(&'a str),
}

/// The bytes that a guess is made from.
const SAMPLE_BYTES: usize = 1024 * 1024;

/// Decodes a file.
///
/// # Errors
/// [`Kind::TooLarge`], [`Kind::NulCharacter`], and for a required encoding
/// [`Kind::UnknownEncoding`] and [`Kind::InvalidEncoding`].
pub fn decode<'a>(bytes: &'a [u8], label: Label<'_>) -> Result<Text<'a>, Problem> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::of_file(Kind::TooLarge));
    }
    let text = decode_as(bytes, label)?;
    let content = match text.content {
        Cow::Borrowed(content) => Cow::Borrowed(content.trim_end_matches('\0')),
        Cow::Owned(mut content) => {
            content.truncate(content.trim_end_matches('\0').len());
            Cow::Owned(content)
        }
    };
    if let Some((before, _)) = content.split_once('\0') {
        return Err(Problem::at(position_after(before), Kind::NulCharacter));
    }
    Ok(Text { content, ..text })
}

fn decode_as<'a>(bytes: &'a [u8], label: Label<'_>) -> Result<Text<'a>, Problem> {
    if let Label::Required(name) = label {
        let encoding =
            find(name).ok_or_else(|| Problem::of_file(Kind::UnknownEncoding(excerpt(name))))?;
        let content = encoding.decode_with_bom_removal(bytes);
        if content.1 {
            return Err(Problem::of_file(Kind::InvalidEncoding(encoding.name())));
        }
        return Ok(Text { content: content.0, encoding: encoding.name() });
    }
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Ok(decode_loosely(bytes, encoding));
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return Ok(decode_loosely(bytes, encoding));
    }
    if let Ok(content) = std::str::from_utf8(bytes) {
        let encoding = if content.is_ascii() { "US-ASCII" } else { UTF_8.name() };
        return Ok(Text { content: Cow::Borrowed(content), encoding });
    }
    let declared = match label {
        Label::Declared(name) => find(name).filter(|encoding| *encoding != UTF_8),
        Label::Guess | Label::Required(_) => None,
    };
    Ok(decode_loosely(bytes, declared.unwrap_or_else(|| guess(bytes))))
}

/// Decodes with a replacement character for each invalid sequence.
fn decode_loosely<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> Text<'a> {
    let (content, _) = encoding.decode_with_bom_removal(bytes);
    Text { content, encoding: encoding.name() }
}

/// Returns an encoding by one of its names, also as hledger (`utf8`) and OFX (`1252`) write them.
fn find(name: &str) -> Option<&'static Encoding> {
    let name = name.trim();
    Encoding::for_label(name.as_bytes()).or_else(|| {
        let name = name.to_ascii_lowercase();
        let number = name.strip_prefix("cp").unwrap_or(&name);
        let other = match name.as_str() {
            "iso8859-1" | "latin-1" | "8859-1" => "iso-8859-1".to_owned(),
            "ansi" | "western" => "windows-1252".to_owned(),
            "koi8r" => "koi8-r".to_owned(),
            "shiftjis" => "shift_jis".to_owned(),
            _ if number.starts_with("125") => format!("windows-{number}"),
            _ => return None,
        };
        Encoding::for_label(other.as_bytes())
    })
}

/// Guesses a legacy encoding; bytes of none are read as windows-1252.
fn guess(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    let sample = bytes.get(..SAMPLE_BYTES).unwrap_or(bytes);
    detector.feed(sample, sample.len() == bytes.len());
    let encoding = detector.guess(None, Utf8Detection::Allow);
    if encoding == UTF_8 { WINDOWS_1252 } else { encoding }
}

/// Recognizes UTF-16 by the NUL bytes of its ASCII characters.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = bytes.get(..512).unwrap_or(bytes);
    let (pairs, rest) = sample.as_chunks::<2>();
    if pairs.len() < 2 || !rest.is_empty() {
        return None;
    }
    let is_low = |pair: &&[u8; 2]| pair[0] != 0 && pair[1] == 0;
    let is_high = |pair: &&[u8; 2]| pair[0] == 0 && pair[1] != 0;
    let are_most = |count: usize| count * 4 >= pairs.len() * 3;
    if are_most(pairs.iter().filter(is_low).count()) {
        Some(UTF_16LE)
    } else if are_most(pairs.iter().filter(is_high).count()) {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Returns the character that ends lines: a carriage return only in files without line feeds.
pub(crate) fn line_end(text: &str) -> char {
    if text.contains('\r') && !text.contains('\n') { '\r' } else { '\n' }
}

/// Returns the place behind a text.
pub(crate) fn position_after(text: &str) -> Position {
    let lines = text.bytes().filter(|byte| *byte == b'\n').count();
    let last = text.rsplit('\n').next().unwrap_or_default();
    Position { line: number(lines).saturating_add(1), column: column_after(last) }
}

/// Returns the column behind the beginning of a line.
pub(crate) fn column_after(beginning: &str) -> u32 {
    number(beginning.chars().count()).saturating_add(1)
}

/// Finds the places of offsets that increase.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    text: &'a str,
    offset: usize,
    position: Position,
}

impl<'a> Places<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, offset: 0, position: Position::START }
    }

    /// Returns the place of an offset that is not before the last one given to `advance`.
    pub(crate) fn find(&self, offset: usize) -> Position {
        let passed = self.text.get(self.offset..offset).unwrap_or_default();
        let after = position_after(passed);
        if after.line == 1 {
            let column = self.position.column.saturating_add(after.column - 1);
            return Position { column, ..self.position };
        }
        Position { line: self.position.line.saturating_add(after.line - 1), ..after }
    }

    /// Moves to an offset, and returns its place.
    pub(crate) fn advance(&mut self, offset: usize) -> Position {
        if offset > self.offset {
            self.position = self.find(offset);
            self.offset = offset;
        }
        self.position
    }
}

/// Returns a count as the number of a line or column.
pub(crate) fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the beginning of a text that is as long as a field may be.
pub(crate) fn field(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_FIELD_BYTES)).unwrap_or(text)
}

/// Replaces line breaks and other white space by single blanks.
pub(crate) fn collapse(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// Returns a text without white space around it, unless it is empty then.
pub(crate) fn non_empty(text: &str) -> Option<&str> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], label: Label<'_>, content: &str, encoding: &str) {
        let text = decode(bytes, label).unwrap();
        assert_eq!((&*text.content, text.encoding), (content, encoding));
    }

    #[test]
    fn encodings_are_recognized() {
        check(b"abc", Label::Guess, "abc", "US-ASCII");
        check("a\u{e9}".as_bytes(), Label::Guess, "a\u{e9}", "UTF-8");
        check(b"\xef\xbb\xbfabc", Label::Guess, "abc", "UTF-8");
        check(b"\xff\xfea\0b\0", Label::Guess, "ab", "UTF-16LE");
        check(b"a\0b\0c\0", Label::Guess, "abc", "UTF-16LE");
        check(b"\0a\0b\0c", Label::Guess, "abc", "UTF-16BE");
        check(
            b"Caf\xe9 cr\xe8me br\xfbl\xe9e",
            Label::Guess,
            "Caf\u{e9} cr\u{e8}me br\u{fb}l\u{e9}e",
            "windows-1252",
        );
        check(b"abc\0\0\0", Label::Guess, "abc", "US-ASCII");
    }

    #[test]
    fn declared_encoding_yields_to_valid_utf8() {
        check(b"\xe9", Label::Declared("1252"), "\u{e9}", "windows-1252");
        check(b"\xb3", Label::Declared("cp1250"), "\u{142}", "windows-1250");
        check("\u{142}".as_bytes(), Label::Declared("1252"), "\u{142}", "UTF-8");
        check("\u{142}".as_bytes(), Label::Required("cp1250"), "\u{139}\u{201a}", "windows-1250");
    }

    #[test]
    fn places_are_found() {
        let mut places = Places::new("ab\nc\u{e9}d\n\ne");
        for (offset, line, column) in [(0, 1, 1), (1, 1, 2), (3, 2, 1), (6, 2, 3), (9, 4, 1)] {
            assert_eq!(places.find(offset), Position { line, column }, "{offset}");
            assert_eq!(places.advance(offset), Position { line, column }, "{offset}");
        }
    }

    #[test]
    fn binary_files_are_refused() {
        let problem = decode(b"ab\nc\0d", Label::Guess).unwrap_err();
        let expected = Position { line: 2, column: 2 };
        assert_eq!(problem, Problem::at(expected, Kind::NulCharacter));
        let kind = |bytes: &[u8], label| decode(bytes, label).unwrap_err().kind;
        assert_eq!(kind(b"\xe9", Label::Required("utf8")), Kind::InvalidEncoding("UTF-8"));
        let unknown = Kind::UnknownEncoding("cp437".to_owned());
        assert_eq!(kind(b"", Label::Required("cp437")), unknown);
        assert_eq!(kind(&vec![b'a'; MAX_BYTES + 1], Label::Guess), Kind::TooLarge);
    }
}
