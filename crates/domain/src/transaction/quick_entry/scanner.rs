//! Splits a text into pieces without gaps.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use crate::transaction::tags;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// White space.
    Space,
    /// A single `-` or `_`. It separates words like a space (behaviour 4.3).
    Dash,
    /// Letters and digits with at least one letter.
    Word,
    /// Digits, possibly with `. , / :` between them, or a date as `yyyy-MM-dd`.
    Figure,
    /// Any other character.
    Symbol,
    /// Quoted text, including the quotes (behaviour 3.8.2.7).
    Quoted,
    /// A URL (behaviour 3.8.2.6).
    Url,
    /// `#tag` (behaviour 3.8.2.5).
    Tag,
    /// `-#tag`.
    NegatedTag,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextPiece {
    pub(super) kind: PieceKind,
    pub(super) span: Range<usize>,
}

/// Splits a text.
pub(super) fn pieces(text: &str) -> Vec<TextPiece> {
    Scanner { text, at: 0, before: None, may_close: [true; QUOTES.len()] }.run(Scanner::next_piece)
}

/// Splits a name, in which quotes, URLs and hashtags have no meaning.
pub(super) fn plain_pieces(name: &str) -> Vec<TextPiece> {
    Scanner { text: name, at: 0, before: None, may_close: [false; QUOTES.len()] }
        .run(Scanner::next_plain_piece)
}

const QUOTES: [char; 2] = ['"', '\''];
const SCHEMES: [&str; 2] = ["http://", "https://"];
/// Characters that do not belong to the URL if they are at its end.
const AFTER_URL: [char; 8] = ['.', ',', ';', ':', '!', '?', '\'', '*'];

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// The character before.
    before: Option<char>,
    /// For each kind of quote, whether a closing one may follow, so that the text is not searched
    /// again at each opening quote.
    may_close: [bool; QUOTES.len()],
}

impl<'t> Scanner<'t> {
    fn run(mut self, next: impl Fn(&mut Self, &'t str) -> (PieceKind, usize)) -> Vec<TextPiece> {
        let mut pieces = Vec::new();
        while let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
            let (kind, length) = next(&mut self, rest);
            let end = self.at.saturating_add(length);
            pieces.push(TextPiece { kind, span: self.at..end });
            self.before = self.text.get(..end).and_then(|head| head.chars().next_back());
            self.at = end;
        }
        pieces
    }

    fn next_piece(&mut self, rest: &'t str) -> (PieceKind, usize) {
        let found = self
            .url(rest)
            .map(|length| (PieceKind::Url, length))
            .or_else(|| self.negated_tag(rest).map(|length| (PieceKind::NegatedTag, length)))
            .or_else(|| tag(rest).map(|length| (PieceKind::Tag, length)))
            .or_else(|| self.quoted(rest).map(|length| (PieceKind::Quoted, length)));
        found.unwrap_or_else(|| self.next_plain_piece(rest))
    }

    fn next_plain_piece(&mut self, rest: &'t str) -> (PieceKind, usize) {
        let first = rest.chars().next().unwrap_or_default();
        match first {
            '-' | '_' => (PieceKind::Dash, 1),
            space if space.is_whitespace() => {
                (PieceKind::Space, rest.len().saturating_sub(rest.trim_start().len()))
            }
            letter if letter.is_alphanumeric() => word_or_figure(rest),
            symbol => (PieceKind::Symbol, symbol.len_utf8()),
        }
    }

    /// Returns whether a word may begin here.
    fn at_boundary(&self) -> bool {
        !self.before.is_some_and(in_word)
    }

    fn url(&self, rest: &str) -> Option<usize> {
        if !self.at_boundary() {
            return None;
        }
        let starts = |scheme: &&&str| {
            rest.get(..scheme.len()).is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        };
        let scheme = SCHEMES.iter().find(starts)?.len();
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>'))
            .unwrap_or(rest.len());
        let mut url = rest.get(..end)?.trim_end_matches(AFTER_URL);
        // A parenthesis may open before the URL and close after it.
        if !url.contains('(') {
            url = url.trim_end_matches(')').trim_end_matches(AFTER_URL);
        }
        (url.len() > scheme).then_some(url.len())
    }

    fn negated_tag(&self, rest: &str) -> Option<usize> {
        let length = tag(rest.strip_prefix('-')?)?;
        (self.at_boundary() && !matches!(self.before, Some('-' | '_' | '#')))
            .then(|| length.saturating_add(1))
    }

    /// Returns the length of a quotation. It opens at the start of a word and closes at the end of
    /// a word; apostrophes do not.
    fn quoted(&mut self, rest: &str) -> Option<usize> {
        let quote = rest.chars().next()?;
        let may_close = QUOTES
            .iter()
            .zip(&mut self.may_close)
            .find_map(|(known, may_close)| (*known == quote).then_some(may_close))?;
        if !*may_close || self.before.is_some_and(in_word) {
            return None;
        }
        let inside = rest.get(1..)?;
        let ends_word = |at: &usize| {
            inside
                .get(at.saturating_add(1)..)
                .and_then(|rest| rest.chars().next())
                .is_none_or(|c| !c.is_alphanumeric())
        };
        let close = inside.match_indices(quote).map(|(at, _)| at).find(ends_word);
        *may_close = close.is_some();
        // The length of the text inside, and both quotes.
        close.map(|at| at.saturating_add(2))
    }
}

/// Returns whether the character is part of a word: a letter, a combining mark or a digit.
pub(super) fn in_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn tag(rest: &str) -> Option<usize> {
    let length = tags::leading(rest.strip_prefix('#')?).len();
    (length > 0).then(|| length.saturating_add(1))
}

/// Returns the word or figure at the start of a text.
fn word_or_figure(rest: &str) -> (PieceKind, usize) {
    if is_iso_day(rest) {
        return (PieceKind::Figure, ISO_DAY);
    }
    let mut end: usize = 0;
    let mut digits = true;
    let mut after_digit = false;
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        let joins = after_digit
            && matches!(c, '.' | ',' | '/' | ':')
            && chars.peek().is_some_and(char::is_ascii_digit);
        if !(joins || in_word(c)) {
            break;
        }
        digits &= joins || c.is_ascii_digit();
        after_digit = c.is_ascii_digit();
        end = end.saturating_add(c.len_utf8());
    }
    (if digits { PieceKind::Figure } else { PieceKind::Word }, end)
}

/// The length of `yyyy-MM-dd`.
pub(super) const ISO_DAY: usize = 10;

/// Returns whether the text begins with `yyyy-MM-dd` and the word ends there.
fn is_iso_day(rest: &str) -> bool {
    let shaped = |(at, byte): (usize, u8)| {
        if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() }
    };
    let mut bytes = rest.bytes();
    bytes.by_ref().take(ISO_DAY).enumerate().filter(|pair| shaped(*pair)).count() == ISO_DAY
        && rest
            .get(ISO_DAY..)
            .and_then(|rest| rest.chars().next())
            .is_none_or(|c| !in_word(c) && !matches!(c, '_' | '-' | '/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks the pieces of a text except white space, each as its kind and text.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found: Vec<String> = pieces(text)
            .into_iter()
            .filter(|piece| piece.kind != PieceKind::Space)
            .map(|piece| format!("{:?} {}", piece.kind, &text[piece.span]))
            .collect();
        assert_eq!(found.join(" | "), expected, "{text:?}");
    }

    #[test]
    fn texts_are_split_into_pieces() {
        for (text, expected) in [
            ("A4 4x 25kg é1", "Word A4 | Word 4x | Word 25kg | Word é1"),
            ("1.234,56 10:30", "Figure 1.234,56 | Figure 10:30"),
            ("1/2, 7.", "Figure 1/2 | Symbol , | Figure 7 | Symbol ."),
            ("2025-01-31", "Figure 2025-01-31"),
            ("2025-01-311", "Figure 2025 | Dash - | Figure 01 | Dash - | Figure 311"),
            ("#a #1_é# x#b", "Tag #a | Tag #1_é | Symbol # | Word x | Tag #b"),
            ("-#c a-#d", "NegatedTag -#c | Word a | Dash - | Tag #d"),
            ("(https://a.b/c?d=1).", "Symbol ( | Url https://a.b/c?d=1 | Symbol ) | Symbol ."),
            ("HTTP://x, y", "Url HTTP://x | Symbol , | Word y"),
            ("http:// y", "Word http | Symbol : | Symbol / | Symbol / | Word y"),
            ("xhttp://y", "Word xhttp | Symbol : | Symbol / | Symbol / | Word y"),
            ("https://a.b/c_(d)", "Url https://a.b/c_(d)"),
            ("'a b' \"c d\" '", "Quoted 'a b' | Quoted \"c d\" | Symbol '"),
            ("Owner's 'Bob's 5'", "Word Owner | Symbol ' | Word s | Quoted 'Bob's 5'"),
        ] {
            check(text, expected);
        }
    }

    proptest! {
        #[test]
        fn pieces_cover_the_whole_text(text in "\\PC{0,40}|[a1 '\"#/:.,_-]{0,40}") {
            for pieces in [pieces(&text), plain_pieces(&text)] {
                let whole: String = pieces.iter().map(|piece| &text[piece.span.clone()]).collect();
                prop_assert_eq!(&whole, &text);
                prop_assert!(pieces.iter().all(|piece| !piece.span.is_empty()));
            }
        }
    }
}
