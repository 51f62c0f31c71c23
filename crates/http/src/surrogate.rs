//! Replacement of unpaired surrogates in JSON (behaviour 0.23).

use actix_web::web::{Bytes, BytesMut};

/// The length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Replaces the escape of each unpaired surrogate (`\ud83d` alone) by that of U+FFFD, in place.
pub(crate) fn replace_unpaired(json: Bytes) -> Bytes {
    let Some(first) = next_unpaired(&json, 0) else { return json };
    let mut json = BytesMut::from(json);
    let mut next = Some(first);
    while let Some(at) = next {
        let end = at.saturating_add(ESCAPE);
        if let Some(escape) = json.get_mut(at..end) {
            escape.copy_from_slice(b"\\ufffd");
        }
        next = next_unpaired(&json, end);
    }
    json.freeze()
}

/// Returns the position of the next escape of an unpaired surrogate.
fn next_unpaired(json: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = at.saturating_add(json.get(at..)?.iter().position(|byte| *byte == b'\\')?);
        let after = at.saturating_add(ESCAPE);
        at = match code_unit(json, at) {
            Some(0xd800..=0xdbff) if matches!(code_unit(json, after), Some(0xdc00..=0xdfff)) => {
                after.saturating_add(ESCAPE)
            }
            Some(0xd800..=0xdfff) => return Some(at),
            Some(_) => after,
            None => at.saturating_add(2),
        };
    }
}

/// Returns the UTF-16 code unit of the escape at a position.
fn code_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at.saturating_add(ESCAPE))?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unpaired_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00x\uD83D\uD83D\uDE00""#, r#""\ufffdx\ufffd\uD83D\uDE00""#),
            (r#""\ud83d\n\\ud83d\\\ud83d""#, r#""\ufffd\n\\ud83d\\\ufffd""#),
            (r#""\ud83d\ud83d\u00e9\ud8""#, r#""\ufffd\ufffd\u00e9\ud8""#),
            (r"\ud83", r"\ud83"),
        ] {
            assert_eq!(replace_unpaired(Bytes::from(text)), expected, "{text}");
        }
    }
}
