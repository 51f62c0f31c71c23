//! Answers that a browser carries to a client: in the query of its address, or behind the `#`.

use actix_web::HttpResponse;
use reqwest::Url;

use crate::parameters::encoded;
use crate::session::login;
use crate::session::return_to::form_target;

/// Where the answer to a request goes, and what stands in every answer.
#[derive(Debug, Clone)]
pub(super) struct Redirect {
    uri: Url,
    in_fragment: bool,
    state: Option<String>,
    /// This server: a client that asks several servers tells the answers apart (RFC 9207).
    issuer: String,
}

impl Redirect {
    /// An answer to an address that is registered.
    pub(super) const fn new(
        uri: Url,
        in_fragment: bool,
        state: Option<String>,
        issuer: String,
    ) -> Self {
        Self { uri, in_fragment, state, issuer }
    }

    /// How the policy of a page names it.
    pub(super) fn form_target(&self) -> Option<String> {
        form_target(&self.uri)
    }

    /// The host that a person knows it by.
    pub(super) fn shown(&self) -> &str {
        self.uri.host_str().unwrap_or_else(|| self.uri.scheme())
    }

    /// An error (RFC 6749, 4.1.2.1).
    pub(super) fn error(&self, code: &str, description: &str) -> HttpResponse {
        self.answer(&[("error", code), ("error_description", description)])
    }

    /// An answer with these parameters.
    pub(super) fn answer(&self, parameters: &[(&str, &str)]) -> HttpResponse {
        let own = [("state", self.state.as_deref()), ("iss", Some(self.issuer.as_str()))];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let all = parameters.iter().copied().chain(own);
        let mut url = self.uri.clone();
        if self.in_fragment {
            url.set_fragment(Some(&encoded(all)));
        } else {
            url.query_pairs_mut().extend_pairs(all);
        }
        login::to(url.as_str())
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
        let answer = redirect.answer(&[("code", "x y")]);
        answer.headers().get(LOCATION).unwrap().to_str().unwrap().to_owned()
    }

    #[test]
    fn answers_are_added_to_the_address() {
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
