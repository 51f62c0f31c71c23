//! Texts in the syntax of hledger.

use crate::write::account_path::one_line;

/// Returns the name of an account with what has a meaning in journals replaced: `;` begins a
/// comment, and some characters at the start mark a posting.
pub(super) fn account_name(path: &str) -> String {
    let name = path.replace(';', ",");
    let is_mark = |c: char| matches!(c, '*' | '!' | '(' | '[' | '=' | '~' | '%' | '#');
    let trimmed = name.trim_start_matches(|c: char| is_mark(c) || c.is_whitespace());
    let trimmed = trimmed.trim_start_matches(':').trim();
    if trimmed.is_empty() { "Account".to_owned() } else { trimmed.to_owned() }
}

/// Returns the symbol of a commodity, with a space before it; nothing without a currency.
///
/// A symbol of other characters than letters is quoted.
pub(super) fn commodity(currency: Option<&str>) -> String {
    let symbol = one_line(currency.unwrap_or_default()).replace(['"', ';'], "");
    match symbol.trim() {
        "" => String::new(),
        letters if letters.chars().all(char::is_alphabetic) => format!(" {letters}"),
        other => format!(" \"{other}\""),
    }
}

/// Returns the code and the description of an entry, each with a space before it.
pub(super) fn description(text: &str, code: Option<&str>) -> String {
    let text = one_line(text).replace(';', ",");
    let code = code.map(|code| one_line(code).replace(['(', ')', ';'], ""));
    // Without a code, this would be read as the mark or the code.
    let needs_code = text.starts_with(['*', '!', '(', '=']);
    let mut written = match code {
        Some(code) => format!(" ({code})"),
        None if needs_code => " ()".to_owned(),
        None => String::new(),
    };
    if !text.is_empty() {
        written.push(' ');
        written.push_str(&text);
    }
    written
}

/// Returns a tag. A value ends at a comma, so commas become spaces; in an address they are encoded.
pub(super) fn tag(key: &str, value: &str) -> String {
    let is_break = |c: char| c.is_whitespace() || c.is_control() || matches!(c, ':' | ',' | ';');
    let key: String = key.chars().map(|c| if is_break(c) { '_' } else { c }).collect();
    let value = match key.as_str() {
        "url" => value.replace(',', "%2C"),
        _ => value.replace(',', " "),
    };
    format!("{key}:{}", note(&value))
}

/// Returns a line of a comment. ledger reads a date in brackets as that of the entry, so a space
/// follows the bracket.
pub(super) fn note(text: &str) -> String {
    let mut note = String::new();
    for c in one_line(text).chars() {
        if note.ends_with('[') && (c.is_ascii_digit() || c == '=') {
            note.push(' ');
        }
        note.push(c);
    }
    note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_meaning_for_hledger() {
        for (path, expected) in [
            ("Assets:Bank", "Assets:Bank"),
            ("Rent; paid", "Rent, paid"),
            ("(Old) Bank", "Old) Bank"),
            ("* starred", "starred"),
            ("[*]", "]"),
            ("(", "Account"),
            ("=", "Account"),
            ("ß € 字", "ß € 字"),
        ] {
            assert_eq!(account_name(path), expected);
        }
    }

    #[test]
    fn commodities_are_quoted_unless_they_are_letters() {
        for (currency, expected) in [
            (None, ""),
            (Some(" "), ""),
            (Some("EUR"), " EUR"),
            (Some("US$"), " \"US$\""),
            (Some("a \"b\"; 1"), " \"a b 1\""),
        ] {
            assert_eq!(commodity(currency), expected);
        }
    }

    #[test]
    fn descriptions_are_not_read_as_marks() {
        for (text, code, expected) in [
            ("Shop", None, " Shop"),
            ("", None, ""),
            ("* Shop", None, " () * Shop"),
            ("(1) Shop; x\n y", Some("A (1)"), " (A 1) (1) Shop, x y"),
        ] {
            assert_eq!(description(text, code), expected);
        }
    }

    #[test]
    fn tags_end_at_no_comma() {
        assert_eq!(tag("trip", ""), "trip:");
        assert_eq!(tag("a b:c", "1, 2\n3"), "a_b_c:1 2 3");
        assert_eq!(tag("seen", "[2026-01-01], [x]"), "seen:[ 2026-01-01] [x]");
        assert_eq!(tag("url", "https://a.example/?b=1,2"), "url:https://a.example/?b=1%2C2");
    }
}
