//! HTML pages without scripts, which load only their stylesheet and cannot be framed.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, PRAGMA, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use maud::{DOCTYPE, Markup, html};

use super::style;
use crate::state::Auth;

/// The policy of every page, without `form-action`.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; \
    frame-ancestors 'none'";
/// Renders a page with a heading.
pub(crate) fn page(status: StatusCode, heading: &str, content: &Markup) -> HttpResponse {
    page_with_form_target(status, heading, content, None)
}

/// Renders a page whose form may be redirected to another origin.
///
/// Browsers apply `form-action` to the redirects after a form too, so the policy must name the
/// origin.
pub(crate) fn page_with_form_target(
    status: StatusCode,
    heading: &str,
    content: &Markup,
    origin: Option<&str>,
) -> HttpResponse {
    let targets = origin.map_or_else(|| "'self'".to_owned(), |origin| format!("'self' {origin}"));
    let text = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (heading) " - Daybook" }
                meta name="color-scheme" content="light dark";
                link rel="stylesheet" href=(style::href());
            }
            body { main { p class="brand" { "Daybook" } h1 { (heading) } (content) } }
        }
    };
    let policy = format!("{POLICY}; form-action {targets}");
    with_security_headers(HttpResponse::build(status))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header(ContentType::html())
        .body(text.into_string())
}

/// Renders a warning on the pages of sign-in if the public URL has no TLS.
pub(super) fn unencrypted_warning(state: &Auth) -> Markup {
    html! {
        @if state.edge.site.is_unencrypted() {
            p class="warning" role="alert" {
                "This connection is not encrypted. Anyone on your network can read what you enter, "
                "and use your session."
            }
        }
    }
}

/// Adds headers that prevent caching, framing, type sniffing and cross-site referrers.
pub(crate) fn with_security_headers(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((PRAGMA, "no-cache"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // With `no-referrer`, browsers send forms with the origin `null`.
        .insert_header((REFERRER_POLICY, "same-origin"));
    response
}
