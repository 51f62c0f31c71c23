//! What users typed, made fit to stand in a mail of the server: it ends no line, hides nothing, and
//! no mail program makes a link of it.

/// Stands where a mail program would read on as an address; it cannot be seen.
const BREAK: char = '\u{200b}';
/// Characters of a name that a mail shows.
const MAX_NAME: usize = 100;
/// Lines of a message that a mail shows.
const MAX_LINES: usize = 200;

/// A name as a part of a subject: one line, at most 100 characters.
pub(super) fn short(text: &str) -> String {
    let words = visible(text);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= MAX_NAME {
        return unlinked(&line);
    }
    let cut: String = line.chars().take(MAX_NAME.saturating_sub(1)).collect();
    unlinked(&cut) + "\u{2026}"
}

/// The lines of a text, without those that are blank at its end. None of them is taken for a link.
pub(super) fn lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n");
    let lines = text.split(ends_line).map(|line| unlinked(visible(line).trim_end()));
    let mut lines: Vec<String> = lines.take(MAX_LINES).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Characters at which some program begins a line.
const fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The text without characters that cannot be seen; other control characters become spaces.
fn visible(text: &str) -> String {
    let shown = text.chars().filter(|c| !is_invisible(*c));
    shown.map(|c| if c.is_control() || ends_line(c) { ' ' } else { c }).collect()
}

/// Characters of the category Cf of Unicode, which format text and are not seen: they can hide it,
/// turn its direction, or look like nothing in the middle of a word. Variation tags too.
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

/// The text with breaks where a mail program would see an address: behind dots, colons and `@`.
fn unlinked(text: &str) -> String {
    let mut broken = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        broken.push(c);
        // Also the dots that domains are written with in other scripts.
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
    fn a_name_is_one_short_line() {
        for (typed, shown) in [
            ("Household", "Household"),
            ("  A \t b\r\nBcc: all@example.com ", "A b Bcc: all@\u{200b}example.\u{200b}com"),
            ("a\0b\u{202e}c\u{200b}d\u{2028}e", "a bcd e"),
            ("", ""),
        ] {
            assert_eq!(short(typed), shown, "{typed:?}");
        }
        assert_eq!(short(&"é".repeat(100)), "é".repeat(100));
        assert_eq!(short(&"é".repeat(101)), format!("{}\u{2026}", "é".repeat(99)));
    }

    #[test]
    fn lines_hold_no_links() {
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
        fn nothing_typed_ends_a_line_or_joins_an_address(typed in "\\PC{0,40}|.{0,40}") {
            let name = short(&typed);
            prop_assert!(!name.contains(|c: char| c.is_control() || ends_line(c)), "{name:?}");
            for line in lines(&typed) {
                prop_assert!(!line.contains(|c: char| c.is_control() || ends_line(c)), "{line:?}");
                let joined = line.split_inclusive(['.', ':', '@']).skip(1);
                for rest in joined {
                    let next = rest.chars().next();
                    prop_assert!(next.is_none_or(|c| c == BREAK || c.is_whitespace()), "{line:?}");
                }
            }
        }
    }
}
