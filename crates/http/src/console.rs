//! The web console: its files, and its page for the addresses of its own routes (behaviour 0.44).
//!
//! The console routes in the browser, so every address below the server could be one of its views.
//! A request gets the page only if it comes from the address bar or a link (`Accept: text/html`)
//! and if no operation has a path that begins with the same segment. So programs still get a JSON
//! error for a mistyped path.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use actix_web::HttpRequest;
use actix_web::http::header::{
    ACCEPT, AcceptEncoding, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE,
    CROSS_ORIGIN_OPENER_POLICY, ETAG, Encoding, EntityTag, Header, IfNoneMatch, REFERRER_POLICY,
    VARY, X_FRAME_OPTIONS,
};
use actix_web::http::{Method, StatusCode};
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpResponse, HttpResponseBuilder};
use daybook_console::{Asset, BASE, INDEX, lookup};
use sha2::{Digest, Sha256};

use crate::file::matches_tag;
use crate::pieces;
use crate::routes::{aliases, operations};

/// The policy of the page.
///
/// Scripts and styles come from files of this server only. `data:` and `blob:` show QR codes and
/// previews of files that the console has fetched with its access token.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self' blob:; \
    frame-ancestors 'none'; base-uri 'self'; form-action 'self'";

/// The first segments of paths that are never views of the console.
static RESERVED: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let operations = operations().into_iter().chain(aliases());
    operations.map(|operation| first_segment(operation.path)).chain(["assets"]).collect()
});

fn first_segment(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// The page of the console, with the path that this server is mounted under.
pub(crate) struct Console {
    page: Bytes,
    etag: String,
}

impl Console {
    /// Sets the base of the relative URLs in the page.
    pub(crate) fn under(path: &str) -> Self {
        // Paths of options have no characters that HTML would have to escape.
        let page = INDEX.replacen(BASE, &format!("<base href=\"{path}/\">"), 1);
        let etag = format!("{:x}", Sha256::digest(&page));
        Self { page: page.into(), etag }
    }

    /// Returns the response to a request without an operation; `None` if it is not for the console.
    ///
    /// `path` is the path of the request below the path prefix.
    pub(crate) fn respond(&self, request: &HttpRequest, path: &str) -> Option<HttpResponse> {
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return None;
        }
        if !path.is_empty() && !path.starts_with('/') {
            return None;
        }
        let path = path.trim_start_matches('/');
        if matches!(path, "" | "index.html") {
            return Some(self.page(request));
        }
        if let Some(asset) = lookup(path) {
            return Some(file(request, asset));
        }
        let is_view = !RESERVED.contains(first_segment(path)) && accepts_html(request);
        is_view.then(|| self.page(request))
    }

    fn page(&self, request: &HttpRequest) -> HttpResponse {
        let mut response = HttpResponse::Ok();
        response
            .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
            .insert_header((CACHE_CONTROL, "no-cache"))
            .insert_header((VARY, "Accept"))
            .insert_header((CONTENT_SECURITY_POLICY, POLICY))
            .insert_header((CROSS_ORIGIN_OPENER_POLICY, "same-origin"))
            .insert_header((X_FRAME_OPTIONS, "DENY"))
            // With `no-referrer`, browsers send the origin `null` with a form, and 11.4 reads it.
            .insert_header((REFERRER_POLICY, "same-origin"));
        send(request, response, &self.etag, self.page.clone())
    }
}

/// Returns a file of the console, compressed if the client accepts it.
fn file(request: &HttpRequest, asset: &'static Asset) -> HttpResponse {
    let copies = [(Encoding::brotli(), asset.brotli), (Encoding::gzip(), asset.gzip)];
    let copies = copies.into_iter().filter_map(|(encoding, bytes)| Some((encoding, bytes?)));
    let chosen = copies.into_iter().find(|(encoding, _)| accepts(request, encoding));
    let cache_control =
        if asset.is_hashed { "public, max-age=31536000, immutable" } else { "no-cache" };
    let mut response = HttpResponse::Ok();
    response
        .insert_header((CONTENT_TYPE, asset.media_type))
        .insert_header((CACHE_CONTROL, cache_control))
        .insert_header((VARY, "Accept-Encoding"));
    let bytes = match chosen {
        Some((encoding, bytes)) => {
            response.insert_header((CONTENT_ENCODING, encoding.to_string()));
            bytes
        }
        None => asset.plain,
    };
    send(request, response, asset.etag, Bytes::from_static(bytes))
}

/// Adds the entity tag and the body; without a body (304) if the client has this content.
fn send(
    request: &HttpRequest,
    mut response: HttpResponseBuilder,
    etag: &str,
    body: Bytes,
) -> HttpResponse {
    let tag = EntityTag::new_strong(etag.to_owned());
    response.insert_header((ETAG, tag.to_string()));
    if IfNoneMatch::parse(request).is_ok_and(|condition| matches_tag(&condition, &tag)) {
        return response.status(StatusCode::NOT_MODIFIED).finish();
    }
    pieces::with_body(response, body, None)
}

/// Whether a client accepts an encoding, and does not prefer the plain content.
fn accepts(request: &HttpRequest, encoding: &Encoding) -> bool {
    let accepted = request.get_header::<AcceptEncoding>();
    let offered = [encoding.clone(), Encoding::identity()];
    accepted.and_then(|accepted| accepted.negotiate(offered.iter())).as_ref() == Some(encoding)
}

/// Whether a request names HTML, as browsers do when they open an address.
fn accepts_html(request: &HttpRequest) -> bool {
    let accepted = request.headers().get_all(ACCEPT).filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|part| {
        let media_type = part.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("text/html")
    })
}
