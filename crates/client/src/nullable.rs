//! Fields that a request can clear.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field with three states: absent, cleared, or with a value.
///
/// In a request an absent field keeps what is stored, and `Null` clears it. In a response `Null`
/// and `Absent` mean the same.
///
/// ```
/// use daybook_client::{Nullable, types::Transaction};
///
/// let clear_the_date = Transaction { date: Nullable::Null, ..Transaction::default() };
/// assert_eq!(serde_json::to_string(&clear_the_date)?, r#"{"date":null}"#);
///
/// let named = Transaction { description: "Lunch".to_owned().into(), ..Transaction::default() };
/// assert_eq!(named.description.get().map(String::as_str), Some("Lunch"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Nullable<T> {
    /// The field is not in the object.
    #[default]
    Absent,
    /// The field is `null`.
    Null,
    /// The field has a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns the value, if there is one.
    ///
    /// ```
    /// # use daybook_client::Nullable;
    /// assert_eq!(Nullable::Value(7).get(), Some(&7));
    /// assert_eq!(Nullable::<u8>::Null.get(), None);
    /// ```
    #[must_use]
    pub const fn get(&self) -> Option<&T> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns the value, if there is one.
    ///
    /// ```
    /// # use daybook_client::Nullable;
    /// assert_eq!(Nullable::Value(7).into_option(), Some(7));
    /// ```
    #[must_use]
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// Returns whether the field is not in the object.
    ///
    /// ```
    /// # use daybook_client::Nullable;
    /// assert!(Nullable::<u8>::default().is_absent());
    /// ```
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl From<&str> for Nullable<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Value)
    }
}

/// Absent fields are left out by the types that have them.
impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}
