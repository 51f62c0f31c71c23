//! What must not become ASCII.

use unicode_normalization::UnicodeNormalization;

/// Whether normalizing makes an ASCII character of one that is none: a Kelvin sign would become k,
/// a dotted capital I become i.
pub(super) fn becomes_ascii(c: char) -> bool {
    let composed = || std::iter::once(c).nfc();
    !c.is_ascii() && c.to_lowercase().chain(composed()).any(|c| c.is_ascii())
}
