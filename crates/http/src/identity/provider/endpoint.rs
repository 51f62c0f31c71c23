//! The addresses of providers.

use reqwest::Url;

use crate::outgoing::address::is_loopback;

/// An address that tokens and secrets may be sent to: encrypted, or on this machine.
///
/// # Errors
/// What is wrong with it.
pub(super) fn endpoint(field: &str, text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{field} is no URL: {error}"))?;
    let plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if !plain {
        return Err(format!("{field} has a user name, a password or a fragment"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_loopback(&url) => Ok(url),
        _ => Err(format!("{field} starts with https://, or with http:// and a loopback address")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_encrypted_or_on_this_machine() {
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
