//! The context in which a query is parsed.

use time::Date;

use crate::amount::DecimalSeparator;
use crate::calendar::DatePattern;

/// The day and the settings of the book that affect the meaning of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseContext {
    /// Today in the time zone of the book, for variables (behaviour 1.3.5).
    pub today: Date,
    /// The date pattern of the book (behaviour 1.3.1).
    pub pattern: DatePattern,
    /// The decimal separator of the book (behaviour 1.2.8).
    pub separator: DecimalSeparator,
}
