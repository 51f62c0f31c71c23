//! Fields of updates, which keep, clear or set a stored value (behaviour 3.10.2).

/// A field of a request body: absent, null or a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// Absent: keep the stored value.
    #[default]
    Keep,
    /// Null, or an empty string where that clears: clear the stored value.
    Clear,
    /// A value: store it.
    Set(T),
}

impl<T> Field<T> {
    /// Returns the value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// Borrows the value.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(value),
        }
    }

    /// Turns absent into cleared if `is_round_trip`.
    ///
    /// In an object that was read earlier and is sent back, an absent field means cleared
    /// (behaviour 3.10.2, 4.9, 4.13).
    #[must_use]
    pub fn absent_clears(self, is_round_trip: bool) -> Self {
        match self {
            Self::Keep if is_round_trip => Self::Clear,
            other @ (Self::Keep | Self::Clear | Self::Set(_)) => other,
        }
    }

    /// Applies the field to the stored value.
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

    /// Converts the value.
    ///
    /// # Errors
    /// The error of `convert`.
    pub fn try_map<U, E>(self, convert: impl FnOnce(T) -> Result<U, E>) -> Result<Field<U>, E> {
        Ok(match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(convert(value)?),
        })
    }
}
