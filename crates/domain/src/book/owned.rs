//! How many books a user may own (behaviour 6.23): lists of books have no pages.

/// Books that a user may own, deleted ones that are kept included.
pub const MAX_OWNED: usize = 10_000;

/// Books of a user to whom nobody may give another one: so nobody keeps them from creating some.
pub const MAX_OWNED_BY_TRANSFER: usize = MAX_OWNED / 2;
