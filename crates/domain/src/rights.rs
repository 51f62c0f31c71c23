//! What a stored answer shows, and what its caller must still be allowed to be given it again
//! (behaviour 0.27).

use std::fmt;
use std::str::FromStr;

use crate::id::{BookKey, NotAnId};

/// What somebody may do and see in a book, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rights(pub(crate) u8);

/// To view, as in [`crate::permission::Permission::covers`].
pub(crate) const VIEW: u8 = 0b1;
/// To see who collaborates, which the public of a PUBLIC book does not.
pub(crate) const COLLABORATE: u8 = 0b10_0000;

impl Rights {
    /// Whether they hold all of these.
    ///
    /// ```
    /// use daybook_domain::rights::Need;
    /// let rights = |text: &str| match text.parse() {
    ///     Ok(Need::Book(_, rights)) => rights,
    ///     other => panic!("{other:?}"),
    /// };
    /// assert!(rights("47:book").covers(rights("39:book")));
    /// assert!(!rights("34:book").covers(rights("33:book")), "a recorder is no viewer");
    /// ```
    #[must_use]
    pub const fn covers(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }
}

/// What an answer shows that its caller may lose the sight of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A book.
    Book(BookKey),
    /// The app with this id, as its developers see it.
    App(String),
    /// Nothing that is anybody's, not even whether there is such a book.
    Nothing,
}

/// What somebody needs in order to be given an answer again.
///
/// ```
/// use daybook_domain::rights::Need;
/// for text in ["47:book-1", "app:my-app"] {
///     assert_eq!(text.parse::<Need>().unwrap().to_string(), text);
/// }
/// assert!("book".parse::<Need>().is_err() && "256:book".parse::<Need>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// These rights in a book.
    Book(BookKey, Rights),
    /// To be a developer of the app with this id.
    App(String),
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Book(key, Rights(bits)) => write!(f, "{bits}:{}", key.as_str()),
            Self::App(id) => write!(f, "app:{id}"),
        }
    }
}

impl FromStr for Need {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let (kind, name) = text.split_once(':').ok_or(NotAnId)?;
        if kind == "app" {
            return Ok(Self::App(name.to_owned()));
        }
        let rights = kind.parse().map(Rights).map_err(|_| NotAnId)?;
        Ok(Self::Book(BookKey::new(name.to_owned()), rights))
    }
}
