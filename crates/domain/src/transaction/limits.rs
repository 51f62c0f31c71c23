//! Limits of one transaction, and of the transactions of one request.

/// Maximum number of characters of a remote id (behaviour 3.7.5).
pub const MAX_REMOTE_ID: usize = 256;

/// Maximum size of a description in bytes. It is indexed in the unit of work that records it.
pub const MAX_DESCRIPTION: usize = 64 * 1024;
/// Maximum size of a URL in bytes (behaviour 3.9.2). URLs are written again with each change of
/// their transaction.
pub const MAX_URL: usize = 2_048;
/// Maximum size of all URLs of a transaction in bytes.
pub const MAX_URLS: usize = 128 * 1024;
/// Maximum size in bytes of the texts of the transactions that one request changes (behaviour
/// 10.15): the event of each repeats them.
pub const MAX_CHANGED: usize = 8 * 1024 * 1024;
/// Maximum size in bytes of the texts of the transactions that one request creates (behaviour
/// 10.15): they are recorded and indexed in one unit of work, and other requests wait for it.
pub const MAX_CREATED: usize = 16 * 1024 * 1024;
/// Maximum size in bytes of the texts of the existing transactions that one request refers to.
pub const MAX_READ: usize = 16 * 1024 * 1024;
/// Maximum size in bytes of the transaction events that one request writes, and of the texts of the
/// transactions in its response. Several items may change the same transaction, and each of them
/// repeats its texts.
pub const MAX_WRITTEN: usize = 64 * 1024 * 1024;
/// The size in bytes that a file adds to the texts of its transaction, because events contain the
/// file name.
pub const FILE_TEXT_BYTES: usize = 128;
/// Maximum number of remote ids, of URLs and of files of one transaction.
pub const MAX_LISTED: usize = 1_000;

/// Maximum number of index terms that the bodies of one request need (behaviour 10.10).
pub const MAX_INDEXED: usize = 100_000;
