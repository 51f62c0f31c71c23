//! Forms that change something count only when a page of this server has sent them.

use actix_web::http::StatusCode;
use actix_web::http::header::ORIGIN;
use actix_web::{HttpRequest, HttpResponse};
use maud::html;
use reqwest::Url;

use super::page::page;
use crate::request_head::host;
use crate::state::AppState;

/// Whether a form was sent by a page of this server. Browsers tell the origin of every form.
pub(crate) fn is_own_form(request: &HttpRequest, state: &AppState) -> bool {
    let Some(origin) = request.headers().get(ORIGIN) else { return false };
    let sender = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
    let own = Url::parse(&state.base(host(request))).ok();
    // The scheme is not compared: behind a proxy that does TLS this server does not know it.
    sender.zip(own).is_some_and(|(sender, own)| sender.authority() == own.authority())
}

/// What a person reads whom a page of another site has made send a form.
pub(super) fn foreign_form(request: &HttpRequest, state: &AppState) -> HttpResponse {
    let why = html! { p {
        "This form was not sent by a page of this server. Open the link itself, at "
        (state.base(host(request))) "."
    } };
    page(StatusCode::FORBIDDEN, "This does not sign you in", &why)
}
