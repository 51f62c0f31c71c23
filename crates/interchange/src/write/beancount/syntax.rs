//! Texts in the syntax of beancount.

use daybook_domain::name;

use crate::write::account_path::one_line;

/// The currency of a book that names none: the code of ISO 4217 for transactions without one.
const NO_CURRENCY: &str = "XXX";
/// The characters of a currency.
const CURRENCY_LENGTH: std::ops::RangeInclusive<usize> = 2..=24;
/// Keys of metadata that beancount sets itself.
const RESERVED: [&str; 2] = ["filename", "lineno"];

/// Returns a part of the name of an account: ASCII letters and digits that begin with a capital or
/// a digit; none if nothing is left of the name.
pub(super) fn component(name: &str) -> Option<String> {
    let mut part = String::new();
    let words = name.split(|c: char| !c.is_alphanumeric()).map(ascii);
    for word in words.filter(|word| !word.is_empty()) {
        if !part.is_empty() {
            part.push('-');
        }
        let mut letters = word.chars();
        part.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        part.extend(letters);
    }
    (!part.is_empty()).then_some(part)
}

/// Returns the ASCII letters and digits of a word, without diacritics.
fn ascii(word: &str) -> String {
    let mut letters = String::new();
    for letter in word.chars() {
        let plain = if letter.is_ascii() {
            letter.to_string()
        } else {
            let folded = name::fold(letter.encode_utf8(&mut [0; 4]));
            if letter.is_uppercase() { folded.to_ascii_uppercase() } else { folded }
        };
        letters.extend(plain.chars().filter(char::is_ascii_alphanumeric));
    }
    letters
}

/// Returns the currency of a book: capital letters and digits.
pub(super) fn currency(text: Option<&str>) -> String {
    let code = text.unwrap_or_default().trim().to_ascii_uppercase();
    let is_valid = CURRENCY_LENGTH.contains(&code.len())
        && code.starts_with(|c: char| c.is_ascii_uppercase())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if is_valid { code } else { NO_CURRENCY.to_owned() }
}

pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns a tag, unless it has characters that tags of beancount cannot have.
pub(super) fn tag(name: &str) -> Option<String> {
    let is_valid = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_valid.then(|| format!("#{name}"))
}

/// Returns a link, with `-` for characters that links cannot have.
pub(super) fn link(id: &str) -> Option<String> {
    let is_valid = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let link: String = id.chars().map(|c| if is_valid(&c) { c } else { '-' }).collect();
    (!link.is_empty()).then(|| format!("^{link}"))
}

/// Returns a key of metadata: at least two characters, of which the first is a small letter.
pub(super) fn metadata_key(key: &str) -> String {
    let is_valid = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '_';
    let lower = key.to_ascii_lowercase();
    let key: String = lower.chars().map(|c| if is_valid(&c) { c } else { '-' }).collect();
    let is_whole = key.len() > 1 && key.starts_with(|c: char| c.is_ascii_lowercase());
    if is_whole && !RESERVED.contains(&key.as_str()) { key } else { format!("p-{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_ascii() {
        for (name, expected) in [
            ("Cash & bank", Some("Cash-Bank")),
            ("ÉTÉ garçon", Some("ETE-Garcon")),
            ("2026 Taxes", Some("2026-Taxes")),
            ("IBM_shares", Some("IBM-Shares")),
            ("字", None),
            ("--", None),
        ] {
            assert_eq!(component(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn currencies_are_codes() {
        for (text, expected) in [
            (None, "XXX"),
            (Some("eur"), "EUR"),
            (Some("$"), "XXX"),
            (Some("X"), "XXX"),
            (Some("A1"), "A1"),
            (Some("1A"), "XXX"),
        ] {
            assert_eq!(currency(text), expected);
        }
    }

    #[test]
    fn texts_are_valid() {
        assert_eq!(quoted("a \"b\"\n\\"), "\"a \\\"b\\\" \\\\\"");
        assert_eq!(tag("trip_1").as_deref(), Some("#trip_1"));
        assert_eq!(tag("été"), None);
        assert_eq!(link("bank:1 2").as_deref(), Some("^bank-1-2"));
        for (key, expected) in [
            ("trip", "trip"),
            ("a", "p-a"),
            ("1a", "p-1a"),
            ("é x", "p---x"),
            ("filename", "p-filename"),
        ] {
            assert_eq!(metadata_key(key), expected);
        }
    }
}
