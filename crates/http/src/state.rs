//! What every request finds: the store, the clock, who is known, which headers mean what.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, PoisonError, RwLock};

use daybook_domain::instant::Instant;
use daybook_service::Ids;
use daybook_storage::Store;
use daybook_storage::user::User;

use crate::blob::Blobs;
use crate::budget::Budget;
use crate::template::catalog::Templates;
use crate::token::Tokens;

/// Users remembered at most; beyond that the memory starts anew.
const MAX_REMEMBERED: usize = 100_000;

/// Everything the API is wired to.
pub struct State {
    /// The books.
    pub store: Arc<Store>,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// The clock: milliseconds since the epoch.
    pub clock: fn() -> Instant,
    /// Who issues and verifies access tokens.
    pub tokens: Tokens,
    /// Accepted prefixes of the agent and API-key headers (behaviour 0.15).
    pub headers: Headers,
    /// Where the API is mounted: empty, or a path without trailing slash (behaviour 0.1).
    pub path_prefix: String,
    /// The address clients reach the server at, with the path it is mounted under and without
    /// trailing slash; none takes each request's own.
    pub public_url: Option<String>,
    /// The bytes of files.
    pub blobs: Blobs,
    /// The memory for bodies and for the contents of files.
    pub budget: Budget,
    /// How many seconds bytes that no file names are kept: longer than any write takes.
    pub orphan_seconds: u64,
    /// Whether getAccount and getGroup answer 204 instead of 404 for what is missing (behaviour
    /// 4.4).
    pub missing_as_no_content: bool,
    /// Whether accounts are also created at the address older clients know (behaviour 12.6).
    pub ledger_alias: bool,
    /// The starter books of this installation (behaviour 9.7).
    pub templates: Templates,
    /// The users seen so far. They never change, so remembering them is safe.
    pub known: UserCache,
    /// Wakes who makes the audits.
    pub audits: Bell,
}

impl State {
    /// The path that clients find the API under; empty for none. What is said to be public counts:
    /// a proxy may take a path away before a request comes here.
    pub(crate) fn public_path(&self) -> &str {
        let Some(url) = &self.public_url else { return &self.path_prefix };
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
        host.find('/').and_then(|at| host.get(at..)).unwrap_or_default()
    }
}

/// The accepted spellings of the agent and API-key headers, lower case.
#[derive(Debug, Clone)]
pub struct Headers {
    /// Header names that carry the agent id.
    pub agent: Vec<String>,
    /// Header names that carry an API key.
    pub api_key: Vec<String>,
}

impl Headers {
    /// The headers with these prefixes, for example `service-`.
    #[must_use]
    pub fn with_prefixes(prefixes: &[String]) -> Self {
        let named = |name: &str| {
            prefixes
                .iter()
                .map(|prefix| format!("{}{name}", prefix.trim().to_lowercase()))
                .collect()
        };
        Self { agent: named("agent-id"), api_key: named("api-key") }
    }
}

/// A memory of users by verified address.
#[derive(Debug, Default)]
pub struct UserCache(RwLock<HashMap<String, Arc<User>>>);

impl UserCache {
    pub(crate) fn find(&self, email: &str) -> Option<Arc<User>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(email).cloned()
    }

    pub(crate) fn add(&self, user: User) -> Arc<User> {
        let user = Arc::new(user);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_REMEMBERED {
            known.clear();
        }
        known.insert(user.email.clone(), Arc::clone(&user));
        user
    }
}

/// Tells a worker that there is something to do. What there is stands in the database; the bell
/// says only that it is worth looking, so ringing twice before it is heard is ringing once.
#[derive(Debug, Clone)]
pub struct Bell(SyncSender<()>);

impl Bell {
    /// A bell, and where it is heard.
    #[must_use]
    pub fn new() -> (Self, Receiver<()>) {
        let (bell, heard) = sync_channel(1);
        (Self(bell), heard)
    }

    /// Rings. Never waits.
    pub fn ring(&self) {
        // Full: it has been rung and is about to be heard. Nobody there: the worker looks again
        // when it starts.
        let _ = self.0.try_send(());
    }
}
