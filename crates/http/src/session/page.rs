//! The pages. They are plain HTML without scripts, and may neither be framed nor load anything.

use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, ContentType, PRAGMA, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::{HttpResponse, HttpResponseBuilder};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Nothing is loaded but the style below; forms are sent to this server only. Browsers apply
/// `form-action` to the redirects after a form too, so the way back is named by the page that needs
/// it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
    frame-ancestors 'none'";
const STYLE: &str = "body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;\
    padding:0 1rem;color:#222}h1{font-size:1.4rem}button,.button{font:inherit;padding:.6rem 1.2rem}\
    .button{display:inline-block;border:1px solid;border-radius:.3rem;color:inherit;\
    text-decoration:none}";

/// A page with a heading.
pub(crate) fn page(status: StatusCode, heading: &str, content: &Markup) -> HttpResponse {
    page_to(status, heading, content, None)
}

/// A page whose form may lead to another origin in the end.
pub(crate) fn page_to(
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
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (heading) } (content) } }
        }
    };
    let policy = format!("{POLICY}; form-action {targets}");
    guarded(HttpResponse::build(status))
        .insert_header((CONTENT_SECURITY_POLICY, policy))
        .insert_header(ContentType::html())
        .body(text.into_string())
}

/// An answer to a browser that is kept nowhere, framed by nobody, and tells no other site its
/// address.
pub(crate) fn guarded(mut response: HttpResponseBuilder) -> HttpResponseBuilder {
    response
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((PRAGMA, "no-cache"))
        .insert_header((X_FRAME_OPTIONS, "DENY"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        // Not no-referrer: browsers then send forms with the origin `null`.
        .insert_header((REFERRER_POLICY, "same-origin"));
    response
}
