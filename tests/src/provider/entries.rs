//! The file of `--providers`: entries for an issuer of the tests, and the file itself.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::{ALGORITHMS, Provider};
use crate::guard::Folder;
use crate::unique;

/// The start of the resources that access tokens as JWTs are for; an algorithm stands behind it.
pub const API: &str = "https://books.example/api/";

/// The secret of the client `daybook`, which may ask for introspection. As it is, it would be
/// misread in a header: RFC 6749, 2.3.1, has it encoded first.
pub const ASKING_SECRET: &str = "a:b+c%2F&d=e f";

/// The secret of the client `sign-in`, through which people sign in.
pub const SIGN_IN_SECRET: &str = "of:the+server%2F&under=test";

impl Provider {
    /// Trusts what it signs, for all its clients and resources.
    pub fn oidc(&self) -> Value {
        let clients = ALGORITHMS.iter().flat_map(|name| [format!("web-{name}"), api(name)]);
        let clients: Vec<String> = clients.collect();
        json!({"kind": "oidc", "issuer": self.issuer(), "clients": clients})
    }

    /// Trusts no access tokens of it, and lets people sign in through it by this name, as a client
    /// with a secret or without one.
    pub fn signing_in(&self, name: &str, secret: bool) -> Value {
        let sign_in = if secret {
            json!({"name": name, "clientId": "sign-in", "clientSecret": SIGN_IN_SECRET})
        } else {
            json!({"name": name, "clientId": "sign-in-public"})
        };
        let clients = ["nobody"];
        json!({"kind": "oidc", "issuer": self.issuer(), "clients": clients, "signIn": sign_in})
    }

    /// Asks it what a token is, and its userinfo for the e-mail.
    pub fn introspection(&self) -> Value {
        json!({
            "kind": "introspection",
            "url": format!("{}/token/introspection", self.issuer()),
            "clientId": "daybook",
            "clientSecret": ASKING_SECRET,
            "userinfoUrl": format!("{}/me", self.issuer()),
        })
    }

    /// Asks it what a token is, as Google answers.
    pub fn tokeninfo(&self) -> Value {
        let url = format!("{}/tokeninfo", self.issuer());
        json!({"kind": "tokeninfo", "url": url, "clients": ["web-ES256", "web-brief"]})
    }
}

fn api(algorithm: &str) -> String {
    format!("{API}{algorithm}")
}

/// A file of providers that only its owner reads; it is gone when dropped.
pub struct File {
    folder: Folder,
}

impl File {
    /// A file with these entries.
    pub fn new(items: &[Value]) -> File {
        File::with_text(&json!({"items": items}).to_string())
    }

    /// A file with this text.
    pub fn with_text(text: &str) -> File {
        let name = format!("daybook-{}-{}", std::process::id(), unique("providers"));
        let file = File { folder: Folder::create(std::env::temp_dir().join(name)) };
        std::fs::write(file.path(), text).expect("a file");
        file.open_to(0o600);
        file
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("providers.json")
    }

    /// Sets who may read it, as `chmod` does.
    pub fn open_to(&self, mode: u32) {
        std::fs::set_permissions(self.path(), Permissions::from_mode(mode)).expect("a mode");
    }
}
