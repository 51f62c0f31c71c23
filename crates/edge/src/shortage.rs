//! Counts requests that are answered 503.

use daybook_service::Error;

use crate::error::{ApiError, RequestError};
use crate::metric::TURNED_AWAY;

impl ApiError {
    /// Counts a request that is answered 503 by what was missing.
    pub(crate) fn count_shortage(&self) {
        TURNED_AWAY.count(match self {
            // No request for it is ever served.
            Self::RequestError(RequestError::NotOffered(_)) => return,
            Self::Service(Error::Storage(daybook_storage::Error::Busy)) => "queue",
            Self::Service(_) => "database",
            Self::RequestError(RequestError::Crowded(_)) => "memory",
            Self::RequestError(RequestError::DeadlineExceeded(_)) => "deadline",
            Self::RequestError(RequestError::FilesUnavailable(_)) => "files",
            Self::RequestError(RequestError::ProviderUnavailable(_)) => "provider",
            Self::RequestError(_) => "other",
        });
    }
}
