//! The registered clients: those of the operator's file and a built-in one (behaviour 11.16).
//!
//! The file is read once, when the server starts.

use daybook_domain::grant::{COMMAND_LINE, OauthClient, RedirectUri};
use daybook_domain::session::SecretDigest;
use daybook_edge::objects_only;
use serde::Deserialize;

use crate::session::secret::digest;

/// The maximum number of clients in the file.
const MAX_CLIENTS: usize = 1_000;
/// The maximum number of characters of an id, a secret or a name.
const MAX_TEXT: usize = 255;

/// The file. Its entries are parsed separately, so that an error names the entry.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
struct ClientsFile {
    items: Vec<serde_json::Value>,
}

objects_only!(ClientsFile);

/// One client of the file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ClientEntry {
    client_id: String,
    name: String,
    #[serde(default)]
    redirect_uris: Vec<String>,
    client_secret: Option<String>,
    #[serde(default)]
    implicit: bool,
    email_scope: Option<String>,
}

/// A client and its secret.
#[derive(Debug)]
pub(super) struct RegisteredClient {
    pub(super) client: OauthClient,
    /// `None` for a public client (RFC 6749, 2.1).
    pub(super) secret: Option<SecretDigest>,
}

impl RegisteredClient {
    fn public(id: &str, name: &str, redirects: &[&str]) -> Self {
        let redirects = redirects.iter().filter_map(|uri| RedirectUri::parse(uri).ok()).collect();
        Self {
            client: OauthClient {
                id: id.to_owned(),
                name: name.to_owned(),
                redirects,
                implicit: false,
                email_scope: None,
            },
            secret: None,
        }
    }
}

/// The clients of this installation.
#[derive(Debug)]
pub struct Clients(Vec<RegisteredClient>);

impl Default for Clients {
    fn default() -> Self {
        let loopback = ["http://127.0.0.1/callback", "http://[::1]/callback"];
        let command_line =
            RegisteredClient::public(COMMAND_LINE, "Daybook command line", &loopback);
        Self(vec![command_line])
    }
}

impl Clients {
    /// Parses the clients file.
    ///
    /// # Errors
    /// A description of the error that names the entry.
    ///
    /// ```
    /// use daybook_auth::grant::Clients;
    /// let refused = Clients::read(r#"{"items": [{"clientId": "app"}]}"#);
    /// assert_eq!(refused.err().as_deref(), Some("items[0]: missing field `name`"));
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        let file: ClientsFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.items.len() > MAX_CLIENTS {
            let count = file.items.len();
            return Err(format!("items has {count} entries; at most {MAX_CLIENTS} are allowed"));
        }
        let mut clients = Self::default();
        for (index, entry) in file.items.into_iter().enumerate() {
            clients.add(entry).map_err(|fault| format!("items[{index}]: {fault}"))?;
        }
        Ok(clients)
    }

    /// Whether the file contains a secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.0.iter().any(|registered| registered.secret.is_some())
    }

    pub(super) fn find(&self, id: &str) -> Option<&RegisteredClient> {
        self.0.iter().find(|registered| registered.client.id == id)
    }

    /// Returns the display name of a client, or its id if it is no longer registered.
    #[must_use]
    pub fn name<'c>(&'c self, id: &'c str) -> &'c str {
        self.find(id).map_or(id, |registered| registered.client.name.as_str())
    }

    fn add(&mut self, entry: serde_json::Value) -> Result<(), String> {
        let entry: ClientEntry =
            serde_json::from_value(entry).map_err(|error| error.to_string())?;
        let id = text("clientId", entry.client_id)?;
        if self.find(&id).is_some() {
            return Err(format!("clientId {id:?} is repeated or that of a built-in client"));
        }
        let secret = entry.client_secret.map(|secret| text("clientSecret", secret)).transpose()?;
        let redirects = entry.redirect_uris.iter().map(|uri| RedirectUri::parse(uri));
        let email_scope = entry.email_scope.map(|scope| text("emailScope", scope)).transpose()?;
        if email_scope.as_ref().is_some_and(|scope| scope.contains(' ')) {
            return Err("emailScope must be one scope".to_owned());
        }
        let client = OauthClient {
            id,
            name: text("name", entry.name)?,
            redirects: redirects.collect::<Result<_, _>>()?,
            implicit: entry.implicit,
            email_scope,
        };
        self.0.push(RegisteredClient { client, secret: secret.as_deref().map(digest) });
        Ok(())
    }
}

fn text(field: &str, value: String) -> Result<String, String> {
    let is_valid = !value.trim().is_empty()
        && value.chars().count() <= MAX_TEXT
        && !value.contains(char::is_control);
    if is_valid {
        Ok(value)
    } else {
        Err(format!(
            "{field} is blank, longer than {MAX_TEXT} characters, or contains a line break"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(entries: &str) -> String {
        Clients::read(&format!("{{\"items\": [{entries}]}}")).unwrap_err()
    }

    #[test]
    fn clients_file_is_parsed_or_rejected() {
        let app = r#"{"clientId": "app", "name": "App", "redirectUris": ["https://a.example/cb"]}"#;
        let read = Clients::read(&format!("{{\"items\": [{app}]}}")).unwrap();
        assert!(read.find("app").unwrap().client.redirects_to("https://a.example/cb"));
        assert!(!read.has_secret() && read.find(COMMAND_LINE).is_some());
        assert!(fault(&format!("{app}, {app}")).starts_with("items[1]: clientId \"app\""));
        for (entry, expected) in [
            (r#"{"clientId": "daybook-cli", "name": "x"}"#, "built-in"),
            (r#"{"clientId": " ", "name": "x"}"#, "clientId is blank"),
            (r#"{"clientId": "a", "name": "x\n"}"#, "name is blank"),
            (
                r#"{"clientId": "a", "name": "x", "redirectUris": ["http://a.example"]}"#,
                "expected an https: URI",
            ),
            (r#"{"clientId": "a", "name": "x", "emailScope": "a b"}"#, "one scope"),
            (r#"{"clientId": "a", "name": "x", "secret": "s"}"#, "unknown field"),
        ] {
            let fault = fault(entry);
            assert!(fault.starts_with("items[0]: ") && fault.contains(expected), "{fault}");
        }
    }
}
