//! The attacks, each made of one or a few requests that an ordinary token allows.

mod answers;
mod bodies;
mod books;
mod imports;
mod queries;
mod streams;
mod webhooks;
mod writes;

use super::env::SiegeEnv;
use super::load::{Request, Then};

/// The traffic of an attack.
pub enum Traffic {
    /// Requests, in sequence on each connection, made from their number.
    Requests(Box<dyn Fn(u64) -> Request + Send + Sync>),
    /// A number of idle connections from another address.
    Idle(usize),
    /// A number of responses without an end, each to the request of its number.
    Streams(usize, Box<dyn Fn(usize) -> Request + Send + Sync>),
}

/// An attack.
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// Prepares the data of the attack.
    pub(super) prepare: fn(&SiegeEnv) -> anyhow::Result<Traffic>,
    /// The limit of open files of the server, if the attack needs one.
    pub(super) open_files: Option<u32>,
    /// The storage quota of a user in bytes, if the attack measures stored answers against it.
    pub(super) quota: Option<i64>,
}

impl Attack {
    /// Whether the attack needs a server with special settings.
    pub(super) const fn needs_own_server(&self) -> bool {
        self.open_files.is_some() || self.quota.is_some()
    }
}

const fn attack(name: &'static str, prepare: fn(&SiegeEnv) -> anyhow::Result<Traffic>) -> Attack {
    Attack { name, prepare, open_files: None, quota: None }
}

/// All attacks.
pub const ALL: [Attack; 26] = [
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
    attack("listeners", streams::listeners),
    attack("import", imports::imports),
    attack("export", imports::exports),
    Attack { quota: Some(QUOTA), ..attack("answers", writes::kept_answers) },
    Attack { open_files: Some(SLOTS * 2), ..attack("sockets", bodies::sockets) },
];

/// The storage quota of the attack on stored answers.
const QUOTA: i64 = 2_000_000;

/// The connection limit of the server in attacks on it.
const SLOTS: u32 = 100;

/// The names of all attacks.
pub fn names() -> Vec<&'static str> {
    ALL.iter().map(|attack| attack.name).collect()
}

fn requests(make: impl Fn(u64) -> Request + Send + Sync + 'static) -> Traffic {
    Traffic::Requests(Box::new(make))
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

/// Every second request closes the connection without reading the answer.
fn every_second_leaves(number: u64) -> Then {
    if number.is_multiple_of(2) { Then::Leave } else { Then::Read }
}
