//! Who sends a request: from the bearer token to the user (behaviour 11).
//!
//! | Module | What it does |
//! |---|---|
//! | `authenticate` | Finds the user of a token, and makes it at the first sight |
//! | `own_token`, `crypto` | Signs and verifies the tokens of this installation |
//! | `checkpoint_key` | Signs and verifies checkpoints of logs |
//! | `sealer` | Seals secrets that the database keeps |
//! | `reseal` | Seals all of them anew when the key has changed |
//! | `provider` | Verifies the tokens of other identity providers |
//! | `bearer` | Remembers whom a token lets in, and forgets it when users or tokens change |
//!
//! A token that was verified is remembered by its hash, so a request mostly costs a look into a
//! map. What is remembered is trusted only while this process knows that nothing has changed: each
//! change of a user, a token or an API key is counted in the database (`identity_changes`), a
//! background worker of each process reads the count every two seconds, and forgets all when it
//! grew. When it could not be read for too long, tokens are verified anew.

pub(crate) mod authenticate;
mod bearer;
pub(crate) mod checkpoint_key;
mod crypto;
pub(crate) mod own_token;
pub(crate) mod provider;
pub(crate) mod reseal;
pub(crate) mod sealer;

use std::time::Duration;

use daybook_service::Error;
use daybook_storage::{ReaderPool, Store};

use bearer::BearerCache;
use own_token::LocalKey;
use provider::Providers;

use crate::signing_key::opened::KeyCache;

/// How often a process looks whether users or tokens have changed. What is remembered is trusted
/// for twice as long, which is within the 5 seconds of behaviour 11.8.
pub const IDENTITY_INTERVAL: Duration = Duration::from_secs(2);

/// Turns tokens into users.
pub struct Identity {
    key: LocalKey,
    providers: Option<Providers>,
    bearers: BearerCache,
    signing_keys: KeyCache,
}

impl Identity {
    /// With the key that signs the tokens of this installation, and the other providers whose
    /// tokens are taken.
    #[must_use]
    pub fn new(key: LocalKey, providers: Option<Providers>) -> Self {
        let bearers = BearerCache::new(IDENTITY_INTERVAL * 2);
        Self { key, providers, bearers, signing_keys: KeyCache::default() }
    }

    /// The other providers whose tokens are taken.
    pub(crate) const fn providers(&self) -> Option<&Providers> {
        self.providers.as_ref()
    }

    /// The key of this installation.
    #[must_use]
    pub const fn key(&self) -> &LocalKey {
        &self.key
    }

    /// Whom tokens let in.
    pub(crate) const fn bearers(&self) -> &BearerCache {
        &self.bearers
    }

    /// The keys that this installation signs with for others.
    pub(crate) const fn signing_keys(&self) -> &KeyCache {
        &self.signing_keys
    }

    /// Forgets whom tokens let in, after a change in this process.
    pub(crate) fn forget(&self) {
        self.bearers.forget();
    }

    /// Looks whether users, tokens or keys have changed in the database, and forgets what is
    /// remembered if so.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn refresh(&self, store: &Store) -> daybook_service::Result<()> {
        let begun = std::time::Instant::now();
        let count = store.read_from(ReaderPool::Identity, |tx| {
            tx.identity_changes().count().map_err(Error::from)
        })?;
        self.bearers.confirm(count, begun);
        self.signing_keys.confirm(count);
        Ok(())
    }
}
