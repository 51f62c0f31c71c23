//! Successful answers.

use actix_web::HttpResponse;
use serde::Serialize;

/// 200 with a body.
pub(crate) fn ok(body: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().json(body)
}

/// 204: neither body nor content type (behaviour 0.6).
pub(crate) fn no_content() -> HttpResponse {
    HttpResponse::NoContent().finish()
}
