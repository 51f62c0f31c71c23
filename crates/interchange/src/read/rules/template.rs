//! Values with references to columns and match groups.

use crate::read::limits::MAX_FIELD_BYTES;

/// A value of an assignment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Template {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// A column of the record, from 0.
    Column(usize),
    /// A match group of the block, from 1.
    Group(usize),
}

impl Template {
    /// Parses a value. References to unknown columns stay text.
    pub(crate) fn parse(value: &str, names: &[String]) -> Self {
        let mut template = Self::default();
        let mut rest = value;
        while let Some(at) = rest.find(['%', '\\']) {
            let (before, marked) = rest.split_at(at);
            template.push_text(before);
            match reference(marked, names) {
                Some((piece, after)) => {
                    template.pieces.push(piece);
                    rest = after;
                }
                None => {
                    let marker = marked.get(..1).unwrap_or_default();
                    template.push_text(marker);
                    rest = marked.get(1..).unwrap_or_default();
                }
            }
        }
        template.push_text(rest);
        template
    }

    fn push_text(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    /// Returns the columns that it refers to.
    pub(crate) fn columns(&self) -> impl Iterator<Item = usize> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Column(column) => Some(*column),
            Piece::Text(_) | Piece::Group(_) => None,
        })
    }

    /// Fills in the columns and the groups, and trims the result.
    ///
    /// A result longer than a field is cut off, so that a short rule cannot need much memory.
    pub(crate) fn fill<'a>(&self, column: impl Fn(usize) -> &'a str, groups: &[String]) -> String {
        let mut filled = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Column(index) => filled.push_str(column(*index).trim()),
                Piece::Group(number) => {
                    let group = number.checked_sub(1).and_then(|index| groups.get(index));
                    filled.push_str(group.map_or("", String::as_str));
                }
            }
            if filled.len() > MAX_FIELD_BYTES {
                filled.truncate(filled.floor_char_boundary(MAX_FIELD_BYTES));
                break;
            }
        }
        let trimmed = filled.trim();
        if trimmed.len() == filled.len() { filled } else { trimmed.to_owned() }
    }
}

/// Parses `%name`, `%1`, `%(name)` or `\1`, and returns what follows.
fn reference<'a>(text: &'a str, names: &[String]) -> Option<(Piece, &'a str)> {
    if let Some(after) = text.strip_prefix('\\') {
        let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = after.strip_suffix(rest)?.parse().ok()?;
        return Some((Piece::Group(number), rest));
    }
    let after = text.strip_prefix('%')?;
    if let Some((name, rest)) = after.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
        return Some((Piece::Column(column(name, names)?), rest));
    }
    let rest = after.trim_start_matches(is_name);
    Some((Piece::Column(column(after.strip_suffix(rest)?, names)?), rest))
}

/// Whether a character may be part of the name of a column.
pub(crate) const fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the index of a column by its name or its number from 1.
pub(crate) fn column(name: &str, names: &[String]) -> Option<usize> {
    if let Ok(number) = name.parse::<usize>() {
        return number.checked_sub(1);
    }
    let name = name.to_ascii_lowercase();
    (!name.is_empty()).then(|| names.iter().position(|known| *known == name)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_filled_in() {
        let names = ["date", "", "amount-in"].map(str::to_owned);
        let cells = [" 2026-01-02 ", "Shop", "5"];
        let groups = ["one".to_owned(), "two".to_owned()];
        for (value, expected) in [
            ("%date", "2026-01-02"),
            (" %2  x ", "Shop  x"),
            ("-%amount-in", "-5"),
            ("%Date/%(date)s", "2026-01-02/2026-01-02s"),
            ("%nope %9 %", "%nope  %"),
            ("%(nope", "%(nope"),
            ("100%", "100%"),
            (r"\1-\2\3", "one-two"),
            (r"a\b", r"a\b"),
            ("", ""),
        ] {
            let template = Template::parse(value, &names);
            let column = |index: usize| cells.get(index).copied().unwrap_or_default();
            assert_eq!(template.fill(column, &groups), expected, "{value}");
        }
        let long = "\u{e9}".repeat(MAX_FIELD_BYTES);
        let filled = Template::parse("%1%1", &names).fill(|_| &long, &groups);
        assert_eq!(filled.len(), MAX_FIELD_BYTES);
    }
}
