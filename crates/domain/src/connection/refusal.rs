//! Why something about a connection was refused.

use crate::app;
use crate::name;
use crate::reason::Reason;

/// The most connections of a user.
pub const MAX_CONNECTIONS: usize = 100;
/// The most characters of a uuid.
pub const MAX_UUID: usize = 255;

/// Why something about a connection was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The caller has no connection with that id.
    #[error("connection not found: {0}")]
    Unknown(String),
    /// No id on update.
    #[error("id is required")]
    IdRequired,
    /// No app on create.
    #[error("agentId is required: the id of the app to connect to")]
    AppRequired,
    /// What is given as an app is no id of one.
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    /// No app with that id, or none that the caller may see.
    #[error(
        "agentId: there is no app \"{0}\" that you may connect to; a BANK connection needs none"
    )]
    UnknownApp(String),
    /// An app connects to another one with the token of a delivery.
    #[error("agentId: an app has connections of its own only, not of {0:?}")]
    OfOtherApp(String),
    /// The app is not to be connected to.
    #[error("agentId: {0} is not connectable")]
    NotConnectable(String),
    /// The uuid is longer than [`MAX_UUID`] characters.
    #[error("uuid has {0} characters; at most {MAX_UUID} are allowed")]
    UuidTooLong(usize),
    /// The user has as many as they may.
    #[error("you have {MAX_CONNECTIONS} connections already, which is the most")]
    TooMany,
    /// The name is none.
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
