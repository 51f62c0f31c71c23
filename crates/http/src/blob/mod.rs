//! Blobs: the bytes of files, and the protocol that keeps them consistent with the rows of files
//! (behaviour 9.6, 9.17).
//!
//! The database and the blob store have no common transaction. The order of steps guarantees that
//! every row has its bytes, and that bytes without a row do not stay.
//!
//! - **Names.** A blob is `BOOK/BLOB` in a folder or bucket ([`store`]): the public id of the book
//!   and 32 random hexadecimal digits. Blobs are immutable. New content of a file is a new blob.
//! - **Writes** ([`write`]). First the use case checks on a snapshot whether it would refuse. Then
//!   the blob is stored durably. Then the unit of work records the row. A request that fails in
//!   between leaves an *orphan*, a blob without a row; so do updates and deletions. Requests never
//!   remove blobs.
//! - **Reads** ([`read`], [`verify`]). First the row, then the blob. If the blob is missing, an
//!   update may have replaced it, and the row is read again. The bytes are verified against the
//!   SHA-256 in the row.
//! - **The sweep** ([`sweep`]) is a background worker that removes orphans. They must be older than
//!   any write takes (`--files-orphan-seconds`), so that it never removes the blob of a write in
//!   progress.
//! - **Deleted books** ([`removal`]). Before the first row of a book is removed, an empty *deletion
//!   note* `BOOK/deleted` is stored. The sweep removes blobs of a book that is not in the database
//!   only if there is a note, because the server may be connected to the wrong database. The note
//!   is removed last.

pub(crate) mod read;
pub(crate) mod removal;
pub(crate) mod store;
pub(crate) mod sweep;
pub(crate) mod verify;
pub(crate) mod write;
