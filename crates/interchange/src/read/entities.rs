//! Character references of XML and HTML.

/// Names of the characters from U+00A0 to U+00FF, in their order.
const LATIN: &str = "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg \
    macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 \
    iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave \
    Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc \
    Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc \
    euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave \
    uacute ucirc uuml yacute thorn yuml";

const OTHERS: [(&str, char); 15] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("euro", '\u{20ac}'),
    ("ndash", '\u{2013}'),
    ("mdash", '\u{2014}'),
    ("lsquo", '\u{2018}'),
    ("rsquo", '\u{2019}'),
    ("ldquo", '\u{201c}'),
    ("rdquo", '\u{201d}'),
    ("hellip", '\u{2026}'),
    ("bull", '\u{2022}'),
    ("trade", '\u{2122}'),
];

/// The most bytes of a name.
const MAX_NAME_BYTES: usize = 10;

/// Returns the character that a reference stands for: `amp`, `#38` or `#x26`.
pub(crate) fn resolve(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    let other = OTHERS.into_iter().find(|(known, _)| *known == name);
    if let Some((_, c)) = other {
        return Some(c);
    }
    let index = LATIN.split_whitespace().position(|known| known == name)?;
    char::from_u32(u32::try_from(index).ok()?.checked_add(0xa0)?)
}

/// Replaces references by their characters, once; other text stays.
pub(crate) fn decode(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let head = after.get(..after.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(after);
        let found = head.split_once(';').and_then(|(name, _)| Some((name, resolve(name)?)));
        match found {
            Some((name, c)) => {
                decoded.push(c);
                rest = after.get(name.len() + 1..).unwrap_or_default();
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_decoded_once() {
        for (text, expected) in [
            ("Bolt & Nut", "Bolt & Nut"),
            ("a &amp;amp; b &lt;c&gt;", "a &amp; b <c>"),
            ("caf&eacute;&nbsp;1 &yuml;&nbsp", "caf\u{e9}\u{a0}1 \u{ff}&nbsp"),
            ("&#65;&#x42;&#0;&#xd800;&#99999999999;", "AB&#0;&#xd800;&#99999999999;"),
            (
                "&;&&unknown; &\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
                "&;&&unknown; &\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9};",
            ),
        ] {
            assert_eq!(decode(text), expected);
        }
    }
}
