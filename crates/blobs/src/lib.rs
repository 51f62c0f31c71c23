//! Blobs: the bytes of files, and the protocol that keeps them consistent with the rows of files
//! (behaviour 9.6, 9.17).
//!
//! The database and the blob store have no common transaction. The order of steps guarantees that
//! every row has its bytes, and that bytes without a row do not stay.
//!
//! - **Names.** A blob is `BOOK/BLOB` in a folder or bucket (`store`): the public id of the book
//!   and 32 random hexadecimal digits. Blobs are immutable. New content of a file is a new blob.
//! - **Writes.** First the use case checks on a snapshot whether it would refuse, and [`Uploads`]
//!   limits the bytes of a user. Then the blob is stored durably. Then the unit of work records the
//!   row. A request that fails in between leaves an *orphan*, a blob without a row; so do updates
//!   and deletions. Requests never remove blobs.
//! - **Reads** ([`open_with_row`], [`VerifiedBytes`]). First the row, then the blob. If the blob is
//!   missing, an update may have replaced it, and the row is read again. The bytes are verified
//!   against the SHA-256 in the row.
//! - **The sweep** ([`FileSweep`]) is a background worker that removes orphans. They must be older
//!   than any write takes (`--files-orphan-seconds`), so that it never removes the blob of a write
//!   in progress.
//! - **Deleted books** ([`BookRemoval`]). Before the first row of a book is removed, an empty
//!   *deletion note* `BOOK/deleted` is stored. The sweep removes blobs of a book that is not in the
//!   database only if there is a note, because the server may be connected to the wrong database.
//!   The note is removed last.

mod orphans;
mod read;
mod removal;
mod store;
mod sweep;
mod uploads;
mod verify;
pub mod worker;
mod writer;

pub use orphans::count_orphans;
pub use read::open_with_row;
pub use removal::{BeforeRemoval, BookRemoval, RemovalNote};
pub use store::{Blobs, NewBlob};
pub use sweep::{FileSweep, STORED_BYTES};
pub use uploads::{TooManyBytes, Uploads};
pub use verify::{VerifiedBytes, verify};
pub use writer::{BlobWriter, PART_BYTES};
