//! Refusals of email addresses.

use crate::reason::Reason;

/// Maximum length of an address, in bytes (behaviour 7.9).
pub const MAX_EMAIL: usize = 254;
/// Maximum length of a local part, in bytes (behaviour 7.9).
pub const MAX_LOCAL: usize = 64;

/// Why an email address was refused (behaviour 7.9). Messages escape invisible characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("email is longer than {MAX_EMAIL} bytes")]
    TooLong,
    #[error("invalid email \"{0}\": expected an address like alice@example.com")]
    Malformed(String),
    #[error("email \"{0}\" has more than {MAX_LOCAL} bytes before the @")]
    LongLocal(String),
    #[error(
        "invalid email {email:?}: the character U+{:04X} is not allowed before the @",
        u32::from(*.character)
    )]
    Character {
        /// The address as given.
        email: String,
        /// The character.
        character: char,
    },
    #[error(
        "email \"{0}\" could be confused with another: the part before the @ mixes scripts, or \
         resembles ASCII letters"
    )]
    LookAlike(String),
    #[error(
        "invalid domain \"{0}\": expected a domain like example.com, in lower case; labels of an \
         internationalized one may start with xn--"
    )]
    Domain(String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::BadRequest
    }
}
