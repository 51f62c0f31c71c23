//! Apps that may ask users for access, and the addresses to which they get their answers.

use super::GrantScope;
use super::Refusal;

/// An address that answers may be sent to, as it was registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

/// The hosts of the own machine, at which a program waits on a port that it does not know before
/// (RFC 8252, 7.3).
const LOOPBACK: [&str; 3] = ["http://127.0.0.1", "http://[::1]", "http://localhost"];

impl RedirectUri {
    /// An address of the web (`https:`), of the own machine (`http://127.0.0.1`, `http://[::1]`,
    /// `http://localhost`), or of an app by its own scheme, which has a dot (RFC 8252, 7.1).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        if !plain || text.contains(['#', '\\', '*']) {
            return Err(format!("\"{text}\" has a fragment, or a character that no address has"));
        }
        let Some((scheme, rest)) = text.split_once(':') else {
            return Err(format!("\"{text}\" is no absolute address"));
        };
        let has_host = rest.strip_prefix("//").is_some_and(|rest| !rest.starts_with('/'));
        let allowed = match scheme {
            "https" => has_host && !authority(rest).contains('@'),
            "http" => loopback(text).is_some(),
            own => own.contains('.') && is_scheme(own),
        };
        if allowed && rest.len() > 2 {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("\"{text}\" is neither https:, nor http: of the own machine, nor an app's"))
        }
    }

    /// Whether this is the address that a request names: letter by letter, but for the port of the
    /// own machine.
    #[must_use]
    pub fn is(&self, asked: &str) -> bool {
        if self.0 == asked {
            return true;
        }
        match (loopback(&self.0), loopback(asked)) {
            // A registered port is meant.
            (Some((host, None, path)), Some((asked, _, asked_path))) => {
                host == asked && path == asked_path
            }
            _ => false,
        }
    }
}

fn authority(rest: &str) -> &str {
    rest.trim_start_matches('/').split(['/', '?']).next().unwrap_or_default()
}

/// Host, port and the rest of an address of the own machine.
fn loopback(text: &str) -> Option<(&str, Option<&str>, &str)> {
    let host = LOOPBACK.into_iter().find(|host| text.starts_with(host))?;
    let rest = text.get(host.len()..)?;
    let (port, path) = match rest.strip_prefix(':') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (port, path) = rest.split_at_checked(end)?;
            port.parse::<u16>().ok()?;
            (Some(port), path)
        }
        None => (None, rest),
    };
    (path.is_empty() || path.starts_with(['/', '?'])).then_some((host, port, path))
}

/// RFC 3986, 3.1.
fn is_scheme(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(allowed)
}

/// The client of the command line.
pub const COMMAND_LINE: &str = "daybook-cli";
/// The client of a console under a server's own address.
pub const CONSOLE: &str = "daybook-console";

/// Whether a client is built in (behaviour 11.16): an administrator is one by it, too (behaviour
/// 9.3).
#[must_use]
pub fn is_built_in(client: &str) -> bool {
    [COMMAND_LINE, CONSOLE].contains(&client)
}

/// An app that may ask users for access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OauthClient {
    /// How it names itself in requests.
    pub id: String,
    /// How users know it.
    pub name: String,
    /// Where its answers may be sent.
    pub redirects: Vec<RedirectUri>,
    /// Whether it may be given tokens by a redirect (the implicit flow of older apps).
    pub implicit: bool,
    /// Its own name for the scope `email`.
    pub email_scope: Option<String>,
}

impl OauthClient {
    /// Whether answers may be sent to this address.
    #[must_use]
    pub fn redirects_to(&self, asked: &str) -> bool {
        self.redirects.iter().any(|own| own.is(asked))
    }

    /// The scopes that it asks for.
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
    fn where_answers_may_be_sent() {
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
    fn only_the_port_of_the_own_machine_is_free() {
        let is = |own: &str, asked: &str| RedirectUri::parse(own).unwrap().is(asked);
        for (own, asked, expected) in [
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
            assert_eq!(is(own, asked), expected, "{own} {asked}");
        }
    }
}
