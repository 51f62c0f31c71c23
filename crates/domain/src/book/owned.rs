//! Limits of the number of books of a user (behaviour 6.23). Lists of books are not paginated.

/// Limit of books that a user owns, including deleted ones that can be restored.
pub const MAX_OWNED: usize = 10_000;

/// Limit of books up to which a user may receive another one, so others cannot use up
/// [`MAX_OWNED`].
pub const MAX_OWNED_BY_TRANSFER: usize = MAX_OWNED / 2;
