//! Where a browser returns after somebody has signed in: to an app of a listed origin, or to a page
//! of this server that needs to know who it is.

use actix_web::HttpRequest;
use reqwest::Url;

use super::origin::{MAX_RETURN_URL, return_url};
use crate::request_head::host;
use crate::state::AppState;

/// The pages of this server that browsers return to, without its address.
const PAGES: [&str; 3] = ["/auth/authorize", "/auth/device", "/auth/consents"];

/// Where a browser returns after signing in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReturnTo {
    /// To an app.
    App(Url),
    /// To a page of this server: its path, with the query.
    Page(String),
}

impl ReturnTo {
    /// Reads where to return to, as a cookie holds it: it is a browser's own, and is checked again.
    pub(super) fn read(text: &str, state: &AppState) -> Option<Self> {
        let path = text.split('?').next().unwrap_or_default();
        if PAGES.contains(&path) {
            let query = text.split_once('?').map_or("", |(_, query)| query);
            let plain = query.len() <= MAX_RETURN_URL && text.bytes().all(|b| b.is_ascii_graphic());
            return plain.then(|| Self::Page(text.to_owned()));
        }
        return_url(text, &state.web_origins).map(Self::App)
    }

    /// As a cookie holds it.
    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::App(url) => url.as_str(),
            Self::Page(path) => path,
        }
    }

    /// The address to send the browser to.
    pub(super) fn target(&self, state: &AppState) -> String {
        match self {
            Self::App(url) => url.to_string(),
            Self::Page(path) => format!("{}{path}", state.public_path()),
        }
    }

    /// Whom somebody signs in for, in the words of the page that asks them to; `None` for this
    /// server.
    pub(super) fn app(&self) -> Option<&str> {
        match self {
            Self::App(url) => url.host_str(),
            Self::Page(_) => None,
        }
    }

    /// Where a form may lead in the end that signs somebody in (see [`form_target`]).
    pub(super) fn form_target(&self, request: &HttpRequest, state: &AppState) -> Option<String> {
        match self {
            Self::App(url) => form_target(url),
            // Who has agreed before is sent on at once.
            Self::Page(path) => {
                let base = Url::parse(&state.base(host(request))).ok()?;
                let page = base.join(path).ok()?;
                let (_, uri) = page.query_pairs().find(|(name, _)| name == "redirect_uri")?;
                form_target(&Url::parse(&uri).ok()?)
            }
        }
    }
}

/// How the policy of a page names an address that its form leads to by redirects. Browsers know no
/// IPv6 address there.
pub(crate) fn form_target(url: &Url) -> Option<String> {
    let named = matches!(url.scheme(), "http" | "https")
        && !url.host_str().is_some_and(|host| host.starts_with('['));
    let plain = |text: &String| !text.contains([';', ',', ' ', '\'']);
    let target =
        if named { url.origin().ascii_serialization() } else { format!("{}:", url.scheme()) };
    Some(target).filter(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_name_where_forms_lead() {
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
