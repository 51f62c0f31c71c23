//! Encodings that a file declares itself.

/// The bytes in which a declaration is searched for.
const HEAD_BYTES: usize = 2_048;

/// Returns the encoding that the header of an OFX file, an XML file or a page declares.
pub(crate) fn encoding(bytes: &[u8]) -> Option<String> {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let head: String = head.iter().map(|byte| char::from(*byte)).collect();
    let lower = head.to_ascii_lowercase();
    if lower.trim_start().starts_with("<?xml") {
        return xml(&lower);
    }
    let value = |name: &str| {
        let (_, after) = lower.split_once(name)?;
        let end = after.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(after.len());
        after.get(..end).filter(|value| !value.is_empty()).map(str::to_owned)
    };
    if lower.contains("<meta") {
        let label = value("charset=")?;
        let label = label.trim_matches(['"', '\'', '>', '/', ';']);
        return Some(label.to_owned()).filter(|label| !label.is_empty());
    }
    if !lower.contains("ofxheader") {
        return None;
    }
    let charset = value("charset:").filter(|charset| charset != "none");
    match (value("encoding:").as_deref(), charset) {
        (Some("utf-8" | "utf8" | "unicode"), _) => None,
        (_, charset) => charset,
    }
}

/// Returns the value of `encoding` in the declaration of an XML file.
fn xml(lower: &str) -> Option<String> {
    let (declaration, _) = lower.split_once("?>")?;
    let (_, after) = declaration.split_once("encoding")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value.get(1..)?.split(quote).next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found() {
        for (text, expected) in [
            ("OFXHEADER:100\nENCODING:USASCII\nCHARSET:1252\n<OFX>", Some("1252")),
            ("OFXHEADER:100 ENCODING:USASCII CHARSET:NONE <OFX>", None),
            ("OFXHEADER:100\nENCODING:UTF-8\nCHARSET:1252\n", None),
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", Some("iso-8859-1")),
            ("<?xml version='1.0' encoding = 'cp1250' ?><a/>", Some("cp1250")),
            ("<?xml version='1.0'?><a encoding='x'/>", None),
            ("charset:1252", None),
            ("<html><meta charset=\"Windows-1250\"/>", Some("windows-1250")),
            ("<meta content='text/html; charset=utf-16'>", Some("utf-16")),
            ("<meta charset=>", None),
            ("", None),
        ] {
            assert_eq!(encoding(text.as_bytes()).as_deref(), expected, "{text}");
        }
    }
}
