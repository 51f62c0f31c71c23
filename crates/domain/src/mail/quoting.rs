//! Quoting of user input in mails.
//!
//! Quoted input cannot end a line, hide text or become a link in a mail program.

/// Zero-width space. It keeps mail programs from detecting an address.
const BREAK: char = '\u{200b}';
/// Maximum length of a quoted name, in characters.
const MAX_NAME: usize = 100;
/// Maximum length of a quoted message, in lines.
const MAX_LINES: usize = 200;

/// Quotes a name as one line of at most 100 characters, for a subject.
pub(super) fn one_line(text: &str) -> String {
    let words = remove_invisible(text);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_NAME {
        return break_links(&line);
    }
    let beginning: String = line.chars().take(MAX_NAME.saturating_sub(1)).collect();
    break_links(&beginning) + "\u{2026}"
}

/// Quotes the lines of a text without trailing blank lines.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let lines =
        text.split(is_line_break).map(|line| break_links(remove_invisible(line).trim_end()));
    let mut lines: Vec<String> = lines.take(MAX_LINES).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Returns whether some program starts a new line at this character.
const fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Removes invisible characters and replaces other control characters with spaces.
fn remove_invisible(text: &str) -> String {
    let visible = text.chars().filter(|c| !is_invisible(*c));
    visible.map(|c| if c.is_control() || is_line_break(c) { ' ' } else { c }).collect()
}

/// Returns whether a character formats text without being visible: Unicode category Cf and
/// variation tags.
///
/// Such characters can hide text, change its direction or split a word.
const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Inserts a [`BREAK`] after dots, colons and `@` that are followed by text.
fn break_links(text: &str) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        broken.push(c);
        // Includes the dots and colons that other scripts use in domain names.
        let joins =
            matches!(c, '.' | ':' | '@' | '\u{3002}' | '\u{ff0e}' | '\u{ff1a}' | '\u{ff61}');
        if joins && characters.peek().is_some_and(|next| !next.is_whitespace()) {
            broken.push(BREAK);
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn name_is_quoted_as_one_short_line() {
        for (typed, shown) in [
            ("Household", "Household"),
            ("  A \t b\r\nBcc: all@example.com ", "A b Bcc: all@\u{200b}example.\u{200b}com"),
            ("a\0b\u{202e}c\u{200b}d\u{2028}e", "a bcd e"),
            ("", ""),
        ] {
            assert_eq!(one_line(typed), shown, "{typed:?}");
        }
        assert_eq!(one_line(&"é".repeat(100)), "é".repeat(100));
        assert_eq!(one_line(&"é".repeat(101)), format!("{}\u{2026}", "é".repeat(99)));
    }

    #[test]
    fn quoted_lines_contain_no_links() {
        for (typed, shown) in [
            ("Hello.\r\n\r\nBye\n\n", vec!["Hello.", "", "Bye"]),
            ("a\u{2028}b\u{85}c\u{b}d", vec!["a", "b", "c", "d"]),
            ("see https://evil.example/x", vec!["see https:\u{200b}//evil.\u{200b}example/x"]),
            ("www.evil.example", vec!["www.\u{200b}evil.\u{200b}example"]),
            ("me@evil\u{3002}example", vec!["me@\u{200b}evil\u{3002}\u{200b}example"]),
            ("10:30 costs 3.50. Yes: no", vec!["10:\u{200b}30 costs 3.\u{200b}50. Yes: no"]),
            ("hid\u{200b}den\u{202e}", vec!["hidden"]),
        ] {
            assert_eq!(lines(typed), shown, "{typed:?}");
        }
        assert_eq!(lines(&"x\n".repeat(1_000)).len(), 200);
    }

    proptest! {
        #[test]
        fn input_cannot_end_a_line_or_form_an_address(typed in "\\PC{0,40}|.{0,40}") {
            let name = one_line(&typed);
            prop_assert!(!name.contains(|c: char| c.is_control() || is_line_break(c)), "{name:?}");
            for line in lines(&typed) {
                prop_assert!(
                    !line.contains(|c: char| c.is_control() || is_line_break(c)),
                    "{line:?}"
                );
                let joined = line.split_inclusive(['.', ':', '@']).skip(1);
                for rest in joined {
                    let next = rest.chars().next();
                    prop_assert!(next.is_none_or(|c| c == BREAK || c.is_whitespace()), "{line:?}");
                }
            }
        }
    }
}
