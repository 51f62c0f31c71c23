//! Characters that normalization would turn into ASCII.

use unicode_normalization::UnicodeNormalization;

/// Returns whether normalization turns a non-ASCII character into ASCII, such as the Kelvin sign
/// into `k`.
pub(super) fn becomes_ascii(c: char) -> bool {
    let composed = || std::iter::once(c).nfc();
    !c.is_ascii() && c.to_lowercase().chain(composed()).any(|c| c.is_ascii())
}
