//! Failures of commands: a message, a hint, and an exit code.

use std::fmt::Display;

use daybook_client::{Error, Reason};

/// Something failed that has no code of its own.
pub(crate) const FAILED: u8 = 1;
/// The command line is wrong.
pub(crate) const USAGE: u8 = 2;
/// Something differs from what is expected.
pub(crate) const DIFFERENT: u8 = 3;
/// The user is not signed in, or the token is not valid.
pub(crate) const NOT_SIGNED_IN: u8 = 4;
/// Something does not exist, or the caller may not see it.
pub(crate) const NOT_FOUND: u8 = 5;
/// Something has changed since it was read.
pub(crate) const CONFLICT: u8 = 6;
/// The server was busy after all repetitions.
pub(crate) const BUSY: u8 = 7;
/// The user has interrupted the command; the code of shells for SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// How to choose the book in use.
pub(crate) const CHOOSE_BOOK: &str = "dbk books, then dbk books use BOOK";

/// Fields of the API that messages name, and the words of `dbk` for them.
const WORDS: [(&str, &str); 2] = [("creditAccount", "From"), ("debitAccount", "To")];
/// The texts before the name of an unknown account in a refusal.
const UNKNOWN_ACCOUNT: [&str; 2] = ["Account not found: ", "account not found: "];

/// A cause about which the book says more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The date of a transaction is locked or closed.
    LockedDay,
    /// The book has no account of this name.
    UnknownAccount(String),
}

/// Why a command ends without success.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The failure; empty if everything was printed.
    pub(crate) message: String,
    /// The next step for the user.
    pub(crate) hint: Option<String>,
    /// The exit code.
    pub(crate) code: u8,
    /// The cause, if there is more to say about it.
    pub(crate) cause: Option<Cause>,
}

/// The result of a command.
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Returns a failure with the code 1.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None, code: FAILED, cause: None }
    }

    /// Returns the failure of a request that the server refused with this message.
    pub(crate) fn refused(message: String) -> Self {
        let name = UNKNOWN_ACCOUNT.iter().find_map(|start| message.split_once(start));
        match name.map(|(_, name)| name.to_owned()) {
            Some(name) => Self {
                cause: Some(Cause::UnknownAccount(name)),
                ..Self::new(message).with_code(NOT_FOUND)
            },
            None => Self::new(message),
        }
    }

    /// Returns a failure for a value that is not accepted.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(message).with_code(USAGE)
    }

    /// Returns a failure for something that does not exist.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new(message).with_code(NOT_FOUND)
    }

    /// Returns the failure of a command that has printed the differences that it found.
    pub(crate) fn different() -> Self {
        Self::new("").with_code(DIFFERENT)
    }

    /// Returns a failure of the file system or a terminal.
    pub(crate) fn io(what: impl Display, error: &std::io::Error) -> Self {
        Self::new(format!("{what}: {error}"))
    }

    /// Replaces fields of the API in the message by the words of `dbk`.
    pub(crate) fn in_words(mut self) -> Self {
        for (field, word) in WORDS {
            self.message = self.message.replace(field, word);
        }
        self
    }

    /// Sets the exit code.
    pub(crate) fn with_code(self, code: u8) -> Self {
        Self { code, ..self }
    }

    /// Adds what to do next.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let mut failure = Self::refused(error.to_string());
        if error.reason() == Some(&Reason::LockedDate) {
            failure.cause = Some(Cause::LockedDay);
        }
        if matches!(error, Error::OAuth(_)) {
            return failure.with_code(NOT_SIGNED_IN).with_hint("dbk login");
        }
        if matches!(error, Error::Transport { .. }) {
            return failure.with_hint("start the server, or name its address with --server");
        }
        match error.status() {
            Some(401) => Self::new("not signed in, or the access token is no longer valid")
                .with_code(NOT_SIGNED_IN)
                .with_hint("dbk login"),
            // The book in use was deleted, such as by the undo of `dbk demo`, or is shared no more.
            Some(404) if failure.message.contains("book not found") => {
                failure.with_code(NOT_FOUND).with_hint(CHOOSE_BOOK)
            }
            Some(403 | 404) => failure.with_code(NOT_FOUND),
            Some(409 | 412) => failure.with_code(CONFLICT),
            Some(429 | 503) => failure.with_code(BUSY),
            _ => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_of_unknown_accounts_have_their_name() {
        for (message, name) in [
            ("Account not found: Big bank", Some("Big bank")),
            ("record 2: account not found: Csh", Some("Csh")),
            ("file not found: x", None),
        ] {
            let failure = Failure::refused(message.to_owned());
            let cause = name.map(|name| Cause::UnknownAccount(name.to_owned()));
            assert_eq!(failure.cause, cause, "{message}");
            assert_eq!(failure.code, if name.is_some() { NOT_FOUND } else { FAILED });
            assert_eq!(failure.message, message);
        }
    }

    #[test]
    fn fields_of_the_api_are_named_by_words() {
        let failure = Failure::new("creditAccount and debitAccount are the same account");
        assert_eq!(failure.in_words().message, "From and To are the same account");
    }
}
