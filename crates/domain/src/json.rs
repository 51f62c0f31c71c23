//! Canonical JSON (RFC 8785) of the shapes that events consist of: the text that is stored and
//! hashed.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A JSON value without fractions; amounts are strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number within the 53 bits every JSON reader keeps.
    Number(i64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object.
    Object(Object),
}

impl Json {
    /// A string.
    pub fn text(value: impl Into<String>) -> Self {
        Self::Text(value.into())
    }

    /// The object this is, if it is one.
    #[must_use]
    pub fn into_object(self) -> Option<Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The object this is, to be looked at.
    #[must_use]
    pub const fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            Self::Bool(_) | Self::Number(_) | Self::Text(_) | Self::List(_) => None,
        }
    }

    /// The text this is, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Bool(_) | Self::Number(_) | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// The canonical text: sorted keys, no white space.
    ///
    /// ```
    /// use daybook_domain::json::{Json, Object};
    /// let object = Object::new().with("b", Json::Number(1)).with("a", Json::text("é\n"));
    /// assert_eq!(Json::Object(object).canonical(), "{\"a\":\"é\\n\",\"b\":1}");
    /// ```
    #[must_use]
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
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(object) => {
                out.push('{');
                for (index, (key, value)) in object.0.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_text(&key.0, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// A key. Keys sort by UTF-16 code units, as RFC 8785 requires; this differs from byte order only
/// outside the basic multilingual plane.
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

/// A JSON object under construction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object(BTreeMap<CanonicalKey, Json>);

impl Object {
    /// An empty object.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.get(&CanonicalKey(key.to_owned()))
    }

    /// Takes a key out.
    pub fn take(&mut self, key: &str) -> Option<Json> {
        self.0.remove(&CanonicalKey(key.to_owned()))
    }

    /// Its keys in order, each with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Json)> {
        self.0.iter().map(|(key, value)| (key.0.as_str(), value))
    }

    /// The object with the keys of another one, whose values count where both have them.
    #[must_use]
    pub fn updated(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The object with one more key.
    #[must_use]
    pub fn with(mut self, key: &str, value: Json) -> Self {
        self.0.insert(CanonicalKey(key.to_owned()), value);
        self
    }

    /// The object with one more key, if there is a value for it.
    #[must_use]
    pub fn with_some(self, key: &str, value: Option<Json>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The object with a flag, which is left out when false to keep snapshots small.
    #[must_use]
    pub fn with_flag(self, key: &str, value: bool) -> Self {
        self.with_some(key, value.then_some(Json::Bool(true)))
    }

    /// The object with a list of strings, which is left out when empty.
    #[must_use]
    pub fn with_texts(self, key: &str, texts: &[String]) -> Self {
        let list = || Json::List(texts.iter().map(Json::text).collect());
        self.with_some(key, (!texts.is_empty()).then(list))
    }

    /// The object with a map of strings, which is left out when empty.
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

/// A list of strings as the text of a JSON array (previous values of lists, behaviour 8.3).
#[must_use]
pub fn text_list(items: impl Iterator<Item = String>) -> String {
    Json::List(items.map(Json::Text).collect()).canonical()
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some((plain, c, behind)) = split_at_escaped(rest) {
        out.push_str(plain);
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
        rest = behind;
    }
    out.push_str(rest);
    out.push('"');
}

/// Splits a text at its first character that a JSON text does not hold as it is.
fn split_at_escaped(text: &str) -> Option<(&str, char, &str)> {
    let place = text.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\')?;
    let (plain, from) = text.split_at_checked(place)?;
    let mut characters = from.chars();
    Some((plain, characters.next()?, characters.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn empty_parts_are_left_out() {
        let object = Object::new()
            .with_flag("a", false)
            .with_texts("b", &[])
            .with_some("c", None)
            .with_map("d", std::iter::empty());
        assert_eq!(Json::Object(object).canonical(), "{}");
    }
}
