//! Why something about an app was refused.

use crate::name;
use crate::property::MAX_KEY;
use crate::reason::Reason;

/// The most characters of an id: those of an agent id, which it is (behaviour 9.2).
pub const MAX_ID: usize = 255;
/// The most apps of one owner.
pub const MAX_APPS: i64 = 100;
/// The most items of each list of a manifest.
pub const MAX_ITEMS: usize = 100;
/// The most bytes of all keys and values of a schema of properties.
pub const MAX_SCHEMA: usize = 64 * 1024;

/// Why something about an app was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No app with that id, or none that the caller may see.
    #[error("app not found: {0}")]
    Unknown(String),
    /// Another app has that id.
    #[error(
        "an app with the id \"{0}\" exists already; choose another id, or PUT to change your own"
    )]
    Exists(String),
    /// Only its owner and developers change an app.
    #[error("only the owner and the developers of {0} may change it")]
    NotDeveloper(String),
    /// No id.
    #[error("id is required")]
    IdRequired,
    /// The id has other characters than it may have, or too many.
    #[error(
        "id \"{0}\" is not one of lower-case letters, digits and hyphens, at most {MAX_ID} of them"
    )]
    IdMalformed(String),
    /// The server's own agents have that id.
    #[error("id \"{0}\" is reserved; choose another one")]
    IdReserved(String),
    /// A request names an agent of the server itself.
    #[error(
        "agent {0:?} is reserved for the server itself; send the id of your app in the agent \
         header, or no such header"
    )]
    AgentReserved(String),
    /// The name is none.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// A field has more characters than it may have.
    #[error("{0} has {1} characters; at most {2} are allowed")]
    TooLong(&'static str, usize, usize),
    /// A field is no address that it could be.
    #[error("{0} must be an absolute http or https address")]
    NotAnAddress(&'static str),
    /// A field has none of the values it may have.
    #[error("{0} must be one of {1}")]
    UnknownWord(&'static str, &'static str),
    /// An unknown type of events.
    #[error("events: \"{0}\" is no type of events")]
    UnknownEvent(String),
    /// A list has too many items.
    #[error("{0} has {1} items; at most {MAX_ITEMS} are allowed")]
    TooMany(&'static str, usize),
    /// A property key that no resource could have (behaviour 4.6).
    #[error("propertiesSchema: key \"{0}\" is blank or has more than {MAX_KEY} characters")]
    KeyUnfit(String),
    /// The schema of properties has more bytes than allowed.
    #[error("propertiesSchema has {0} bytes of keys and values; at most {MAX_SCHEMA} are allowed")]
    SchemaTooLarge(usize),
    /// A user owns as many apps as they may.
    #[error("you own {MAX_APPS} apps already, which is the most")]
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
            | Self::KeyUnfit(_)
            | Self::SchemaTooLarge(_)
            | Self::TooManyApps => Reason::BadRequest,
        }
    }
}
