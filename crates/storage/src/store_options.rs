//! How a store is opened.

use crate::pool::Address;
use crate::replica::ReplicaOptions;

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// The database.
    pub address: Address,
    /// The coordinator of a distributed one, when that is another machine: what concerns all
    /// processes is done there.
    pub coordinator: Option<Address>,
    /// Connections for reading, on behalf of users.
    pub readers: u32,
    /// Connections for finding out who somebody is, and whether the database answers.
    pub identity_readers: u32,
    /// Connections for what the server reads by itself, of which copies and an audit have some for
    /// minutes.
    pub server_readers: u32,
    /// Connections for writing, each with a writer.
    pub writers: usize,
    /// Whether texts that are not indexed yet are indexed first; searches find them without, but
    /// slowly.
    pub indexes_first: bool,
    /// Writes that may wait in each writer's queue before callers are turned away.
    pub queue: usize,
    /// Replicas that answer reads.
    pub replicas: Option<ReplicaOptions>,
}

impl Options {
    /// The usual sizes.
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

    /// For a command that does one thing after another, perhaps beside a server: it takes SQLite's
    /// write lock for nothing but its own.
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
