//! Where a browser returns after sign-in: an app of a listed origin, or a page of this server.

use actix_web::HttpRequest;
use daybook_edge::request_head::host;
use reqwest::Url;

use super::origin::{MAX_RETURN_URL, OriginKind};
use crate::state::Auth;

/// The paths of this server that a browser may return to.
const PAGES: [&str; 3] = ["/auth/authorize", "/auth/device", "/auth/consents"];

/// The target of the redirect after sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReturnTo {
    /// The URL of an app, and whether it is one of this server.
    App(Url, OriginKind),
    /// The path and query of a page of this server.
    Page(String),
}

impl ReturnTo {
    /// Parses and validates the value of a cookie or parameter.
    pub(super) fn read(text: &str, state: &Auth) -> Option<Self> {
        let path = text.split('?').next().unwrap_or_default();
        if PAGES.contains(&path) {
            let query = text.split_once('?').map_or("", |(_, query)| query);
            let is_valid =
                query.len() <= MAX_RETURN_URL && text.bytes().all(|byte| byte.is_ascii_graphic());
            return is_valid.then(|| Self::Page(text.to_owned()));
        }
        state.web_origins.return_url(text).map(|(url, kind)| Self::App(url, kind))
    }

    /// Returns the text that [`Self::read`] parses.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::App(url, _) => url.as_str(),
            Self::Page(path) => path,
        }
    }

    /// Returns the URL or path to redirect the browser to.
    pub(super) fn target(&self, state: &Auth) -> String {
        match self {
            Self::App(url, _) => url.to_string(),
            Self::Page(path) => format!("{}{path}", state.edge.site.public_path()),
        }
    }

    /// Returns the host of the app that the sign-in page shows; `None` for this server.
    pub(super) fn app(&self) -> Option<&str> {
        match self {
            Self::App(url, OriginKind::Listed) => url.host_str(),
            Self::App(_, OriginKind::Own) | Self::Page(_) => None,
        }
    }

    /// Returns where the form of the sign-in may be redirected (see [`form_target`]).
    pub(super) fn form_target(&self, request: &HttpRequest, state: &Auth) -> Option<String> {
        match self {
            Self::App(url, _) => form_target(url),
            // If the user consented before, `/auth/authorize` redirects to the client at once.
            Self::Page(path) => {
                let base = Url::parse(&state.edge.site.base(host(request))).ok()?;
                let page = base.join(path).ok()?;
                let (_, uri) = page.query_pairs().find(|(name, _)| name == "redirect_uri")?;
                form_target(&Url::parse(&uri).ok()?)
            }
        }
    }
}

/// Returns the `form-action` source of a URL that a form may be redirected to.
///
/// It is the origin, or the scheme if the URL has no host or an IPv6 host, which browsers do not
/// support there.
pub(crate) fn form_target(url: &Url) -> Option<String> {
    let has_supported_host = matches!(url.scheme(), "http" | "https")
        && !url.host_str().is_some_and(|host| host.starts_with('['));
    let target = if has_supported_host {
        url.origin().ascii_serialization()
    } else {
        format!("{}:", url.scheme())
    };
    // These characters would end the source in the policy.
    if target.contains([';', ',', ' ', '\'']) { None } else { Some(target) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_target_is_the_origin_or_the_scheme() {
        for (url, expected) in [
            ("https://app.example.com:8443/cb?a=1", "https://app.example.com:8443"),
            ("http://127.0.0.1:4000/cb", "http://127.0.0.1:4000"),
            ("http://[::1]:4000/cb", "http:"),
            ("com.example.app:/cb", "com.example.app:"),
        ] {
            assert_eq!(form_target(&Url::parse(url).unwrap()).as_deref(), Some(expected), "{url}");
        }
    }
}
