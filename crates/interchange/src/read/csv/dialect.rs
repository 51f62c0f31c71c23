//! The separator of a CSV text.

use super::scan::Scanner;

/// The separators that are tried.
const SEPARATORS: [char; 4] = [',', ';', '\t', '|'];

/// The rows that the separator is recognized from.
const SAMPLE_ROWS: usize = 200;

/// Returns the separator that splits the most rows into the same number of fields.
///
/// A first line `sep=;`, as Excel writes it, decides.
pub(crate) fn detect_separator(text: &str) -> char {
    if let Some(separator) = stated_separator(text) {
        return separator;
    }
    let best = SEPARATORS.into_iter().rev().max_by_key(|separator| score(text, *separator));
    best.unwrap_or(',')
}

/// Returns the separator of a line `sep=;`.
pub(crate) fn stated_separator(text: &str) -> Option<char> {
    let line = text.trim_start_matches('\u{feff}').lines().next()?.trim_matches('"');
    let mut rest = line.strip_prefix("sep=").or_else(|| line.strip_prefix("SEP="))?.chars();
    let separator = rest.next()?;
    rest.next().is_none().then_some(separator)
}

/// Returns how many separators rows of the most frequent width have in sum.
fn score(text: &str, separator: char) -> usize {
    let mut scanner = Scanner::new(text, separator);
    let mut widths: Vec<(usize, usize)> = Vec::new();
    for row in std::iter::from_fn(|| scanner.next_row()).take(SAMPLE_ROWS).flatten() {
        match widths.iter_mut().find(|(width, _)| *width == row.len()) {
            Some((_, count)) => *count += 1,
            None => widths.push((row.len(), 1)),
        }
    }
    let scores = widths.into_iter().map(|(width, count)| width.saturating_sub(1) * count);
    scores.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_recognized() {
        for (text, expected) in [
            ("a,b,c\n1,2,3\n", ','),
            ("a;b;c\n1;2,50;3\n1;3,50;4\n", ';'),
            ("a\tb\n1\t2\n", '\t'),
            ("a|b|c\n1|2|3\n", '|'),
            ("sep=;\na,b,c,d\n", ';'),
            ("Konto\n\nDatum;Text;Betrag\n01.02.2026;Miete, warm;-5,00\n", ';'),
            ("", ','),
        ] {
            assert_eq!(detect_separator(text), expected, "{text:?}");
        }
    }
}
