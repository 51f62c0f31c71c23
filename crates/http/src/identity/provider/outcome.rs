//! Whom a token of a provider lets in, or why it lets nobody in.

use daybook_domain::instant::Instant;
use daybook_service::user::VerifiedUser;

use crate::outgoing::Failure;

/// Whom a provider says a token belongs to.
#[derive(Debug)]
pub(crate) struct Verified {
    pub(crate) user: VerifiedUser,
    /// Until when that is trusted.
    pub(crate) until: Instant,
}

/// Why a token of a provider lets nobody in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// No provider trusts it.
    Untrusted,
    /// Its scope does not hold the e-mail address.
    Scope,
    /// No address is known of its user, or none that is verified.
    Email,
    /// A provider did not answer; the cause is for the log.
    Unavailable(String),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Unavailable(failure.to_string())
    }
}
