//! Limits on the work of requests: duration of reads, connections that write, storage quotas, and
//! client connections within the limit of open files.

use std::time::Duration;

use clap::Args;
use daybook_domain::storage_quota::{StorageQuota, StorageQuotas};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// The options of the limits.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Seconds that a request may read the database, including its wait for a connection; longer
    /// reads get 503
    #[arg(
        long,
        env = "DAYBOOK_READ_DEADLINE_SECONDS",
        default_value_t = 10,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=600)
    )]
    read_deadline_seconds: u16,

    /// Connections to PostgreSQL that write, each with its own thread; 4 by default. SQLite has one
    #[arg(
        long,
        env = "DAYBOOK_WRITERS",
        value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=64)
    )]
    writers: Option<u8>,

    #[command(flatten)]
    storage: StorageArgs,
}

/// The options of the storage quotas.
#[derive(Debug, Args)]
struct StorageArgs {
    /// Transactions that the books of a user may hold together, including drafts and trashed ones;
    /// 0 for no limit
    #[arg(
        long,
        env = "DAYBOOK_QUOTA_USER_TRANSACTIONS",
        default_value_t = 0,
        value_name = "N",
        value_parser = clap::value_parser!(i64).range(0..)
    )]
    quota_user_transactions: i64,

    /// Bytes that the books of a user may hold together, including the contents of their files; 0
    /// for no limit
    #[arg(
        long,
        env = "DAYBOOK_QUOTA_USER_BYTES",
        default_value_t = 0,
        value_name = "N",
        value_parser = clap::value_parser!(i64).range(0..)
    )]
    quota_user_bytes: i64,

    /// Transactions that a book may hold; 0 for no limit
    #[arg(
        long,
        env = "DAYBOOK_QUOTA_BOOK_TRANSACTIONS",
        default_value_t = 0,
        value_name = "N",
        value_parser = clap::value_parser!(i64).range(0..)
    )]
    quota_book_transactions: i64,

    /// Bytes that a book may hold; 0 for no limit
    #[arg(
        long,
        env = "DAYBOOK_QUOTA_BOOK_BYTES",
        default_value_t = 0,
        value_name = "N",
        value_parser = clap::value_parser!(i64).range(0..)
    )]
    quota_book_bytes: i64,
}

impl LimitArgs {
    /// Returns how long a request may read.
    pub(crate) fn read_deadline(&self) -> Duration {
        Duration::from_secs(self.read_deadline_seconds.into())
    }

    /// Returns the number of connections that write, if it is configured.
    pub(crate) fn writers(&self) -> Option<usize> {
        self.writers.map(usize::from)
    }

    pub(crate) fn storage_quotas(&self) -> StorageQuotas {
        let storage = &self.storage;
        StorageQuotas {
            book: StorageQuota::new(storage.quota_book_transactions, storage.quota_book_bytes),
            user: StorageQuota::new(storage.quota_user_transactions, storage.quota_user_bytes),
        }
    }
}

/// The most client connections, whatever the system allows.
pub(crate) const MAX_CONNECTIONS: usize = 8_192;
/// The limit of open files if the system does not report it.
const USUAL_FILES: u64 = 1_024;

/// Raises the limit of open files as far as the system allows, and returns half of it.
///
/// So client connections cannot exhaust the file descriptors that files and the database need.
pub(crate) fn connections() -> usize {
    let limit = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_err() => soft,
        Ok((_, hard)) => hard,
        Err(_) => USUAL_FILES,
    };
    usize::try_from(limit / 2).map_or(MAX_CONNECTIONS, |half| half.min(MAX_CONNECTIONS))
}
