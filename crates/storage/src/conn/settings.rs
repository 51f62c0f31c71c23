//! The session settings of each engine, apart from those of PostgreSQL's planner
//! ([`crate::conn::planner`]).

/// The settings of every SQLite connection. `busy_timeout` comes first, because the statements
/// after it may wait for a lock.
pub(crate) const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 10000; \
     PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; \
     PRAGMA temp_store = MEMORY; \
     PRAGMA cache_size = -65536; \
     PRAGMA wal_autocheckpoint = 4000;";

/// Additional settings of a SQLite connection that only reads. There are many of these, so each
/// has a smaller page cache.
pub(crate) const SQLITE_READER_SETTINGS: &str =
    "PRAGMA query_only = ON; PRAGMA cache_size = -32768;";

/// The settings of every PostgreSQL connection.
pub(crate) const POSTGRES_SETTINGS: &str = "SET timezone = 'UTC'; SET lock_timeout = '20s';";
