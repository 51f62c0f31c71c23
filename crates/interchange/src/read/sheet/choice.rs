//! The choice of one table of a workbook.

use super::Table;
use crate::read::csv;
use crate::read::limits::MAX_UNPACKED_BYTES;
use crate::read::problem::{Kind, Problem, excerpt};
use crate::read::rules::Rules;

/// Chooses the table that was asked for by name, or else the first one with a known header.
pub(crate) struct Choice<'a> {
    rules: Option<&'a Rules>,
    name: Option<&'a str>,
    chosen: Option<Table>,
    /// The first table with a row, if there are rules.
    first: Option<Table>,
    /// The bytes that the texts of further tables may have. A few cells can make a long text.
    left: u64,
}

impl<'a> Choice<'a> {
    pub(crate) const fn new(rules: Option<&'a Rules>, name: Option<&'a str>) -> Self {
        Self { rules, name, chosen: None, first: None, left: MAX_UNPACKED_BYTES }
    }

    /// Returns whether a table of this name needs to be read.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.chosen.is_none() && self.name.is_none_or(|wanted| same_name(wanted, name))
    }

    /// Offers the next table, and returns whether no more are needed.
    ///
    /// # Errors
    /// [`Kind::UnpackedTooLarge`] if all tables together are too large.
    pub(crate) fn offer(&mut self, table: Table) -> Result<bool, Problem> {
        if !self.wants(table.name()) {
            return Ok(self.chosen.is_some());
        }
        let length = u64::try_from(table.text().len()).unwrap_or(u64::MAX);
        let left = self.left.checked_sub(length);
        self.left = left.ok_or_else(|| Problem::of_file(Kind::UnpackedTooLarge))?;
        if self.name.is_some() || csv::has_header(table.text(), self.rules) {
            self.chosen = Some(table);
        } else if self.rules.is_some() && self.first.is_none() && !table.text().is_empty() {
            self.first = Some(table);
        }
        Ok(self.chosen.is_some())
    }

    /// Returns the chosen table; with rules that name no header, the first one.
    ///
    /// # Errors
    /// [`Kind::UnknownSheet`] and [`Kind::NoHeader`].
    pub(crate) fn finish(self) -> Result<Table, Problem> {
        if let Some(table) = self.chosen.or(self.first) {
            return Ok(table);
        }
        Err(Problem::of_file(match self.name {
            Some(name) => Kind::UnknownSheet(excerpt(name)),
            None => Kind::NoHeader,
        }))
    }
}

fn same_name(wanted: &str, name: &str) -> bool {
    wanted.trim().to_lowercase() == name.trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_bounded_together() {
        let mut choice = Choice { left: 10, ..Choice::new(None, None) };
        let mut offer = || {
            let mut table = Table::new("S");
            table.set(0, "x");
            table.repeat_row(1, 3).unwrap();
            choice.offer(table)
        };
        assert_eq!(offer(), Ok(false));
        assert_eq!(offer(), Err(Problem::of_file(Kind::UnpackedTooLarge)));
    }
}
