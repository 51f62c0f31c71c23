//! The choice of one table of a workbook.

use super::Table;
use crate::read::csv;
use crate::read::problem::{Kind, Problem, excerpt};
use crate::read::rules::Rules;

/// Chooses the table that was asked for by name, or else the first one with a known header.
pub(crate) struct Choice<'a> {
    rules: Option<&'a Rules>,
    name: Option<&'a str>,
    chosen: Option<Table>,
    /// The first table with a row, if there are rules.
    first: Option<Table>,
}

impl<'a> Choice<'a> {
    pub(crate) const fn new(rules: Option<&'a Rules>, name: Option<&'a str>) -> Self {
        Self { rules, name, chosen: None, first: None }
    }

    /// Returns whether a table of this name needs to be read.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.chosen.is_none() && self.name.is_none_or(|wanted| same_name(wanted, name))
    }

    /// Offers the next table, and returns whether no more are needed.
    pub(crate) fn offer(&mut self, table: Table) -> bool {
        if !self.wants(table.name()) {
            return self.chosen.is_some();
        }
        if self.name.is_some() || csv::has_header(table.text(), self.rules) {
            self.chosen = Some(table);
        } else if self.rules.is_some() && self.first.is_none() && !table.text().is_empty() {
            self.first = Some(table);
        }
        self.chosen.is_some()
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
