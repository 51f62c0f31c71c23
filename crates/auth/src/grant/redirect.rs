//! Authorization responses: redirects to the client with parameters in the query or fragment.

use actix_web::HttpResponse;
use daybook_edge::parameters::encode;
use reqwest::Url;

use crate::session::login;
use crate::session::return_to::form_target;

/// The target of an authorization response, and the parameters of every response.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    uri: Url,
    in_fragment: bool,
    state: Option<String>,
    /// The address of this server, by which clients tell issuers apart (RFC 9207).
    issuer: String,
}

impl Redirect {
    /// Creates a redirect to a registered URI.
    pub(super) const fn new(
        uri: Url,
        in_fragment: bool,
        state: Option<String>,
        issuer: String,
    ) -> Self {
        Self { uri, in_fragment, state, issuer }
    }

    /// Returns the source expression of the redirect URI for the policy of a page.
    pub(super) fn form_target(&self) -> Option<String> {
        form_target(&self.uri)
    }

    /// Returns the host that a page shows for the client.
    pub(super) fn display_host(&self) -> &str {
        self.uri.host_str().unwrap_or_else(|| self.uri.scheme())
    }

    /// Redirects with an error (RFC 6749, 4.1.2.1).
    pub(super) fn error(&self, code: &str, description: &str) -> HttpResponse {
        self.respond(&[("error", code), ("error_description", description)])
    }

    /// Redirects with these parameters, `state` and `iss`.
    pub(super) fn respond(&self, parameters: &[(&str, &str)]) -> HttpResponse {
        let state = self.state.iter().map(|state| ("state", state.as_str()));
        let issuer = [("iss", self.issuer.as_str())];
        let all = parameters.iter().copied().chain(state).chain(issuer);
        let mut url = self.uri.clone();
        if self.in_fragment {
            url.set_fragment(Some(&encode(all)));
        } else {
            url.query_pairs_mut().extend_pairs(all);
        }
        login::redirect_to(url.as_str())
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::LOCATION;

    use super::*;

    fn location(uri: &str, in_fragment: bool) -> String {
        let uri = Url::parse(uri).unwrap();
        let redirect =
            Redirect::new(uri, in_fragment, Some("a&b".to_owned()), "http://b".to_owned());
        let response = redirect.respond(&[("code", "x y")]);
        response.headers().get(LOCATION).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn parameters_are_added_to_the_redirect_uri() {
        const ADDED: &str = "code=x+y&state=a%26b&iss=http%3A%2F%2Fb";
        for (uri, in_fragment, expected) in [
            ("https://a.example/cb", false, format!("https://a.example/cb?{ADDED}")),
            ("https://a.example/cb?q=1", false, format!("https://a.example/cb?q=1&{ADDED}")),
            ("https://a.example/cb?q=1", true, format!("https://a.example/cb?q=1#{ADDED}")),
            ("com.example.app:/cb", false, format!("com.example.app:/cb?{ADDED}")),
        ] {
            assert_eq!(location(uri, in_fragment), expected);
        }
    }
}
