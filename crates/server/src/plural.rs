//! Counts with their nouns, for people.

use std::fmt::Display;

/// Writes a count with its noun, such as `1 book` or `2 books`.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1_u8) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_has_no_plural() {
        assert_eq!(counted(1_u64, "book"), "1 book");
        assert_eq!(counted(0_usize, "event"), "0 events");
        assert_eq!(counted(2_i64, "file"), "2 files");
    }
}
