//! Conditional blocks.

use super::assign::Assignment;
use super::matcher::Matcher;
use super::search::Found;

/// The assignments for the records that matchers match.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    /// The line of the `if`, or of the row of its table.
    pub(crate) line: u32,
    /// Alternatives, each of which needs all of its matchers.
    pub(crate) alternatives: Vec<Vec<Matcher>>,
    pub(crate) assignments: Vec<Assignment>,
    pub(crate) control: Option<Control>,
}

/// A rule that leaves records out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Control {
    /// This record and those that follow it, so many in all.
    Skip(usize),
    /// This record and all that follow it.
    End,
}

impl Block {
    /// Returns the match groups of the alternatives that match; `None` if none does.
    pub(crate) fn matches<'a>(
        &self,
        record: &str,
        cell: &impl Fn(usize) -> &'a str,
        found: &Found,
    ) -> Option<Vec<String>> {
        let has_groups = self.alternatives.iter().flatten().any(Matcher::has_groups);
        let mut groups = Vec::new();
        let mut is_active = false;
        for matchers in &self.alternatives {
            let before = groups.len();
            if matchers.iter().all(|matcher| matcher.matches(record, cell, found, &mut groups)) {
                is_active = true;
            } else {
                groups.truncate(before);
            }
            if is_active && !has_groups {
                break;
            }
        }
        is_active.then_some(groups)
    }
}
