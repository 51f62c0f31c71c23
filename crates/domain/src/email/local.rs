//! The local part of an address, before the `@`.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile, RestrictionLevel, RestrictionLevelDetection};

use super::confusables::becomes_ascii;
use super::refusal::{MAX_LOCAL, Refusal};

/// ASCII symbols allowed in the local part (RFC 5322, atext), without the slash of paths.
const SYMBOLS: &str = "!#$%&'*+-=?^_`{|}~.";
/// The combining dot above, which is invisible on letters with a dot.
const DOT_ABOVE: char = '\u{307}';

/// The reason why a local part is invalid.
pub(super) enum Fault {
    Form,
    Length,
    Character(char),
    LookAlike,
}

impl Fault {
    /// Creates the refusal of the address.
    pub(super) fn into_refusal(self, email: &str) -> Refusal {
        let email = email.to_owned();
        match self {
            Self::Form => Refusal::Malformed(email),
            Self::Length => Refusal::LongLocal(email),
            Self::Character(character) => Refusal::Character { email, character },
            Self::LookAlike => Refusal::LookAlike(email),
        }
    }
}

/// Validates a local part and normalizes it to NFC and lower case.
pub(super) fn normalize(text: &str) -> Result<String, Fault> {
    // Checked before and after composition, which turns an I and a dot into a dotted I.
    let composed: String = text.nfc().collect();
    if let Some(c) = text.chars().chain(composed.chars()).find(|c| becomes_ascii(*c)) {
        return Err(Fault::Character(c));
    }
    let lower: String = composed.to_lowercase().nfc().collect();
    check_characters(&lower)?;
    let has_bad_dots = lower.starts_with('.') || lower.ends_with('.') || lower.contains("..");
    if lower.is_empty() || has_bad_dots {
        return Err(Fault::Form);
    }
    if lower.len() > MAX_LOCAL {
        return Err(Fault::Length);
    }
    if !lower.is_ascii() && is_confusable(&lower) { Err(Fault::LookAlike) } else { Ok(lower) }
}

/// Checks that each character is a symbol, or a letter, digit or mark that UTS 39 allows in
/// identifiers.
fn check_characters(text: &str) -> Result<(), Fault> {
    let mut previous = None;
    for c in text.chars() {
        let is_allowed = if c.is_ascii() {
            c.is_ascii_lowercase() || c.is_ascii_digit() || SYMBOLS.contains(c)
        } else if is_combining_mark(c) {
            let follows_letter = previous.is_some_and(|previous: char| !previous.is_ascii());
            follows_letter && c != DOT_ABOVE && c.identifier_allowed()
        } else {
            c.is_alphanumeric() && c.identifier_allowed()
        };
        if !is_allowed {
            return Err(Fault::Character(c));
        }
        previous = Some(c);
    }
    Ok(())
}

/// Returns whether it mixes scripts beyond the level "highly restrictive" of UTS 39, or resembles
/// ASCII.
fn is_confusable(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !SYMBOLS.contains(*c)).collect();
    !letters.as_str().check_restriction_level(RestrictionLevel::HighlyRestrictive)
        || unicode_security::skeleton(text).all(|c| c.is_ascii())
}
