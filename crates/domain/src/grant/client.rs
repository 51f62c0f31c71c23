//! OAuth clients and their redirect URIs.

use super::GrantScope;
use super::Refusal;

/// A registered redirect URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

/// Loopback origins. A native app listens there on a port that is not known in advance (RFC 8252,
/// 7.3).
const LOOPBACK: [&str; 3] = ["http://127.0.0.1", "http://[::1]", "http://localhost"];

impl RedirectUri {
    /// Parses an `https:` URI, a loopback URI (`http://127.0.0.1`, `http://[::1]`,
    /// `http://localhost`), or a URI with a private scheme, which contains a dot (RFC 8252, 7.1).
    ///
    /// # Errors
    /// A description of the invalid part.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_graphic = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !is_graphic || text.contains(['#', '\\', '*']) {
            return Err(format!("\"{text}\" has a fragment or an invalid character"));
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(format!("\"{text}\" is not an absolute URI"));
        };
        let has_host = rest.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/'));
        let allowed = match scheme {
            "https" => has_host && !authority(rest).contains('@'),
            "http" => parse_loopback(text).is_some(),
            private => private.contains('.') && is_scheme(private),
        };
        if allowed && rest.len() > 2 {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "\"{text}\" is not supported: expected an https: URI, an http: URI of the loopback \
                 interface, or a URI with a private scheme"
            ))
        }
    }

    /// Returns whether a requested URI matches: exactly, except for the port of a loopback URI.
    pub fn matches(&self, requested: &str) -> bool {
        if self.0 == requested {
            return true;
        }
        match (parse_loopback(&self.0), parse_loopback(requested)) {
            // A registered port must match exactly.
            (Some(own), Some(requested)) if own.port.is_none() => {
                own.origin == requested.origin && own.path == requested.path
            }
            _ => false,
        }
    }
}

fn authority(rest: &str) -> &str {
    rest.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default()
}

/// The parts of a loopback URI.
struct Loopback<'a> {
    origin: &'static str,
    port: Option<&'a str>,
    /// The path and the query.
    path: &'a str,
}

fn parse_loopback(text: &str) -> Option<Loopback<'_>> {
    let origin = LOOPBACK.into_iter().find(|origin| text.starts_with(origin))?;
    let rest = text.get(origin.len()..)?;
    let (port, path) = match rest.strip_prefix(':') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (port, path) = rest.split_at_checked(end)?;
            port.parse::<u16>().ok()?;
            (Some(port), path)
        }
        None => (None, rest),
    };
    let is_path = path.is_empty() || path.starts_with(['/', '?']);
    is_path.then_some(Loopback { origin, port, path })
}

/// Returns whether the text is a URI scheme (RFC 3986, 3.1).
fn is_scheme(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(allowed)
}

/// The client id of the command line.
pub const COMMAND_LINE: &str = "daybook-cli";

/// Returns whether a client is built in (behaviour 11.16). Administrators keep their rights with it
/// (behaviour 9.3).
pub fn is_built_in(client: &str) -> bool {
    client == COMMAND_LINE
}

/// An OAuth client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthClient {
    /// The client id.
    pub id: String,
    /// The name shown to users.
    pub name: String,
    /// The registered redirect URIs.
    pub redirects: Vec<RedirectUri>,
    /// Whether the implicit flow is allowed.
    pub implicit: bool,
    /// Its alias for the scope `email`.
    pub email_scope: Option<String>,
}

impl OauthClient {
    /// Returns whether a requested redirect URI is registered.
    pub fn redirects_to(&self, requested: &str) -> bool {
        self.redirects.iter().any(|uri| uri.matches(requested))
    }

    /// Parses requested scopes.
    ///
    /// # Errors
    /// [`Refusal::InvalidScope`].
    pub fn scope(&self, text: Option<&str>) -> Result<GrantScope, Refusal> {
        GrantScope::read(text, self.email_scope.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirect_uris_are_validated() {
        for (text, expected) in [
            ("https://app.example.com/callback", true),
            ("https://app.example.com", true),
            ("https://app.example.com/callback?from=daybook", true),
            ("http://127.0.0.1/callback", true),
            ("http://127.0.0.1:4000/callback", true),
            ("http://[::1]/callback", true),
            ("http://localhost", true),
            ("com.example.app:/callback", true),
            ("http://app.example.com/callback", false),
            ("http://127.0.0.1.evil.example/", false),
            ("http://localhost@evil.example/", false),
            ("http://localhost:80@evil.example/", false),
            ("http://127.0.0.1:99999/", false),
            ("https://app.example.com/#part", false),
            ("https://*.example.com/", false),
            ("https://me@app.example.com/", false),
            ("https:app", false),
            ("https:///app", false),
            ("https://app.example.com/a b", false),
            ("javascript:alert(1)", false),
            ("data:text/html,x", false),
            ("myapp:/callback", false),
            ("/callback", false),
            ("", false),
        ] {
            assert_eq!(RedirectUri::parse(text).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn only_the_loopback_port_may_differ() {
        let matches =
            |own: &str, requested: &str| RedirectUri::parse(own).unwrap().matches(requested);
        for (own, requested, expected) in [
            ("https://app.example.com/cb", "https://app.example.com/cb", true),
            ("https://app.example.com/cb", "https://app.example.com/cb/", false),
            ("https://app.example.com/cb", "https://app.example.com/cb?a=1", false),
            ("https://app.example.com/cb", "https://APP.example.com/cb", false),
            ("https://app.example.com/cb", "https://app.example.com/cb/../x", false),
            ("https://app.example.com/cb", "https://app.example.com.evil.example/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:51234/cb", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1:51234/other", false),
            ("http://127.0.0.1/cb", "http://localhost:51234/cb", false),
            ("http://127.0.0.1:4000/cb", "http://127.0.0.1:4001/cb", false),
            ("http://127.0.0.1/cb", "http://127.0.0.1:1@evil.example/cb", false),
            ("http://localhost", "http://localhost:3000", true),
            ("http://localhost", "http://localhost:3000.evil.example", false),
        ] {
            assert_eq!(matches(own, requested), expected, "{own} {requested}");
        }
    }
}
