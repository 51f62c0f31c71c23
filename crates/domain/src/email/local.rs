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

/// Validates the local part of an address and normalizes it to NFC and lower case.
pub(super) fn normalize(text: &str, address: &str) -> Result<String, Refusal> {
    let refused = |character| Refusal::Character { email: address.to_owned(), character };
    // Checked before and after composition, which turns an I and a dot into a dotted I.
    let composed: String = text.nfc().collect();
    if let Some(c) = text.chars().chain(composed.chars()).find(|c| becomes_ascii(*c)) {
        return Err(refused(c));
    }
    let lower: String = composed.to_lowercase().nfc().collect();
    if let Some(c) = find_refused(&lower) {
        return Err(refused(c));
    }
    let has_bad_dots = lower.starts_with('.') || lower.ends_with('.') || lower.contains("..");
    if lower.is_empty() || has_bad_dots {
        Err(Refusal::Malformed(address.to_owned()))
    } else if lower.len() > MAX_LOCAL {
        Err(Refusal::LongLocal(address.to_owned()))
    } else if !lower.is_ascii() && is_confusable(&lower) {
        Err(Refusal::LookAlike(address.to_owned()))
    } else {
        Ok(lower)
    }
}

/// Finds a character that is neither a symbol nor a letter, digit or mark that UTS 39 allows in
/// identifiers.
fn find_refused(text: &str) -> Option<char> {
    let mut previous = None;
    text.chars().find(|c| {
        let previous: Option<char> = previous.replace(*c);
        if c.is_ascii() {
            !(c.is_ascii_lowercase() || c.is_ascii_digit() || SYMBOLS.contains(*c))
        } else if is_combining_mark(*c) {
            let follows_letter = previous.is_some_and(|previous| !previous.is_ascii());
            !follows_letter || *c == DOT_ABOVE || !c.identifier_allowed()
        } else {
            !c.is_alphanumeric() || !c.identifier_allowed()
        }
    })
}

/// Returns whether it mixes scripts beyond the level "highly restrictive" of UTS 39, or resembles
/// ASCII.
fn is_confusable(text: &str) -> bool {
    let letters: String = text.chars().filter(|c| !SYMBOLS.contains(*c)).collect();
    !letters.as_str().check_restriction_level(RestrictionLevel::HighlyRestrictive)
        || unicode_security::skeleton(text).all(|c| c.is_ascii())
}
