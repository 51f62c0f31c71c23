//! Why a query is not evaluated.

use super::Warning;
use crate::reason::Reason;

/// Most terms of a query of transactions; most accounts and groups together, most hashtags, and
/// most other terms of a query of balances (behaviour 1.7.1, 5.17). Nobody writes more, and a
/// database would plan them for minutes.
pub const MAX_TERMS: usize = 200;

/// Most characters of a text that is searched for (behaviour 1.7.4): each description that may hold
/// it is compared with it.
pub const MAX_TEXT: usize = 256;

/// Why a query was refused. Its text never is, but for these (behaviour 1.1.10).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No query, or only white space, where one is needed (behaviour 5.1).
    #[error("query is required")]
    Required,
    /// More of something than is evaluated (behaviour 1.7.1, 5.17).
    #[error("the query asks for {count} {what}; at most {limit} are allowed")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: usize,
        /// How much is allowed.
        limit: usize,
    },
    /// A part would be ignored, and the caller wants to be told (behaviour 1.1.14).
    #[error("the query is not understood: {}", listed(.0))]
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

    /// Refuses warnings.
    ///
    /// # Errors
    /// [`Refusal::NotUnderstood`].
    pub(super) fn check_understood(warnings: &[Warning]) -> Result<(), Self> {
        if warnings.is_empty() { Ok(()) } else { Err(Self::NotUnderstood(warnings.to_vec())) }
    }

    /// Refuses a count beyond a limit.
    ///
    /// # Errors
    /// [`Refusal::TooLarge`].
    pub const fn check(what: &'static str, count: usize, limit: usize) -> Result<(), Self> {
        if count > limit { Err(Self::TooLarge { what, count, limit }) } else { Ok(()) }
    }
}

fn listed(warnings: &[Warning]) -> String {
    warnings.iter().map(Warning::to_string).collect::<Vec<_>>().join("; ")
}
