//! A field of an update: keep it, clear it, or set it (behaviour 3.10.2).

/// A field of a body, which may be absent, null or a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The field is absent: the stored value stays.
    #[default]
    Keep,
    /// The field is null, or an empty string where that clears: the stored value is cleared.
    Clear,
    /// The field has a value.
    Set(T),
}

impl<T> Field<T> {
    /// The value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// The field with a reference to its value.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(value),
        }
    }

    /// The field in an object that was read earlier and is sent back: there an absent field means
    /// cleared (behaviour 3.10.2, 4.9, 4.13).
    #[must_use]
    pub fn absent_clears(self, round_trip: bool) -> Self {
        match self {
            Self::Keep if round_trip => Self::Clear,
            other @ (Self::Keep | Self::Clear | Self::Set(_)) => other,
        }
    }

    /// The stored value after the update, given the one before.
    ///
    /// ```
    /// use daybook_domain::field::Field;
    /// assert_eq!(Field::Set(2).apply(Some(1)), Some(2));
    /// assert_eq!(Field::Keep.apply(Some(1)), Some(1));
    /// assert_eq!(Field::<i32>::Clear.apply(Some(1)), None);
    /// ```
    pub fn apply(self, current: Option<T>) -> Option<T> {
        match self {
            Self::Keep => current,
            Self::Clear => None,
            Self::Set(value) => Some(value),
        }
    }

    /// The field with its value translated.
    ///
    /// # Errors
    /// The error of `translate`.
    pub fn try_map<U, E>(self, translate: impl FnOnce(T) -> Result<U, E>) -> Result<Field<U>, E> {
        Ok(match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(translate(value)?),
        })
    }
}
