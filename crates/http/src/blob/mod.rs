//! Blobs: the bytes of files, and the one home of the protocol that keeps them and the rows of
//! files together (behaviour 9.6, 9.17). The database and the place of the bytes have no common
//! transaction, so the order of steps is what keeps the promise: **no row names bytes that are not
//! there, and bytes that no row names do not stay**.
//!
//! **Where they are.** In a folder or a bucket ([`store`]), as `BOOK/BLOB`: the public id of the
//! book, and a name of 32 hexadecimal digits that is made for these bytes. A name is used once, and
//! what is stored under it never changes; new content of a file is a new blob.
//!
//! **Who stores them, and when.** The handlers of files and transactions, through [`write`], in
//! three steps:
//!
//! 1. the use case is asked on a snapshot whether it would refuse, so that the bytes of a stranger
//!    are never stored;
//! 2. the bytes are stored; they are durable when that returns;
//! 3. the unit of work records the row that names them.
//!
//! A request that ends between 2 and 3 leaves an *orphan*: a blob that no row names. Replaced
//! content, deleted files and deleted books leave orphans too. No request removes bytes.
//!
//! **How they are read.** The row first, then the bytes, through [`read`]. An update may replace
//! the content in between, and the sweep may remove the old bytes, so the row is read once more
//! before missing bytes count as lost. Bytes whose SHA-256 is not that of the row are not handed
//! out as a whole: [`checked`].
//!
//! **What removes them.** The [`sweep`] alone, a background worker of the server. It removes
//! orphans that are older than any write takes (`--files-orphan-seconds`), so it never meets the
//! bytes of step 2 before the row of step 3. Removing twice does no harm.
//!
//! **Deleted books.** A deleted book keeps its rows while it waits, and so its blobs. A book that
//! the database does not know may be another database's, if the server was pointed at the wrong
//! one. So before the first row of a book is removed ([`removal`]) a *deletion note*,
//! `BOOK/deleted`, is stored beside its blobs, and the sweep removes the bytes of an unknown book
//! only where it finds that note, which goes last. While the book exists the note says nothing.

pub(crate) mod checked;
pub(crate) mod read;
pub(crate) mod removal;
pub(crate) mod store;
pub(crate) mod sweep;
pub(crate) mod write;
