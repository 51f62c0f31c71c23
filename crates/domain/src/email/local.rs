//! What stands before the `@` of an address.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection};

use super::confusables::becomes_ascii;
use super::refusal::{MAX_LOCAL, Refusal};

/// What of ASCII, beside letters and digits, may stand before the `@` (RFC 5322, atext), without
/// the slash, which separates paths.
const SYMBOLS: &str = "!#$%&'*+-=?^_`{|}~.";
/// The dot above, which cannot be seen on letters that have a dot of their own.
const DOT_ABOVE: char = '\u{307}';

/// What is wrong.
pub(super) enum Fault {
    Form,
    Length,
    Character(char),
    LookAlike,
}

impl Fault {
    /// The refusal of an address.
    pub(super) fn of(self, email: &str) -> Refusal {
        let email = email.to_owned();
        match self {
            Self::Form => Refusal::Malformed(email),
            Self::Length => Refusal::LongLocal(email),
            Self::Character(character) => Refusal::Character { email, character },
            Self::LookAlike => Refusal::LookAlike(email),
        }
    }
}

/// The normalized form: NFC, lower case.
pub(super) fn normalized(text: &str) -> Result<String, Fault> {
    // Asked before and after composing, which makes a dotted I of an I and a dot.
    let composed: String = text.nfc().collect();
    if let Some(c) = text.chars().chain(composed.chars()).find(|c| becomes_ascii(*c)) {
        return Err(Fault::Character(c));
    }
    let lower: String = composed.to_lowercase().nfc().collect();
    check_characters(&lower)?;
    let dots = lower.starts_with('.') || lower.ends_with('.') || lower.contains("..");
    if lower.is_empty() || dots {
        return Err(Fault::Form);
    }
    if lower.len() > MAX_LOCAL {
        return Err(Fault::Length);
    }
    if !lower.is_ascii() && looks_alike(&lower) { Err(Fault::LookAlike) } else { Ok(lower) }
}

/// Each is a letter or a digit that UTS 39 allows in identifiers, its mark, or one of the symbols.
fn check_characters(text: &str) -> Result<(), Fault> {
    let mut before = None;
    for c in text.chars() {
        let fits = if c.is_ascii() {
            c.is_ascii_lowercase() || c.is_ascii_digit() || SYMBOLS.contains(c)
        } else if is_combining_mark(c) {
            let letter = before.is_some_and(|before: char| !before.is_ascii());
            letter && c != DOT_ABOVE && c.identifier_allowed()
        } else {
            c.is_alphanumeric() && c.identifier_allowed()
        };
        if !fits {
            return Err(Fault::Character(c));
        }
        before = Some(c);
    }
    Ok(())
}

/// Whether it mixes scripts more than UTS 39 calls highly restrictive, or is not ASCII and looks
/// as if it were.
fn looks_alike(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !SYMBOLS.contains(*c)).collect();
    !letters.as_str().check_restriction_level(RestrictionLevel::HighlyRestrictive)
        || unicode_security::skeleton(text).all(|c| c.is_ascii())
}
