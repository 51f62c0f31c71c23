//! Media types: syntax, types by file extension, and types that browsers may display (behaviour
//! 9.6).

/// Maximum length of a media type with its parameters, in bytes.
const MAX_TYPE: usize = 255;

/// The media type of unknown content.
const UNKNOWN: &str = "application/octet-stream";

/// Media types by file extension.
const BY_EXTENSION: &[(&str, &str)] = &[
    ("7z", "application/x-7z-compressed"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("csv", "text/csv"),
    ("doc", "application/msword"),
    ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ("eml", "message/rfc822"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("heic", "image/heic"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("ics", "text/calendar"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("m4a", "audio/mp4"),
    ("md", "text/markdown"),
    ("mov", "video/quicktime"),
    ("mp3", "audio/mpeg"),
    ("mp4", "video/mp4"),
    ("odp", "application/vnd.oasis.opendocument.presentation"),
    ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
    ("odt", "application/vnd.oasis.opendocument.text"),
    ("ofx", "application/x-ofx"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("ppt", "application/vnd.ms-powerpoint"),
    ("pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"),
    ("qif", "application/x-qif"),
    ("rtf", "application/rtf"),
    ("svg", "image/svg+xml"),
    ("tar", "application/x-tar"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("txt", "text/plain"),
    ("vcf", "text/vcard"),
    ("wav", "audio/wav"),
    ("webm", "video/webm"),
    ("webp", "image/webp"),
    ("xls", "application/vnd.ms-excel"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("xml", "application/xml"),
    ("zip", "application/zip"),
];

/// Types that a browser may display.
///
/// Browsers do not execute them, unlike HTML and SVG. All other types are offered for download.
const INLINE: [&str; 8] = [
    "application/pdf",
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/jpeg",
    "image/png",
    "image/webp",
    "text/plain",
];

/// Returns the media type for the extension of a file name.
pub fn from_file_name(name: &str) -> &'static str {
    let extension = name
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
        .unwrap_or_default();
    BY_EXTENSION.iter().find(|(known, _)| *known == extension).map_or(UNKNOWN, |(_, kind)| kind)
}

/// Returns whether the text is a media type, with or without parameters: `type/subtype; name=value;
/// name="a value"`.
///
/// Commas are not allowed, because browsers split the header at commas and use the last type.
pub fn is_media_type(text: &str) -> bool {
    let mut parts = text.split(';').map(|part| part.trim_matches(' '));
    let names = parts.next().and_then(|essence| essence.split_once('/'));
    let is_named = names.is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    text.len() <= MAX_TYPE && is_named && parts.all(|part| part.is_empty() || is_parameter(part))
}

/// Returns a media type without parameters, in lower case.
pub fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns whether a browser may display the type.
pub fn is_inline(content_type: &str) -> bool {
    INLINE.contains(&essence(content_type).as_str())
}

/// Returns the `Content-Type` to serve a file with.
///
/// A displayed type has no parameters, so a browser cannot parse another type from them. Text keeps
/// its parameters, which contain the encoding. A stored type may be invalid if it was recorded
/// under earlier rules.
pub fn content_type(content_type: &str) -> String {
    let essence = essence(content_type);
    match (essence.as_str(), is_media_type(content_type)) {
        ("text/plain", true) if content_type.contains(';') => content_type.to_owned(),
        ("text/plain", _) => "text/plain; charset=utf-8".to_owned(),
        (inline, _) if INLINE.contains(&inline) => essence,
        (_, true) => content_type.to_owned(),
        (_, false) => UNKNOWN.to_owned(),
    }
}

/// Returns whether the text is `name=value` with an optionally quoted value without escapes.
fn is_parameter(text: &str) -> bool {
    let is_quoted = |value: &str| {
        value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).is_some_and(is_unescaped)
    };
    text.split_once('=')
        .is_some_and(|(name, value)| is_token(name) && (is_token(value) || is_quoted(value)))
}

fn is_unescaped(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !b",\"\\".contains(&byte))
}

/// Returns whether the text is a token of RFC 9110.
fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_valid_types_by_distinct_extensions() {
        assert!(BY_EXTENSION.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(BY_EXTENSION.iter().all(|(_, kind)| is_media_type(kind)));
    }

    #[test]
    fn extension_determines_the_type() {
        for (name, kind) in [
            ("a.jpg", "image/jpeg"),
            ("a b.PDF", "application/pdf"),
            ("a.b.Csv", "text/csv"),
            ("pdf", UNKNOWN),
            ("a.", UNKNOWN),
            (".png", "image/png"),
        ] {
            assert_eq!(from_file_name(name), kind, "{name}");
        }
    }

    #[test]
    fn malformed_types_are_rejected() {
        for text in ["", "/", "text", "text/", "/plain", "te xt/plain", "text/pl ain", "tëxt/plain"]
        {
            assert!(!is_media_type(text), "{text:?}");
        }
        let rests = "\n;a=b|;a=b,text/html|;a=\"b,c\"|,text/html|;a=\"b|;a=\"|;a=\\|;a=é|;a=\u{a0}|\
                     ;a=\u{7f}|;\n|;a|;=b|;a= b";
        for rest in rests.split('|') {
            assert!(!is_media_type(&format!("application/pdf{rest}")), "{rest:?}");
        }
        assert!(!is_media_type(&format!("text/{}", "x".repeat(MAX_TYPE))));
        for text in [
            "application/vnd.x+json;v=1",
            "text/plain ; charset=utf-8",
            "text/plain;",
            "text/csv; header=\"a b\"; charset=UTF-8",
        ] {
            assert!(is_media_type(text), "{text}");
        }
    }

    #[test]
    fn served_type_is_unambiguous() {
        for (kind, expected) in [
            ("application/pdf;a=b,text/html", "application/pdf"),
            ("Image/PNG; a=b", "image/png"),
            ("text/plain;,text/html", "text/plain; charset=utf-8"),
            ("text/plain; charset=iso-8859-1", "text/plain; charset=iso-8859-1"),
            ("text/x;a=b,text/html", UNKNOWN),
            ("text/x\n;a=b", UNKNOWN),
            ("TEXT/HTML; charset=utf-8", "TEXT/HTML; charset=utf-8"),
        ] {
            assert_eq!(content_type(kind), expected, "{kind:?}");
        }
    }

    #[test]
    fn executable_types_are_not_inline() {
        let executable = "text/html image/svg+xml application/xhtml+xml text/xml";
        for kind in executable.split(' ').chain(["application/javascript", "", UNKNOWN]) {
            assert!(!is_inline(kind), "{kind}");
        }
        assert!(is_inline("IMAGE/PNG") && is_inline("text/plain; charset=utf-8"));
    }
}
