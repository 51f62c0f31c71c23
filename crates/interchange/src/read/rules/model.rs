//! The rules of a CSV file.

use daybook_domain::amount::DecimalSeparator;

use super::assign::{Assignment, Target};
use super::block::Block;
use super::date_format::DateFormat;
use super::matcher::Matcher;
use super::problem::RuleProblem;
use super::search::Search;

/// The rules of a CSV file.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub(crate) separator: Option<char>,
    pub(crate) skip: usize,
    /// The names of the header, which is searched for.
    pub(crate) header: Option<Vec<String>>,
    pub(crate) encoding: Option<String>,
    pub(crate) date_format: Option<DateFormat>,
    pub(crate) decimal_mark: Option<DecimalSeparator>,
    /// The currency of the account that the file is of.
    pub(crate) account_currency: Option<String>,
    pub(crate) newest_first: bool,
    pub(crate) intra_day_reversed: bool,
    /// The names of the columns, in lower case.
    pub(crate) columns: Vec<String>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) blocks: Vec<Block>,
    /// Matchers that every record must fulfil.
    pub(crate) requirements: Vec<Matcher>,
    /// The patterns of all matchers.
    pub(crate) search: Search,
    /// Rules that have no effect here.
    pub(crate) notes: Vec<RuleProblem>,
}

impl Rules {
    /// Returns the rules that have no effect, such as `source` and `archive`.
    #[must_use]
    pub fn notes(&self) -> &[RuleProblem] {
        &self.notes
    }

    /// Returns all assignments, of blocks too.
    pub(crate) fn all_assignments(&self) -> impl Iterator<Item = &Assignment> {
        let of_blocks = self.blocks.iter().flat_map(|block| &block.assignments);
        self.assignments.iter().chain(of_blocks)
    }

    /// Returns whether an assignment has a target.
    pub(crate) fn assigns(&self, target: &Target) -> bool {
        self.all_assignments().any(|assignment| assignment.target == *target)
    }

    /// Returns the columns that assignments to such targets refer to, each once.
    pub(crate) fn columns_of(&self, is_wanted: fn(&Target) -> bool) -> Vec<usize> {
        let wanted = self.all_assignments().filter(|assignment| is_wanted(&assignment.target));
        let mut columns: Vec<usize> =
            wanted.flat_map(|assignment| assignment.value.columns()).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }
}
