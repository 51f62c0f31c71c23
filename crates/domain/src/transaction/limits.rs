//! The largest transaction there can be, and the largest batch of them.

/// Longest remote id in characters (behaviour 3.7.5).
pub const MAX_REMOTE_ID: usize = 256;

/// Longest description in bytes: what is in it is indexed in the unit of work that records it.
pub const MAX_DESCRIPTION: usize = 64 * 1024;
/// Most remote ids, most URLs, and most files, of one transaction.
pub const MAX_LISTED: usize = 1_000;

/// Most index entries the bodies of one request may ask for (behaviour 10.10).
pub const MAX_INDEXED: usize = 100_000;
