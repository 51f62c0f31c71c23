//! Lines of tokens of a beancount file.

use std::ops::Range;

use crate::read::limits::{MAX_FIELD_BYTES, MAX_FIELDS};
use crate::read::problem::{Kind, Position, Problem};
use crate::read::text::Places;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Date,
    Number,
    /// The text between the quotes, with its escapes.
    Text,
    Account,
    /// A word that begins with a small letter.
    Word,
    /// A word that begins with a capital letter: a currency, `TRUE`, or a flag.
    Symbol,
    /// The name of a metadata field, without its colon.
    Key,
    /// The name without `#`.
    Tag,
    /// The name without `^`.
    Link,
    Mark,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    pub(crate) text: &'a str,
    pub(crate) position: Position,
}

/// A line; a text in quotes may continue it on others.
#[derive(Debug)]
pub(crate) struct Line<'a> {
    pub(crate) position: Position,
    /// The offsets in the file, without the line break.
    pub(crate) range: Range<usize>,
    pub(crate) is_indented: bool,
    pub(crate) tokens: Vec<Token<'a>>,
    /// A fault, behind which the line is not read.
    pub(crate) problem: Option<Problem>,
}

/// A directive: a line, and the indented lines below it.
pub(crate) struct Block<'a, 'b> {
    pub(crate) position: Position,
    pub(crate) written: &'a str,
    pub(crate) body: &'b [Line<'a>],
}

/// Splits a file into lines of tokens.
pub(crate) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
    places: Places<'a>,
}

impl<'a> Lexer<'a> {
    pub(crate) const fn new(text: &'a str) -> Self {
        Self { text, offset: 0, places: Places::new(text) }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.offset..).unwrap_or_default()
    }

    /// Returns the next line, also one without a token.
    pub(crate) fn next_line(&mut self) -> Option<Line<'a>> {
        let begin = self.offset;
        let first = self.rest().chars().next()?;
        let mut line = Line {
            position: self.places.advance(begin),
            range: begin..begin,
            is_indented: matches!(first, ' ' | '\t'),
            tokens: Vec::new(),
            problem: None,
        };
        // Headings of Org mode.
        if "*:#!&?%|".contains(first) {
            self.skip_line();
        }
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => break,
                ';' => self.skip_line(),
                _ if c.is_whitespace() => self.offset += c.len_utf8(),
                _ if line.problem.is_some() => self.skip_line(),
                _ if line.tokens.len() >= MAX_FIELDS => {
                    let position = self.places.advance(self.offset);
                    line.problem = Some(Problem::at(position, Kind::TooManyFields(MAX_FIELDS)));
                }
                _ => match self.token(c) {
                    Ok(token) => line.tokens.push(token),
                    Err(problem) => line.problem = Some(problem),
                },
            }
        }
        line.range.end = self.offset;
        // The line break.
        self.offset = self.offset.saturating_add(1).min(self.text.len());
        Some(line)
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.offset += rest.find('\n').unwrap_or(rest.len());
    }

    fn token(&mut self, first: char) -> Result<Token<'a>, Problem> {
        let position = self.places.advance(self.offset);
        let rest = self.rest();
        let after = rest.get(first.len_utf8()..).unwrap_or_default();
        let token = |kind, text| Token { kind, text, position };
        let name = |text: &'a str| {
            let is_other =
                |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '/' | '.');
            text.get(..text.find(is_other).unwrap_or(text.len())).unwrap_or_default()
        };
        if first == '"' {
            let text = quoted(after).map_err(|kind| Problem::at(position, kind))?;
            self.offset += text.len() + 2;
            return Ok(token(TokenKind::Text, text));
        }
        if first.is_ascii_digit() || (first == '.' && after.starts_with(|c: char| digit(c))) {
            let date = date_length(rest);
            let length = date.unwrap_or_else(|| number_length(rest));
            self.offset += length;
            let kind = if date.is_some() { TokenKind::Date } else { TokenKind::Number };
            return Ok(token(kind, rest.get(..length).unwrap_or_default()));
        }
        if matches!(first, '#' | '^') && !name(after).is_empty() {
            let kind = if first == '#' { TokenKind::Tag } else { TokenKind::Link };
            self.offset += 1 + name(after).len();
            return Ok(token(kind, name(after)));
        }
        if first.is_alphabetic() || !first.is_ascii() {
            return Ok(self.word(first, rest, position));
        }
        let is_double = ["{{", "}}", "@@"].iter().any(|double| rest.starts_with(double));
        let length = if is_double { 2 } else { first.len_utf8() };
        self.offset += length;
        Ok(token(TokenKind::Mark, rest.get(..length).unwrap_or_default()))
    }

    fn word(&mut self, first: char, rest: &'a str, position: Position) -> Token<'a> {
        let is_other = |c: char| {
            c.is_whitespace()
                || (c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_.:'".contains(c))
        };
        let mut text = rest.get(..rest.find(is_other).unwrap_or(rest.len())).unwrap_or_default();
        let kind = if first.is_ascii_lowercase() {
            match text.split_once(':') {
                Some((key, _)) => {
                    text = key;
                    self.offset += 1;
                    TokenKind::Key
                }
                None => TokenKind::Word,
            }
        } else if text.contains(':') {
            TokenKind::Account
        } else {
            TokenKind::Symbol
        };
        self.offset += text.len();
        Token { kind, text, position }
    }
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Returns the text up to the closing quote.
fn quoted(text: &str) -> Result<&str, Kind> {
    let mut is_escaped = false;
    for (index, c) in text.char_indices() {
        if index > MAX_FIELD_BYTES {
            return Err(Kind::FieldTooLong(MAX_FIELD_BYTES));
        }
        match c {
            '"' if !is_escaped => return Ok(text.get(..index).unwrap_or_default()),
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    Err(Kind::UnclosedQuote)
}

/// Returns the text of a token in quotes without escapes.
pub(crate) fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            other => plain.extend(other),
        }
    }
    plain
}

/// Returns the length of a date at the beginning of a text: `2024-01-31` or `2024/1/31`.
fn date_length(text: &str) -> Option<usize> {
    let digits = |text: &str| text.chars().take_while(|c| digit(*c)).count();
    let year = digits(text);
    let after = text.get(year..).filter(|_| year == 4)?.strip_prefix(['-', '/'])?;
    let month = digits(after);
    let after = after.get(month..)?.strip_prefix(['-', '/'])?;
    let day = digits(after);
    ((1..=2).contains(&month) && (1..=2).contains(&day)).then_some(year + month + day + 2)
}

fn number_length(text: &str) -> usize {
    let is_other = |c: char| !digit(c) && c != ',' && c != '.';
    let length = text.find(is_other).unwrap_or(text.len());
    // A comma that no digit follows separates fields.
    text.get(..length).unwrap_or_default().trim_end_matches(',').len().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text);
        let mut shown = Vec::new();
        while let Some(line) = lexer.next_line() {
            let tokens = line.tokens.iter();
            shown.extend(tokens.map(|token| format!("{:?} {}", token.kind, token.text)));
            shown.extend(line.problem.map(|problem| problem.to_string()));
        }
        shown
    }

    #[test]
    fn lines_are_split_into_tokens() {
        for (text, expected) in [
            (
                "2024-01-02 * \"A \\\"b\\\"\" #x-1 ^y ; note",
                &["Date 2024-01-02", "Mark *", "Text A \\\"b\\\"", "Tag x-1", "Link y"][..],
            ),
            (
                "  Assets:A-1 -1,000.50 USD {{5 # 2 C'D, 2024/1/2}}",
                &[
                    "Account Assets:A-1",
                    "Mark -",
                    "Number 1,000.50",
                    "Symbol USD",
                    "Mark {{",
                    "Number 5",
                    "Mark #",
                    "Number 2",
                    "Symbol C'D",
                    "Mark ,",
                    "Date 2024/1/2",
                    "Mark }}",
                ],
            ),
            (" k-y:Assets:B @@ .5", &["Key k-y", "Account Assets:B", "Mark @@", "Number .5"]),
            ("* heading \"\n; c\n\n1900 open", &["Number 1900", "Word open"]),
            ("a \"x\ny\" b", &["Word a", "Text x\ny", "Word b"]),
            (
                "a \"x\nb",
                &[
                    "Word a",
                    "line 1, column 3: the record has a quoted field without a \
                              closing quote",
                    "Word b",
                ],
            ),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
        assert_eq!(unescape("a\\\"b\\\\c\\nd"), "a\"b\\c\nd");
    }
}
