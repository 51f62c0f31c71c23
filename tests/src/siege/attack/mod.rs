//! The attacks, each one request that an ordinary token may send, or a few.

mod answers;
mod bodies;
mod books;
mod queries;
mod webhooks;
mod writes;

use super::env::Ground;
use super::load::{Request, Then};

/// What an attack fires.
pub enum Weapon {
    /// Requests, one after another on each connection, made from their number.
    Requests(Box<dyn Fn(u64) -> Request + Send + Sync>),
    /// So many connections of another address on which nothing is said.
    Idle(usize),
}

/// An attack.
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// Prepares what it needs.
    pub(super) prepare: fn(&Ground) -> anyhow::Result<Weapon>,
    /// How many files the server may have open, when that matters.
    pub(super) open_files: Option<u32>,
    /// The storage quota of a user in bytes, where kept answers are measured against it.
    pub(super) quota: Option<i64>,
}

impl Attack {
    /// Whether it needs a server that is started with other settings.
    pub(super) const fn needs_own_server(&self) -> bool {
        self.open_files.is_some() || self.quota.is_some()
    }
}

const fn attack(name: &'static str, prepare: fn(&Ground) -> anyhow::Result<Weapon>) -> Attack {
    Attack { name, prepare, open_files: None, quota: None }
}

/// All attacks.
pub const ALL: [Attack; 23] = [
    attack("events", answers::events),
    attack("accounts", answers::accounts),
    attack("files", answers::files),
    attack("put", answers::put),
    attack("searches", queries::searches),
    attack("hashtags", queries::hashtags),
    attack("newcomers", queries::newcomers),
    attack("balances", books::balances),
    attack("audits", books::audits),
    attack("zones", books::zones),
    attack("scales", books::scales),
    attack("copies", writes::copies),
    attack("lines", writes::lines),
    attack("texts", writes::texts),
    attack("bodies", bodies::withheld),
    attack("trickle", bodies::trickling),
    attack("items", bodies::items),
    attack("values", bodies::values),
    attack("no-ops", writes::no_ops),
    attack("urls", writes::urls),
    attack("webhooks", webhooks::webhooks),
    Attack { quota: Some(QUOTA), ..attack("answers", writes::kept_answers) },
    Attack { open_files: Some(SLOTS * 2), ..attack("sockets", bodies::sockets) },
];

/// The storage quota of the attacker whose answers are kept.
const QUOTA: i64 = 2_000_000;

/// Connections that the server takes at once when they are attacked.
const SLOTS: u32 = 100;

/// The names of all attacks.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|attack| attack.name).collect()
}

fn requests(make: impl Fn(u64) -> Request + Send + Sync + 'static) -> Weapon {
    Weapon::Requests(Box::new(make))
}

/// A GET whose answer is read.
fn get(path: String) -> Request {
    let (headers, body) = (String::new(), Vec::new());
    Request { method: "GET", path, headers, token: None, body, then: Then::Read }
}

/// A request with a body whose answer is read.
fn send(method: &'static str, path: String, body: impl Into<Vec<u8>>) -> Request {
    let (headers, body) = (String::new(), body.into());
    Request { method, path, headers, token: None, body, then: Then::Read }
}

/// Every second attacker leaves without the answer.
fn every_second_leaves(turn: u64) -> Then {
    if turn.is_multiple_of(2) { Then::Leave } else { Then::Read }
}
