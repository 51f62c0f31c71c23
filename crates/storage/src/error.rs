//! What storage answers when it cannot.

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// Why storage failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The queue of writers is full; trying again shortly helps.
    #[error("too many writes are waiting")]
    Busy,
    /// The database cannot be reached at the moment.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// Something holds the place already: a unique index refused.
    #[error("a unique index refused a row: {0}")]
    Taken(String),
    /// A stored value is not what this program writes.
    #[error("column {0} holds a value it cannot hold")]
    Broken(&'static str),
    /// A unit of work panicked and was undone.
    #[error("a unit of work panicked: {0}")]
    Panicked(String),
    /// The database refused a statement.
    #[error("the database refused: {0}")]
    Refused(String),
    /// The database URL names no engine this program knows.
    #[error("database URL {0:?} must start with sqlite: or postgres://")]
    Url(String),
    /// The schema could not be brought up to date.
    #[error("migration failed: {0}")]
    Migration(String),
}

/// What storage answers.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Diesel> for Error {
    fn from(error: Diesel) -> Self {
        if let Diesel::DatabaseError(kind, information) = &error {
            if matches!(kind, DatabaseErrorKind::UniqueViolation) {
                return Self::Taken(information.message().to_owned());
            }
            let message = information.message();
            // The engines' own words for 'somebody else holds it': trying again helps.
            let contended = ["lock timeout", "deadlock detected", "database is locked"].iter().any(|words| message.contains(words));
            if contended || matches!(kind, DatabaseErrorKind::ClosedConnection | DatabaseErrorKind::SerializationFailure) {
                return Self::Unavailable(message.to_owned());
            }
        }
        if matches!(error, Diesel::BrokenTransactionManager) {
            return Self::Unavailable("the connection is broken".to_owned());
        }
        Self::Refused(error.to_string())
    }
}

impl From<diesel::ConnectionError> for Error {
    fn from(error: diesel::ConnectionError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<diesel::r2d2::PoolError> for Error {
    fn from(error: diesel::r2d2::PoolError) -> Self {
        Self::Unavailable(error.to_string())
    }
}
