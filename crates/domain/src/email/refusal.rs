//! Why a text is no e-mail address.

use crate::reason::Reason;

/// The most bytes of an address (behaviour 7.9).
pub const MAX_EMAIL: usize = 254;
/// The most bytes of what stands before the `@` (behaviour 7.9).
pub const MAX_LOCAL: usize = 64;

/// Why a text is no e-mail address (behaviour 7.9). Texts are quoted with escapes for what cannot
/// be seen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Longer than [`MAX_EMAIL`] bytes.
    #[error("email is longer than {MAX_EMAIL} bytes")]
    TooLong,
    /// Not a name, an `@` and a domain.
    #[error("email \"{0}\" is not an e-mail address, such as alice@example.com")]
    Malformed(String),
    /// More than [`MAX_LOCAL`] bytes before the `@`.
    #[error("email \"{0}\" has more than {MAX_LOCAL} bytes before the @")]
    LongLocal(String),
    /// A character that cannot be seen, or could be taken for another.
    #[error(
        "email {email:?} has U+{:04X} before the @, which is not allowed there",
        u32::from(*.character)
    )]
    Character {
        /// The address as given.
        email: String,
        /// The character.
        character: char,
    },
    /// What stands before the `@` mixes scripts, or looks like ASCII without being it.
    #[error(
        "email \"{0}\" could be taken for another: before the @ it mixes scripts, or looks like \
         ASCII letters"
    )]
    LookAlike(String),
    /// Not the name of a domain.
    #[error(
        "\"{0}\" is not a domain of e-mail addresses, such as example.com; write an international \
         one in lower case, in letters or as xn--"
    )]
    Domain(String),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::TooLong
            | Self::Malformed(_)
            | Self::LongLocal(_)
            | Self::Character { .. }
            | Self::LookAlike(_)
            | Self::Domain(_) => Reason::BadRequest,
        }
    }
}
