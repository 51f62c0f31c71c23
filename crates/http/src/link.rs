//! Opens links: reads without an `Authorization` header (behaviour 13.14).

use actix_web::http::header::{HeaderValue, REFERRER_POLICY};
use actix_web::{HttpRequest, HttpResponse, Responder, web};
use daybook_edge::error::ApiError;

use crate::export::export_book;
use crate::report::get_report;
use crate::request::ApiRequest;
use crate::sealed_link::{Link, LinkedOperation};
use crate::state::AppState;

/// GET /links/{link}.
///
/// The response is not stored, which is the default of the middleware, and the page that it shows
/// sends no referrer.
pub(crate) async fn open(
    http: HttpRequest,
    state: web::Data<AppState>,
    path: web::Path<String>,
) -> HttpResponse {
    let mut response = match respond(&http, &state, &path).await {
        Ok(response) => response,
        Err(error) => HttpResponse::from_error(error),
    };
    response.headers_mut().insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// Runs the operation of a link with the token of its caller.
async fn respond(
    http: &HttpRequest,
    state: &AppState,
    text: &str,
) -> Result<HttpResponse, ApiError> {
    let (sealer, now) = (state.auth.identity.key().sealer(), (state.edge.clock)());
    let Link { operation, request, .. } = Link::open(sealer, text, now)?;
    let request = ApiRequest::of_link(http.clone(), request).await?;
    match operation {
        LinkedOperation::Report => {
            Ok(get_report(request).await?.respond_to(http).map_into_boxed_body())
        }
        LinkedOperation::Export => export_book(request).await,
    }
}
