//! Rules files of hledger, which say how the columns of a CSV file become transactions.
//!
//! The page `docs/import-rules.md` lists the rules and all differences from hledger. A rule file is
//! parsed completely before a record is read; nothing in it opens a file or runs a command.

mod assign;
mod block;
mod date_format;
mod matcher;
mod model;
mod parse;
mod problem;
mod search;
mod template;

pub use model::Rules;
pub use parse::{MAX_RULES_BYTES, included_names, parse};
pub use problem::{RuleKind, RuleProblem};

pub(crate) use assign::{Assignment, Target};
pub(crate) use block::{Block, Control};
pub(crate) use search::{Budget, Found};

#[cfg(test)]
mod tests;
