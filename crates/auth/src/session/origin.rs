//! Web origins (RFC 6454) whose apps may use the sessions of this server (behaviour 11.4).
//!
//! The operator lists them. Apps of all other origins need access tokens.

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

/// Returns the `Origin` of a request if it is listed.
pub(crate) fn listed_origin<'h>(headers: &'h HeaderMap, listed: &[WebOrigin]) -> Option<&'h str> {
    let origin = headers.get(ORIGIN)?.to_str().ok()?;
    listed.iter().any(|listed| listed.0 == origin).then_some(origin)
}

/// Whether the `Referer` of a request is of a listed origin.
///
/// Browsers send no `Origin` when a user follows a link. A page cannot forge the `Referer`.
fn has_listed_referrer(headers: &HeaderMap, listed: &[WebOrigin]) -> bool {
    let referrer = headers.get(REFERER).and_then(|text| text.to_str().ok());
    let page = referrer.and_then(|text| Url::parse(text).ok());
    let origin = page.map(|url| url.origin().ascii_serialization());
    origin.is_some_and(|origin| listed.iter().any(|listed| listed.0 == origin))
}

/// Whether an app of a listed origin sent a request.
///
/// An app on the origin of this server sends no `Origin` with GET requests.
pub(crate) fn is_listed_app(headers: &HeaderMap, listed: &[WebOrigin]) -> bool {
    listed_origin(headers, listed).is_some() || has_listed_referrer(headers, listed)
}

/// Returns the listed origin that may read a response with credentials.
///
/// Only the responses of `/auth/refresh` may be read so.
pub fn credentials_origin<'h>(
    path: &str,
    path_prefix: &str,
    headers: &'h HeaderMap,
    listed: &[WebOrigin],
) -> Option<&'h str> {
    if path.strip_prefix(path_prefix).unwrap_or(path) != "/auth/refresh" {
        return None;
    }
    listed_origin(headers, listed)
}

/// Parses a URL to return to after sign-in, whose origin must be listed.
pub(crate) fn return_url(text: &str, listed: &[WebOrigin]) -> Option<Url> {
    let url = Url::parse(text).ok()?;
    let is_plain = matches!(url.scheme(), "https" | "http")
        && url.as_str().len() <= MAX_RETURN_URL
        && url.username().is_empty()
        && url.password().is_none();
    let origin = url.origin().ascii_serialization();
    let is_listed = listed.iter().any(|listed| listed.0 == origin);
    (is_plain && is_listed).then_some(url)
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
        let listed = ["https://app.example.com".parse().unwrap()];
        let start = "https://app.example.com/?";
        for (what, bytes, expected) in [("a", 2_048, true), ("a", 2_049, false), ("\"", 700, false)]
        {
            let url = format!("{start}{}", what.repeat(bytes - start.len()));
            assert_eq!(return_url(&url, &listed).is_some(), expected, "{what} {bytes}");
        }
    }
}
