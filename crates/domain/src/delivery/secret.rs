//! Secrets in what apps answer: an app may repeat what it was told, as it was or written otherwise,
//! and the delivery log and the responses of apps keep answers (behaviour 8.7, 12.13).
//!
//! An answer is looked at as it stands, and as it reads when its escapes are undone, once and
//! again: those of JSON, of percent-encoding and of HTML. In each reading the secrets are looked
//! for as they are, and in Base64 and hex. What is found is removed where it stands.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};

/// A shorter text is no secret: what merely looks like it would go with it.
const SHORTEST_SECRET: usize = 6;
/// What stands in the place of a secret.
const REMOVED: &str = "[removed]";
/// How often escapes are undone: a text in a text in a text.
const MAX_LAYERS: usize = 3;
/// Readings of one secret that are looked for.
const MAX_READINGS: usize = 100;
/// What escapes begin with: those of percent-encoding, of JSON and of HTML; and which of them may
/// be undone in a secret while others stay.
const ESCAPES: &[u8] = b"%\\&";
const SOME_ESCAPES: [&[u8]; 7] = [b"%", b"\\", b"&", b"%\\", b"%&", b"\\&", ESCAPES];

/// A text without these secrets.
pub(super) fn without_secrets(text: &str, secrets: &[String]) -> String {
    let needles = Needles::of(secrets, text.len());
    let Some(finder) = needles.finder() else { return text.to_owned() };
    let mut found = BTreeSet::new();
    let mut reading = Reading::plain(text.as_bytes());
    for _ in 0..=MAX_LAYERS {
        for one in finder.find_overlapping_iter(&reading.bytes) {
            let within = if needles.is_encoded(one.pattern().as_usize()) {
                reading.encoded_around(one.start(), one.end())
            } else {
                (one.start(), one.end())
            };
            found.extend(reading.place(within));
        }
        match reading.unescaped(ESCAPES) {
            Some(next) => reading = next,
            None => break,
        }
    }
    cut_out(text, found)
}

/// The text with a mark in the place of each of these stretches, which may overlap.
fn cut_out(text: &str, stretches: BTreeSet<(usize, usize)>) -> String {
    let (mut kept, mut end) = (String::with_capacity(text.len()), 0);
    for (from, until) in stretches {
        if from >= end {
            kept.push_str(text.get(end..from).unwrap_or_default());
            kept.push_str(REMOVED);
        }
        end = end.max(until);
    }
    kept.push_str(text.get(end..).unwrap_or_default());
    kept
}

/// What is looked for.
struct Needles {
    plain: Vec<Vec<u8>>,
    encoded: Vec<Vec<u8>>,
}

impl Needles {
    /// Of these secrets, as far as they can stand in a text of that length.
    fn of(secrets: &[String], length: usize) -> Self {
        let (mut plain, mut encoded) = (Vec::new(), Vec::new());
        for secret in secrets.iter().filter(|secret| secret.len() >= SHORTEST_SECRET) {
            plain.push(secret.replace(' ', "+").into_bytes());
            plain.extend(readings(secret));
            if secret.len() < length {
                encoded.extend(in_base64(secret.as_bytes()));
                encoded.extend(in_hex(secret.as_bytes()));
            }
        }
        let fits = |needle: &Vec<u8>| (SHORTEST_SECRET..=length).contains(&needle.len());
        plain.retain(fits);
        encoded.retain(fits);
        Self { plain, encoded }
    }

    /// Finds them, if there are any.
    fn finder(&self) -> Option<AhoCorasick> {
        let all = || self.plain.iter().chain(&self.encoded);
        all().next()?;
        // The one that is made fastest: it is used once.
        let kind = Some(AhoCorasickKind::NoncontiguousNFA);
        AhoCorasick::builder().kind(kind).build(all()).ok()
    }

    const fn is_encoded(&self, pattern: usize) -> bool {
        pattern >= self.plain.len()
    }
}

/// A secret as it reads when escapes are undone that it seems to have. An answer in which it was
/// escaped again, in one way, has lost those of the other ways when it is read.
fn readings(secret: &str) -> BTreeSet<Vec<u8>> {
    let mut all = BTreeSet::from([secret.as_bytes().to_vec()]);
    for _ in 0..MAX_LAYERS {
        let next = all.iter().flat_map(|known| {
            let reading = Reading::plain(known);
            SOME_ESCAPES.iter().filter_map(move |escapes| Some(reading.unescaped(escapes)?.bytes))
        });
        let new: BTreeSet<Vec<u8>> = next.filter(|next| !all.contains(next)).collect();
        all.extend(new.into_iter().take(MAX_READINGS.saturating_sub(all.len())));
    }
    all
}

/// What Base64 writes of a text wherever it begins in what is encoded: without the characters at
/// both ends that its neighbours take part in.
fn in_base64(text: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for before in 0..3_usize {
        let whole = [vec![0; before].as_slice(), text].concat();
        for engine in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
            let written = engine.encode(&whole).into_bytes();
            let from = before.saturating_mul(4).div_ceil(3);
            let until = whole.len().saturating_mul(4).div_euclid(3);
            all.extend(written.get(from..until).map(<[u8]>::to_vec));
        }
    }
    all
}

fn in_hex(text: &[u8]) -> [Vec<u8>; 2] {
    let lower: String = text.iter().map(|byte| format!("{byte:02x}")).collect();
    [lower.to_ascii_uppercase().into_bytes(), lower.into_bytes()]
}

/// A text as it reads when escapes are undone, with the place of each byte in the text as it
/// stands.
struct Reading {
    bytes: Vec<u8>,
    /// Where what says the byte begins and ends.
    places: Vec<(usize, usize)>,
}

impl Reading {
    fn plain(bytes: &[u8]) -> Self {
        let places = (0..bytes.len()).map(|at| (at, at.saturating_add(1))).collect();
        Self { bytes: bytes.to_vec(), places }
    }

    /// The place of a stretch in the text as it stands.
    fn place(&self, (from, until): (usize, usize)) -> Option<(usize, usize)> {
        Some((self.places.get(from)?.0, self.places.get(until.checked_sub(1)?)?.1))
    }

    /// A stretch with all that is encoded around it.
    fn encoded_around(&self, from: usize, until: usize) -> (usize, usize) {
        let is_encoded =
            |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
        let before = self.bytes.get(..from).unwrap_or_default();
        let behind = self.bytes.get(until..).unwrap_or_default();
        let before = before.iter().rev().take_while(is_encoded).count();
        let behind = behind.iter().take_while(is_encoded).count();
        (from.saturating_sub(before), until.saturating_add(behind))
    }

    /// The same without one layer of the escapes that begin so; nothing when there are none.
    fn unescaped(&self, begin: &[u8]) -> Option<Self> {
        let mut next = Self { bytes: Vec::new(), places: Vec::new() };
        let (mut at, mut changed) = (0, false);
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let escape = rest.first().filter(|first| begin.contains(first));
            let escape = escape.and_then(|_| escape_at(rest));
            changed |= escape.is_some();
            let (meant, length) =
                escape.unwrap_or_else(|| (rest.iter().take(1).copied().collect(), 1));
            let end = at.saturating_add(length);
            let place = self.place((at, end))?;
            next.places.extend(meant.iter().map(|_| place));
            next.bytes.extend(meant);
            at = end;
        }
        changed.then_some(next)
    }
}

/// What an escape at the beginning of a text means, and how long it is.
fn escape_at(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    match text {
        [b'%', rest @ ..] | [b'\\', b'x', rest @ ..] => {
            let byte = u8::try_from(number(rest.get(..2)?, 16)?).ok()?;
            Some((vec![byte], text.len().saturating_sub(rest.len()).saturating_add(2)))
        }
        [b'\\', b'u', rest @ ..] => {
            let first = number(rest.get(..4)?, 16)?;
            if let Some(both) = pair(first, rest.get(4..).unwrap_or_default()) {
                return Some((both, 12));
            }
            Some((utf8(first)?, 6))
        }
        [b'\\', one, ..] => {
            let meant = match one {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'b' => 8,
                b'f' => 12,
                b'"' | b'\'' | b'\\' | b'/' => *one,
                _ => return None,
            };
            Some((vec![meant], 2))
        }
        [b'&', rest @ ..] => entity(rest),
        _ => None,
    }
}

/// The two halves of a character beyond the first plane, the second of which follows.
fn pair(first: u32, rest: &[u8]) -> Option<Vec<u8>> {
    let second = number(rest.strip_prefix(b"\\u")?.get(..4)?, 16)?;
    let halves = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let mut read = char::decode_utf16(halves);
    let both = read.next()?.ok()?;
    if read.next().is_some() { None } else { utf8(both.into()) }
}

/// What HTML writes behind `&`.
fn entity(rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    /// The longest number of a character, with `#x`.
    const MAX_NAME: usize = 10;
    let length = rest.iter().take(MAX_NAME).position(|byte| *byte == b';')?;
    let meant = match rest.get(..length)? {
        b"amp" => vec![b'&'],
        b"lt" => vec![b'<'],
        b"gt" => vec![b'>'],
        b"quot" => vec![b'"'],
        b"apos" => vec![b'\''],
        [b'#', b'x' | b'X', digits @ ..] => utf8(number(digits, 16)?)?,
        [b'#', digits @ ..] => utf8(number(digits, 10)?)?,
        _ => return None,
    };
    Some((meant, length.saturating_add(2)))
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let text = str::from_utf8(digits).ok().filter(|text| !text.starts_with('+'))?;
    u32::from_str_radix(text, radix).ok()
}

fn utf8(number: u32) -> Option<Vec<u8>> {
    Some(char::from_u32(number)?.to_string().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;
    use proptest::prelude::*;

    const SECRET: &str = "a secret/of \"some\" länge+<&>";

    fn removed(text: &str) -> String {
        without_secrets(text, &[SECRET.to_owned()])
    }

    fn percent(text: &str, is_kept: impl Fn(u8) -> bool) -> String {
        let one = |byte: u8| match byte {
            _ if is_kept(byte) => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        text.bytes().map(one).collect()
    }

    fn units(text: &str) -> String {
        text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect()
    }

    #[test]
    fn however_it_is_written() {
        let json = |text: &str| Json::text(text).canonical().trim_matches('"').to_owned();
        let html = SECRET.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&#34;");
        for written in [
            SECRET.to_owned(),
            json(SECRET),
            json(&json(SECRET)),
            json(&json(&json(SECRET))),
            json(SECRET).replace('/', "\\/").replace('<', "\\u003c").replace('ä', "\\u00E4"),
            units(SECRET),
            percent(SECRET, |_| false),
            percent(SECRET, |byte| byte.is_ascii_alphanumeric()).to_lowercase(),
            percent(SECRET, |byte| byte.is_ascii_alphanumeric()).replace("%20", "+"),
            json(&percent(SECRET, |byte| byte.is_ascii_alphanumeric())),
            percent(&json(SECRET), |byte| byte.is_ascii_alphanumeric()),
            html.clone(),
            html.replace('ä', "&#xe4;").replace('>', "&gt;"),
            SECRET.replace('ä', "\\xc3\\xa4"),
        ] {
            let text = format!("{{\"you sent\":\"{written}\"}}");
            assert_eq!(removed(&text), "{\"you sent\":\"[removed]\"}", "{written}");
        }
    }

    #[test]
    fn secrets_that_look_escaped() {
        for secret in ["\"\\\\a%00\\", "%41%2541\\n&amp;secret", "&#37;41\\u0025x"] {
            let json = Json::text(secret.to_owned()).canonical();
            for written in [secret.to_owned(), json.clone(), Json::text(json).canonical()] {
                let kept = without_secrets(&format!("a {written} b"), &[secret.to_owned()]);
                assert!(kept.contains("[removed]"), "{written}: {kept}");
                assert!(!kept.contains(secret) && !kept.contains(&written), "{kept}");
            }
            let percent = percent(secret, |byte| byte.is_ascii_alphanumeric());
            assert_eq!(without_secrets(&percent, &[secret.to_owned()]), "[removed]");
        }
    }

    #[test]
    fn with_what_is_encoded_around_it() {
        for before in ["", "u", "us", "user:", "user: "] {
            for behind in ["", "x", "xy", "xyz"] {
                let whole = format!("{before}{SECRET}{behind}");
                for engine in [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD] {
                    let written = engine.encode(&whole);
                    assert_eq!(removed(&format!("Basic {written}!")), "Basic [removed]!");
                    let slashes = written.replace('/', "\\/");
                    assert_eq!(removed(&format!("\"{slashes}\"")), "\"[removed]\"");
                }
                let hex: String = whole.bytes().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(removed(&format!("hex {hex} end")), "hex [removed] end");
                assert_eq!(removed(&hex.to_uppercase()), "[removed]");
            }
        }
    }

    #[test]
    fn what_is_none_stays() {
        for text in ["", "a secret", "%", "%2", "%zz \\u12 \\ud800 \\q &amp &#x110000; &;", "é%C3"]
        {
            assert_eq!(removed(text), text);
        }
        assert_eq!(without_secrets("an a", &["a".to_owned()]), "an a", "that is no secret");
        let both = ["whsec_abcdef".to_owned(), "abcdef".to_owned()];
        assert_eq!(without_secrets("whsec_abcdef abcdef", &both), "[removed] [removed]");
    }

    /// Escapes in a secret are none of the answer's.
    #[test]
    fn secrets_that_look_like_escapes() {
        for secret in ["50%41%2541", "back\\nslash\\\\", "&amp;&lt;amp", "%5c%75\\u0041bcdefgh"] {
            let none = |text: String| {
                let kept = without_secrets(&text, &[secret.to_owned()]);
                assert_eq!(kept, "x[removed]y", "{text}");
            };
            none(format!("x{secret}y"));
            none(format!("x{}y", percent(secret, |_| false)));
            none(format!("x{}y", units(secret)));
            none(format!("x{}y", secret.replace('\\', "\\\\")));
        }
    }

    proptest! {
        #[test]
        fn no_secret_is_kept(
            before in "[a-z\\PC]{0,30}",
            secret in "[A-Za-z0-9._\\\\%&;\"é-]{8,40}",
            after in "\\PC{0,30}",
            form in 0..4,
        ) {
            let written = match form {
                0 => secret.clone(),
                1 => units(&secret),
                2 => percent(&secret, |byte| byte.is_ascii_alphanumeric()),
                _ => Json::text(secret.clone()).canonical(),
            };
            // A lone `%` right before it would make an escape of its first letters.
            let text = format!("{before} {written} {after} {written}");
            let kept = without_secrets(&text, std::slice::from_ref(&secret));
            prop_assert!(!kept.contains(&written), "{kept}");
        }

        #[test]
        fn any_text_is_read(text in "[\\\\u%&;#x0-9a-fä ]{0,60}") {
            let kept = without_secrets(&text, &["nothing like it".to_owned()]);
            prop_assert_eq!(kept, text);
        }
    }
}
