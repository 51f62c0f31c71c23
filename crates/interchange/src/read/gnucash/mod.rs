//! Books of GnuCash in XML, plain or packed with gzip.
//!
//! The reader returns the [`Journal`] that those of hledger become too. An account has its whole
//! path as its name. A transaction keeps its identifier, which stays the same when the transaction
//! is changed. A split in another commodity than its transaction has a cost: its value.
//!
//! Reconciled splits (`y`) are cleared. The state of others than `n` is a tag, as are actions and
//! the named values that GnuCash stores with transactions. Templates of scheduled transactions,
//! budgets, invoices and lots are not read.

mod book;
mod parse;

use std::io::Read as _;

use flate2::read::MultiGzDecoder;
use parse::Book;

use super::format::{Format, detect_binary};
use super::journal::Journal;
use super::limits::MAX_BYTES;
use super::problem::{Kind, Problem};
use super::text::{Label, decode};

/// Reads a book.
///
/// Drops `bytes` once the file is parsed.
///
/// # Errors
/// A problem of the file as a whole: its size, packed or not, or invalid XML.
pub fn read<B: AsRef<[u8]>>(bytes: B) -> Result<Journal, Problem> {
    let book = if detect_binary(bytes.as_ref()) == Some(Format::Gzip) {
        parse(&unpack(bytes.as_ref())?)?
    } else {
        parse(bytes.as_ref())?
    };
    drop(bytes);
    book::journal(book)
}

fn parse(bytes: &[u8]) -> Result<Book, Problem> {
    parse::parse(&decode(bytes, Label::Declared("utf-8"))?.content)
}

/// Unpacks a file, up to the size that a file may have.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(limit).read_to_end(&mut unpacked);
    if unpacked.len() > MAX_BYTES {
        return Err(Problem::of_file(Kind::TooLarge));
    }
    read.map_err(|_| Problem::of_file(Kind::InvalidGzip))?;
    Ok(unpacked)
}

#[cfg(test)]
mod tests;
