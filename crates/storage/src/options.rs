//! The options of a store.

use crate::conn::address::Address;
use crate::replica::ReplicaOptions;

/// The options of a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database.
    pub address: Address,
    /// The coordinator of a distributed database, if it is another machine. Migrations and leases
    /// use it.
    pub coordinator: Option<Address>,
    /// Read connections for requests of users.
    pub readers: u32,
    /// Read connections for authentication and health checks.
    pub identity_readers: u32,
    /// Read connections for background work, which copies and audits may use for minutes.
    pub server_readers: u32,
    /// Writers, each with a connection.
    pub writers: usize,
    /// Whether unindexed texts are indexed first. Searches find them without an index, but slowly.
    pub indexes_first: bool,
    /// Maximum number of queued writes of a writer. More are refused.
    pub queue: usize,
    /// Replicas for reads.
    pub replicas: Option<ReplicaOptions>,
}

impl Options {
    /// Returns the default options of a server.
    #[must_use]
    pub const fn new(address: Address) -> Self {
        let writers = address.writers();
        Self {
            address,
            coordinator: None,
            readers: 8,
            identity_readers: 2,
            server_readers: 4,
            writers,
            indexes_first: true,
            queue: 4096,
            replicas: None,
        }
    }

    /// Returns options for a command that works sequentially, possibly beside a running server.
    ///
    /// It does not index texts, so it takes SQLite's write lock only for its own writes.
    #[must_use]
    pub const fn for_command(address: Address) -> Self {
        Self {
            address,
            coordinator: None,
            readers: 1,
            identity_readers: 0,
            server_readers: 0,
            writers: 1,
            indexes_first: false,
            queue: 16,
            replicas: None,
        }
    }
}
