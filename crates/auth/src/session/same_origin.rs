//! Protection of forms against cross-site request forgery by their `Origin`.

use actix_web::http::StatusCode;
use actix_web::http::header::ORIGIN;
use actix_web::{HttpRequest, HttpResponse};
use daybook_edge::request_head::host;
use maud::html;
use reqwest::Url;

use super::page::page;
use crate::state::Auth;

/// Whether a page of this server sent a form.
///
/// Browsers send the `Origin` with every form.
pub(crate) fn is_same_origin_form(request: &HttpRequest, state: &Auth) -> bool {
    let Some(origin) = request.headers().get(ORIGIN) else { return false };
    let sender = origin.to_str().ok().and_then(|text| Url::parse(text).ok());
    let own = Url::parse(&state.edge.site.base(host(request))).ok();
    // Behind a proxy that terminates TLS, this server does not know the scheme.
    sender.zip(own).is_some_and(|(sender, own)| sender.authority() == own.authority())
}

/// Renders the page for a form that a page of another site sent.
pub(crate) fn refuse_cross_origin_form(heading: &str) -> HttpResponse {
    let why = html! { p { "This form was not sent from a page of this server." } };
    page(StatusCode::FORBIDDEN, heading, &why)
}

/// Renders the page for a sign-in form that a page of another site sent.
pub(super) fn cross_origin_form_page(request: &HttpRequest, state: &Auth) -> HttpResponse {
    let why = html! { p {
        "This form was not sent from a page of this server. Please open your sign-in link at "
        (state.edge.site.base(host(request))) " directly."
    } };
    page(StatusCode::FORBIDDEN, "You are not signed in", &why)
}
