//! The period settings of a book (behaviour 6.12).

use time::Month;

use crate::named::named;

named! {
    /// The default period of user interfaces.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Period {
        /// A month. The default.
        #[default]
        Month = "MONTH",
        /// Three months.
        Quarter = "QUARTER",
        /// A year.
        Year = "YEAR",
    }
}

named! {
    /// The first month of the fiscal year. The default is January.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    #[expect(missing_docs, reason = "each variant is the month of its name")]
    pub enum StartMonth {
        #[default]
        January = "JANUARY",
        February = "FEBRUARY",
        March = "MARCH",
        April = "APRIL",
        May = "MAY",
        June = "JUNE",
        July = "JULY",
        August = "AUGUST",
        September = "SEPTEMBER",
        October = "OCTOBER",
        November = "NOVEMBER",
        December = "DECEMBER",
    }
}

impl StartMonth {
    /// Returns the month of the calendar.
    pub const fn month(self) -> Month {
        match self {
            Self::January => Month::January,
            Self::February => Month::February,
            Self::March => Month::March,
            Self::April => Month::April,
            Self::May => Month::May,
            Self::June => Month::June,
            Self::July => Month::July,
            Self::August => Month::August,
            Self::September => Month::September,
            Self::October => Month::October,
            Self::November => Month::November,
            Self::December => Month::December,
        }
    }
}
