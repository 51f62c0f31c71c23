//! The books that an app can access with the tokens of its deliveries (behaviour 9.4).

/// The books of the installer that an app can access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AppReach {
    /// The book it is installed in.
    Book,
    /// That book and all books of its collection, if it is in one.
    #[default]
    Collection,
    /// All books.
    All,
}

impl AppReach {
    /// All values, narrowest first.
    pub const ALL: [Self; 3] = [Self::Book, Self::Collection, Self::All];

    /// Returns the name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Book => "BOOK",
            Self::Collection => "COLLECTION",
            Self::All => "ALL",
        }
    }

    /// Finds the reach with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reach| reach.as_str() == name)
    }
}
