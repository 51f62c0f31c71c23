//! How many connections the limit of open files allows.

use nix::sys::resource::{Resource, getrlimit, setrlimit};

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
