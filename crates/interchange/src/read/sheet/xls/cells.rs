//! The cells of a sheet.

use super::record::{self, Records, bytes_at, u16_at, u32_at};
use super::text::Chars;
use super::workbook::Workbook;
use crate::read::problem::Problem;
use crate::read::sheet::Table;
use crate::read::sheet::number::cell_text;
use crate::read::sheet::strings::Strings;

/// Reads the sheet that begins at an offset.
///
/// Cells may stand in any order, and are sorted.
pub(crate) fn read(
    stream: &[u8],
    offset: usize,
    mut table: Table,
    book: &Workbook,
) -> Result<Table, Problem> {
    let mut cells = Cells { book, places: Vec::new(), texts: Strings::default(), formula: None };
    let mut depth = 0_usize;
    for found in Records::new(stream, offset) {
        match found.kind {
            record::BOF => depth += 1,
            record::EOF => depth = depth.saturating_sub(1),
            // Charts within the sheet have records of their own.
            _ if depth == 1 => cells.add(found.kind, found.data)?,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    let Cells { mut places, texts, .. } = cells;
    places.sort_by_key(|place| (place.row, place.column));
    let mut row = 0;
    for place in places {
        if place.row != row {
            table.add_row(u32::from(row) + 1)?;
            row = place.row;
        }
        table.set(usize::from(place.column), texts.get(place.text));
    }
    table.add_row(u32::from(row) + 1)?;
    Ok(table)
}

/// A cell with the index of its text.
#[derive(Clone, Copy)]
struct Place {
    row: u16,
    column: u16,
    text: usize,
}

struct Cells<'a> {
    book: &'a Workbook,
    places: Vec<Place>,
    texts: Strings,
    /// The place of a formula whose text is in the next record.
    formula: Option<(u16, u16)>,
}

impl Cells<'_> {
    fn add(&mut self, kind: u16, data: &[u8]) -> Result<(), Problem> {
        if kind == record::STRING {
            let text = Chars::new(&[data], 0).long(self.book.codepage);
            let formula = self.formula.take();
            let found = formula.zip(text);
            return found.map_or(Ok(()), |((row, column), text)| self.push(row, column, &text));
        }
        let (Some(row), Some(column)) = (u16_at(data, 0), u16_at(data, 2)) else {
            return Ok(());
        };
        let style = u16_at(data, 4);
        match kind {
            record::NUMBER => self.double(row, column, style, bytes_at(data, 6)),
            record::RK => self.rk(row, column, style, u32_at(data, 6)),
            record::MULRK => {
                // Pairs of a format and a number, and the last column.
                let pairs = data.get(4..data.len().saturating_sub(2)).unwrap_or_default();
                (column..=u16::MAX).zip(pairs.chunks_exact(6)).try_for_each(|(column, pair)| {
                    self.rk(row, column, u16_at(pair, 0), u32_at(pair, 2))
                })
            }
            record::LABEL | record::RSTRING => {
                let text = Chars::new(&[data], 6).long(self.book.codepage);
                self.push(row, column, &text.unwrap_or_default())
            }
            record::LABELSST => {
                let index = u32_at(data, 6).and_then(|index| usize::try_from(index).ok());
                let book = self.book;
                self.push(row, column, book.strings.get(index.unwrap_or(usize::MAX)))
            }
            record::BOOLERR => {
                let is_error = data.get(7) == Some(&1);
                self.push(row, column, literal(data.get(6).copied(), is_error))
            }
            record::FORMULA => self.result(row, column, style, data),
            _ => Ok(()),
        }
    }

    fn push(&mut self, row: u16, column: u16, text: &str) -> Result<(), Problem> {
        let index = self.texts.push(text)?;
        self.places.push(Place { row, column, text: index });
        Ok(())
    }

    fn number(
        &mut self,
        row: u16,
        column: u16,
        style: Option<u16>,
        number: &str,
        shift: i32,
    ) -> Result<(), Problem> {
        let style = style.map(usize::from).unwrap_or(usize::MAX);
        let display = self.book.styles.get(style);
        self.push(row, column, &cell_text(number, shift, display, self.book.epoch))
    }

    fn double(
        &mut self,
        row: u16,
        column: u16,
        style: Option<u16>,
        bytes: Option<[u8; 8]>,
    ) -> Result<(), Problem> {
        let number = bytes.map(f64::from_le_bytes).filter(|number| number.is_finite());
        number.map_or(Ok(()), |number| self.number(row, column, style, &format!("{number:e}"), 0))
    }

    /// Adds a number in four bytes.
    ///
    /// It is an integer or the first half of a floating point number, perhaps times 100.
    fn rk(
        &mut self,
        row: u16,
        column: u16,
        style: Option<u16>,
        rk: Option<u32>,
    ) -> Result<(), Problem> {
        let Some(rk) = rk else { return Ok(()) };
        let shift = if rk & 1 == 0 { 0 } else { -2 };
        let number = if rk & 2 == 0 {
            format!("{:e}", f64::from_bits(u64::from(rk & !3) << 32))
        } else {
            (i32::from_le_bytes(rk.to_le_bytes()) >> 2).to_string()
        };
        self.number(row, column, style, &number, shift)
    }

    /// Adds the result of a formula as it was computed last.
    fn result(
        &mut self,
        row: u16,
        column: u16,
        style: Option<u16>,
        data: &[u8],
    ) -> Result<(), Problem> {
        let Some(result) = bytes_at::<8>(data, 6) else { return Ok(()) };
        match result {
            [0, .., 0xff, 0xff] => self.formula = Some((row, column)),
            [1, _, value, .., 0xff, 0xff] => {
                return self.push(row, column, literal(Some(value), false));
            }
            [2, _, code, .., 0xff, 0xff] => {
                return self.push(row, column, literal(Some(code), true));
            }
            [.., 0xff, 0xff] => {}
            number => return self.double(row, column, style, Some(number)),
        }
        Ok(())
    }
}

/// Returns the text of a truth value or an error.
const fn literal(code: Option<u8>, is_error: bool) -> &'static str {
    match (code, is_error) {
        (Some(0), false) => "FALSE",
        (Some(1), false) => "TRUE",
        (Some(0x00), true) => "#NULL!",
        (Some(0x07), true) => "#DIV/0!",
        (Some(0x0f), true) => "#VALUE!",
        (Some(0x17), true) => "#REF!",
        (Some(0x1d), true) => "#NAME?",
        (Some(0x24), true) => "#NUM!",
        (Some(0x2a), true) => "#N/A",
        (Some(_) | None, _) => "#UNKNOWN!",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::sheet::xls::record::{BOF, EOF};

    fn stream(records: &[(u16, &[u8])]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (kind, data) in records {
            bytes.extend(kind.to_le_bytes());
            bytes.extend(u16::try_from(data.len()).unwrap().to_le_bytes());
            bytes.extend(*data);
        }
        bytes
    }

    #[test]
    fn cells_of_all_kinds_are_read() {
        let stream = stream(&[
            (BOF, b"\0\x06"),
            (EOF, b""),
            (BOF, b"\0\x06"),
            // A chart within the sheet.
            (BOF, b"\0\x06"),
            (record::LABEL, b"\0\0\0\0\0\0\x01\0\0x"),
            (EOF, b""),
            (record::BOOLERR, b"\x01\0\x01\0\0\0\x07\x01"),
            (record::BOOLERR, b"\x01\0\0\0\0\0\x01\0"),
            (record::FORMULA, b"\x02\0\0\0\0\0\0\0\0\0\0\0\xff\xff"),
            (record::STRING, b"\x02\0\0ab"),
            (record::STRING, b"\x02\0\0cd"),
            (record::FORMULA, b"\x02\0\x01\0\0\0\x01\0\x01\0\0\0\xff\xff"),
            (record::FORMULA, b"\x02\0\x02\0\0\0\x02\0\x2a\0\0\0\xff\xff"),
            (record::FORMULA, b"\x02\0\x03\0\0\0\0\0\0\0\0\0\xf8\x3f"),
            (record::LABEL, b"\0\0\0\0\0\0\x01\0\0y"),
            // 12.34 as an integer, 1.5 as the half of a floating point number, and its last column.
            (record::MULRK, b"\x04\0\x01\0\0\0\x4b\x13\0\0\0\0\0\0\xf8\x3f\x02\0"),
            (record::NUMBER, b"\x05\0\0\0\0\0\0\0"),
            (EOF, b""),
            (record::LABEL, b"\0\0\x01\0\0\0\x01\0\0z"),
        ]);
        let book = Workbook::read(&stream).unwrap();
        let table = read(&stream, 10, Table::new("S"), &book).unwrap();
        let expected = "y\nTRUE\t#DIV/0!\nab\tTRUE\t#N/A\t1.5\n\n\t12.34\t1.5\n";
        assert_eq!(table.text(), expected);
    }
}
