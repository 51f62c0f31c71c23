//! The search for all patterns of a column at once.

use std::collections::BTreeMap;

use regex::{RegexSet, RegexSetBuilder, SetMatches};

/// The most bytes of the patterns of a column, compiled together; more are searched for one by one.
const MAX_SET_BYTES: usize = 16 * 1024 * 1024;

/// The patterns of the whole record and of each column, in the order of their indices.
pub(crate) type Patterns = BTreeMap<Option<usize>, Vec<String>>;

/// The compiled patterns of the whole record and of each column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Search {
    sets: BTreeMap<Option<usize>, RegexSet>,
    /// The matchers of each, which bound the work of a search.
    matchers: BTreeMap<Option<usize>, usize>,
}

/// The patterns that were found in a record.
#[derive(Debug, Default)]
pub(crate) struct Found {
    matches: BTreeMap<Option<usize>, SetMatches>,
}

impl Found {
    /// Returns whether a pattern was found; `None` if it was not searched for.
    pub(crate) fn get(&self, column: Option<usize>, index: Option<usize>) -> Option<bool> {
        Some(self.matches.get(&column)?.matched(index?))
    }
}

/// The work that searches may still need, so that a file is read in bounded time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    bytes: usize,
}

/// Sixteen gigabytes: 1,000,000 records of 64 bytes with 250 matchers.
const MAX_SEARCHED_BYTES: usize = 1 << 34;

/// The work of an assignment, in bytes that are searched.
const ASSIGNMENT_BYTES: usize = 64;

impl Budget {
    pub(crate) const fn new() -> Self {
        Self { bytes: MAX_SEARCHED_BYTES }
    }

    /// Takes the work of so many assignments.
    pub(crate) const fn charge(&mut self, assignments: usize) {
        self.bytes = self.bytes.saturating_sub(assignments.saturating_mul(ASSIGNMENT_BYTES));
    }

    /// Returns whether nothing is left.
    pub(crate) const fn is_spent(&self) -> bool {
        self.bytes == 0
    }
}

impl Search {
    /// Compiles the patterns of each column together.
    pub(crate) fn new(patterns: Patterns) -> Self {
        let mut search = Self::default();
        for (column, patterns) in patterns {
            let mut builder = RegexSetBuilder::new(&patterns);
            let set = builder.case_insensitive(true).size_limit(MAX_SET_BYTES).build();
            search.matchers.insert(column, patterns.len());
            search.sets.extend(set.ok().map(|set| (column, set)));
        }
        search
    }

    /// Searches a record for all patterns.
    pub(crate) fn find<'a>(
        &self,
        record: &str,
        cell: impl Fn(usize) -> &'a str,
        budget: &mut Budget,
    ) -> Found {
        let mut found = Found::default();
        for (column, count) in &self.matchers {
            let text = column.map_or(record, |column| cell(column).trim());
            let work = text.len().saturating_add(8).saturating_mul(*count);
            budget.bytes = budget.bytes.saturating_sub(work);
            let matches = self.sets.get(column).map(|set| set.matches(text));
            found.matches.extend(matches.map(|matches| (*column, matches)));
        }
        found
    }
}
