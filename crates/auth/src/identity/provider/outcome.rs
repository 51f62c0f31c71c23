//! The result of verifying a provider token.

use daybook_domain::instant::Instant;
use daybook_edge::outgoing::Failure;
use daybook_service::user::VerifiedUser;

/// The user of a verified provider token.
#[derive(Debug)]
pub(crate) struct Verified {
    pub(crate) user: VerifiedUser,
    /// How long the result may be cached.
    pub(crate) until: Instant,
}

/// Why a provider token was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The token is not valid.
    Untrusted,
    /// Its scope does not include the e-mail address.
    Scope,
    /// Its user has no verified e-mail address.
    Email,
    /// A provider did not respond. The text is for the log.
    Unavailable(String),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Unavailable(failure.to_string())
    }
}
