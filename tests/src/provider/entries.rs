//! Entries of the `--providers` file for an issuer of the tests, and the file itself.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{ALGORITHMS, Provider};
use crate::guard::Folder;
use crate::unique;

/// The prefix of resources with JWT access tokens; an algorithm follows it.
pub const API: &str = "https://books.example/api/";

/// The secret of the client `daybook`, which may use introspection. Unencoded it would be misread
/// in a header, so RFC 6749, 2.3.1, requires encoding.
pub const ASKING_SECRET: &str = "a:b+c%2F&d=e f";

/// The secret of the client `sign-in`, through which people sign in.
pub const SIGN_IN_SECRET: &str = "of:the+server%2F&under=test";

impl Provider {
    /// An entry that trusts the tokens of all clients and resources.
    pub fn oidc(&self) -> Value {
        let clients = ALGORITHMS.iter().flat_map(|name| [format!("web-{name}"), api(name)]);
        let clients: Vec<String> = clients.collect();
        json!({"kind": "oidc", "issuer": self.issuer(), "clients": clients})
    }

    /// An entry for signing in only, under this name, as a client with or without a secret.
    pub fn signing_in(&self, name: &str, secret: bool) -> Value {
        let sign_in = if secret {
            json!({"name": name, "clientId": "sign-in", "clientSecret": SIGN_IN_SECRET})
        } else {
            json!({"name": name, "clientId": "sign-in-public"})
        };
        let clients = ["nobody"];
        json!({"kind": "oidc", "issuer": self.issuer(), "clients": clients, "signIn": sign_in})
    }

    /// An entry with introspection, and userinfo for the e-mail.
    pub fn introspection(&self) -> Value {
        json!({
            "kind": "introspection",
            "url": format!("{}/token/introspection", self.issuer()),
            "clientId": "daybook",
            "clientSecret": ASKING_SECRET,
            "userinfoUrl": format!("{}/me", self.issuer()),
        })
    }

    /// An entry with tokeninfo in Google's format.
    pub fn tokeninfo(&self) -> Value {
        let url = format!("{}/tokeninfo", self.issuer());
        json!({"kind": "tokeninfo", "url": url, "clients": ["web-ES256", "web-brief"]})
    }
}

fn api(algorithm: &str) -> String {
    format!("{API}{algorithm}")
}

/// A providers file that only its owner can read; deleted when dropped.
pub struct File {
    folder: Folder,
}

impl File {
    /// Writes a file with these entries.
    pub fn new(items: &[Value]) -> File {
        File::with_text(&json!({"items": items}).to_string())
    }

    /// Writes a file with this text.
    pub fn with_text(text: &str) -> File {
        let name = format!("daybook-{}-{}", std::process::id(), unique("providers"));
        let file = File { folder: Folder::create(std::env::temp_dir().join(name)) };
        std::fs::write(file.path(), text).expect("a file");
        file.open_to(0o600);
        file
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("providers.json")
    }

    /// Sets the file mode, as `chmod` does.
    pub fn open_to(&self, mode: u32) {
        std::fs::set_permissions(self.path(), Permissions::from_mode(mode)).expect("a mode");
    }
}
