//! Readers: from the bytes of a bank's file to its records.
//!
//! [`statements`] recognizes the format by the content, and passes each record of the file on as
//! exactly one [`Item`](record::Item): read, skipped or refused. The [`Summary`] says what was
//! recognized, and has the accounts with their balances.
//!
//! A reader has no input or output of its own. It never panics, needs time that is linear in the
//! length of the file, and has the limits of [`limits`]. Decimal marks and the order of day and
//! month are decided for a whole file; when a file does not tell, it is refused with
//! [`Kind::AmbiguousDates`](problem::Kind::AmbiguousDates) or
//! [`Kind::AmbiguousAmounts`](problem::Kind::AmbiguousAmounts), and [`Options`] answer.

pub mod amount;
pub mod archive;
pub mod beancount;
mod camt;
mod csv;
pub mod day;
mod declared;
mod elements;
mod entities;
pub mod format;
pub mod gnucash;
pub mod journal;
pub mod jsonl;
pub mod limits;
mod mt940;
mod numeral;
mod ofx;
pub mod options;
pub mod original;
mod output;
pub mod packed;
pub mod problem;
mod qif;
pub mod record;
pub mod rules;
mod sheet;
pub mod text;
mod transfers;

use std::borrow::Cow;

use csv::Source;
use format::Format;
use journal::Journal;
use limits::MAX_BYTES;
use options::Options;
use output::Output;
use problem::{Kind, Problem, excerpt};
use record::{Item, Summary};
use rules::Rules;
use sheet::{Choice, Table};
use text::{Label, Text};

/// Recognizes the format of a file.
///
/// A text of no other format is CSV. Journals are read by [`read_journal`], and statements by
/// [`statements`].
///
/// # Errors
/// Those of [`text::decode`].
pub fn detect(bytes: &[u8]) -> Result<Format, Problem> {
    if let Some(format) = sheet::detect(bytes) {
        return Ok(format);
    }
    let text = decode(bytes, None)?;
    Ok(format::detect_text(&text.content).unwrap_or(Format::Csv))
}

/// Reads a journal of hledger, ledger, beancount or GnuCash.
///
/// Drops `bytes` once the file is parsed, before the entries are completed.
///
/// # Errors
/// Those of the readers, and [`Kind::NotAJournal`] for files of other formats.
pub fn read_journal<B: AsRef<[u8]>>(bytes: B) -> Result<(Format, Journal), Problem> {
    let format = detect(bytes.as_ref())?;
    let journal = match format {
        Format::Journal => journal::read(bytes)?,
        Format::Beancount => beancount::read(bytes)?,
        Format::Gnucash | Format::Gzip => gnucash::read(bytes)?,
        Format::Csv
        | Format::Ofx
        | Format::Qif
        | Format::Camt
        | Format::Mt940
        | Format::JsonLines
        | Format::Zip
        | Format::Xlsx
        | Format::Ods
        | Format::Xls
        | Format::Html
        | Format::Xml => return Err(Problem::of_file(Kind::NotAJournal)),
    };
    Ok((format, journal))
}

/// Reads the statements of a file.
///
/// `rules` are those of the account for CSV files and tables of workbooks; other formats do not
/// need them. `sink` receives the records; those of a CSV file or a table come with the oldest
/// first, others in the order of the file.
///
/// `bytes` is dropped before the records are read if their text is a separate copy: that of a
/// workbook, or of a file that is not UTF-8.
///
/// # Errors
/// A problem of the file as a whole. The records that `sink` has received by then are not to
/// be used.
pub fn statements<B: AsRef<[u8]>>(
    bytes: B,
    rules: Option<&Rules>,
    options: &Options,
    sink: &mut dyn FnMut(Item),
) -> Result<Summary, Problem> {
    if let Some(format) = sheet::detect(bytes.as_ref()) {
        let (table, encoding) = workbook(bytes.as_ref(), format, rules, options)?;
        drop(bytes);
        let mut out = Output::new(sink);
        let program = csv::read(Source::Table(table.text()), rules, options, &mut out)?;
        return Ok(out.finish(format, Some(dialect(&table, program)), encoding));
    }
    let required = required_encoding(rules, options);
    let Text { content, encoding } = decode(bytes.as_ref(), required)?;
    match content {
        Cow::Borrowed(text) => text_statements(text, encoding, rules, options, sink),
        Cow::Owned(text) => {
            drop(bytes);
            text_statements(&text, encoding, rules, options, sink)
        }
    }
}

/// Returns the encoding that the user or the rules require.
fn required_encoding<'o>(rules: Option<&'o Rules>, options: &'o Options) -> Option<&'o str> {
    let required = options.encoding.as_deref();
    required.or_else(|| rules.and_then(|rules| rules.encoding.as_deref()))
}

/// Decodes a file with the required encoding, else the declared one, else a guess.
fn decode<'a>(bytes: &'a [u8], required: Option<&str>) -> Result<Text<'a>, Problem> {
    let declared = declared::encoding(bytes);
    let label = match (required, declared.as_deref()) {
        (Some(name), _) => Label::Required(name),
        (None, Some(name)) => Label::Declared(name),
        (None, None) => Label::Guess,
    };
    text::decode(bytes, label)
}

fn text_statements(
    text: &str,
    encoding: &'static str,
    rules: Option<&Rules>,
    options: &Options,
    sink: &mut dyn FnMut(Item),
) -> Result<Summary, Problem> {
    let mut out = Output::new(sink);
    let format = format::detect_text(text).unwrap_or(Format::Csv);
    let version = match format {
        Format::Csv => {
            let program = csv::read(Source::Text(text), rules, options, &mut out)?;
            program.map(str::to_owned)
        }
        Format::Html => {
            let table = page(text, rules, options)?;
            let program = csv::read(Source::Table(table.text()), rules, options, &mut out)?;
            Some(dialect(&table, program))
        }
        Format::Ofx => {
            ofx::read(text, options, &mut out)?;
            ofx::version(text)
        }
        Format::Qif => {
            qif::read(text, options, &mut out)?;
            None
        }
        Format::Camt => {
            camt::read(text, &mut out)?;
            camt::version(text)
        }
        Format::Mt940 => {
            mt940::read(text, &mut out)?;
            None
        }
        Format::Journal
        | Format::Beancount
        | Format::Gnucash
        | Format::JsonLines
        | Format::Zip
        | Format::Xlsx
        | Format::Ods
        | Format::Xls
        | Format::Gzip
        | Format::Xml => return Err(unsupported(format)),
    };
    Ok(out.finish(format, version, encoding))
}

/// Returns the table of a workbook, and the name of its encoding.
fn workbook(
    bytes: &[u8],
    format: Format,
    rules: Option<&Rules>,
    options: &Options,
) -> Result<(Table, &'static str), Problem> {
    if bytes.len() > MAX_BYTES {
        return Err(Problem::of_file(Kind::TooLarge));
    }
    let mut choice = Choice::new(rules, options.sheet.as_deref());
    let encoding = sheet::find_table(bytes, format, &mut choice)?;
    Ok((choice.finish()?, encoding))
}

fn page(text: &str, rules: Option<&Rules>, options: &Options) -> Result<Table, Problem> {
    let mut choice = Choice::new(rules, options.sheet.as_deref());
    sheet::find_table_of_page(text, &mut choice)?;
    choice.finish()
}

/// Names a table and the program that it is from: `sheet "2026", YNAB`.
fn dialect(table: &Table, program: Option<&str>) -> String {
    let program = program.map(|program| format!(", {program}")).unwrap_or_default();
    format!("sheet \"{}\"{program}", excerpt(table.name()))
}

fn unsupported(format: Format) -> Problem {
    let kind = if format == Format::Xml {
        Kind::UnknownFormat
    } else {
        Kind::UnsupportedFormat(format.name())
    };
    Problem::of_file(kind)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A file that notes when it is dropped.
    struct Watched<'w>(Vec<u8>, &'w Cell<bool>);

    impl AsRef<[u8]> for Watched<'_> {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }

    impl Drop for Watched<'_> {
        fn drop(&mut self) {
            self.1.set(true);
        }
    }

    #[test]
    fn bytes_are_dropped_before_records_of_another_text() {
        let file = "Date,Description,Amount\n2026-01-02,Caf\u{e9},-5.00\n";
        let latin: Vec<u8> = file.chars().map(|c| u8::try_from(c).unwrap()).collect();
        for (bytes, is_own_text) in [(file.as_bytes().to_vec(), false), (latin, true)] {
            let (is_dropped, records) = (Cell::new(false), Cell::new(0));
            let mut sink = |_: Item| {
                assert_eq!(is_dropped.get(), is_own_text);
                records.set(records.get() + 1);
            };
            statements(Watched(bytes, &is_dropped), None, &Options::default(), &mut sink).unwrap();
            assert_eq!((is_dropped.get(), records.get()), (true, 1));
        }
    }
}
