//! The settings that the meaning of a query depends on.

use time::Date;

use crate::amount::DecimalSeparator;
use crate::calendar::DatePattern;

/// The day and the settings of the book that a query is read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseContext {
    /// Today in the time zone of the book, which variables count from (behaviour 1.3.5).
    pub today: Date,
    /// How the book writes days (behaviour 1.3.1).
    pub pattern: DatePattern,
    /// How the book punctuates amounts (behaviour 1.2.8).
    pub separator: DecimalSeparator,
}
