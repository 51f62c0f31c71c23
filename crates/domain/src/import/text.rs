//! Normalized texts and their words.

use std::hash::{DefaultHasher, Hasher as _};

use sha2::{Digest as _, Sha256};

use crate::name::fold;

/// Returns the form in which texts of records are compared: folded, with single spaces and without
/// control characters.
pub(super) fn normalize(text: &str) -> String {
    let visible: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}'))
        .collect();
    let folded = fold(&visible);
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The fewest letters of a word.
const MIN_WORD: usize = 3;

/// Iterates over the words of a normalized text: at least three letters and no digit, because
/// numbers of cards, terminals and invoices change with each record.
pub(super) fn words(normalized: &str) -> impl Iterator<Item = &str> {
    normalized.split(|c: char| !c.is_alphanumeric()).filter(|word| {
        word.chars().nth(MIN_WORD - 1).is_some() && !word.chars().any(char::is_numeric)
    })
}

/// The number of words in a [`Sketch`].
const SKETCH_WORDS: usize = 5;

/// The hashes of a text and of its longest words, for comparisons without the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sketch {
    words: [u32; SKETCH_WORDS],
    text: u32,
}

impl Sketch {
    /// Computes the sketch of a text that is not normalized.
    pub(super) fn of(text: &str) -> Self {
        Self::with_words(text, "")
    }

    /// Computes the sketch of a text, with the words of another one too.
    pub(super) fn with_words(text: &str, more: &str) -> Self {
        let (text, more) = (normalize(text), normalize(more));
        let all = words(&text).chain(words(&more));
        let mut longest: Vec<&str> = all.filter(|word| !is_stopword(word)).collect();
        longest.sort_unstable_by(|one, other| (other.len(), one).cmp(&(one.len(), other)));
        longest.dedup();
        let mut sketch = Self { text: hash32(&text), ..Self::default() };
        for (slot, word) in sketch.words.iter_mut().zip(longest) {
            *slot = hash32(word);
        }
        sketch
    }

    /// Iterates over the hashes of the words.
    pub(super) fn words(self) -> impl Iterator<Item = u32> {
        self.words.into_iter().filter(|word| *word != 0)
    }

    /// Returns whether both texts are equal or have a word in common.
    pub(super) fn is_similar(self, other: Self) -> bool {
        (self.text != 0 && self.text == other.text)
            || self.words().any(|word| other.words.contains(&word))
    }
}

/// Returns whether a word says nothing about the other party.
fn is_stopword(word: &str) -> bool {
    matches!(
        word,
        "payment"
            | "card"
            | "pending"
            | "purchase"
            | "transfer"
            | "debit"
            | "credit"
            | "the"
            | "and"
            | "from"
            | "ref"
            | "reference"
            | "pos"
            | "visa"
            | "mastercard"
            | "online"
            | "zahlung"
            | "kartenzahlung"
            | "lastschrift"
            | "uberweisung"
            | "gutschrift"
    )
}

/// Returns a hash of a text: 0 for an empty one only.
fn hash32(text: &str) -> u32 {
    let [a, b, c, d, ..] = hash64(&text).to_le_bytes();
    let hash = u32::from_le_bytes([a, b, c, d]).max(1);
    if text.is_empty() { 0 } else { hash }
}

/// Returns a hash for tables in memory. It is the same in every process of one build.
pub(super) fn hash64<T: std::hash::Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the first 16 bytes of the SHA-256 of a text.
pub fn digest(text: &str) -> [u8; 16] {
    let hash: [u8; 32] = Sha256::digest(text.as_bytes()).into();
    let mut first = [0; 16];
    first.iter_mut().zip(hash).for_each(|(slot, byte)| *slot = byte);
    first
}

/// Returns the first 8 hexadecimal digits of the SHA-256 of a text.
pub(super) fn hash8(text: &str) -> String {
    digest(text).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_without_case_accents_and_spacing() {
        for (text, expected) in [
            ("  Café\u{a0}Zürich ", "cafe zurich"),
            ("A\r\n\tB", "a b"),
            ("zero\u{200b}width", "zerowidth"),
            ("", ""),
        ] {
            assert_eq!(normalize(text), expected, "{text:?}");
        }
        assert_eq!(normalize("cafe\u{301}"), normalize("CAFÉ"));
    }

    #[test]
    fn words_have_letters_only() {
        let found: Vec<_> = words("rewe sagt danke 4711 x12 ab bolt&nut").collect();
        assert_eq!(found, ["rewe", "sagt", "danke", "bolt", "nut"]);
    }

    #[test]
    fn texts_with_a_common_word_are_similar() {
        let similar = |one, other| Sketch::of(one).is_similar(Sketch::of(other));
        assert!(similar("PENDING HOTEL", "Hotel ABC"));
        assert!(!similar("PENDING HOTEL", "TAXI"));
        assert!(!similar("card payment 1", "card payment 2"));
        assert!(similar("4711", " 4711"));
        assert!(!similar("", ""));
    }
}
