//! Bodies that do not end or expand in memory, and idle connections.

use super::{SLOTS, Traffic, requests, send};
use crate::siege::env::SiegeEnv;
use crate::siege::load::{Request, Then};

/// The largest body.
const MAX_BODY: usize = 32 * 1024 * 1024;

/// Bodies of almost the maximum size whose last byte never arrives.
pub(super) fn withheld(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    Ok(requests(move |_| {
        let path = format!("/v5/books/{book}/transactions/batch");
        Request { then: Then::Withhold, ..send("POST", path, vec![b' '; MAX_BODY]) }
    }))
}

/// Bodies of which half is sent at once, and the rest slowly.
pub(super) fn trickling(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    Ok(requests(move |_| {
        let path = format!("/v5/books/{book}/transactions/batch");
        Request { then: Then::Trickle, ..send("POST", path, vec![b' '; MAX_BODY]) }
    }))
}

/// A batch with the maximum number of empty items.
pub(super) fn items(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let count = env.size.of(MAX_BODY / 3 - 10);
    let body = format!("{{\"items\":[{}{{}}]}}", "{},".repeat(count));
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// A transaction with the maximum number of empty values in one list.
pub(super) fn values(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let book = env.book()?;
    let count = env.size.of(MAX_BODY / 3 - 10);
    let body = format!("{{\"urls\":[{}\"\"]}}", "\"\",".repeat(count));
    Ok(requests(move |_| send("POST", format!("/v5/books/{book}/transactions"), body.as_bytes())))
}

/// More connections than the server accepts.
pub(super) fn sockets(_: &SiegeEnv) -> anyhow::Result<Traffic> {
    Ok(Traffic::Idle(usize::try_from(SLOTS)? * 6 / 5))
}
