//! The short code that a person types to sign in a program (RFC 8628, 6.1).

use std::fmt;

/// The letters of codes: no vowel, so that they make no words, and none that looks like a digit.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
/// How many letters a code has.
const LENGTH: usize = 8;

/// A code of eight letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UserCode(String);

impl UserCode {
    /// A code from random bytes; `None` when too few of them stand for a letter. Each letter is
    /// equally likely.
    #[must_use]
    pub fn random(bytes: &[u8]) -> Option<Self> {
        // 240 is the largest multiple of 20 in a byte: those above it would favour some letters.
        let fair = bytes.iter().filter(|byte| **byte < 240);
        let letters = fair.filter_map(|byte| LETTERS.get(usize::from(byte % 20)));
        let code: String = letters.take(LENGTH).map(|letter| char::from(*letter)).collect();
        (code.len() == LENGTH).then_some(Self(code))
    }

    /// Reads what a person types: in any case, with hyphens and spaces.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let code: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '-')
            .map(|c| c.to_ascii_uppercase())
            .collect();
        let plain = code.len() == LENGTH && code.bytes().all(|byte| LETTERS.contains(&byte));
        plain.then_some(Self(code))
    }

    /// A code as it was stored.
    #[must_use]
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The letters alone.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserCode {
    /// As people read it: `BCDF-GHJK`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, second) = self.0.split_at_checked(LENGTH / 2).unwrap_or((&self.0, ""));
        write!(f, "{first}-{second}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_eight_letters_that_people_may_type_as_they_like() {
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
    fn every_letter_is_equally_likely() {
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
