//! The operator's file of identity providers (behaviour 11.12).
//!
//! The file is read once, when the server starts.

use std::collections::HashSet;

use daybook_edge::objects_only;
use daybook_edge::outgoing::Outgoing;
use serde::Deserialize;

use super::endpoint::endpoint;
use super::http_client::HttpClient;
use super::introspection::Introspection;
use super::oidc::Issuer;
use super::scope::EmailScope;
use super::sign_in::SignInClient;
use super::tokeninfo::Tokeninfo;
use super::{MAX_PROVIDERS, OpaqueProvider, Providers};

/// The file. Its entries are parsed separately, so that an error names the entry.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, remote = "Self")]
struct ProvidersFile {
    items: Vec<serde_json::Value>,
    #[serde(default)]
    authorization_url: Option<String>,
}

objects_only!(ProvidersFile);

/// One provider of the file.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
enum ProviderEntry {
    Oidc(OidcEntry),
    Introspection(IntrospectionEntry),
    Tokeninfo(TokeninfoEntry),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct OidcEntry {
    issuer: String,
    clients: Vec<String>,
    email_scope: Option<String>,
    sign_in: Option<SignInEntry>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SignInEntry {
    name: String,
    client_id: String,
    client_secret: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct IntrospectionEntry {
    url: String,
    client_id: String,
    client_secret: String,
    clients: Option<Vec<String>>,
    userinfo_url: Option<String>,
    email_scope: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct TokeninfoEntry {
    url: String,
    clients: Vec<String>,
    email_scope: Option<String>,
}

impl Providers {
    /// Parses the providers file.
    ///
    /// # Errors
    /// A description of the error that names the entry.
    ///
    /// ```
    /// use daybook_auth::identity::Providers;
    /// let refused = Providers::read(r#"{"items": [{"kind": "oidc", "issuer": "id"}]}"#);
    /// assert_eq!(refused.err().as_deref(), Some("items[0]: missing field `clients`"));
    /// ```
    pub fn read(text: &str) -> Result<Self, String> {
        let file: ProvidersFile = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.items.len() > MAX_PROVIDERS {
            let count = file.items.len();
            return Err(format!("items has {count} entries; at most {MAX_PROVIDERS} are allowed"));
        }
        let outgoing = Outgoing::new().map_err(|failure| failure.to_string())?;
        let authorization_url =
            file.authorization_url.map(|url| endpoint("authorizationUrl", &url)).transpose()?;
        let mut providers = Self::with(outgoing, authorization_url);
        for (index, entry) in file.items.into_iter().enumerate() {
            providers.add(entry).map_err(|fault| format!("items[{index}]: {fault}"))?;
        }
        Ok(providers)
    }

    /// Whether the file contains a secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.opaque.iter().any(|provider| matches!(provider, OpaqueProvider::Introspection(_)))
            || self.sign_ins().any(|(_, client)| client.has_secret())
    }

    fn add(&mut self, entry: serde_json::Value) -> Result<(), String> {
        let http_client = HttpClient::new(&self.outgoing);
        match serde_json::from_value(entry).map_err(|error| error.to_string())? {
            ProviderEntry::Oidc(entry) => {
                let issuer = issuer(entry.issuer)?;
                if self.issuers.iter().any(|other| other.name == issuer) {
                    return Err(format!("issuer {issuer:?} is repeated"));
                }
                let clients = clients(entry.clients)?;
                let scope = EmailScope::new(entry.email_scope)?;
                let sign_in = entry.sign_in.map(|entry| self.sign_in_client(entry)).transpose()?;
                self.issuers.push(Issuer::new(issuer, clients, scope, sign_in, http_client));
            }
            ProviderEntry::Introspection(entry) => {
                let IntrospectionEntry { client_id, client_secret, email_scope, .. } = entry;
                if client_id.is_empty() || client_secret.is_empty() {
                    return Err("clientId and clientSecret are required".to_owned());
                }
                self.opaque.push(OpaqueProvider::Introspection(Introspection {
                    url: endpoint("url", &entry.url)?,
                    client_id,
                    client_secret,
                    clients: entry.clients.map(clients).transpose()?,
                    userinfo: entry
                        .userinfo_url
                        .map(|url| endpoint("userinfoUrl", &url))
                        .transpose()?,
                    scope: EmailScope::new(email_scope)?,
                    http_client,
                }));
            }
            ProviderEntry::Tokeninfo(entry) => {
                self.opaque.push(OpaqueProvider::Tokeninfo(Tokeninfo {
                    url: endpoint("url", &entry.url)?,
                    clients: clients(entry.clients)?,
                    scope: EmailScope::new(entry.email_scope)?,
                    http_client,
                }))
            }
        }
        Ok(())
    }

    fn sign_in_client(&self, entry: SignInEntry) -> Result<SignInClient, String> {
        let SignInEntry { name, client_id, client_secret } = entry;
        let client = SignInClient::new(&name, client_id, client_secret)?;
        if self.sign_ins().any(|(_, other)| other.name == client.name) {
            return Err(format!("signIn.name {:?} is repeated", client.name));
        }
        Ok(client)
    }
}

fn issuer(text: String) -> Result<String, String> {
    let url = endpoint("issuer", &text)?;
    if url.query().is_some() { Err("issuer must not have a query".to_owned()) } else { Ok(text) }
}

fn clients(clients: Vec<String>) -> Result<HashSet<String>, String> {
    if clients.is_empty() || clients.iter().any(String::is_empty) {
        return Err("clients must be a non-empty list of non-empty client ids".to_owned());
    }
    Ok(clients.into_iter().collect())
}
