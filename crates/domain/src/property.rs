//! Custom properties: a map of string to string on every resource (behaviour 4.6).

use std::collections::BTreeMap;

/// Longest key in characters, after normalization (behaviour 4.6).
pub const MAX_KEY: usize = 30;
/// Longest value in bytes (behaviour 4.6).
pub const MAX_VALUE: usize = 90_000;

/// The most keys of one resource.
pub const MAX_KEYS: usize = 1_000;
/// The most bytes of all keys and values of one resource, because they are shown wherever the
/// resource is (behaviour 4.6).
pub const MAX_BYTES: usize = 128 * 1024;

/// Why properties were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A key longer than 30 characters.
    #[error("property key \"{0}\" has more than {MAX_KEY} characters")]
    KeyTooLong(String),
    /// A blank key.
    #[error("a property key must not be blank")]
    KeyBlank,
    /// More keys than allowed.
    #[error("properties would have {0} keys; at most {MAX_KEYS} are allowed")]
    TooMany(usize),
    /// More text than allowed.
    #[error("properties would have {0} bytes in all; at most {MAX_BYTES} are allowed")]
    TooLarge(usize),
    /// A value that is too long.
    #[error("the value of property \"{0}\" has more than {MAX_VALUE} bytes")]
    ValueTooLong(String),
}

/// The stored properties of one resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Properties(BTreeMap<String, String>);

/// The properties of a body: keys to set, and keys to delete (null, empty or blank value).
pub type Edits = BTreeMap<String, Option<String>>;

impl Properties {
    /// Wraps properties that were checked when they were stored.
    #[must_use]
    pub const fn stored(map: BTreeMap<String, String>) -> Self {
        Self(map)
    }

    /// The properties after an update: keys present are set or deleted, absent keys stay.
    ///
    /// # Errors
    /// [`Refusal`] for a key or value that is too long, for too many keys, and for too many bytes.
    ///
    /// ```
    /// use daybook_domain::property::Properties;
    /// let edits =
    ///     [("Tax Rate".to_owned(), Some("10".to_owned())), ("gone".to_owned(), None)].into();
    /// let merged = Properties::default().merged(&edits).unwrap();
    /// assert_eq!(merged.get("tax_rate"), Some("10"));
    /// ```
    pub fn merged(&self, edits: &Edits) -> Result<Self, Refusal> {
        let mut map = self.0.clone();
        for (raw, value) in edits {
            let value = value.as_deref().filter(|value| !value.trim().is_empty());
            if value.is_none() && raw.trim().is_empty() {
                continue;
            }
            let key = checked_key(raw)?;
            match value {
                Some(value) if value.len() > MAX_VALUE => return Err(Refusal::ValueTooLong(key)),
                Some(value) => map.insert(key, value.to_owned()),
                None => map.remove(&key),
            };
        }
        if map.len() > MAX_KEYS {
            return Err(Refusal::TooMany(map.len()));
        }
        let bytes = map.iter().fold(0, |sum: usize, (key, value)| {
            sum.saturating_add(key.len()).saturating_add(value.len())
        });
        if bytes > MAX_BYTES { Err(Refusal::TooLarge(bytes)) } else { Ok(Self(map)) }
    }

    /// The value under a normalized key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// All pairs in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Bytes of all keys and values.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.iter().map(|(key, value)| key.len().saturating_add(value.len())).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the previous value of every changed key to those of an event, `""` for a key that had
    /// none.
    pub fn note_changes(&self, after: &Self, previous: &mut crate::event::Previous) {
        for key in self.0.keys().chain(after.0.keys()) {
            if self.0.get(key) != after.0.get(key) {
                // A field of the same name takes precedence (behaviour 8.3).
                previous
                    .entry(key.clone())
                    .or_insert_with(|| self.get(key).unwrap_or_default().to_owned());
            }
        }
    }
}

/// A key as stored: trimmed, lower-cased, spaces turned into `_`.
#[must_use]
pub fn normalized_key(raw: &str) -> String {
    raw.trim().to_lowercase().chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}

fn checked_key(raw: &str) -> Result<String, Refusal> {
    let key = normalized_key(raw);
    if key.is_empty() {
        return Err(Refusal::KeyBlank);
    }
    if key.chars().count() > MAX_KEY { Err(Refusal::KeyTooLong(key)) } else { Ok(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(pairs: &[(&str, Option<&str>)]) -> Edits {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect()
    }

    #[test]
    fn keys_are_normalized_and_blank_values_delete() {
        let first = Properties::default()
            .merged(&edits(&[("testKey", Some("a")), (" My Key ", Some("b"))]))
            .unwrap();
        assert_eq!(first.iter().collect::<Vec<_>>(), [("my_key", "b"), ("testkey", "a")]);
        let second =
            first.merged(&edits(&[("TESTKEY", Some("  ")), ("hidden_", Some("x"))])).unwrap();
        assert_eq!(second.iter().collect::<Vec<_>>(), [("hidden_", "x"), ("my_key", "b")]);
        assert_eq!(second.merged(&edits(&[(" ", Some(" ")), ("", None)])).unwrap(), second);
    }

    #[test]
    fn sizes_are_limited() {
        let none = Properties::default();
        assert!(none.merged(&edits(&[(&"k".repeat(30), Some("v"))])).is_ok());
        assert!(matches!(
            none.merged(&edits(&[(&"k".repeat(31), Some("v"))])),
            Err(Refusal::KeyTooLong(_))
        ));
        assert!(none.merged(&edits(&[("k", Some(&"v".repeat(MAX_VALUE)))])).is_ok());
        assert!(matches!(
            none.merged(&edits(&[("k", Some(&"v".repeat(MAX_VALUE + 1)))])),
            Err(Refusal::ValueTooLong(_))
        ));
        // Eight values that fill all, but for their keys of one character.
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let of_size =
            |size| none.merged(&keys.map(|key| (key.to_owned(), Some("v".repeat(size)))).into());
        let full = of_size(MAX_BYTES / 8 - 1).unwrap();
        assert_eq!(of_size(MAX_BYTES / 8), Err(Refusal::TooLarge(MAX_BYTES + 8)));
        assert!(matches!(full.merged(&edits(&[("i", Some(""))])), Ok(same) if same == full));
        assert!(matches!(full.merged(&edits(&[("i", Some("1"))])), Err(Refusal::TooLarge(_))));
        assert!(full.merged(&edits(&[("a", None), ("i", Some("1"))])).is_ok());
    }
}
