//! Amounts with commodities.

use std::collections::BTreeMap;

use daybook_domain::amount::DecimalSeparator;

use super::model::Quantity;
use crate::read::numeral::Number;

/// The decimal marks of a journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Marks {
    /// The mark of the directive `decimal-mark`.
    pub(crate) all: Option<DecimalSeparator>,
    /// The marks of the directives `commodity`.
    pub(crate) by_commodity: BTreeMap<String, DecimalSeparator>,
}

/// Parses an amount at the beginning of a text, and returns what follows.
pub(crate) fn parse<'a>(text: &'a str, marks: &Marks) -> Option<(Quantity, &'a str)> {
    let (is_negative, number, commodity, rest) = split(text)?;
    let number = Number::new(is_negative, number)?;
    let mark = marks.by_commodity.get(&commodity).copied().or(marks.all);
    let amount = mark.map_or_else(|| number.value_alone(), |mark| number.value(mark))?;
    let decimals = number.decimals(mark);
    Some((Quantity { amount, commodity: commodity.into(), decimals }, rest))
}

/// Returns the symbol, the decimal mark and the decimal places of the sample of a directive.
pub(crate) fn parse_sample(text: &str) -> Option<(String, Option<DecimalSeparator>, u32)> {
    let (is_negative, body, commodity, _) = split(text)?;
    let mark = Number::new(is_negative, body)?.certain_mark();
    let fraction = mark.and_then(|mark| {
        let mark = if mark == DecimalSeparator::Dot { '.' } else { ',' };
        Some(body.rsplit_once(mark)?.1.len())
    });
    Some((commodity, mark, u32::try_from(fraction.unwrap_or_default()).ok()?))
}

/// Splits the sign, the number and the commodity.
fn split(text: &str) -> Option<(bool, &str, String, &str)> {
    let (outer, rest) = sign(text.trim_start());
    let (symbol, rest) = symbol(rest);
    let (inner, rest) = sign(rest.trim_start());
    let (number, rest) = number(rest.trim_start())?;
    let is_negative = outer != inner;
    if let Some(symbol) = symbol {
        return Some((is_negative, number, symbol.to_owned(), rest));
    }
    match self::symbol(rest.trim_start()) {
        (Some(symbol), rest) => Some((is_negative, number, symbol.to_owned(), rest)),
        (None, _) => Some((is_negative, number, String::new(), rest)),
    }
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Splits a commodity off: a word without digits and signs, or a quoted text.
fn symbol(text: &str) -> (Option<&str>, &str) {
    if let Some((quoted, rest)) = text.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        return (Some(quoted), rest);
    }
    let is_other = |c: char| {
        c.is_ascii_digit() || c.is_whitespace() || "-+.,;@*{}()[]=\"/?&<>!^|~\\".contains(c)
    };
    let end = text.find(is_other).unwrap_or(text.len());
    let (symbol, rest) = text.split_at(end);
    if symbol.is_empty() { (None, text) } else { (Some(symbol), rest) }
}

/// Splits digits and their marks off.
fn number(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        // A blank separates groups only between a digit and three digits.
        let digits = after.chars().take(4).take_while(char::is_ascii_digit).count();
        let is_group = matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '\'') && digits == 3 && end > 0;
        if !c.is_ascii_digit() && !matches!(c, '.' | ',') && !is_group {
            break;
        }
        end += c.len_utf8();
        rest = after;
    }
    let (number, rest) = text.split_at(end);
    number.contains(|c: char| c.is_ascii_digit()).then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::amount::SignedAmount;

    #[test]
    fn amounts_are_parsed() {
        for (text, expected) in [
            ("$30.00", "30 $|"),
            ("$-2.50 = x", "-2.5 $| = x"),
            ("-$2.50", "-2.5 $|"),
            ("- 5 EUR @ 2", "-5 EUR| @ 2"),
            ("1,000.5 \"A 1\";x", "1000.5 A 1|;x"),
            ("EUR 1 000,25", "1000.25 EUR|"),
            ("5", "5 |"),
            ("1 000 000 h", "1000000 h|"),
            ("\u{20ac}1'234.5", "1234.5 \u{20ac}|"),
            ("x", "none"),
            ("(1+2)", "none"),
            ("1e5 EUR", "1 e|5 EUR"),
        ] {
            let shown = parse(text, &Marks::default()).map_or_else(
                || "none".to_owned(),
                |(found, rest)| format!("{} {}|{rest}", found.amount, found.commodity),
            );
            assert_eq!(shown, expected, "{text}");
        }
        let mut marks = Marks::default();
        marks.by_commodity.insert("$".to_owned(), DecimalSeparator::Dot);
        let (found, _) = parse("$1,000", &marks).unwrap();
        assert_eq!(found.amount, SignedAmount::new(1000, 0));
    }

    #[test]
    fn samples_state_marks_and_places() {
        let dot = Some(DecimalSeparator::Dot);
        assert_eq!(parse_sample("$1,000.00"), Some(("$".to_owned(), dot, 2)));
        assert_eq!(parse_sample("1000. AAPL"), Some(("AAPL".to_owned(), dot, 0)));
        let comma = Some(DecimalSeparator::Comma);
        assert_eq!(parse_sample("1.000,000 EUR"), Some(("EUR".to_owned(), comma, 3)));
        assert_eq!(parse_sample("EUR"), None);
    }
}
