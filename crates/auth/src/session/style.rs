//! The stylesheet of the pages. Its path contains the hash of its content.

use std::sync::LazyLock;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use actix_web::{HttpResponse, web};
use daybook_edge::error::{ApiError, RequestError};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");

/// The file name.
static NAME: LazyLock<String> = LazyLock::new(|| {
    let digest = Sha256::digest(STYLE);
    let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("pages-{hex}.css")
});

/// Returns the address of the stylesheet, relative to the pages, which are all directly below
/// `/auth`.
pub(super) fn href() -> String {
    format!("../style/{}", *NAME)
}

/// GET /style/{name}.
pub async fn stylesheet(name: web::Path<String>) -> Result<HttpResponse, ApiError> {
    if *name != *NAME {
        return Err(RequestError::UnknownRoute.into());
    }
    Ok(HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/css; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "public, max-age=31536000, immutable"))
        .body(STYLE))
}
