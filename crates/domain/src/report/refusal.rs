//! Refusals of reports.

use crate::reason::Reason;

/// Limit of periods or hashtags that are columns of a report.
pub const MAX_COLUMNS: usize = 60;

/// Limit of the rows of a report that has a row for each transaction, in a format that needs all of
/// them at once.
pub const MAX_COLLECTED_ROWS: usize = 100_000;

/// Why a report was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error(
        "invalid period \"{0}\": expected a year (2026), a month (2026-03), a quarter (2026-Q2), a \
         day (2026-03-15), two days (2026-01-15..2026-03-31) or a fiscal year (FY2026)"
    )]
    Period(String),
    #[error(
        "invalid after \"{0}\": expected the number of an event, or an instant such as \
         2026-10-01T00:00:00Z"
    )]
    After(String),
    #[error("after {0} is beyond the last event, {1}")]
    AfterLast(i64, i64),
    #[error("invalid compare \"{0}\": expected a period such as 2025, or the id of a book")]
    Compare(String),
    #[error("invalid columns \"{0}\": expected month, quarter, year, or hashtags such as #a,#b")]
    Columns(String),
    #[error(
        "the report would have more than {MAX_COLUMNS} columns: choose a shorter period or longer \
         columns"
    )]
    TooManyColumns,
    #[error("compare cannot be used together with columns: omit one of them")]
    CompareWithColumns,
    #[error("invalid depth \"{0}\": expected a whole number of at least 1")]
    Depth(String),
    #[error("invalid zeros \"{0}\": expected true or false")]
    Zeros(String),
    /// The report has no such parameter.
    #[error("the report {report} has no parameter {parameter}")]
    Parameter { report: &'static str, parameter: &'static str },
    /// The query has dates or a periodicity.
    #[error(
        "the query of a report takes accounts, groups and hashtags, not \"{0}\": use the \
         parameters period and columns instead"
    )]
    QueryRange(String),
    /// The report proves nothing without all accounts.
    #[error("the query of the report {0} takes hashtags only, because it needs all accounts")]
    AccountsInQuery(&'static str),
    #[error(
        "the report has more than {MAX_COLLECTED_ROWS} rows: choose a shorter period, or the \
         format csv"
    )]
    TooManyRows,
    #[error(
        "the book has no cash accounts: set the property \"report\" of a group of accounts to \
         \"cash\""
    )]
    NoCashAccounts,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::QueryRange(_) | Self::AccountsInQuery(_) => Reason::QueryNotUnderstood,
            Self::Period(_)
            | Self::After(_)
            | Self::AfterLast(..)
            | Self::Compare(_)
            | Self::Columns(_)
            | Self::TooManyColumns
            | Self::CompareWithColumns
            | Self::Depth(_)
            | Self::Zeros(_)
            | Self::Parameter { .. }
            | Self::TooManyRows
            | Self::NoCashAccounts => Reason::BadRequest,
        }
    }
}
