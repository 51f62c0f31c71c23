//! Schemathesis for the built-in issuer and browser sessions, from `openapi/auth.json`.

use std::process::Command;

use serde_json::{Value, json};

use super::{Outcome, Plan, Subject, run, schemathesis, sources};
use crate::provider::File;
use crate::{Engine, Options, Server, free_port};

/// The public address of the server, which mailed links need.
const PUBLIC: &str = "https://books.example.com";

const AUTH: Subject =
    Subject { path: "/auth/openapi.json", settings: "auth.toml", hooks: "auth_hooks" };

/// A server with sign-in by link, by mail and through a provider, and with the clients of
/// `tests/contract/clients.json`. The provider runs beside the hooks.
pub struct Issuer {
    /// The server.
    pub server: Server,
    provider: u16,
    _files: [File; 2],
}

impl Issuer {
    /// Starts the server.
    ///
    /// # Errors
    /// When the file of clients cannot be read.
    pub fn start(engine: Engine) -> anyhow::Result<Issuer> {
        let provider = free_port();
        let entry = json!({
            "kind": "oidc",
            "issuer": format!("http://127.0.0.1:{provider}"),
            "clients": ["nobody"],
            "signIn": {"name": "Example", "clientId": "daybook"},
        });
        let clients = std::fs::read_to_string(sources().join("clients.json"))?;
        let files = [File::with_text(&clients), File::new(&[entry])];
        let [clients, providers] = [0, 1].map(|index| files[index].path().display().to_string());
        let args = [
            ["--clients", &clients],
            ["--providers", &providers],
            ["--quota-per-minute", "0"],
            ["--admit", "@example.com"],
            ["--web-origins", "https://web.example.com"],
            // Mails stay in the outbox.
            ["--smtp-url", "smtp://127.0.0.1:1"],
            ["--mail-from", "books@example.com"],
            ["--public-url", PUBLIC],
        ];
        let args = args.iter().flatten().map(|arg| (*arg).to_owned()).collect();
        let server = Server::start_with(Options { engine, args, ..Options::default() });
        Ok(Issuer { server, provider, _files: files })
    }

    /// Runs schemathesis on it.
    ///
    /// # Errors
    /// When schemathesis does not end within the limit.
    pub fn fuzz(&self, plan: Plan) -> anyhow::Result<Outcome> {
        let mut command = schemathesis(&self.server, plan, &AUTH);
        command.args(["--url", self.server.base()]);
        command
            .env("DAYBOOK_CONTRACT_LOGIN", arguments(&self.server.admin(&["login"])).to_string())
            .env("DAYBOOK_CONTRACT_PUBLIC", PUBLIC)
            .env("DAYBOOK_CONTRACT_PROVIDER", self.provider.to_string());
        run(command, plan)
    }
}

/// The arguments of a command that takes an address.
pub(super) fn arguments(command: &Command) -> Value {
    let program = std::iter::once(command.get_program());
    let all = program.chain(command.get_args()).map(|part| part.to_string_lossy().into_owned());
    all.chain(["--email".to_owned()]).collect()
}
