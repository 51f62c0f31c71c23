//! The records of a workbook before its first sheet.

use super::record::{self, Records, u16_at, u32_at};
use super::text::{Chars, Codepage};
use crate::read::limits::{MAX_STATEMENTS, MAX_STRINGS};
use crate::read::problem::{Kind, Problem, invalid_workbook};
use crate::read::sheet::number::Epoch;
use crate::read::sheet::strings::Strings;
use crate::read::sheet::styles::Styles;

/// The data to which the cells of all sheets refer.
pub(crate) struct Workbook {
    pub(crate) epoch: Epoch,
    pub(crate) codepage: Codepage,
    pub(crate) styles: Styles,
    pub(crate) strings: Strings,
    pub(crate) sheets: Vec<Sheet>,
}

/// A sheet of cells.
pub(crate) struct Sheet {
    pub(crate) name: String,
    /// Where its records begin.
    pub(crate) offset: usize,
}

impl Workbook {
    /// Reads the records before the first sheet.
    pub(crate) fn read(stream: &[u8]) -> Result<Self, Problem> {
        let mut records = Records::new(stream, 0);
        let version = records.next().filter(|first| first.kind == record::BOF);
        let version = version.and_then(|first| u16_at(first.data, 0));
        let mut book = Self {
            epoch: Epoch::From1900,
            codepage: match version {
                Some(0x0600) => Codepage::Unicode,
                Some(0x0500) => Codepage::default(),
                _ => return Err(invalid_workbook("the workbook is older than Excel 5")),
            },
            styles: Styles::default(),
            strings: Strings::default(),
            sheets: Vec::new(),
        };
        while let Some(found) = records.next().filter(|found| found.kind != record::EOF) {
            let data = found.data;
            match found.kind {
                record::FILEPASS => return Err(Problem::of_file(Kind::Encrypted)),
                record::DATEMODE if u16_at(data, 0) == Some(1) => book.epoch = Epoch::From1904,
                record::CODEPAGE => book.codepage = book.codepage.with(u16_at(data, 0)),
                record::BOUNDSHEET => book.sheets.extend(sheet(data, book.codepage)),
                record::FORMAT => {
                    let number = u16_at(data, 0).unwrap_or_default();
                    let code = if book.codepage == Codepage::Unicode {
                        Chars::new(&[data], 2).long(book.codepage)
                    } else {
                        Chars::new(&[data], 2).short(book.codepage)
                    };
                    book.styles.define(u32::from(number), &code.unwrap_or_default());
                }
                record::XF if book.styles.len() < MAX_STRINGS => {
                    book.styles.push(u32::from(u16_at(data, 2).unwrap_or_default()));
                }
                record::SST => {
                    let mut parts = vec![data];
                    parts.extend(records.continuations());
                    book.strings = shared_strings(&parts)?;
                }
                _ => {}
            }
            if book.sheets.len() > MAX_STATEMENTS {
                return Err(invalid_workbook("it has too many sheets"));
            }
        }
        Ok(book)
    }
}

/// Returns a sheet of cells; others are charts and macros.
fn sheet(data: &[u8], codepage: Codepage) -> Option<Sheet> {
    let offset = usize::try_from(u32_at(data, 0)?).ok()?;
    let name = Chars::new(&[data], 6).short(codepage)?;
    (data.get(5) == Some(&0)).then_some(Sheet { name, offset })
}

fn shared_strings(parts: &[&[u8]]) -> Result<Strings, Problem> {
    let mut strings = Strings::default();
    // The numbers of references and of strings precede them.
    let mut chars = Chars::new(parts, 8);
    while let Some(text) = chars.long(Codepage::Unicode) {
        strings.push(&text)?;
    }
    Ok(strings)
}
