//! The stream of the workbook in a compound file.

use std::collections::HashSet;

use super::record::{u16_at, u32_at};
use crate::read::problem::{Kind, Problem, invalid_workbook};

/// The bytes of an entry of the directory.
const ENTRY_BYTES: usize = 128;

/// The bytes of a sector of the stream for small streams.
const MINI_SECTOR_BYTES: usize = 64;

/// The numbers from here on are not sectors: the end of a chain, and free sectors.
const FIRST_SPECIAL: u32 = 0xffff_fffa;

/// The name of the stream that has an XLSX workbook with a password, in UTF-16.
const ENCRYPTED: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";

/// Returns the stream of the workbook.
///
/// # Errors
/// [`Kind::Encrypted`] and [`Kind::InvalidWorkbook`].
pub(crate) fn workbook(bytes: &[u8]) -> Result<Vec<u8>, Problem> {
    read(bytes).ok_or_else(|| {
        if bytes.windows(ENCRYPTED.len()).any(|window| window == ENCRYPTED) {
            return Problem::of_file(Kind::Encrypted);
        }
        invalid_workbook("the file has no stream of a workbook")
    })
}

fn read(bytes: &[u8]) -> Option<Vec<u8>> {
    let shift = u16_at(bytes, 30).filter(|shift| matches!(shift, 9 | 12))?;
    let file = Sectors { bytes, size: 1_usize << shift, first: 1 };
    let table = file.table()?;
    let directory = file.chain(u32_at(bytes, 48)?, &table)?;
    let mut entries = directory.chunks_exact(ENTRY_BYTES);
    let root = entries.clone().next()?;
    let entry = entries.find(|entry| is_workbook(entry))?;
    let (start, length) = (u32_at(entry, 116)?, usize::try_from(u32_at(entry, 120)?).ok()?);
    let smallest = usize::try_from(u32_at(bytes, 56)?).ok()?;
    let mut stream = if length < smallest {
        let small = file.chain(u32_at(root, 116)?, &table)?;
        let small_table = numbers(&file.chain(u32_at(bytes, 60)?, &table)?);
        Sectors { bytes: &small, size: MINI_SECTOR_BYTES, first: 0 }.chain(start, &small_table)?
    } else {
        file.chain(start, &table)?
    };
    stream.truncate(length);
    Some(stream)
}

/// Whether an entry of the directory is the stream of a workbook.
fn is_workbook(entry: &[u8]) -> bool {
    let length = u16_at(entry, 64).map(usize::from).unwrap_or_default().min(64);
    let units = entry.get(..length).unwrap_or_default().chunks_exact(2);
    let name: String =
        units.filter_map(|unit| unit.first()).map(|byte| char::from(*byte)).collect();
    let name = name.trim_end_matches('\0');
    let is_stream = entry.get(66) == Some(&2);
    is_stream && (name.eq_ignore_ascii_case("workbook") || name.eq_ignore_ascii_case("book"))
}

/// A file or a stream in sectors.
struct Sectors<'a> {
    bytes: &'a [u8],
    size: usize,
    /// The sectors before the one with number 0.
    first: usize,
}

impl<'a> Sectors<'a> {
    /// Returns a sector; the last one may be shorter.
    fn get(&self, number: u32) -> Option<&'a [u8]> {
        let index = usize::try_from(number).ok()?.checked_add(self.first)?;
        let start = index.checked_mul(self.size)?;
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        Some(rest.get(..self.size).unwrap_or(rest))
    }

    /// Returns the sectors of a chain; `None` if it is a loop or leaves the file.
    fn chain(&self, start: u32, table: &[u32]) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        let mut number = start;
        while number < FIRST_SPECIAL {
            content.extend_from_slice(self.get(number)?);
            if content.len() > self.bytes.len() {
                return None;
            }
            number = *table.get(usize::try_from(number).ok()?)?;
        }
        Some(content)
    }

    /// Reads the allocation table, which has the next sector of each.
    fn table(&self) -> Option<Vec<u32>> {
        let mut list = numbers(self.bytes.get(76..512)?);
        let mut next = u32_at(self.bytes, 68)?;
        let mut seen = HashSet::new();
        while next < FIRST_SPECIAL {
            let mut sector = numbers(self.get(next)?);
            if !seen.insert(next) {
                return None;
            }
            next = sector.pop()?;
            list.extend(sector);
        }
        let mut table = Vec::new();
        let mut seen = HashSet::new();
        for number in list.into_iter().filter(|number| *number < FIRST_SPECIAL) {
            // A sector is in the table once, so the table is not longer than the file.
            if !seen.insert(number) {
                return None;
            }
            table.extend(numbers(self.get(number)?));
        }
        Some(table)
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).filter_map(|number| u32_at(number, 0)).collect()
}
