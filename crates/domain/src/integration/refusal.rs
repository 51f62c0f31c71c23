//! Refusals about integrations.

use crate::app;
use crate::name;
use crate::property;
use crate::reason::Reason;

/// Limit of integrations of a book.
pub const MAX_INTEGRATIONS: usize = 100;

/// Why a request about an integration was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The book has no integration with that id.
    #[error("integration not found: {0}")]
    Unknown(String),
    /// An update has no id.
    #[error("id is required")]
    IdRequired,
    /// A create has no app.
    #[error("agentId is required: the id of the app to install")]
    AppRequired,
    /// The app does not exist, or is hidden from the caller.
    #[error("agentId: there is no app \"{0}\" that you may install")]
    UnknownApp(String),
    /// The app cannot be installed.
    #[error("agentId: {0} is not installable")]
    NotInstallable(String),
    /// The app id is invalid.
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    /// The caller has no connection with that id.
    #[error("connectionId: you have no connection \"{0}\"")]
    UnknownConnection(String),
    /// A user other than the installer changes the reach.
    #[error("reach: only the user who installed the app may change it")]
    NotInstaller,
    /// The book already has [`MAX_INTEGRATIONS`] integrations.
    #[error("the book already has {MAX_INTEGRATIONS} integrations, which is the maximum")]
    TooMany,
    /// The name is invalid.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// The properties are invalid.
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
