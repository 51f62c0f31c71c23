//! The books that an app can access with the tokens of its deliveries (behaviour 9.4).

use crate::named::named;

named! {
    /// The books of the installer that an app can access.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum AppReach {
        /// The book it is installed in.
        Book = "BOOK",
        /// That book and all books of its collection, if it is in one.
        #[default]
        Collection = "COLLECTION",
        /// All books.
        All = "ALL",
    }
}
