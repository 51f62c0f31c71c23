//! Tables of workbooks and pages: XLSX, ODS, XLS and HTML.
//!
//! A table is turned into the text of a CSV file whose lines are its rows, so that rules, headers,
//! dates and decimal marks are treated as in CSV files. The crate `calamine` is not used: it fills
//! the whole rectangle between the first and the last cell, so two cells of a file of 2 KB can need
//! more memory than there is, and it reads numbers as floating point.

mod archive;
mod choice;
mod html;
mod number;
mod ods;
mod strings;
mod styles;
mod table;
mod xls;
mod xlsx;
mod xml;

pub(crate) use choice::Choice;
pub(crate) use table::Table;

use super::format::{self, Format};
use super::problem::{Kind, Problem};
use archive::Archive;

/// Recognizes a binary format by its first bytes, and a workbook by the files in its archive.
pub(crate) fn detect(bytes: &[u8]) -> Option<Format> {
    let format = format::detect_binary(bytes)?;
    if format != Format::Zip {
        return Some(format);
    }
    let Ok(archive) = Archive::open(bytes) else { return Some(Format::Zip) };
    Some(if archive.has_folder("xl/") {
        Format::Xlsx
    } else if archive.has("content.xml") && archive.has("mimetype") {
        Format::Ods
    } else {
        Format::Zip
    })
}

/// Offers the tables of a workbook in their order, until one is chosen.
///
/// Returns the name of the encoding.
///
/// # Errors
/// [`Kind::UnpackedTooLarge`], [`Kind::InvalidWorkbook`], and problems of XML.
pub(crate) fn find_table(
    bytes: &[u8],
    format: Format,
    choice: &mut Choice<'_>,
) -> Result<&'static str, Problem> {
    match format {
        Format::Xlsx => xlsx::find_table(bytes, choice).map(|()| "UTF-8"),
        Format::Ods => ods::find_table(bytes, choice).map(|()| "UTF-8"),
        Format::Xls => xls::find_table(bytes, choice),
        Format::Csv
        | Format::Ofx
        | Format::Qif
        | Format::Camt
        | Format::Mt940
        | Format::Journal
        | Format::Beancount
        | Format::Gnucash
        | Format::JsonLines
        | Format::Zip
        | Format::Gzip
        | Format::Html
        | Format::Xml => Err(Problem::of_file(Kind::UnsupportedFormat(format.name()))),
    }
}

/// Offers the tables of a page.
///
/// # Errors
/// [`Kind::UnpackedTooLarge`] and [`Kind::TooDeep`].
pub(crate) fn find_table_of_page(text: &str, choice: &mut Choice<'_>) -> Result<(), Problem> {
    html::find_table(text, choice)
}
