//! Why a file has no preview.

use daybook_edge::error::{ApiError, RequestError};

/// The reason why a preview failed.
pub(super) enum Failure {
    /// The file or the parameters are at fault, for this reason.
    File(String),
    /// The server is.
    Server(ApiError),
}

/// Implements `From` of errors of the server.
macro_rules! failures {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Server(error.into())
            }
        })*
    };
}

failures!(RequestError, daybook_service::Error, daybook_storage::Error);
