//! User codes of device authorizations (RFC 8628, 6.1).

use std::fmt;

/// The letters of codes. Without vowels they form no words, and none resembles a digit.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// Number of letters in a code.
const LENGTH: usize = 8;

/// A user code of eight letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UserCode(String);

impl UserCode {
    /// Creates a code from random bytes, or returns `None` when too few of them can be used.
    ///
    /// All letters are equally likely.
    pub fn random(bytes: &[u8]) -> Option<Self> {
        // Bytes from 240, the largest multiple of 20, would favour some letters.
        let unbiased = bytes.iter().filter(|byte| **byte < 240);
        let letters = unbiased.filter_map(|byte| LETTERS.get(usize::from(byte % 20)));
        let code: String = letters.take(LENGTH).map(|letter| char::from(*letter)).collect();
        (code.len() == LENGTH).then_some(Self(code))
    }

    /// Parses user input in any case, ignoring hyphens and spaces.
    pub fn read(text: &str) -> Option<Self> {
        let code: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let is_code = code.len() == LENGTH && code.bytes().all(|byte| LETTERS.contains(&byte));
        is_code.then_some(Self(code))
    }

    /// Wraps a stored code.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// Returns the letters without the hyphen.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserCode {
    /// Formats the code for display: `BCDF-GHJK`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.0.split_at_checked(LENGTH / 2).unwrap_or((&self.0, ""));
        write!(f, "{first}-{second}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_read_in_any_case_with_hyphens_and_spaces() {
        let code = UserCode::random(&[250, 0, 1, 2, 3, 255, 4, 5, 19, 239, 7]).unwrap();
        assert_eq!(code.as_str(), "BCDFGHZZ");
        assert_eq!(code.to_string(), "BCDF-GHZZ");
        for typed in ["BCDF-GHZZ", "bcdfghzz", " b c d f - g h z z "] {
            assert_eq!(UserCode::read(typed), Some(code.clone()), "{typed}");
        }
        for typed in ["", "BCDFGHZ", "BCDFGHZZZ", "ABCDFGHZ", "BCDFGHZ1", "ＢCDFGHZZ"] {
            assert_eq!(UserCode::read(typed), None, "{typed}");
        }
        assert_eq!(UserCode::random(&[240; 64]), None);
    }

    #[test]
    fn all_letters_are_equally_likely() {
        let all: Vec<u8> = (0..=255).collect();
        let mut counts = std::collections::BTreeMap::new();
        for byte in all {
            if let Some(code) = UserCode::random(&[byte; 8]) {
                *counts.entry(code.as_str().to_owned()).or_insert(0) += 1;
            }
        }
        assert_eq!(counts.len(), 20);
        assert!(counts.values().all(|count| *count == 12), "{counts:?}");
    }
}
