//! Web origins (RFC 6454) whose apps may use the sessions of this server (behaviour 11.4).
//!
//! They are those that the operator lists, and the origin of this server itself, where the console
//! is. Apps of all other origins need access tokens.
//!
//! The own origin is that of `--public-url`, or of the loopback address that the server listens on.
//! It is never taken from the `Host` of a request. An attacker can make a name of theirs resolve to
//! this server (DNS rebinding); the requests of a page at that name then have a `Host` that agrees
//! with their `Origin`, but is not an address of this server. Pages at other ports of the same host
//! are refused, too: to browsers they are the same site, so cookies with `SameSite` are sent along.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use actix_web::http::header::{HeaderMap, ORIGIN, REFERER};
use reqwest::Url;

/// The maximum length of a return URL. It is stored in cookies, which browsers limit to 4 KB.
pub(super) const MAX_RETURN_URL: usize = 2_048;

/// The origin of a web app: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(String);

impl FromStr for WebOrigin {
    type Err = String;

    /// Parses an origin as browsers write it, such as `https://app.example.com`.
    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || {
            format!(
                "invalid web origin {text:?}: expected a scheme, a host and an optional port, such \
                 as https://app.example.com"
            )
        };
        let url = Url::parse(text).map_err(|_| invalid())?;
        let origin = url.origin().ascii_serialization();
        let is_plain =
            matches!(url.scheme(), "https" | "http") && text.trim_end_matches('/') == origin;
        if is_plain { Ok(Self(origin)) } else { Err(invalid()) }
    }
}

/// The owner of the pages of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginKind {
    /// Those of this server, such as the console.
    Own,
    /// Those of an app that the operator lists.
    Listed,
}

/// The web origins whose apps may use the sessions of this server.
#[derive(Debug, Clone, Default)]
pub struct WebOrigins {
    own: Vec<WebOrigin>,
    listed: Vec<WebOrigin>,
}

impl WebOrigins {
    /// Creates them from the public URL, the address to listen on and the listed origins.
    ///
    /// Without a public URL the own origins are those of the loopback address. A server on another
    /// address without a public URL has none, because it does not know its own name.
    #[must_use]
    pub fn new(public_url: Option<&str>, address: SocketAddr, listed: Vec<WebOrigin>) -> Self {
        let hosts = match (public_url, address.ip()) {
            (Some(url), _) => vec![url.to_owned()],
            (None, ip) if ip == Ipv4Addr::LOCALHOST || ip == Ipv6Addr::LOCALHOST => {
                vec![format!("http://{address}"), format!("http://localhost:{}", address.port())]
            }
            (None, ip) if ip.is_loopback() => vec![format!("http://{address}")],
            (None, _) => Vec::new(),
        };
        let origins = hosts.iter().filter_map(|url| Url::parse(url).ok()).map(|url| url.origin());
        let own = origins.map(|origin| WebOrigin(origin.ascii_serialization())).collect();
        Self { own, listed }
    }

    /// Whether this server knows its own origin, so that the console can sign in.
    pub(crate) const fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Returns the kind of an origin; `None` if its apps may not use sessions.
    pub(crate) fn kind(&self, origin: &str) -> Option<OriginKind> {
        let is_in = |origins: &[WebOrigin]| origins.iter().any(|known| known.0 == origin);
        if is_in(&self.own) {
            Some(OriginKind::Own)
        } else {
            is_in(&self.listed).then_some(OriginKind::Listed)
        }
    }

    /// Returns the `Origin` of a request if its apps may use sessions, with its kind.
    pub(crate) fn find<'h>(&self, headers: &'h HeaderMap) -> Option<(&'h str, OriginKind)> {
        let origin = headers.get(ORIGIN)?.to_str().ok()?;
        Some((origin, self.kind(origin)?))
    }

    /// Whether the `Referer` of a request is of an app that may use sessions.
    ///
    /// Browsers send no `Origin` when a user follows a link. A page cannot forge the `Referer`.
    fn has_known_referrer(&self, headers: &HeaderMap) -> bool {
        let referrer = headers.get(REFERER).and_then(|text| text.to_str().ok());
        let page = referrer.and_then(|text| Url::parse(text).ok());
        let origin = page.map(|url| url.origin().ascii_serialization());
        origin.is_some_and(|origin| self.kind(&origin).is_some())
    }

    /// Whether an app that may use sessions sent a request.
    ///
    /// An app on the origin of this server sends no `Origin` with GET requests.
    pub(crate) fn is_app(&self, headers: &HeaderMap) -> bool {
        self.find(headers).is_some() || self.has_known_referrer(headers)
    }

    /// Parses a URL to return to after sign-in, whose origin must be known; also returns its kind.
    pub(crate) fn return_url(&self, text: &str) -> Option<(Url, OriginKind)> {
        let url = Url::parse(text).ok()?;
        let is_plain = matches!(url.scheme(), "https" | "http")
            && url.as_str().len() <= MAX_RETURN_URL
            && url.username().is_empty()
            && url.password().is_none();
        let kind = self.kind(&url.origin().ascii_serialization());
        kind.filter(|_| is_plain).map(|kind| (url, kind))
    }
}

/// Returns the origin that may read a response with credentials.
///
/// Only the responses of `/auth/refresh` may be read so.
pub fn credentials_origin<'h>(
    path: &str,
    path_prefix: &str,
    headers: &'h HeaderMap,
    origins: &WebOrigins,
) -> Option<&'h str> {
    if path.strip_prefix(path_prefix).unwrap_or(path) != "/auth/refresh" {
        return None;
    }
    origins.find(headers).map(|(origin, _)| origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_parsed_only_in_the_form_of_browsers() {
        for (text, expected) in [
            ("https://app.example.com", Some("https://app.example.com")),
            ("https://app.example.com/", Some("https://app.example.com")),
            ("http://localhost:3000", Some("http://localhost:3000")),
            ("https://app.example.com:443", None),
            ("https://App.example.com", None),
            ("https://app.example.com/path", None),
            ("https://me@app.example.com", None),
            ("*", None),
            ("null", None),
            ("file:///tmp", None),
            ("", None),
        ] {
            let read = text.parse::<WebOrigin>().ok();
            assert_eq!(read.as_ref().map(|origin| origin.0.as_str()), expected, "{text}");
        }
    }

    #[test]
    fn return_url_is_limited_to_the_size_of_a_cookie() {
        let listed = vec!["https://app.example.com".parse().unwrap()];
        let address = "192.0.2.1:80".parse().unwrap();
        let origins = WebOrigins::new(None, address, listed);
        assert!(!origins.has_own());
        let start = "https://app.example.com/?";
        for (what, bytes, expected) in [("a", 2_048, true), ("a", 2_049, false), ("\"", 700, false)]
        {
            let url = format!("{start}{}", what.repeat(bytes - start.len()));
            assert_eq!(origins.return_url(&url).is_some(), expected, "{what} {bytes}");
        }
    }

    #[test]
    fn own_origin_is_the_public_url_or_loopback() {
        let app = "https://app.example.com";
        let own = Some(OriginKind::Own);
        for (public_url, address, origin, expected) in [
            (None, "127.0.0.1:8080", "http://127.0.0.1:8080", own),
            (None, "127.0.0.1:8080", "http://localhost:8080", own),
            (None, "127.0.0.1:80", "http://localhost", own),
            (None, "[::1]:8080", "http://[::1]:8080", own),
            (None, "127.0.0.2:8080", "http://127.0.0.2:8080", own),
            (None, "127.0.0.2:8080", "http://localhost:8080", None),
            (None, "127.0.0.1:8080", "http://localhost:8081", None),
            (None, "127.0.0.1:8080", "https://localhost:8080", None),
            (None, "127.0.0.1:8080", "http://localhost.evil.example:8080", None),
            (None, "127.0.0.1:8080", "null", None),
            (None, "127.0.0.1:8080", app, Some(OriginKind::Listed)),
            (None, "0.0.0.0:8080", "http://0.0.0.0:8080", None),
            (None, "192.0.2.1:8080", "http://192.0.2.1:8080", None),
            (
                Some("https://books.example.com/api"),
                "127.0.0.1:1",
                "https://books.example.com",
                own,
            ),
            (Some("https://books.example.com"), "127.0.0.1:1", "http://books.example.com", None),
            (Some("https://books.example.com"), "127.0.0.1:1", "http://127.0.0.1:1", None),
            (Some("http://10.0.0.2:80/a"), "0.0.0.0:1", "http://10.0.0.2", own),
            // An app beside the API on the same origin is the same to a browser.
            (Some(app), "127.0.0.1:1", app, own),
        ] {
            let listed = vec![app.parse().unwrap()];
            let origins = WebOrigins::new(public_url, address.parse().unwrap(), listed);
            assert_eq!(origins.kind(origin), expected, "{public_url:?} {address} {origin}");
        }
    }
}
