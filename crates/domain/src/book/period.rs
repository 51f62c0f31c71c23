//! Period settings of user interfaces, without effect on the API (behaviour 6.12).

use time::Month;

/// The default period of user interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Period {
    /// A month. The default.
    #[default]
    Month,
    /// Three months.
    Quarter,
    /// A year.
    Year,
}

impl Period {
    /// All periods.
    pub const ALL: [Self; 3] = [Self::Month, Self::Quarter, Self::Year];

    /// Returns the name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Month => "MONTH",
            Self::Quarter => "QUARTER",
            Self::Year => "YEAR",
        }
    }

    /// Finds the period with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.as_str() == name)
    }
}

/// The first month of the year. The default is January.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartMonth(Month);

impl StartMonth {
    /// Returns the name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self.0 {
            Month::January => "JANUARY",
            Month::February => "FEBRUARY",
            Month::March => "MARCH",
            Month::April => "APRIL",
            Month::May => "MAY",
            Month::June => "JUNE",
            Month::July => "JULY",
            Month::August => "AUGUST",
            Month::September => "SEPTEMBER",
            Month::October => "OCTOBER",
            Month::November => "NOVEMBER",
            Month::December => "DECEMBER",
        }
    }

    /// Finds the month with that name.
    ///
    /// ```
    /// use daybook_domain::book::StartMonth;
    /// assert_eq!(StartMonth::from_name("APRIL").map(StartMonth::as_str), Some("APRIL"));
    /// assert_eq!(StartMonth::from_name("April"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|month| month.as_str() == name)
    }

    /// Iterates over all months from January.
    pub fn all() -> impl Iterator<Item = Self> {
        std::iter::successors(Some(Month::January), |month| Some(month.next())).take(12).map(Self)
    }
}

impl Default for StartMonth {
    fn default() -> Self {
        Self(Month::January)
    }
}
