//! The common parts of the suites: the runner, servers, PostgreSQL, clients, and a book with one
//! caller of each permission.

pub mod bank;
pub mod beancount;
pub mod bench;
pub mod bots;
pub mod browser;
mod cast;
pub mod certificates;
pub mod chromium;
mod client;
pub mod contract;
pub mod decimal;
mod engine;
mod event_stream;
mod example;
pub mod failover;
pub mod fill;
pub mod fuzz;
mod guard;
pub mod hledger;
pub mod libreoffice;
pub mod load;
pub mod mail_server;
mod mint;
pub mod openapi;
pub mod pgbouncer;
pub mod postgres;
pub mod print;
pub mod provider;
mod raw_sql;
pub mod receiver;
pub mod relay;
pub mod release;
pub mod rng;
mod row_lock;
mod scratch;
mod server;
pub mod siege;
pub mod sim;
pub mod small_disk;
pub mod statement;
pub mod suite;
pub mod table;
mod template;
pub mod torture;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;

pub use cast::{CASH_AND_FOOD, CASH_BANK_FOOD, Cast, Lunch, give};
pub use client::{Answer, Client, EVENT_STREAM};
pub use engine::{Engine, Engines, setting, target_dir};
pub use event_stream::{EventStream, StreamBlock};
pub use example::{Example, run_example};
pub use guard::{Folder, finish};
pub use postgres::admin_url;
pub use raw_sql::{RawSql, plain_event};
pub use row_lock::RowLock;
pub use scratch::{folder, scratch_dir};
pub use server::{
    Options, Server, binary, dbk_binary, free_port, peak_memory, refused_start, resident, run_for,
};

/// A name, or the local part of an e-mail, that is unique in this process.
pub fn unique(prefix: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{prefix}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// A client address, as a proxy reports it, that is unique in this process.
pub fn unique_address() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0x0A00_0001);
    let [.., a, b, c, d] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    format!("{a}.{b}.{c}.{d}")
}

/// Waits between two checks of something that has no signal (a port, a child process).
pub fn pause(time: Duration) {
    let (sender, silence) = std::sync::mpsc::channel::<()>();
    // The sender is alive, so this always times out.
    let waited = silence.recv_timeout(time);
    assert!(waited.is_err());
    drop(sender);
}

/// Runs a program that uses `daybook-client`, or sends one request of it.
pub fn block_on<F: IntoFuture>(program: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(program.into_future())
}

/// The clock that servers read: milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "servers read the same clock")]
pub fn now_milliseconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a year after 1970");
    i64::try_from(since.as_millis()).expect("milliseconds fit")
}

/// Sets a flag when dropped, also when the case fails, to end threads that run until then.
pub struct SetAtEnd<'f>(pub &'f AtomicBool);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The message of a panic.
pub fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Percent-encodes a path segment or query value.
pub fn encode(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The `id` of a resource.
#[track_caller]
pub fn id(resource: &Value) -> &str {
    let Some(id) = resource["id"].as_str() else {
        panic!("a resource has a string id: {resource}");
    };
    id
}

/// A field of every item of a list answer (`{"items": [...]}`), in order.
#[track_caller]
pub fn column(list: &Value, field: &str) -> Vec<String> {
    let Some(items) = list["items"].as_array() else {
        panic!("2.7: a list always has items: {list}");
    };
    items.iter().map(|item| item[field].as_str().unwrap_or_default().to_owned()).collect()
}

/// The items of all pages of a list. `page` receives the cursor of each page, empty for the first.
#[track_caller]
pub fn all_pages(mut page: impl FnMut(&str) -> Value) -> Vec<Value> {
    let (mut items, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = page(&cursor);
        items.extend(page["items"].as_array().expect("2.7: a list has items").iter().cloned());
        let Some(next) = page["cursor"].as_str() else { return items };
        next.clone_into(&mut cursor);
    }
}

/// Asserts that every field of `expected` has that value in `actual`; other fields are ignored.
/// `Null` expects absence.
#[track_caller]
pub fn shows(actual: &Value, expected: &Value) {
    for (field, value) in expected.as_object().expect("an object of expected fields") {
        if value.is_null() {
            assert_eq!(actual.get(field), None, "`{field}` is left out: {actual}");
        } else {
            assert_eq!(&actual[field], value, "`{field}` in {actual}");
        }
    }
}
