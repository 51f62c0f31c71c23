//! Facts about a file that a user may state.

use daybook_domain::amount::DecimalSeparator;

use super::day::DayOrder;

/// Statements about a file that override what is found in it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// The order of day and month in dates such as `03/04/2026`.
    pub day_order: Option<DayOrder>,
    /// The decimal mark.
    pub decimal_mark: Option<DecimalSeparator>,
    /// The encoding.
    pub encoding: Option<String>,
    /// The sheet of a workbook, by its name without regard to case.
    pub sheet: Option<String>,
}
