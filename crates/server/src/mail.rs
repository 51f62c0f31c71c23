//! The options of outgoing mail.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use daybook_auth::session::LinkLimits;

use crate::smtp::Relay;

/// The options of outgoing mail.
#[derive(Debug, Args)]
pub(crate) struct MailArgs {
    /// Mail server: smtps://USER:PASSWORD@HOST:PORT, or
    /// smtp://USER:PASSWORD@HOST:PORT?tls=required; without it, mails stay in the outbox
    #[arg(
        long,
        env = "DAYBOOK_SMTP_URL",
        value_name = "URL",
        hide_env_values = true,
        requires_all = ["mail_from", "public_url"]
    )]
    pub(crate) smtp_url: Option<String>,

    /// Sender of mails, for example "Daybook <books@example.com>"
    #[arg(long, env = "DAYBOOK_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,

    /// Seconds that sending a mail to the mail server may take
    #[arg(
        long = "smtp-timeout-seconds",
        env = "DAYBOOK_SMTP_TIMEOUT_SECONDS",
        default_value_t = 30,
        value_name = "SECONDS",
        value_parser = clap::value_parser!(u8).range(1..=120)
    )]
    pub(crate) timeout_seconds: u8,
}

impl MailArgs {
    /// Returns how often a client may ask for a sign-in link, or `None` without a mail server.
    pub(crate) fn links(&self) -> Option<LinkLimits> {
        self.smtp_url.as_ref().map(|_| LinkLimits::default())
    }

    /// Returns the mail server, if one is configured.
    ///
    /// # Errors
    /// Those of [`Relay::new`].
    pub(crate) fn relay(&self) -> anyhow::Result<Option<Arc<Relay>>> {
        let time = Duration::from_secs(self.timeout_seconds.into());
        let (url, from) = (self.smtp_url.as_deref(), self.mail_from.as_deref());
        let relay = url.zip(from).map(|(url, from)| Relay::new(url, from, time));
        Ok(relay.transpose()?.map(Arc::new))
    }
}
