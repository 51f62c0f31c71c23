//! Markup that is appended to the buffer of the caller.

use maud::Markup;

pub(super) fn append(out: &mut Vec<u8>, markup: Markup) {
    out.extend(markup.into_string().into_bytes());
}
