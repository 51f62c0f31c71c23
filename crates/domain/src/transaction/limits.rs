//! Limits of one transaction, and of the transactions of one request.

/// The most characters of a remote id (behaviour 3.7.5).
pub const MAX_REMOTE_ID: usize = 256;

/// The most bytes of a description. It is limited because it is indexed in the unit of work that
/// records it.
pub const MAX_DESCRIPTION: usize = 64 * 1024;
/// The most bytes of a URL (behaviour 3.9.2): it is written again with each change of its
/// transaction.
pub const MAX_URL: usize = 2_048;
/// The most bytes of all URLs of a transaction.
pub const MAX_URLS: usize = 128 * 1024;
/// The most bytes of texts that the transactions have which one request changes (behaviour 10.15):
/// each is written again, as it then is, in its event.
pub const MAX_CHANGED: usize = 8 * 1024 * 1024;
/// The most bytes of texts that the transactions have which one request creates (behaviour 10.15):
/// they are recorded and indexed in one unit of work, for which others wait.
pub const MAX_CREATED: usize = 16 * 1024 * 1024;
/// The most bytes of texts that the transactions have which one request names and reads.
pub const MAX_READ: usize = 16 * 1024 * 1024;
/// The most bytes that one request writes of events about transactions, and the most that the
/// transactions then have which it answers: an item may make the texts longer that others repeat.
pub const MAX_WRITTEN: usize = 64 * 1024 * 1024;
/// The bytes for which each of its files counts among the texts of a transaction: an event says
/// what it is called.
pub const TEXTS_OF_FILE: usize = 128;
/// The most remote ids, URLs and files of one transaction, each.
pub const MAX_LISTED: usize = 1_000;

/// The most index terms that the bodies of one request may need (behaviour 10.10).
pub const MAX_INDEXED: usize = 100_000;
