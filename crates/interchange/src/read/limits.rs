//! The limits of the readers.

/// The most bytes of a file.
pub const MAX_BYTES: usize = 64 * 1024 * 1024;

/// The most records of a file, skipped and refused ones included.
pub const MAX_RECORDS: usize = 1_000_000;

/// The most statements of a file.
pub const MAX_STATEMENTS: usize = 100_000;

/// The most postings of an entry of a journal.
pub const MAX_POSTINGS: usize = 1_000;

/// The most nested elements of an OFX or XML file, and values of a line of JSON.
pub const MAX_DEPTH: usize = 64;

/// The most bytes of a field or an element.
pub const MAX_FIELD_BYTES: usize = 64 * 1024;

/// The most fields of a record of a CSV file.
pub const MAX_FIELDS: usize = 1_000;

/// The most warnings that are kept; more are counted.
pub const MAX_WARNINGS: usize = 1_000;

/// The most bytes that the files of a workbook unpack to.
pub const MAX_UNPACKED_BYTES: u64 = 512 * 1024 * 1024;

/// The most bytes of a tag or a text in a workbook; one at a time is in memory.
pub const MAX_PART_BYTES: u64 = 1024 * 1024;

/// The most bytes of the directory of an archive with a book; it is in memory.
pub const MAX_DIRECTORY_BYTES: u64 = 16 * 1024 * 1024;

/// How many times its size a member of such an archive may unpack to.
pub const MAX_RATIO: u64 = 200;

/// The most shared strings or cell formats of a workbook.
pub const MAX_STRINGS: usize = 4_000_000;
