//! What bounds the work of requests: how long they may read, how many connections write, how much
//! they may store, and how many connections the limit of open files allows. The doc comments of
//! options are the texts of `--help`.

use std::time::Duration;

use clap::Args;
use daybook_domain::storage_quota::{StorageQuota, StorageQuotas};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// How much work requests may cause.
#[derive(Debug, Args)]
pub(crate) struct LimitArgs {
    /// Seconds that a request may read the database, with the time it waits for that; longer ones
    /// are answered 503
    #[arg(
        long,
        env = "DAYBOOK_READ_DEADLINE_SECONDS",
        default_value_t = 10,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=600)
    )]
    read_deadline_seconds: u16,

    /// Connections to PostgreSQL that write, each with a thread; 4 by default. SQLite has one
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

/// How much may be stored.
#[derive(Debug, Args)]
struct StorageArgs {
    /// Transactions that the books of a user together may hold, drafts and trashed ones included; 0
    /// for no limit
    #[arg(
        long,
        env = "DAYBOOK_QUOTA_USER_TRANSACTIONS",
        default_value_t = 0,
        value_name = "N",
        value_parser = clap::value_parser!(i64).range(0..)
    )]
    quota_user_transactions: i64,

    /// Bytes that the books of a user together may hold, with the contents of their files; 0 for no
    /// limit
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
    /// How long a request may read.
    pub(crate) fn read_deadline(&self) -> Duration {
        Duration::from_secs(self.read_deadline_seconds.into())
    }

    /// How many connections write, where that is said.
    pub(crate) fn writers(&self) -> Option<usize> {
        self.writers.map(usize::from)
    }

    /// How much may be stored.
    pub(crate) fn storage_quotas(&self) -> StorageQuotas {
        let storage = &self.storage;
        StorageQuotas {
            book: StorageQuota::of(storage.quota_book_transactions, storage.quota_book_bytes),
            user: StorageQuota::of(storage.quota_user_transactions, storage.quota_user_bytes),
        }
    }
}

/// Connections at once at most, whatever the system allows.
const MAX_CONNECTIONS: usize = 8_192;
/// The limit of open files where the system does not tell: the usual one.
const USUAL_FILES: u64 = 1_024;

/// Raises the limit of open files as far as the system allows, and answers half of it: connections
/// cannot exhaust the file descriptors that served files and the database need.
pub(crate) fn connections() -> usize {
    let limit = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_err() => soft,
        Ok((_, hard)) => hard,
        Err(_) => USUAL_FILES,
    };
    usize::try_from(limit / 2).map_or(MAX_CONNECTIONS, |half| half.min(MAX_CONNECTIONS))
}
