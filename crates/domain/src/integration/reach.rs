//! Which books an app reaches with the tokens of its deliveries (behaviour 9.4).

/// Which books of the user who installed it an app reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AppReach {
    /// The book that it is installed in.
    Book,
    /// That book, and the books of the collection around it, if it is in one.
    #[default]
    Collection,
    /// All.
    All,
}

impl AppReach {
    /// All of them, from the narrowest.
    pub const ALL: [Self; 3] = [Self::Book, Self::Collection, Self::All];

    /// The reach as the API names it.
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
