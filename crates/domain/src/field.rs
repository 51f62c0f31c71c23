//! What an update says of one field: keep it, clear it, or set it (behaviour 3.10.2).

/// Absent, null or a value are three different things in an update.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Field<T> {
    /// The body does not name the field: it stays.
    #[default]
    Keep,
    /// The body says null (or an empty string where that clears): the field becomes empty.
    Clear,
    /// The body gives a value.
    Set(T),
}

impl<T> Field<T> {
    /// The value the update gives, if it gives one.
    pub fn value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }

    /// The same field with its value seen by reference.
    pub const fn as_ref(&self) -> Field<&T> {
        match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(value),
        }
    }

    /// In a round trip an absent field means cleared (behaviour 3.10.2, 4.9, 4.13).
    #[must_use]
    pub fn absent_clears(self, round_trip: bool) -> Self {
        match self {
            Self::Keep if round_trip => Self::Clear,
            other @ (Self::Keep | Self::Clear | Self::Set(_)) => other,
        }
    }

    /// The field after the update, given what it holds now.
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

    /// The same field with its value translated, which may be refused.
    ///
    /// # Errors
    /// Whatever `translate` answers.
    pub fn try_map<U, E>(self, translate: impl FnOnce(T) -> Result<U, E>) -> Result<Field<U>, E> {
        Ok(match self {
            Self::Keep => Field::Keep,
            Self::Clear => Field::Clear,
            Self::Set(value) => Field::Set(translate(value)?),
        })
    }
}
