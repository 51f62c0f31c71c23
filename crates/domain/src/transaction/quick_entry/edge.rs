//! The text before and after the digits of a number or date: it shows whether they are a part of
//! something else (behaviour 3.8.6).

use super::scanner::in_word;
use crate::numeral::{is_apostrophe, is_fixed_space};

/// Returns the length of the decimal separator before the digits, as in `.50` and `$.50`; 0 without
/// one. `None` if the digits are negative, a percentage, or a part of a word or of another number.
pub(super) fn leading_separator(before: &str) -> Option<usize> {
    let outside = before.trim_end_matches(is_separator);
    let separators = before.get(outside.len()..).unwrap_or_default();
    let mut back = outside.chars().rev();
    let (near, far) = (back.next(), back.next());
    if near.is_some_and(|c| is_minus(c) || is_percent(c)) || is_joined(near, far) {
        return None;
    }
    match separators {
        "" => Some(0),
        "." | "," if !near.is_some_and(in_word) => Some(1),
        dots if is_ellipsis(dots) && !near.is_some_and(char::is_numeric) => Some(0),
        _ => None,
    }
}

/// Returns whether the number ends here: the following text does not make it negative, a
/// percentage, or a part of a word or of another number.
pub(super) fn ends_number(after: &str) -> bool {
    let outside = after.trim_start_matches(is_separator);
    let separators = after.get(..after.len().saturating_sub(outside.len())).unwrap_or_default();
    let mut ahead = outside.chars();
    let (near, far) = (ahead.next(), ahead.next());
    if near.is_some_and(is_minus) {
        return false;
    }
    if separators.is_empty() {
        let unit = after.trim_start_matches(|c| c == ' ' || is_fixed_space(c));
        return !unit.starts_with(is_percent) && !is_joined(near, far);
    }
    // The separators are punctuation. A word may follow some of them without a space.
    match near {
        Some(next) if next.is_numeric() || is_percent(next) => false,
        Some(next) if in_word(next) => {
            matches!(separators, "," | "\u{ff0c}") || is_ellipsis(separators)
        }
        _ => true,
    }
}

/// Returns whether the next two characters make the digits a part of a longer word or number.
fn is_joined(near: Option<char>, far: Option<char>) -> bool {
    match near {
        Some('_') => true,
        Some('.' | '/' | '\\' | '@' | '-') => far.is_some_and(in_word),
        Some(mark) if !in_word(mark) && !mark.is_whitespace() => {
            far.is_some_and(|c| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// Returns whether the character can separate digits of a number.
const fn is_separator(c: char) -> bool {
    is_apostrophe(c)
        || matches!(c, '.' | ',' | '\u{b7}' | '\u{66b}' | '\u{66c}' | '\u{ff0c}' | '\u{ff0e}')
}

fn is_ellipsis(separators: &str) -> bool {
    separators.len() >= "...".len() && separators.bytes().all(|byte| byte == b'.')
}

/// Returns whether the character can be the sign of a negative number, before or after it.
const fn is_minus(c: char) -> bool {
    matches!(c, '-' | '\u{2010}'..='\u{2013}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}')
}

const fn is_percent(c: char) -> bool {
    matches!(c, '%' | '\u{2030}' | '\u{66a}' | '\u{fe6a}' | '\u{ff05}')
}
