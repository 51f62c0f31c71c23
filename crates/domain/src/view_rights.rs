//! Rights that a caller needs to receive a stored response again (behaviour 0.27).
//!
//! An idempotency key stores the response of a write. A later request with the same key gets that
//! response only if its caller still has the rights that the response requires.

use std::fmt;
use std::str::FromStr;

use crate::id::{BookKey, InvalidId};

/// A set of rights in a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewRights(pub(crate) u8);

/// The right to view, the lowest bit of a permission.
pub(crate) const VIEW: u8 = 0b1;
/// The right to see the collaborators, which the public of a PUBLIC book does not have.
pub(crate) const COLLABORATE: u8 = 0b10_0000;

impl ViewRights {
    /// Returns whether it includes all of the other rights.
    ///
    /// ```
    /// use daybook_domain::view_rights::RequiredRights;
    /// let rights = |text: &str| match text.parse() {
    ///     Ok(RequiredRights::Book(_, rights)) => rights,
    ///     other => panic!("{other:?}"),
    /// };
    /// assert!(rights("47:book").covers(rights("39:book")));
    /// assert!(!rights("34:book").covers(rights("33:book")), "a recorder is not a viewer");
    /// ```
    pub const fn covers(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }
}

/// A resource that a stored response contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A book.
    Book(BookKey),
    /// The app with this id, in the form that its developers see.
    App(String),
    /// Nothing that needs rights. The response does not even show whether the book exists.
    Nothing,
}

/// The rights that are required to receive a stored response.
///
/// ```
/// use daybook_domain::view_rights::RequiredRights;
/// for text in ["47:book-1", "app:my-app"] {
///     assert_eq!(text.parse::<RequiredRights>().unwrap().to_string(), text);
/// }
/// assert!("book".parse::<RequiredRights>().is_err());
/// assert!("256:book".parse::<RequiredRights>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequiredRights {
    /// These rights in a book.
    Book(BookKey, ViewRights),
    /// The role of a developer of the app with this id.
    App(String),
}

impl fmt::Display for RequiredRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Book(key, ViewRights(bits)) => write!(f, "{bits}:{}", key.as_str()),
            Self::App(id) => write!(f, "app:{id}"),
        }
    }
}

impl FromStr for RequiredRights {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (kind, name) = text.split_once(':').ok_or(InvalidId)?;
        if kind == "app" {
            return Ok(Self::App(name.to_owned()));
        }
        let rights = kind.parse().map(ViewRights).map_err(|_| InvalidId)?;
        Ok(Self::Book(BookKey::new(name.to_owned()), rights))
    }
}
