//! Web origins (RFC 6454) whose apps may use the sessions of this server (behaviour 11.4): those
//! that the operator lists. All other origins reach the API with access tokens only.

use std::str::FromStr;

use actix_web::http::header::{HeaderMap, ORIGIN, REFERER};
use reqwest::Url;

/// Bytes of an address to return to at most: it is kept in cookies, of which browsers take 4 KB.
pub(super) const MAX_RETURN_URL: usize = 2_048;

/// The origin of a web app: scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOrigin(String);

impl FromStr for WebOrigin {
    type Err = String;

    /// Reads an origin as browsers write it, such as `https://app.example.com`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no web origin, such as https://app.example.com");
        let url = Url::parse(text).map_err(|_| wrong())?;
        let origin = url.origin().ascii_serialization();
        let plain =
            matches!(url.scheme(), "https" | "http") && text.trim_end_matches('/') == origin;
        if plain { Ok(Self(origin)) } else { Err(wrong()) }
    }
}

/// The origin that sent a request, if it is listed.
pub(crate) fn sender<'h>(headers: &'h HeaderMap, listed: &[WebOrigin]) -> Option<&'h str> {
    let origin = headers.get(ORIGIN)?.to_str().ok()?;
    listed.iter().any(|listed| listed.0 == origin).then_some(origin)
}

/// Whether a page of a listed origin has sent a browser. Links tell no `Origin`, and no page can
/// make a browser name another one as where it comes from.
fn is_referred(headers: &HeaderMap, listed: &[WebOrigin]) -> bool {
    let referrer = headers.get(REFERER).and_then(|text| text.to_str().ok());
    let page = referrer.and_then(|text| Url::parse(text).ok());
    let origin = page.map(|url| url.origin().ascii_serialization());
    origin.is_some_and(|origin| listed.iter().any(|listed| listed.0 == origin))
}

/// Whether an app of a listed origin has sent a request. One that shares the origin of this server
/// tells no `Origin` where it only reads.
pub(crate) fn is_listed_app(headers: &HeaderMap, listed: &[WebOrigin]) -> bool {
    sender(headers, listed).is_some() || is_referred(headers, listed)
}

/// The origin that a request to refresh a session came from, if it is listed: its answer alone may
/// be read with credentials.
pub(crate) fn with_credentials<'h>(
    (path, prefix): (&str, &str),
    headers: &'h HeaderMap,
    listed: &[WebOrigin],
) -> Option<&'h str> {
    let path = path.strip_prefix(prefix).unwrap_or(path);
    (path == "/auth/refresh").then(|| sender(headers, listed))?
}

/// An address to return to after signing in, if its origin is listed and it is not too long.
pub(crate) fn return_url(text: &str, listed: &[WebOrigin]) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let plain = matches!(url.scheme(), "https" | "http")
        && url.as_str().len() <= MAX_RETURN_URL
        && url.username().is_empty()
        && url.password().is_none();
    let origin = url.origin().ascii_serialization();
    let allowed = listed.iter().any(|listed| listed.0 == origin);
    (plain && allowed).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_written_as_browsers_write_them() {
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
    fn addresses_to_return_to_fit_into_a_cookie() {
        let listed = ["https://app.example.com".parse().unwrap()];
        let start = "https://app.example.com/?";
        for (what, bytes, expected) in [("a", 2_048, true), ("a", 2_049, false), ("\"", 700, false)]
        {
            let url = format!("{start}{}", what.repeat(bytes - start.len()));
            assert_eq!(return_url(&url, &listed).is_some(), expected, "{what} {bytes}");
        }
    }
}
