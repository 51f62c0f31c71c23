//! Writers of whole books: JSON lines, journals of hledger and beancount, CSV and XLSX.
//!
//! [`begin`] writes what precedes the transactions. Then the [`Writer`] appends each file and each
//! transaction to a buffer of the caller, in the order of day and id, so that a book of any size
//! needs little memory. Only a spreadsheet is built at the end. The formats are described in
//! `docs/export.md`.
//!
//! A ZIP archive ([`zip`]) contains JSON lines, an index ([`index`]) and the bytes of the files
//! under readable names ([`file_names`]).

mod account_path;
mod balances;
mod beancount;
mod csv;
mod entry;
pub mod file_names;
mod hledger;
pub mod index;
mod jsonl;
mod model;
mod xlsx;
pub mod zip;

pub use model::{Balances, Error, Export, Format, MAX_ROWS, Record, Writer};

/// Writes the beginning of an export.
#[must_use]
pub fn begin(format: Format, export: &Export<'_>, out: &mut Vec<u8>) -> Box<dyn Writer> {
    match format {
        Format::Jsonl => Box::new(jsonl::Jsonl::begin(export, out)),
        Format::Hledger => Box::new(hledger::Hledger::begin(export, out)),
        Format::Beancount => Box::new(beancount::Beancount::begin(export, out)),
        Format::Csv { excel } => Box::new(csv::Csv::begin(export, excel, out)),
        Format::Xlsx => Box::new(xlsx::Xlsx::begin(export)),
    }
}
