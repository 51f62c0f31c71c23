//! Many texts in one allocation.

use crate::read::limits::{MAX_BYTES, MAX_STRINGS};
use crate::read::problem::{Kind, Problem};

/// Strings by their index.
#[derive(Debug, Default)]
pub(crate) struct Strings {
    text: String,
    /// Where each string ends.
    ends: Vec<usize>,
}

impl Strings {
    /// Adds a string, and returns its index.
    ///
    /// # Errors
    /// [`Kind::UnpackedTooLarge`].
    pub(crate) fn push(&mut self, text: &str) -> Result<usize, Problem> {
        let length = self.text.len().saturating_add(text.len());
        if self.ends.len() >= MAX_STRINGS || length > MAX_BYTES {
            return Err(Problem::of_file(Kind::UnpackedTooLarge));
        }
        self.text.push_str(text);
        self.ends.push(length);
        Ok(self.ends.len() - 1)
    }

    /// Returns the string with an index; empty if there is none.
    pub(crate) fn get(&self, index: usize) -> &str {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).unwrap_or(&0);
        let end = self.ends.get(index).unwrap_or(start);
        self.text.get(*start..*end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_by_index() {
        let mut strings = Strings::default();
        let indices = ["a", "", "bc"].map(|text| strings.push(text).unwrap());
        assert_eq!(indices, [0, 1, 2]);
        let found = [0, 1, 2, 3, usize::MAX].map(|index| strings.get(index));
        assert_eq!(found, ["a", "", "bc", "", ""]);
    }
}
