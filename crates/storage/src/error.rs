//! The errors of the storage layer.

use std::convert::Infallible;

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// An error of the storage layer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The queue of the writer is full. A retry may succeed shortly.
    #[error("too many writes are waiting")]
    Busy,
    /// A read was stopped, at its deadline or because the caller has gone.
    #[error("the read was stopped")]
    Stopped,
    /// A replica has another state of a book than the primary.
    #[error("the replica is behind")]
    Behind,
    /// The database is not reachable at the moment.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The connection broke during a commit, and its outcome could not be determined. A retry may
    /// repeat the write.
    #[error(
        "the outcome of this write is unknown, because the database or the server failed during \
         the commit; check whether it was recorded before you send it again"
    )]
    OutcomeUnknown,
    /// A row violates a unique index.
    #[error("unique index violated: {0}")]
    UniqueViolation(String),
    /// A column has a value that this program never writes.
    #[error("column {0} has an invalid value")]
    Corrupt(&'static str),
    /// A unit of work panicked and was rolled back.
    #[error("a unit of work panicked: {0}")]
    Panicked(String),
    /// The database rejected a statement.
    #[error("the database rejected a statement: {0}")]
    Refused(String),
    /// The scheme of the database URL is unknown.
    #[error("invalid database URL {0:?}: expected sqlite: or postgres://")]
    Url(String),
    /// The URL leads to a pooler in transaction mode.
    #[error(
        "the database URL leads to a pooler that shares sessions between clients, such as \
         pgbouncer with pool_mode = transaction; Daybook needs prepared statements, settings and \
         advisory locks that belong to a session: set pool_mode = session for this database, or \
         connect to PostgreSQL directly"
    )]
    SharedSessions,
    /// The database was created by a version before the first release.
    #[error(
        "the database has step {0} of a schema from before the first release, which no released \
         version can read; start with an empty database"
    )]
    UnreleasedSchema(String),
    /// The database was migrated by a later version.
    #[error(
        "the database has step {0} of a newer schema, which this version does not know; start the \
         version that migrated it, or a later one"
    )]
    NewerSchema(String),
    /// The database lacks a migration, and the caller does not migrate.
    #[error(
        "the database lacks step {0} of the schema; start the server or run `daybook migrate` to \
         migrate it"
    )]
    OlderSchema(String),
    /// The tables cannot be distributed over several machines.
    #[error("the tables cannot be distributed: {0}")]
    NotDistributable(&'static str),
    /// A table of a distributed database has no placement.
    #[error(
        "the tables are distributed over several machines, except {0}: run \
         `daybook migrate --distribute`"
    )]
    PartlyDistributed(&'static str),
    /// Replicas are configured for a distributed database.
    #[error(
        "--read-database-url is not supported for a database distributed over several machines"
    )]
    ReplicaOfDistributed,
    /// The coordinator belongs to another database.
    #[error(
        "--coordinator-url does not lead to the coordinator of the machines that --database-url \
         connects to; use URLs of the same distributed database, or omit --coordinator-url"
    )]
    OtherMachines,
    /// Another program is connected to a database that must be used by one alone.
    #[error("another program uses the database: stop the server first")]
    InUse,
    /// A migration failed.
    #[error("migration failed: {0}")]
    Migration(String),
}

/// The result of a storage operation.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Diesel> for Error {
    fn from(error: Diesel) -> Self {
        if let Diesel::DatabaseError(kind, information) = &error {
            if matches!(kind, DatabaseErrorKind::UniqueViolation) {
                return Self::UniqueViolation(information.message().to_owned());
            }
            let message = information.message();
            // Lock contention. A retry may succeed.
            let contention = ["lock timeout", "deadlock detected", "database is locked"];
            // A full or failing disk, which the operator can repair.
            let disk = ["disk is full", "No space left on device", "disk I/O error"];
            let has_transient_message =
                contention.iter().chain(&disk).any(|text| message.contains(text));
            let is_transient_kind = matches!(
                kind,
                DatabaseErrorKind::ClosedConnection
                    | DatabaseErrorKind::SerializationFailure
                    | DatabaseErrorKind::UnableToSendCommand
                    // The server is no longer the primary. The next connection finds the new one,
                    // and no statement writes on a connection that reads.
                    | DatabaseErrorKind::ReadOnlyTransaction
            );
            if has_transient_message || is_transient_kind {
                return Self::Unavailable(message.to_owned());
            }
        }
        if matches!(error, Diesel::BrokenTransactionManager) {
            return Self::Unavailable("the connection is broken".to_owned());
        }
        Self::Refused(error.to_string())
    }
}

impl Error {
    /// Returns whether the same work would fail again.
    ///
    /// True if the cause is the written data, an existing row or a bug; false if it is the state
    /// of the database server.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::UniqueViolation(_) | Self::Corrupt(_) | Self::Panicked(_) | Self::Refused(_)
        )
    }

    /// Converts the error of a statement that waits for a lock.
    ///
    /// diesel has no error kind for PostgreSQL's lock timeout, and the message is localized. Every
    /// other failure of such a statement has a known kind.
    pub(crate) fn from_lock_wait(error: Diesel) -> Self {
        if let Diesel::DatabaseError(DatabaseErrorKind::Unknown, information) = &error {
            return Self::Unavailable(information.message().to_owned());
        }
        Self::from(error)
    }
}

impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<diesel::ConnectionError> for Error {
    fn from(error: diesel::ConnectionError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl From<diesel::r2d2::PoolError> for Error {
    fn from(error: diesel::r2d2::PoolError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// Why a group of writes is not known to be committed after its units of work have run. Each unit
/// of work returns it as an [`Error`].
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum CommitFailure {
    /// The group was rolled back, and a retry may succeed.
    #[error("{0}")]
    Undone(String),
    /// The group was rolled back, and a retry of the same group would fail: one of its units of
    /// work cannot be executed.
    #[error("{0}")]
    Refused(Error),
    /// The connection broke during the commit, and the outcome is unknown.
    #[error("{0}")]
    Unknown(String),
}

impl CommitFailure {
    /// Logs the failure for the operator.
    pub(crate) fn log(&self) {
        match self {
            Self::Undone(why) => {
                tracing::error!(why, "group of writes lost, reconnecting");
            }
            Self::Refused(error) => {
                tracing::error!(why = %error, "group of writes refused, reconnecting");
            }
            Self::Unknown(why) => {
                tracing::error!(why, "commit outcome unknown, reconnecting");
            }
        }
    }
}

impl From<Error> for CommitFailure {
    /// Classifies an error before the commit, after which the group is rolled back.
    fn from(error: Error) -> Self {
        if error.is_permanent() { Self::Refused(error) } else { Self::Undone(error.to_string()) }
    }
}

impl From<CommitFailure> for Error {
    fn from(failure: CommitFailure) -> Self {
        match failure {
            CommitFailure::Undone(why) => Self::Unavailable(why),
            CommitFailure::Refused(error) => error,
            CommitFailure::Unknown(_) => Self::OutcomeUnknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: DatabaseErrorKind, message: &str, in_lock_wait: bool, otherwise: bool) {
        let error = || Diesel::DatabaseError(kind, Box::new(message.to_owned()));
        let is_unavailable = |error: &Error| matches!(error, Error::Unavailable(_));
        assert_eq!(is_unavailable(&Error::from_lock_wait(error())), in_lock_wait, "{message}");
        assert_eq!(is_unavailable(&Error::from(error())), otherwise, "{message}");
    }

    #[test]
    fn rule_0_28_lock_timeout_is_unavailable_in_any_language() {
        check(DatabaseErrorKind::Unknown, "canceling statement due to lock timeout", true, true);
        check(
            DatabaseErrorKind::Unknown,
            "cancelando comando por causa do tempo de espera (timeout) do bloqueio",
            true,
            false,
        );
        check(DatabaseErrorKind::UnableToSendCommand, "no connection to the server", true, true);
        check(
            DatabaseErrorKind::ClosedConnection,
            "server closed the connection unexpectedly",
            true,
            true,
        );
        check(DatabaseErrorKind::UniqueViolation, "duplicate key value", false, false);
    }

    #[test]
    fn transient_failures_are_unavailable() {
        for (kind, message) in [
            (DatabaseErrorKind::Unknown, "database or disk is full"),
            (
                DatabaseErrorKind::Unknown,
                "could not extend file \"base/5/16401\": No space left on device",
            ),
            (
                DatabaseErrorKind::ReadOnlyTransaction,
                "cannot execute INSERT in a read-only transaction",
            ),
        ] {
            check(kind, message, true, true);
        }
    }
}
