//! What storage answers when it cannot.

use diesel::result::{DatabaseErrorKind, Error as Diesel};

/// Why storage failed.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The queue of writers is full; trying again shortly helps.
    #[error("too many writes are waiting")]
    Busy,
    /// A read was stopped, at its deadline or because nobody waits for it any more.
    #[error("the read was stopped")]
    Stopped,
    /// A replica knows another state of a book than the primary.
    #[error("the replica is behind")]
    Behind,
    /// The database cannot be reached at the moment.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The connection broke while a write was committed, and what became of it was not found out:
    /// trying again may do it twice.
    #[error(
        "nobody knows whether this was recorded, because the database or the server failed \
         meanwhile; look before you send it again"
    )]
    OutcomeUnknown,
    /// A unique index refused a row, because another one has the value.
    #[error("a unique index refused a row: {0}")]
    UniqueViolation(String),
    /// A stored value is not what this program writes.
    #[error("column {0} holds a value it cannot hold")]
    Corrupt(&'static str),
    /// A unit of work panicked and was undone.
    #[error("a unit of work panicked: {0}")]
    Panicked(String),
    /// The database refused a statement.
    #[error("the database refused: {0}")]
    Refused(String),
    /// The database URL names no engine this program knows.
    #[error("database URL {0:?} must start with sqlite: or postgres://")]
    Url(String),
    /// A pooler stands before PostgreSQL that lends connections for transactions.
    #[error(
        "the database URL leads to a pooler that gives a connection of PostgreSQL to others after \
         each transaction, as pgbouncer does with pool_mode = transaction; Daybook keeps prepared \
         statements, settings and advisory locks in its sessions: set pool_mode = session for \
         this database, or name PostgreSQL itself"
    )]
    SharedSessions,
    /// The database was made by a version from before the first release.
    #[error(
        "the database has step {0} of a schema from before the first release, which no released \
         version reads; start with an empty database"
    )]
    UnreleasedSchema(String),
    /// The database was made by a later version.
    #[error(
        "the database has step {0} of a newer schema, which this version does not know; start the \
         version that made it, or a later one"
    )]
    NewerSchema(String),
    /// The database was made by an earlier version, and is not to be changed now.
    #[error(
        "the database has not step {0} of the schema yet; start the server, or run `daybook \
         migrate`, which bring the schema up to date"
    )]
    OlderSchema(String),
    /// The tables of this database cannot be distributed over several machines.
    #[error("the tables cannot be distributed: {0}")]
    NotDistributable(&'static str),
    /// A table has come that is not distributed as the others are.
    #[error(
        "the tables are distributed over several machines, all but {0}: run \
         `daybook migrate --distribute`"
    )]
    PartlyDistributed(&'static str),
    /// Replicas are named for a database that is distributed.
    #[error("a database that is distributed over several machines has no --read-database-url")]
    ReplicaOfDistributed,
    /// Another database was named as the coordinator of this one.
    #[error(
        "--coordinator-url does not lead to the coordinator of the machines that --database-url \
         leads to one of; name both of the same distributed database, or leave it out"
    )]
    OtherMachines,
    /// The schema could not be brought up to date.
    #[error("migration failed: {0}")]
    Migration(String),
}

/// What storage answers.
pub type Result<T> = std::result::Result<T, Error>;

impl From<Diesel> for Error {
    fn from(error: Diesel) -> Self {
        if let Diesel::DatabaseError(kind, information) = &error {
            if matches!(kind, DatabaseErrorKind::UniqueViolation) {
                return Self::UniqueViolation(information.message().to_owned());
            }
            let message = information.message();
            // The engines' own words for 'somebody else holds it': trying again helps.
            let contended = ["lock timeout", "deadlock detected", "database is locked"];
            // And for a disk that is full or fails: the operator can mend that.
            let disk = ["disk is full", "No space left on device", "disk I/O error"];
            let passing = contended.iter().chain(&disk).any(|words| message.contains(words));
            let gone = matches!(
                kind,
                DatabaseErrorKind::ClosedConnection
                    | DatabaseErrorKind::SerializationFailure
                    | DatabaseErrorKind::UnableToSendCommand
                    // A PostgreSQL that is the primary no more; the next connection finds the new
                    // one. Nothing of ours writes on a connection that reads.
                    | DatabaseErrorKind::ReadOnlyTransaction
            );
            if passing || gone {
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
    /// Whether the same work fails again: because of what it writes, of a row that is there, or of
    /// a fault of the program, and not because of the state of the database server.
    #[must_use]
    pub const fn is_permanent(&self) -> bool {
        matches!(
            self,
            Self::UniqueViolation(_) | Self::Corrupt(_) | Self::Panicked(_) | Self::Refused(_)
        )
    }

    /// The error of a statement that waits for a lock. diesel has no name for PostgreSQL's code of
    /// a wait that timed out, and the message is in the language of the installation; every other
    /// failure of such a statement has a known code.
    pub(crate) fn of_waiting(error: Diesel) -> Self {
        if let Diesel::DatabaseError(DatabaseErrorKind::Unknown, information) = &error {
            return Self::Unavailable(information.message().to_owned());
        }
        Self::from(error)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: DatabaseErrorKind, message: &str, [waiting, other]: [bool; 2]) {
        let error = || Diesel::DatabaseError(kind, Box::new(message.to_owned()));
        let unavailable = |error: &Error| matches!(error, Error::Unavailable(_));
        assert_eq!(
            [unavailable(&Error::of_waiting(error())), unavailable(&Error::from(error()))],
            [waiting, other],
            "{message}"
        );
    }

    #[test]
    fn rule_0_28_who_waits_in_vain_may_try_again_in_any_language() {
        check(DatabaseErrorKind::Unknown, "canceling statement due to lock timeout", [true, true]);
        check(
            DatabaseErrorKind::Unknown,
            "cancelando comando por causa do tempo de espera (timeout) do bloqueio",
            [true, false],
        );
        check(DatabaseErrorKind::UnableToSendCommand, "no connection to the server", [true, true]);
        check(
            DatabaseErrorKind::ClosedConnection,
            "server closed the connection unexpectedly",
            [true, true],
        );
        check(DatabaseErrorKind::UniqueViolation, "duplicate key value", [false, false]);
    }

    #[test]
    fn what_passes_may_be_tried_again() {
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
            check(kind, message, [true, true]);
        }
    }
}
