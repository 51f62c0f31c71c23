//! Numbers as banks and people write them.
//!
//! Accepted are signs on either side, parentheses, `CR` and `DR`, a currency on either side, and
//! digits in groups of three. Whether `1.234` is a thousand or one depends on the other numbers of
//! a file, so a file is read twice: [`Evidence`] collects what its numbers say about the decimal
//! mark, and [`Number::value`] reads each with the mark that was decided on.

use daybook_domain::amount::DecimalSeparator;

use super::amount::SignedAmount;

/// A number whose decimal mark may be undecided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Number {
    is_negative: bool,
    /// Digits, `.` and `,`.
    body: String,
    /// The currency beside the number.
    pub(crate) currency: Option<String>,
}

/// The meaning of the marks of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// No mark.
    Whole,
    /// The decimal mark is certain.
    Certain(DecimalSeparator),
    /// One mark with three digits behind it: `1.234`.
    Ambiguous(DecimalSeparator),
}

impl Number {
    /// Splits a text; `None` if it is not a number, also if it is empty.
    pub(crate) fn scan(text: &str) -> Option<Self> {
        let mut rest = text.trim();
        let mut is_negative = false;
        let mut currency = None;
        let mut is_nested = false;
        // Signs, parentheses and currencies may be nested in any order, each a few times.
        for _ in 0..8 {
            if let Some(inner) = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
                if is_nested {
                    return None;
                }
                is_nested = true;
                is_negative = !is_negative;
                rest = inner.trim();
            } else if let Some(after) = rest.strip_prefix(MINUS) {
                is_negative = !is_negative;
                rest = after.trim_start();
            } else if let Some(after) = rest.strip_prefix('+') {
                rest = after.trim_start();
            } else if let Some(before) = rest.strip_suffix(MINUS) {
                is_negative = !is_negative;
                rest = before.trim_end();
            } else if let Some(before) = rest.strip_suffix('+') {
                rest = before.trim_end();
            } else if let Some((symbol, inner)) = split_symbol(rest) {
                match symbol.to_ascii_uppercase().as_str() {
                    "DR" => is_negative = !is_negative,
                    "CR" => {}
                    _ if currency.is_none() => currency = Some(symbol.to_owned()),
                    _ => return None,
                }
                rest = inner.trim();
            } else {
                break;
            }
        }
        let body = digits(rest)?;
        Some(Self { is_negative, body, currency })
    }

    /// Creates a number from digits and marks; `None` if they are not.
    pub(crate) fn new(is_negative: bool, body: &str) -> Option<Self> {
        Some(Self { is_negative, body: digits(body)?, currency: None })
    }

    /// Returns the decimal mark, if the number shows it.
    pub(crate) fn certain_mark(&self) -> Option<DecimalSeparator> {
        match self.shape()? {
            Shape::Certain(mark) => Some(mark),
            Shape::Whole | Shape::Ambiguous(_) => None,
        }
    }

    fn shape(&self) -> Option<Shape> {
        let dots = self.body.matches('.').count();
        let commas = self.body.matches(',').count();
        let last = self.body.rfind(['.', ',']);
        let certain = |mark| Some(Shape::Certain(mark));
        match (dots, commas) {
            (0, 0) => Some(Shape::Whole),
            (1, 0) | (0, 1) => {
                let mark = if dots == 1 { DecimalSeparator::Dot } else { DecimalSeparator::Comma };
                let (whole, fraction) = self.body.split_once(['.', ','])?;
                let groups = fraction.len() == 3
                    && (1..=3).contains(&whole.len())
                    && !whole.starts_with('0');
                Some(if groups { Shape::Ambiguous(mark) } else { Shape::Certain(mark) })
            }
            (_, 0) => certain(DecimalSeparator::Comma),
            (0, _) => certain(DecimalSeparator::Dot),
            _ if last == self.body.rfind('.') => certain(DecimalSeparator::Dot),
            _ => certain(DecimalSeparator::Comma),
        }
    }

    /// Returns the value; `None` if the number is not valid with this decimal mark or too long.
    pub(crate) fn value(&self, mark: DecimalSeparator) -> Option<SignedAmount> {
        let (decimal, group) = match mark {
            DecimalSeparator::Dot => ('.', ','),
            DecimalSeparator::Comma => (',', '.'),
        };
        let (whole, fraction) = self.body.split_once(decimal).unwrap_or((&self.body, ""));
        if fraction.contains(['.', ',']) {
            return None;
        }
        let mut groups = whole.split(group);
        let first = groups.next().unwrap_or_default();
        let mut digits = first.to_owned();
        for part in groups {
            if part.len() != 3 || first.is_empty() || first.len() > 3 {
                return None;
            }
            digits.push_str(part);
        }
        SignedAmount::from_digits(self.is_negative, &digits, fraction)
    }

    /// Returns the value when nothing is known about the decimal mark: a single mark is one.
    pub(crate) fn value_alone(&self) -> Option<SignedAmount> {
        match self.shape()? {
            Shape::Whole => self.value(DecimalSeparator::Dot),
            Shape::Certain(mark) | Shape::Ambiguous(mark) => self.value(mark),
        }
    }

    /// Returns the decimal places as written; without a mark, those of [`Self::value_alone`].
    pub(crate) fn decimals(&self, mark: Option<DecimalSeparator>) -> u32 {
        let mark = mark.or_else(|| match self.shape()? {
            Shape::Whole => None,
            Shape::Certain(mark) | Shape::Ambiguous(mark) => Some(mark),
        });
        let fraction = mark.and_then(|mark| {
            let mark = if mark == DecimalSeparator::Dot { '.' } else { ',' };
            self.body.split_once(mark)
        });
        fraction.and_then(|(_, fraction)| u32::try_from(fraction.len()).ok()).unwrap_or_default()
    }
}

/// Minus signs: hyphen, minus, and the dashes that are typed for them.
const MINUS: [char; 5] = ['-', '\u{2212}', '\u{2013}', '\u{2010}', '\u{2012}'];

/// The longest currency, in bytes.
const MAX_SYMBOL: usize = 16;

/// Splits a currency off the beginning or the end.
fn split_symbol(text: &str) -> Option<(&str, &str)> {
    let is_symbol = |c: char| {
        c.is_alphabetic()
            || (!c.is_ascii() && !c.is_whitespace() && !c.is_numeric() && !is_group(c))
            || c == '$'
    };
    let after = text.trim_start_matches(|c| is_symbol(c) && !MINUS.contains(&c));
    let before = text.trim_end_matches(|c| is_symbol(c) && !MINUS.contains(&c));
    let (symbol, rest) = if after.len() < text.len() {
        (text.strip_suffix(after)?, after)
    } else if before.len() < text.len() {
        (text.strip_prefix(before)?, before)
    } else {
        return None;
    };
    (symbol.len() <= MAX_SYMBOL && !rest.is_empty()).then_some((symbol, rest))
}

/// Whether a character separates groups of digits and is never a decimal mark.
const fn is_group(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}' | '\'' | '\u{2019}')
}

/// Returns the digits and marks, without blanks and apostrophes between groups of three digits.
fn digits(text: &str) -> Option<String> {
    let mut body = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = rest.strip_prefix(c)?;
        if c.is_ascii_digit() || matches!(c, '.' | ',') {
            body.push(c);
            continue;
        }
        let follows = rest.chars().take_while(char::is_ascii_digit).count() == 3;
        if !is_group(c) || !follows || !body.ends_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
    }
    body.contains(|c: char| c.is_ascii_digit()).then_some(body)
}

/// Evidence of the decimal mark, from the numbers of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    dot: bool,
    comma: bool,
    ambiguous: Option<String>,
}

/// The decimal mark of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The numbers agree on this mark.
    Mark(DecimalSeparator),
    /// The numbers disagree.
    Mixed,
    /// All numbers with a mark are like this one.
    Ambiguous(String),
}

impl Evidence {
    pub(crate) fn add(&mut self, text: &str) {
        let Some(number) = Number::scan(text) else { return };
        match number.shape() {
            None | Some(Shape::Whole) => {}
            Some(Shape::Certain(DecimalSeparator::Dot)) => self.dot = true,
            Some(Shape::Certain(DecimalSeparator::Comma)) => self.comma = true,
            Some(Shape::Ambiguous(_)) if self.ambiguous.is_some() => {}
            Some(Shape::Ambiguous(_)) => self.ambiguous = Some(text.trim().to_owned()),
        }
    }

    pub(crate) fn decide(&self) -> Decision {
        match (self.dot, self.comma, &self.ambiguous) {
            (true, true, _) => Decision::Mixed,
            (false, true, _) => Decision::Mark(DecimalSeparator::Comma),
            (false, false, Some(example)) => Decision::Ambiguous(example.clone()),
            (true, false, _) | (false, false, None) => Decision::Mark(DecimalSeparator::Dot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, mark: DecimalSeparator, expected: &str) {
        let number = Number::scan(text);
        let value = number.and_then(|number| number.value(mark));
        let shown = value.map_or_else(|| "none".to_owned(), |value| value.to_string());
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn numbers_have_signs_and_currencies() {
        for (text, expected) in [
            ("12.50", "12.5"),
            ("-12.50", "-12.5"),
            ("- 12.50", "-12.5"),
            ("\u{2212}100.00", "-100"),
            ("50.00-", "-50"),
            ("(63) ", "-63"),
            ("\u{20ac}(63)", "-63"),
            ("(\u{20ac} 63)", "-63"),
            ("-(5)", "5"),
            ("--5", "5"),
            ("+5", "5"),
            ("12.00 DR", "-12"),
            ("12.00CR", "12"),
            ("$-10", "-10"),
            ("-$10", "-10"),
            ("EUR 1,234.50", "1234.5"),
            ("-950.00 \u{20ac}", "-950"),
            ("1'234.50", "1234.5"),
            ("1 234 567.8", "1234567.8"),
            ("1\u{202f}234", "1234"),
            (".5", "0.5"),
            ("5.", "5"),
            ("1,23", "none"),
            ("1,2345,678", "none"),
            ("1234,567", "none"),
            ("1 23", "none"),
            ("", "none"),
            ("-", "none"),
            ("()", "none"),
            (".", "none"),
            ("abc", "none"),
            ("1.2.3", "none"),
            ("EUR 5 USD", "none"),
            ("\u{663}", "none"),
            ("1e5", "none"),
        ] {
            check(text, DecimalSeparator::Dot, expected);
        }
        check("-1.234,50 EUR", DecimalSeparator::Comma, "-1234.5");
        check("1.000", DecimalSeparator::Comma, "1000");
        check("-,5", DecimalSeparator::Comma, "-0.5");
        let currency = Number::scan("-5 EUR").and_then(|number| number.currency);
        assert_eq!(currency.as_deref(), Some("EUR"));
    }

    #[test]
    fn files_decide_the_decimal_mark() {
        let decide = |texts: &[&str]| {
            let mut evidence = Evidence::default();
            texts.iter().for_each(|text| evidence.add(text));
            evidence.decide()
        };
        let comma = Decision::Mark(DecimalSeparator::Comma);
        let dot = Decision::Mark(DecimalSeparator::Dot);
        assert_eq!(decide(&["1.000", "1.111,11", "-950,00 \u{20ac}"]), comma);
        assert_eq!(decide(&["1,000", "12.50"]), dot);
        assert_eq!(decide(&["1.000.000"]), comma);
        assert_eq!(decide(&["0.125"]), dot);
        assert_eq!(decide(&["100", "text"]), dot);
        assert_eq!(decide(&["-1.000"]), Decision::Ambiguous("-1.000".to_owned()));
        assert_eq!(decide(&["1,5", "1.5"]), Decision::Mixed);
    }
}
