//! The link for the first user of a trial, on the terminal (behaviour 11.14).

use std::io::{IsTerminal, Write, stderr, stdout};

use daybook_auth::session::{FirstUserLink, LoginSecret};
use daybook_domain::instant::Instant;
use daybook_service::user;
use daybook_storage::Store;

/// The secret of the link, and a terminal to print it to.
pub(crate) struct FirstUser {
    secret: LoginSecret,
    link: FirstUserLink,
    terminal: Box<dyn Write>,
}

impl FirstUser {
    /// Creates a link if there is no user and a terminal.
    ///
    /// The link never gets into a log: an output that is not a terminal may be one.
    ///
    /// # Errors
    /// When the database cannot be read, or the system provides no random bytes.
    pub(crate) fn find(store: &Store, now: Instant) -> anyhow::Result<Option<Self>> {
        let terminal: Box<dyn Write> = if stdout().is_terminal() {
            Box::new(stdout())
        } else if stderr().is_terminal() {
            Box::new(stderr())
        } else {
            return Ok(None);
        };
        if store.read(user::exist)? {
            return Ok(None);
        }
        let secret = LoginSecret::random()?;
        let link = FirstUserLink::new(&secret, now);
        Ok(Some(Self { secret, link, terminal }))
    }

    /// Returns the link that the server accepts.
    pub(crate) fn link(&self) -> FirstUserLink {
        self.link.clone()
    }

    /// Prints the link, and the command that signs in a terminal; `server` is the address of this
    /// server.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(crate) fn print(mut self, server: &str) -> anyhow::Result<()> {
        let link = self.secret.first_user_link(server);
        writeln!(
            self.terminal,
            "\nOpen this link to start. It works once, for an hour:\n\n  {link}\n\n\
             To keep books in a terminal, sign in with:\n\n  dbk login --server {server}\n"
        )?;
        Ok(())
    }
}
