//! What the meaning of a query depends on besides its text.

use time::Date;

use crate::amount::DecimalSeparator;
use crate::calendar::DatePattern;

/// What reading a query depends on besides its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParseContext {
    /// Today in the book's time zone: what variables count from (behaviour 1.3.5).
    pub today: Date,
    /// How the book writes days (behaviour 1.3.1).
    pub pattern: DatePattern,
    /// How the book punctuates amounts (behaviour 1.2.8).
    pub separator: DecimalSeparator,
}
