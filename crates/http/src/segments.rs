//! Path parameters.

use actix_web::{FromRequest, HttpRequest, web};
use daybook_edge::error::RequestError;

/// The path parameters, decoded after routing (behaviour 0.5).
#[derive(serde::Deserialize)]
pub(crate) struct Segments {
    #[serde(default, rename = "bookId")]
    pub(crate) book: String,
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default, rename = "agentId")]
    pub(crate) agent: String,
    #[serde(default, rename = "transactionId")]
    pub(crate) transaction: String,
    #[serde(default, rename = "commentId")]
    pub(crate) comment: String,
}

impl Segments {
    /// Extracts the path parameters of a request.
    ///
    /// # Errors
    /// [`RequestError::UnknownRoute`] for invalid UTF-8 or a NUL, which no resource has.
    pub(crate) async fn read(request: &HttpRequest) -> Result<Self, RequestError> {
        let path = web::Path::<Self>::extract(request).await;
        let path = path.map_err(|_| RequestError::UnknownRoute)?.into_inner();
        let parts = [&path.book, &path.id, &path.agent, &path.transaction, &path.comment];
        let has_nul = parts.iter().any(|part| part.contains('\0'));
        if has_nul { Err(RequestError::UnknownRoute) } else { Ok(path) }
    }
}
