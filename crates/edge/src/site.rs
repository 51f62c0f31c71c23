//! Where clients reach this server.

use reqwest::Url;

use crate::client_address::proxy::TrustedProxy;
use crate::outgoing::address::is_loopback;

/// The addresses of this server, and the proxies before it.
#[derive(Debug, Clone, Default)]
pub struct Site {
    /// The path that the API is mounted under: empty, or without trailing slash (behaviour 0.1).
    pub path_prefix: String,
    /// The URL at which clients reach the server, with the path it is mounted under and without
    /// trailing slash. Without it, links use the host of each request.
    pub public_url: Option<String>,
    /// The URL of this server in mails, and as the issuer of webhooks. It is the public URL, or
    /// else the address that the server listens on, never the host of a request, which its sender
    /// could forge.
    pub canonical_url: String,
    /// The proxies whose `X-Forwarded-For` is used (behaviour 10.12).
    pub trusted_proxies: Vec<TrustedProxy>,
}

impl Site {
    /// Returns the absolute URL of this server, without trailing slash.
    ///
    /// It is the configured one, or has the host of the request. Without both it is only the path.
    #[must_use]
    pub fn base(&self, host: Option<&str>) -> String {
        match (&self.public_url, host) {
            (Some(url), _) => url.clone(),
            (None, Some(host)) => format!("http://{host}{}", self.path_prefix),
            (None, None) => self.path_prefix.clone(),
        }
    }

    /// Returns the `Cache-Control` of documents that contain [`Self::base`].
    ///
    /// Without a configured URL they contain the host of the request and must not be cached.
    #[must_use]
    pub const fn base_cache_control(&self) -> &'static str {
        if self.public_url.is_some() { "public, max-age=300" } else { "no-store" }
    }

    /// Whether clients reach this server over TLS.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https:"))
    }

    /// Whether clients reach this server over a network without TLS, as the operator says.
    #[must_use]
    pub fn is_unencrypted(&self) -> bool {
        let url = self.public_url.as_ref().and_then(|url| Url::parse(url).ok());
        url.is_some_and(|url| url.scheme() == "http" && !is_loopback(&url))
    }

    /// Returns the path under which clients find the API, which may be empty.
    ///
    /// It is that of the public URL, because a proxy may strip a part of the path.
    #[must_use]
    pub fn public_path(&self) -> &str {
        let Some(url) = &self.public_url else { return &self.path_prefix };
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}
