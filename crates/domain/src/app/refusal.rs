//! Refusals about apps.

use crate::name;
use crate::property::MAX_KEY;
use crate::reason::Reason;

/// Maximum length of an id, which is also an agent id, in characters (behaviour 9.2).
pub const MAX_ID: usize = 255;
/// Limit of apps of one owner.
pub const MAX_APPS: i64 = 100;
/// Limit of items of each list of a manifest.
pub const MAX_ITEMS: usize = 100;
/// Maximum size of all keys and values of a properties schema, in bytes.
pub const MAX_SCHEMA: usize = 64 * 1024;

/// Why a request about an app was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("app not found: {0}")]
    Unknown(String),
    #[error(
        "an app with the id \"{0}\" already exists: choose another id, or use PUT to change your \
         own"
    )]
    Exists(String),
    #[error("only the owner and the developers of {0} may change it")]
    NotDeveloper(String),
    #[error("id is required")]
    IdRequired,
    #[error("invalid id \"{0}\": expected 1 to {MAX_ID} lower-case letters, digits and hyphens")]
    IdMalformed(String),
    #[error("id \"{0}\" is reserved: choose another one")]
    IdReserved(String),
    #[error(
        "agent {0:?} is reserved for the server itself: send the id of your app in the agent \
         header, or omit the header"
    )]
    AgentReserved(String),
    #[error(transparent)]
    Name(#[from] name::Refusal),
    #[error("{0} has {1} characters; at most {2} are allowed")]
    TooLong(&'static str, usize, usize),
    #[error("{0} must be an absolute http or https address")]
    NotAnAddress(&'static str),
    #[error("{0} must be one of {1}")]
    UnknownWord(&'static str, &'static str),
    #[error("events: \"{0}\" is not an event type")]
    UnknownEvent(String),
    #[error("{0} has {1} items; at most {MAX_ITEMS} are allowed")]
    TooMany(&'static str, usize),
    /// A property key is not valid for any resource (behaviour 4.6).
    #[error("propertiesSchema: key \"{0}\" is blank or has more than {MAX_KEY} characters")]
    InvalidKey(String),
    #[error("propertiesSchema has {0} bytes of keys and values; at most {MAX_SCHEMA} are allowed")]
    SchemaTooLarge(usize),
    #[error("you already own {MAX_APPS} apps, which is the maximum")]
    TooManyApps,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::Exists(_) => Reason::Conflict,
            Self::NotDeveloper(_) => Reason::Forbidden,
            Self::IdRequired
            | Self::IdMalformed(_)
            | Self::IdReserved(_)
            | Self::AgentReserved(_)
            | Self::Name(_)
            | Self::TooLong(..)
            | Self::NotAnAddress(_)
            | Self::UnknownWord(..)
            | Self::UnknownEvent(_)
            | Self::TooMany(..)
            | Self::InvalidKey(_)
            | Self::SchemaTooLarge(_)
            | Self::TooManyApps => Reason::BadRequest,
        }
    }
}
