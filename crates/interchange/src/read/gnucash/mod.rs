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

use super::format::{Format, detect_binary};
use super::journal::Journal;
use super::limits::MAX_BYTES;
use super::problem::{Kind, Problem};
use super::text::{Label, decode};

/// Reads a book.
///
/// # Errors
/// A problem of the file as a whole: its size, packed or not, or invalid XML.
pub fn read(bytes: &[u8]) -> Result<Journal, Problem> {
    if detect_binary(bytes) == Some(Format::Gzip) {
        return read_xml(&unpack(bytes)?);
    }
    read_xml(bytes)
}

fn read_xml(bytes: &[u8]) -> Result<Journal, Problem> {
    let text = decode(bytes, Label::Declared("utf-8"))?;
    Ok(book::journal(parse::parse(&text.content)?))
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
