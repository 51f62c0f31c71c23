//! Why something about an integration was refused.

use crate::app;
use crate::name;
use crate::property;
use crate::reason::Reason;

/// The most integrations of a book.
pub const MAX_INTEGRATIONS: usize = 100;

/// Why something about an integration was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No integration with that id in the book.
    #[error("integration not found: {0}")]
    Unknown(String),
    /// No id on update.
    #[error("id is required")]
    IdRequired,
    /// No app on create.
    #[error("agentId is required: the id of the app to install")]
    AppRequired,
    /// No app with that id, or none that the caller may see.
    #[error("agentId: there is no app \"{0}\" that you may install")]
    UnknownApp(String),
    /// The app is not to be installed.
    #[error("agentId: {0} is not installable")]
    NotInstallable(String),
    /// What is given as an app is no id of one.
    #[error("agentId: {0}")]
    AppMalformed(app::Refusal),
    /// The caller has no connection with that id.
    #[error("connectionId: you have no connection \"{0}\"")]
    UnknownConnection(String),
    /// Only who installed the app says which books of theirs it reaches.
    #[error("reach: only the user who installed the app changes which books it reaches")]
    NotInstaller,
    /// The book has as many as it may.
    #[error("the book has {MAX_INTEGRATIONS} integrations already, which is the most")]
    TooMany,
    /// The name is none.
    #[error(transparent)]
    Name(#[from] name::Refusal),
    /// Properties that no resource can have.
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
