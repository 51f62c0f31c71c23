//! The options of webhooks. Their doc comments are the texts of `--help`.

use std::net::SocketAddr;

use clap::Args;
use daybook_http::WebhookTarget;

/// Where webhooks may go.
#[derive(Debug, Args)]
pub(crate) struct WebhookArgs {
    /// Hosts, addresses and networks that webhooks may reach besides the public internet, also
    /// without TLS, separated by commas, for example bots.internal or 10.0.0.0/8; by default none,
    /// or loopback while the server listens on loopback only
    #[arg(long, env = "DAYBOOK_WEBHOOK_ALLOW", value_delimiter = ',', value_name = "ENTRY")]
    webhook_allow: Option<Vec<WebhookTarget>>,
}

impl WebhookArgs {
    /// What webhooks may reach besides the public internet.
    pub(crate) fn allowed(&self, listen: SocketAddr) -> Vec<WebhookTarget> {
        let usual =
            || if listen.ip().is_loopback() { WebhookTarget::loopback() } else { Vec::new() };
        self.webhook_allow.clone().unwrap_or_else(usual)
    }
}
