//! The URLs of providers.

use daybook_edge::outgoing::address::is_loopback;
use reqwest::Url;

/// Parses a URL that tokens and secrets may be sent to: HTTPS, or a loopback address.
///
/// # Errors
/// A description of the error that names the field.
pub(super) fn endpoint(field: &str, text: &str) -> Result<Url, String> {
    let url =
        Url::parse(text).map_err(|error| format!("{field} {text:?} is not a URL: {error}"))?;
    if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
        return Err(format!("{field} must not have a user name, a password or a fragment"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(format!("{field} must use https://, or http:// with a loopback address")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoint_uses_https_or_a_loopback_address() {
        for allowed in [
            "https://id.example.com",
            "https://10.0.0.1/x?y=z",
            "http://localhost:1/token",
            "http://127.0.0.1:8081/",
            "http://[::1]/",
        ] {
            assert!(endpoint("url", allowed).is_ok(), "{allowed}");
        }
        for refused in [
            "",
            "id.example.com",
            "http://id.example.com",
            "http://10.0.0.1",
            "http://localhost.example.com",
            "ftp://127.0.0.1",
            "https://me:secret@id.example.com",
            "https://id.example.com/#part",
        ] {
            assert!(endpoint("url", refused).is_err(), "{refused}");
        }
    }
}
