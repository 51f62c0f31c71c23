//! Refusals about integrations.

use crate::app;
use crate::name;
use crate::property;
use crate::reason::Reason;

/// Limit of integrations of a book.
pub const MAX_INTEGRATIONS: usize = 100;

/// Why a request about an integration was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("integration not found: {0}")]
    Unknown(String),
    #[error("id is required")]
    IdRequired,
    #[error("agentId is required: the id of the app to install")]
    AppRequired,
    #[error("agentId: there is no app \"{0}\" that you may install")]
    UnknownApp(String),
    #[error("agentId: {0} is not installable")]
    NotInstallable(String),
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    #[error("connectionId: you have no connection \"{0}\"")]
    UnknownConnection(String),
    #[error("reach: only the user who installed the app may change it")]
    NotInstaller,
    #[error("the book already has {MAX_INTEGRATIONS} integrations, which is the maximum")]
    TooMany,
    #[error(transparent)]
    Name(#[from] name::Refusal),
    #[error(transparent)]
    Property(#[from] property::Refusal),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) => Reason::NotFound,
            Self::NotInstaller => Reason::Forbidden,
            Self::IdRequired
            | Self::AppRequired
            | Self::UnknownApp(_)
            | Self::NotInstallable(_)
            | Self::AppMalformed(_)
            | Self::UnknownConnection(_)
            | Self::TooMany
            | Self::Name(_)
            | Self::Property(_) => Reason::BadRequest,
        }
    }
}
