//! Hashtags in descriptions (behaviour 3.9.1).

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Returns the distinct hashtags of a text without `#`, in their order and case. A hashtag may
/// begin anywhere, also inside a word. It consists of letters of any script with their combining
/// marks, digits and `_`.
///
/// ```
/// use daybook_domain::transaction::tags;
/// assert_eq!(tags::of("#food for#Taxi #food #a #A #"), ["food", "Taxi", "a", "A"]);
/// assert_eq!(tags::of("#कर #कर्ज़, #e\u{301}té"), ["कर", "कर्ज़", "e\u{301}té"]);
/// ```
pub fn of(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen = HashSet::new();
    for piece in text.split('#').skip(1) {
        let tag = leading(piece);
        if !tag.is_empty() && seen.insert(tag) {
            found.push(tag.to_owned());
        }
    }
    found
}

/// Returns the form in which hashtags are compared (behaviour 1.2.5): lower case and composed.
pub fn key(tag: &str) -> String {
    if tag.is_ascii() {
        return tag.to_ascii_lowercase();
    }
    tag.nfc().collect::<String>().to_lowercase().nfc().collect()
}

/// Returns the hashtag at the start of the text after a `#`; empty if there is none.
pub(crate) fn leading(text: &str) -> &str {
    if !text.starts_with(is_letter) {
        return "";
    }
    let end = text.find(|c| !is_letter(c) && !is_mark(c)).unwrap_or(text.len());
    let tag = text.get(..end).unwrap_or_default();
    tag.trim_end_matches(is_joiner)
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether the character belongs to the letter before it: a combining mark, except
/// variation selectors, or a joiner.
fn is_mark(c: char) -> bool {
    is_joiner(c) || (is_combining_mark(c) && !matches!(c, '\u{fe00}'..='\u{fe0f}'))
}

const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_end_at_other_characters() {
        assert_eq!(of("x #ação-1 #b.c ##d #"), ["ação", "b", "d"]);
        assert!(of("no tags").is_empty());
    }

    #[test]
    fn tags_keep_combining_marks() {
        for (text, expected) in [
            ("#कर #कर्ज़ #कार", vec!["कर", "कर्ज़", "कार"]),
            ("#ไก่ #ไก", vec!["ไก่", "ไก"]),
            ("#cafe\u{301} #café", vec!["cafe\u{301}", "café"]),
            ("#ハ\u{309a}ス!", vec!["ハ\u{309a}ス"]),
            ("#क्\u{200d}ष #a\u{200d} b", vec!["क्\u{200d}ष", "a"]),
            ("#\u{301}a #\u{fe0f}\u{20e3} #a\u{fe0f}b", vec!["a"]),
        ] {
            assert_eq!(of(text), expected, "{text:?}");
        }
    }

    #[test]
    fn tag_keys_are_composed_and_lower_case() {
        assert_eq!(key("Cafe\u{301}"), key("CAFÉ"));
        assert_ne!(key("café"), key("cafe"));
        assert_ne!(key("कर"), key("कार"));
    }
}
