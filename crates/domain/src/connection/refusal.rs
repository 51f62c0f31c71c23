//! Refusals about connections.

use crate::app;
use crate::name;
use crate::reason::Reason;

/// Limit of connections of a user.
pub const MAX_CONNECTIONS: usize = 100;
/// Maximum length of a uuid, in characters.
pub const MAX_UUID: usize = 255;

/// Why a request about a connection was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The caller has no connection with that id.
    #[error("connection not found: {0}")]
    Unknown(String),
    /// An update has no id.
    #[error("id is required")]
    IdRequired,
    /// A create has no app.
    #[error("agentId is required: the id of the app to connect to")]
    AppRequired,
    /// The app id is invalid.
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    /// The app does not exist, or is hidden from the caller.
    #[error(
        "agentId: there is no app \"{0}\" that you may connect to; only a BANK connection works \
         without a registered app"
    )]
    UnknownApp(String),
    /// An app creates a connection of another app with the token of a delivery.
    #[error("agentId: an app may only create connections of its own, not of {0:?}")]
    OfOtherApp(String),
    /// The app does not accept connections.
    #[error("agentId: {0} is not connectable")]
    NotConnectable(String),
    /// The uuid is longer than [`MAX_UUID`] characters.
    #[error("uuid has {0} characters; at most {MAX_UUID} are allowed")]
    UuidTooLong(usize),
    /// The user already has [`MAX_CONNECTIONS`] connections.
    #[error("you already have {MAX_CONNECTIONS} connections, which is the maximum")]
    TooMany,
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] name::Refusal),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::OfOtherApp(_) => Reason::InsufficientScope,
            Self::IdRequired
            | Self::AppRequired
            | Self::AppMalformed(_)
            | Self::UnknownApp(_)
            | Self::NotConnectable(_)
            | Self::UuidTooLong(_)
            | Self::TooMany
            | Self::Name(_) => Reason::BadRequest,
        }
    }
}
