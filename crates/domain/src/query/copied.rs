//! Translation of saved queries for the copy of a book (behaviour 6.14).

use super::lexer::{Lexer, Token};

/// Replaces ids of accounts and groups in a query, and keeps all other text.
///
/// ```
/// use daybook_domain::query::translate_ids;
/// let account = |id: &str| (id == "1111111111").then(|| "2222222222".to_owned());
/// let query = "from:1111111111  -account:'1111111111' 1111111111 to:Cash";
/// let translated = translate_ids(query, account, |_| None);
/// assert_eq!(translated, "from:2222222222  -account:'2222222222' 1111111111 to:Cash");
/// ```
pub fn translate_ids(
    text: &str,
    account: impl Fn(&str) -> Option<String>,
    group: impl Fn(&str) -> Option<String>,
) -> String {
    let (mut lexer, mut translated, mut done) = (Lexer::new(text), String::new(), 0);
    while let Some(token) = lexer.next() {
        let Token::Operator(operator) = token else { continue };
        let id = operator.value.trim();
        let new = match operator.name.to_ascii_lowercase().as_str() {
            "account" | "acc" | "from" | "to" => account(id),
            "group" => group(id),
            _ => None,
        };
        let end = text.len().saturating_sub(lexer.rest().len());
        let term = text.get(done..end).unwrap_or_default();
        // The value is at the end of its term.
        let Some((new, (before, after))) = new.zip(term.rsplit_once(id)) else { continue };
        translated.extend([before, &new, after]);
        done = end;
    }
    translated.push_str(text.get(done..).unwrap_or_default());
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_accounts_and_groups_are_translated() {
        let account = |id: &str| (id == "1000000001").then(|| "9000000001".to_owned());
        let group = |id: &str| (id == "1000000002").then(|| "900000000002".to_owned());
        for (query, expected) in [
            ("", ""),
            ("account:1000000001", "account:9000000001"),
            ("ACC: 1000000001", "ACC: 9000000001"),
            ("(from:1000000001 OR to:\"1000000001\")", "(from:9000000001 OR to:\"9000000001\")"),
            ("group:1000000002 after:2025-01", "group:900000000002 after:2025-01"),
            ("group:'1000000002", "group:'900000000002"),
            // Ids of the other noun, of other operators, in text and in longer numbers are kept.
            ("group:1000000001 account:1000000002", "group:1000000001 account:1000000002"),
            ("remoteId:1000000001 1000000001", "remoteId:1000000001 1000000001"),
            ("account:10000000011", "account:10000000011"),
            ("= account:'Caf\u{e9}' to:1000000001", "= account:'Caf\u{e9}' to:9000000001"),
            ("1000000001 account:1000000001 x", "1000000001 account:9000000001 x"),
        ] {
            assert_eq!(translate_ids(query, account, group), expected, "6.14: {query}");
        }
    }
}
