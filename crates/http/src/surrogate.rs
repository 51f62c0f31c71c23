//! Halves of surrogate pairs in JSON (behaviour 0.23).

use actix_web::web::{Bytes, BytesMut};

/// Length of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The text of JSON in which each escape of half a character (`\ud83d` alone) is one of U+FFFD. The
/// memory is that of the text.
pub(crate) fn replaced(json: Bytes) -> Bytes {
    let Some(first) = next_half(&json, 0) else { return json };
    let mut json = BytesMut::from(json);
    let mut half = Some(first);
    while let Some(at) = half {
        let end = at.saturating_add(ESCAPE);
        if let Some(escape) = json.get_mut(at..end) {
            escape.copy_from_slice(b"\\ufffd");
        }
        half = next_half(&json, end);
    }
    json.freeze()
}

/// Where the next escape of half a character begins.
fn next_half(json: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at = at.saturating_add(json.get(at..)?.iter().position(|byte| *byte == b'\\')?);
        let behind = at.saturating_add(ESCAPE);
        at = match unit(json, at) {
            Some(0xd800..=0xdbff) if matches!(unit(json, behind), Some(0xdc00..=0xdfff)) => {
                behind.saturating_add(ESCAPE)
            }
            Some(0xd800..=0xdfff) => return Some(at),
            Some(_) => behind,
            None => at.saturating_add(2),
        };
    }
}

/// The UTF-16 code unit whose escape stands here.
fn unit(json: &[u8], at: usize) -> Option<u16> {
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
    fn halves_are_replaced_and_pairs_are_not() {
        for (text, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00x\uD83D\uD83D\uDE00""#, r#""\ufffdx\ufffd\uD83D\uDE00""#),
            (r#""\ud83d\n\\ud83d\\\ud83d""#, r#""\ufffd\n\\ud83d\\\ufffd""#),
            (r#""\ud83d\ud83d\u00e9\ud8""#, r#""\ufffd\ufffd\u00e9\ud8""#),
            (r"\ud83", r"\ud83"),
        ] {
            assert_eq!(replaced(Bytes::from(text)), expected, "{text}");
        }
    }
}
