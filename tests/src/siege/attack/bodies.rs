//! Bodies that do not end, or become much larger in memory; connections that say nothing.

use super::{SLOTS, Weapon, requests, send};
use crate::siege::env::Ground;
use crate::siege::load::{Request, Then};

/// The largest body.
const MAX_BODY: usize = 32 * 1024 * 1024;

/// Bodies one byte short of the largest, of which the last byte does not come.
pub(super) fn withheld(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    Ok(requests(move |_| {
        let path = format!("/v5/books/{book}/transactions/batch");
        Request { then: Then::Withhold, ..send("POST", path, vec![b' '; MAX_BODY]) }
    }))
}

/// Bodies of which half comes at once, and the rest in drops.
pub(super) fn trickling(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    Ok(requests(move |_| {
        let path = format!("/v5/books/{book}/transactions/batch");
        Request { then: Then::Trickle, ..send("POST", path, vec![b' '; MAX_BODY]) }
    }))
}

/// A batch of as many items as fit, all of them empty.
pub(super) fn items(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let count = ground.size.of(MAX_BODY / 3 - 10);
    let body = format!("{{\"items\":[{}{{}}]}}", "{},".repeat(count));
    Ok(requests(move |_| {
        send("POST", format!("/v5/books/{book}/transactions/batch"), body.as_bytes())
    }))
}

/// A transaction with as many values as fit in one list, all of them empty.
pub(super) fn values(ground: &Ground) -> anyhow::Result<Weapon> {
    let book = ground.book()?;
    let count = ground.size.of(MAX_BODY / 3 - 10);
    let body = format!("{{\"urls\":[{}\"\"]}}", "\"\",".repeat(count));
    Ok(requests(move |_| send("POST", format!("/v5/books/{book}/transactions"), body.as_bytes())))
}

/// More connections than the server has room for.
pub(super) fn sockets(_: &Ground) -> anyhow::Result<Weapon> {
    Ok(Weapon::Idle(usize::try_from(SLOTS)? * 6 / 5))
}
