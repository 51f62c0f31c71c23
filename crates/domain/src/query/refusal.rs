//! Refusals of queries.

use super::Warning;
use crate::reason::Reason;

/// Limit of terms of a transaction query, and of accounts and groups, of hashtags and of other
/// terms of a balance query (behaviour 1.7.1, 5.17).
///
/// A database would need minutes to plan much larger queries.
pub const MAX_TERMS: usize = 200;

/// Maximum length of a searched text, in characters (behaviour 1.7.4). It is compared with each
/// candidate description.
pub const MAX_TEXT: usize = 256;

/// Why a query was refused. No other text is refused (behaviour 1.1.10).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The query is missing or blank where one is required (behaviour 5.1).
    #[error("query is required")]
    Required,
    /// The query exceeds a limit (behaviour 1.7.1, 5.17).
    #[error("the query has {count} {what}; at most {limit} are allowed")]
    TooLarge {
        /// The counted things.
        what: &'static str,
        /// Their number.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// The query has warnings, and the caller asked to refuse it then (behaviour 1.1.14).
    #[error("the query is not understood: {}", join(.0))]
    NotUnderstood(Vec<Warning>),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Required => Reason::BadRequest,
            Self::TooLarge { .. } => Reason::QueryTooLarge,
            Self::NotUnderstood(_) => Reason::QueryNotUnderstood,
        }
    }

    /// Refuses a query with warnings.
    pub(super) fn check_understood(warnings: &[Warning]) -> Result<(), Self> {
        if warnings.is_empty() { Ok(()) } else { Err(Self::NotUnderstood(warnings.to_vec())) }
    }

    /// Checks a count against a limit.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub const fn check(what: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count > limit { Err(Self::TooLarge { what, count, limit }) } else { Ok(()) }
    }
}

fn join(warnings: &[Warning]) -> String {
    warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; ")
}
