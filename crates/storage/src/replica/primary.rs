//! The access check of a replica read against the primary.

use diesel::r2d2::Pool;

use crate::conn::pool::Readers;

/// Connections to the primary, for the access check of a read on a replica.
#[derive(Clone)]
pub(crate) struct PrimaryCheck {
    pub(crate) readers: Pool<Readers>,
    /// Whether the replica may have an older state of a book.
    pub(crate) stale_reads: bool,
    /// Whether the primary has confirmed the access of the caller.
    pub(crate) confirmed: bool,
}
