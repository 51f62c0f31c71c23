//! How many connections fit into what the system lets the process have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Connections at once, however many the system would allow.
const MAX_CONNECTIONS: usize = 8_192;
/// What a system that does not tell allows: the usual limit.
const USUAL_FILES: u64 = 1_024;

/// Raises the limit of open files as far as the system lets everybody, and gives half of it to
/// connections: each may send a file, and the database needs some too.
pub(crate) fn connections() -> usize {
    let limit = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((soft, hard)) if setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_err() => soft,
        Ok((_, hard)) => hard,
        Err(_) => USUAL_FILES,
    };
    usize::try_from(limit / 2).map_or(MAX_CONNECTIONS, |half| half.min(MAX_CONNECTIONS))
}
