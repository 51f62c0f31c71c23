//! Forms that change something count only when a page of this server has sent them.

use actix_web::HttpRequest;
use actix_web::http::header::ORIGIN;
use reqwest::Url;

use crate::request::host;
use crate::state::AppState;

/// Whether a form was sent by a page of this server. Browsers tell the origin of every form.
pub(crate) fn is_own_form(request: &HttpRequest, state: &AppState) -> bool {
    let Some(origin) = request.headers().get(ORIGIN) else { return false };
    let sender = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
    let own = Url::parse(&state.base(host(request))).ok();
    // The scheme is not compared: behind a proxy that does TLS this server does not know it.
    sender.zip(own).is_some_and(|(sender, own)| sender.authority() == own.authority())
}
