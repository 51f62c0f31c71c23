//! Canonical JSON (RFC 8785) for event data, which is stored and hashed as text.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A JSON value. Its numbers are integers, because amounts are strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// An integer within the 53 bits that every JSON parser preserves.
    Number(i64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Object),
}

impl Json {
    /// Creates a string.
    pub fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }

    /// Returns the object, if it is one.
    pub fn into_object(self) -> Option<Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Borrows the object, if it is one.
    pub const fn as_object(&self) -> Option<&Object> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Borrows the text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the canonical text: sorted keys, no white space.
    ///
    /// ```
    /// use daybook_domain::json::{Json, Object};
    /// let object = Object::new().with("b", Json::Number(1)).with("a", Json::text("é\n"));
    /// assert_eq!(Json::Object(object).canonical(), "{\"a\":\"é\\n\",\"b\":1}");
    /// ```
    pub fn canonical(&self) -> String {
        let mut out = String::with_capacity(256);
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(value) => out.push_str(&value.to_string()),
            Self::Text(text) => write_text(text, out),
            Self::List(items) => {
                write_items(out, '[', items, ']', |item, out| item.write(out));
            }
            Self::Object(object) => write_items(out, '{', &object.0, '}', |(key, value), out| {
                write_text(&key.0, out);
                out.push(':');
                value.write(out);
            }),
        }
    }
}

/// Writes items between brackets, separated by commas.
fn write_items<T>(
    out: &mut String,
    open: char,
    items: impl IntoIterator<Item = T>,
    close: char,
    write: impl Fn(T, &mut String),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(close);
}

/// A key that sorts by UTF-16 code units (RFC 8785).
///
/// This differs from byte order only outside the basic multilingual plane.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CanonicalKey(String);

impl Ord for CanonicalKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.encode_utf16().cmp(other.0.encode_utf16())
    }
}

impl PartialOrd for CanonicalKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A JSON object.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object(BTreeMap<CanonicalKey, Json>);

impl Object {
    /// Creates an empty object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.get(&CanonicalKey(key.to_owned()))
    }

    /// Removes a key and returns its value.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        self.0.remove(&CanonicalKey(key.to_owned()))
    }

    /// Iterates over keys and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.0.as_str(), value))
    }

    /// Adds the keys of another object, which override existing ones.
    #[must_use]
    pub fn extend(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds a key.
    #[must_use]
    pub fn with(mut self, key: &str, value: Json) -> Self {
        self.0.insert(CanonicalKey(key.to_owned()), value);
        self
    }

    /// Adds a key if there is a value.
    #[must_use]
    pub fn with_some(self, key: &str, value: Option<Json>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// Adds a flag if it is true.
    #[must_use]
    pub fn with_flag(self, key: &str, value: bool) -> Self {
        self.with_some(key, value.then_some(Json::Bool(true)))
    }

    /// Adds a list of strings if it is not empty.
    #[must_use]
    pub fn with_texts(self, key: &str, texts: &[String]) -> Self {
        let list = || Json::List(texts.iter().map(Json::text).collect());
        self.with_some(key, (!texts.is_empty()).then(list))
    }

    /// Adds a map of strings if it is not empty.
    #[must_use]
    pub fn with_map<'a>(self, key: &str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let map =
            pairs.fold(Self::new(), |object, (key, value)| object.with(key, Json::text(value)));
        if map.0.is_empty() { self } else { self.with(key, Json::Object(map)) }
    }
}

impl FromIterator<(String, Json)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(key, value)| (CanonicalKey(key), value)).collect())
    }
}

/// Formats strings as a JSON array, for previous values of lists (behaviour 8.3).
pub fn text_list(items: impl Iterator<Item = String>) -> String {
    Json::List(items.map(Json::Text).collect()).canonical()
}

/// Appends a string in quotes.
pub fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some((unescaped, c, tail)) = split_at_escaped(rest) {
        out.push_str(unescaped);
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
        }
        rest = tail;
    }
    out.push_str(rest);
    out.push('"');
}

/// Splits a text at the first character that JSON escapes.
fn split_at_escaped(text: &str) -> Option<(&str, char, &str)> {
    let index = text.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')?;
    let (unescaped, tail) = text.split_at_checked(index)?;
    let mut characters = tail.chars();
    Some((unescaped, characters.next()?, characters.as_str()))
}

/// Returns whether a string of a JSON text has an escaped NUL, which PostgreSQL cannot store.
#[must_use]
pub fn contains_nul(text: &[u8]) -> bool {
    const ESCAPE: &[u8] = b"\\u0000";
    // Most texts contain no backslash, and this check is fast for large ones.
    if !text.contains(&b'\\') {
        return false;
    }
    let starts = text.windows(ESCAPE.len()).enumerate().filter(|(_, window)| *window == ESCAPE);
    // The escape is one only after an even number of backslashes.
    starts
        .map(|(at, _)| text.iter().take(at).rev().take_while(|byte| **byte == b'\\').count())
        .any(|before| before.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_nul_is_found() {
        assert!(contains_nul(br#"{"a":"x\u0000"}"#));
        assert!(!contains_nul(br#"{"a":"x\\u0000"}"#));
        assert!(contains_nul(br#"{"a":"x\\\u0000"}"#));
        assert!(!contains_nul(br#"{"a":"x\u0001"}"#));
    }

    #[test]
    fn canonical_form_follows_rfc_8785() {
        let object = Object::new()
            .with("\u{20ac}", Json::text("Euro Sign"))
            .with("\r", Json::text("Carriage Return"))
            .with("\u{fb33}", Json::text("Hebrew Letter Dalet With Dagesh"))
            .with("1", Json::text("One"))
            .with("\u{1f600}", Json::text("Emoji: Grinning Face"))
            .with("\u{80}", Json::text("Control"))
            .with("ö", Json::text("Latin Small Letter O With Diaeresis"));
        let text = Json::Object(object).canonical();
        let order: Vec<usize> = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"]
            .iter()
            .map(|word| text.find(word).unwrap())
            .collect();
        assert!(order.is_sorted(), "{text}");
        assert_eq!(
            Json::text("\u{f}\u{8}\"\\/\u{7f}").canonical(),
            "\"\\u000f\\b\\\"\\\\/\u{7f}\""
        );
    }

    #[test]
    fn empty_values_are_omitted() {
        let object = Object::new()
            .with_flag("a", false)
            .with_texts("b", &[])
            .with_some("c", None)
            .with_map("d", std::iter::empty());
        assert_eq!(Json::Object(object).canonical(), "{}");
    }

    #[test]
    fn nested_values_have_canonical_form() {
        let inner = Object::new().with("z", Json::Number(-9_007_199_254_740_991));
        let inner = inner.with("Z", Json::List(vec![Json::Bool(true), Json::List(Vec::new())]));
        let object = Object::new()
            .with("a", Json::Object(inner))
            .with("", Json::text("\0\t\n\u{c}\r\u{2028}"));
        assert_eq!(
            Json::Object(object).canonical(),
            "{\"\":\"\\u0000\\t\\n\\f\\r\u{2028}\",\"a\":{\"Z\":[true,[]],\"z\":-9007199254740991}}"
        );
    }
}
