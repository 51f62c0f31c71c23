//! Hashtags in descriptions (behaviour 3.9.1).

use std::collections::HashSet;

/// The distinct hashtags of a text without `#`, in the order and the case they are written. A
/// hashtag may stand anywhere, also inside a word; it consists of letters of any script, digits and
/// `_`.
///
/// ```
/// use daybook_domain::transaction::tags;
/// assert_eq!(tags::of("#food for#Taxi #food #a #A #"), ["food", "Taxi", "a", "A"]);
/// ```
#[must_use]
pub fn of(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut known = HashSet::new();
    for piece in text.split('#').skip(1) {
        let tag: String = piece.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if !tag.is_empty() && known.insert(tag.clone()) {
            found.push(tag);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn tags_end_at_the_first_other_character() {
        assert_eq!(super::of("x #ação-1 #b.c ##d #"), ["ação", "b", "d"]);
        assert!(super::of("no tags").is_empty());
    }
}
