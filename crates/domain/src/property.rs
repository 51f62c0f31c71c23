//! Custom properties of resources: a map of strings (behaviour 4.6).

use std::collections::BTreeMap;

use crate::event::Previous;
use crate::reason::Reason;

/// Maximum length of a normalized key, in characters (behaviour 4.6).
pub const MAX_KEY: usize = 30;
/// Maximum length of a value, in bytes (behaviour 4.6).
pub const MAX_VALUE: usize = 90_000;

/// Limit of keys of one resource.
pub const MAX_KEYS: usize = 1_000;
/// Maximum size of all keys and values of one resource, in bytes (behaviour 4.6).
///
/// Every response with the resource contains them.
pub const MAX_BYTES: usize = 128 * 1024;

/// Why properties were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("property key \"{0}\" has more than {MAX_KEY} characters")]
    KeyTooLong(String),
    #[error("a property key must not be blank")]
    KeyBlank,
    #[error("properties would have {0} keys; at most {MAX_KEYS} are allowed")]
    TooMany(usize),
    #[error("properties would have {0} bytes in all; at most {MAX_BYTES} are allowed")]
    TooLarge(usize),
    #[error("the value of property \"{0}\" has more than {MAX_VALUE} bytes")]
    ValueTooLong(String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::BadRequest
    }
}

/// The properties of a resource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Properties(BTreeMap<String, String>);

/// The properties in a request body: keys to set, and keys to delete (null or blank value).
pub type Edits = BTreeMap<String, Option<String>>;

impl Properties {
    /// Wraps stored properties.
    pub const fn stored(map: BTreeMap<String, String>) -> Self {
        Self(map)
    }

    /// Sets and deletes the keys of `edits`. Absent keys keep their value.
    ///
    /// # Errors
    /// [`Refusal`] for a blank or long key, a long value, too many keys, and too many bytes.
    ///
    /// ```
    /// use daybook_domain::property::Properties;
    /// let edits =
    ///     [("Tax Rate".to_owned(), Some("10".to_owned())), ("rate".to_owned(), None)].into();
    /// let merged = Properties::default().merge(&edits).unwrap();
    /// assert_eq!(merged.get("tax_rate"), Some("10"));
    /// ```
    pub fn merge(&self, edits: &Edits) -> Result<Self, Refusal> {
        let mut map = self.0.clone();
        for (raw, value) in edits {
            let value = value.as_deref().filter(|value| !value.trim().is_empty());
            if value.is_none() && raw.trim().is_empty() {
                continue;
            }
            let key = check_key(raw)?;
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

    /// Returns the properties without these normalized keys.
    #[must_use]
    pub fn without(&self, keys: &[&str]) -> Self {
        let mut map = self.0.clone();
        map.retain(|key, _| !keys.contains(&key.as_str()));
        Self(map)
    }

    /// Returns the value of a normalized key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// Iterates over all pairs in key order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value.as_str()))
    }

    /// Returns the size of all keys and values in bytes.
    pub fn bytes(&self) -> usize {
        self.iter().map(|(key, value)| key.len().saturating_add(value.len())).sum()
    }

    /// Returns whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the previous value of each changed key to `previous`; `""` for a new key.
    pub fn note_changes(&self, after: &Self, previous: &mut Previous) {
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

/// The texts of the fields of a resource besides its properties, with the names of behaviour 8.3.
pub(crate) type FieldTexts<const N: usize> = [(&'static str, String); N];

/// Returns the previous values of the fields whose texts differ, and of the changed properties.
pub(crate) fn previous_values<const N: usize>(
    [before, after]: [FieldTexts<N>; 2],
    [old, new]: [&Properties; 2],
) -> Previous {
    let changed = before.into_iter().zip(after).filter(|(before, after)| before.1 != after.1);
    let mut previous = changed.map(|((key, text), _)| (key.to_owned(), text)).collect();
    old.note_changes(new, &mut previous);
    previous
}

/// Normalizes a key: trims it, converts it to lower case and replaces white space with `_`.
pub fn normalized_key(raw: &str) -> String {
    raw.trim().to_lowercase().chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect()
}

fn check_key(raw: &str) -> Result<String, Refusal> {
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
            .merge(&edits(&[("testKey", Some("a")), (" My Key ", Some("b"))]))
            .unwrap();
        assert_eq!(first.iter().collect::<Vec<_>>(), [("my_key", "b"), ("testkey", "a")]);
        let second =
            first.merge(&edits(&[("TESTKEY", Some("  ")), ("hidden_", Some("x"))])).unwrap();
        assert_eq!(second.iter().collect::<Vec<_>>(), [("hidden_", "x"), ("my_key", "b")]);
        assert_eq!(second.merge(&edits(&[(" ", Some(" ")), ("", None)])).unwrap(), second);
    }

    #[test]
    fn sizes_are_limited() {
        let none = Properties::default();
        assert!(none.merge(&edits(&[(&"k".repeat(30), Some("v"))])).is_ok());
        assert!(matches!(
            none.merge(&edits(&[(&"k".repeat(31), Some("v"))])),
            Err(Refusal::KeyTooLong(_))
        ));
        assert!(none.merge(&edits(&[("k", Some(&"v".repeat(MAX_VALUE)))])).is_ok());
        assert!(matches!(
            none.merge(&edits(&[("k", Some(&"v".repeat(MAX_VALUE + 1)))])),
            Err(Refusal::ValueTooLong(_))
        ));
        // Eight values that use all bytes but those of their one-character keys.
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let of_size =
            |size| none.merge(&keys.map(|key| (key.to_owned(), Some("v".repeat(size)))).into());
        let full = of_size(MAX_BYTES / 8 - 1).unwrap();
        assert_eq!(of_size(MAX_BYTES / 8), Err(Refusal::TooLarge(MAX_BYTES + 8)));
        assert!(matches!(full.merge(&edits(&[("i", Some(""))])), Ok(same) if same == full));
        assert!(matches!(full.merge(&edits(&[("i", Some("1"))])), Err(Refusal::TooLarge(_))));
        assert!(full.merge(&edits(&[("a", None), ("i", Some("1"))])).is_ok());
    }
}
