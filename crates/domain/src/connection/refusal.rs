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
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("connection not found: {0}")]
    Unknown(String),
    #[error("id is required")]
    IdRequired,
    #[error("agentId is required: the id of the app to connect to")]
    AppRequired,
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    #[error(
        "agentId: there is no app \"{0}\" that you may connect to; only a BANK connection works \
         without a registered app"
    )]
    UnknownApp(String),
    #[error("agentId: an app may only create connections of its own, not of {0:?}")]
    OfOtherApp(String),
    #[error("agentId: {0} is not connectable")]
    NotConnectable(String),
    #[error("uuid has {0} characters; at most {MAX_UUID} are allowed")]
    UuidTooLong(usize),
    #[error("you already have {MAX_CONNECTIONS} connections, which is the maximum")]
    TooMany,
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
