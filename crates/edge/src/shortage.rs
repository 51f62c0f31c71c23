//! Counts the requests that get 503.

use daybook_service::Error;

use crate::error::{ApiError, RequestError};
use crate::metric::TURNED_AWAY;

impl ApiError {
    /// Counts a request that gets 503, by the missing resource.
    pub(crate) fn count_shortage(&self) {
        TURNED_AWAY.count(match self {
            // This is a feature that the server never has, not a shortage.
            Self::RequestError(RequestError::NotOffered(_)) => return,
            Self::Service(Error::Storage(daybook_storage::Error::Busy)) => "queue",
            Self::Service(_) => "database",
            Self::RequestError(RequestError::Overloaded(_)) => "memory",
            Self::RequestError(RequestError::DeadlineExceeded(_)) => "deadline",
            Self::RequestError(RequestError::FilesUnavailable(_)) => "files",
            Self::RequestError(RequestError::ProviderUnavailable(_)) => "provider",
            Self::RequestError(_) => "other",
        });
    }
}
