//! Logs: the log of a server, and the log of operator commands.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;

use anyhow::Context;
use clap::{Args, ValueEnum};
use daybook_auth::security::{LoggedAddresses, SecurityLog};
use daybook_domain::id::UserId;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::prelude::*;

use crate::installation::DataArgs;

/// The file in the data directory to which operator commands write.
const OPERATOR_LOG: &str = "operator.log";
/// The target of the HTTP server library, which logs malformed requests as errors.
const HTTP_SERVER: &str = "actix_http";

/// The options of the log.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// What to log, as tracing filters: error, warn, info, debug, or per module
    #[arg(long, env = "DAYBOOK_LOG", default_value = "info", value_name = "FILTER")]
    pub(crate) log: String,

    /// Log one JSON object a line instead of text
    #[arg(long, env = "DAYBOOK_LOG_JSON")]
    pub(crate) log_json: bool,

    /// How the security log shows the addresses of clients: plain, hashed with a key that ends with
    /// the process, or hidden
    #[arg(
        long,
        env = "DAYBOOK_LOG_ADDRESSES",
        default_value = "plain",
        hide_possible_values = true,
        value_name = "FORM"
    )]
    pub(crate) log_addresses: AddressForm,
}

/// How the security log shows addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AddressForm {
    /// As they are.
    Plain,
    /// Hashed with a key that ends with the process.
    Hashed,
    /// Not at all.
    Hidden,
}

impl LogArgs {
    /// Returns the security log (behaviour 11.24).
    ///
    /// # Errors
    /// When the system provides no random bytes.
    pub(crate) fn security(&self) -> anyhow::Result<SecurityLog> {
        let addresses = match self.log_addresses {
            AddressForm::Plain => LoggedAddresses::Plain,
            AddressForm::Hashed => LoggedAddresses::hashed()
                .map_err(|error| anyhow::anyhow!("no randomness for the log: {error}"))?,
            AddressForm::Hidden => LoggedAddresses::Hidden,
        };
        Ok(SecurityLog::new(addresses))
    }

    /// Starts the log of a server.
    ///
    /// # Errors
    /// An invalid filter; a log that was started already.
    pub(crate) fn start(&self) -> anyhow::Result<()> {
        let filter: Targets =
            self.log.parse().with_context(|| format!("{:?} is not a log filter", self.log))?;
        // Any client can send a malformed request, so that must not raise an alarm.
        let filter = if self.log.contains(HTTP_SERVER) {
            filter
        } else {
            filter.with_target(HTTP_SERVER, LevelFilter::OFF)
        };
        let registry = tracing_subscriber::registry().with(filter);
        // A failure to write the log must not be logged in turn: that would panic in the middle of
        // a request.
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            .log_internal_errors(false);
        let started = if self.log_json {
            registry.with(lines.json()).try_init()
        } else {
            let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr());
            registry.with(lines.with_ansi(ansi)).try_init()
        };
        started.map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))
    }
}

/// Logs a command that used keys or changed permissions (behaviour 11.25).
///
/// A failure to write the log does not fail the command, because its work is done.
pub(crate) fn log_command(data: &DataArgs, command: &'static str, user: Option<UserId>) {
    let path = data.data_dir.join(OPERATOR_LOG);
    let file = match OpenOptions::new().append(true).create(true).open(&path) {
        Ok(file) => file,
        Err(error) => {
            let path = path.display();
            let _ = writeln!(std::io::stderr(), "daybook: {path} cannot be written: {error}");
            return;
        }
    };
    let lines = tracing_subscriber::fmt().with_writer(Mutex::new(file)).with_ansi(false).finish();
    let user = user.map(|user| user.to_string());
    tracing::subscriber::with_default(lines, || {
        let user = user.as_deref();
        tracing::info!(target: "security", command, user, "operator command");
    });
}
