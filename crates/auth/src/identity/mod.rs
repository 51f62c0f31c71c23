//! Authentication: from the bearer token of a request to its user (behaviour 11).
//!
//! `authenticate` accepts two kinds of tokens:
//!
//! - Tokens of this installation are JWTs signed by HMAC with `token.key` (`own_token`). Each names
//!   a row that must still be valid: an issued token, a session, a grant or the delivery of an
//!   event to an app.
//! - Tokens of the configured identity providers (`provider`) are verified by the provider's public
//!   keys, or by asking the provider. If the user is unknown and admitted, the first request
//!   creates the user.
//!
//! The result, a `Bearer`, is cached by the hash of the token (`bearer`), so most requests cost one
//! map lookup. A change of a user, token or API key increments a counter in the database
//! (`identity_changes`). A background worker of each process reads the counter every two seconds
//! and clears the cache when it grew. If the worker cannot read the counter for four seconds, the
//! cache is not used and every token is verified again.
//!
//! A client address that sends too many invalid tokens gets 429 before verification. Tokens that
//! this installation signed, and tokens that were valid before, are exempt from this.
//!
//! The same secret also derives the keys for sealed database columns (`sealer`, `reseal`) and for
//! checkpoints of event logs (`checkpoint_key`).

pub(crate) mod authenticate;
mod bearer;
mod checkpoint_key;
pub(crate) mod own_token;
pub(crate) mod provider;
mod reseal;
pub(crate) mod sealer;

use std::time::Duration;

use daybook_service::Error;
use daybook_storage::{ReaderPool, Store};
use tokio::sync::Semaphore;

use bearer::BearerCache;

use crate::signing_key::key_cache::KeyCache;

pub use authenticate::{authenticate, authenticate_again};
pub use bearer::Bearer;
pub use checkpoint_key::CheckpointKey;
pub use own_token::{ActingApp, LocalKey, SigningFailed};
pub use provider::Providers;
pub use reseal::{ResealReport, count_lost, reseal};
pub use sealer::{
    OpenError, SealError, Sealer, SealingSecrets, SealingSource, app_secret_context,
    properties_context,
};

/// How often a process reads the counter of identity changes.
///
/// Cached bearers are trusted for twice as long, which is within the 5 seconds of behaviour 11.8.
pub const IDENTITY_INTERVAL: Duration = Duration::from_secs(2);

/// How many streams verify their tokens again at a time. Authentication has two connections, so one
/// is left for new requests.
const MAX_RENEWALS: usize = 1;

/// The keys, providers and caches of authentication.
pub struct Identity {
    key: LocalKey,
    providers: Option<Providers>,
    bearers: BearerCache,
    signing_keys: KeyCache,
    renewals: Semaphore,
}

impl Identity {
    /// Creates it with the key of this installation and the identity providers.
    #[must_use]
    pub fn new(key: LocalKey, providers: Option<Providers>) -> Self {
        let bearers = BearerCache::new(IDENTITY_INTERVAL * 2);
        let renewals = Semaphore::new(MAX_RENEWALS);
        Self { key, providers, bearers, signing_keys: KeyCache::default(), renewals }
    }

    /// Returns the identity providers.
    #[must_use]
    pub const fn providers(&self) -> Option<&Providers> {
        self.providers.as_ref()
    }

    /// Returns the key of this installation.
    #[must_use]
    pub const fn key(&self) -> &LocalKey {
        &self.key
    }

    pub(crate) const fn bearers(&self) -> &BearerCache {
        &self.bearers
    }

    pub(crate) const fn signing_keys(&self) -> &KeyCache {
        &self.signing_keys
    }

    /// Returns the permits of streams to verify their tokens again.
    pub(crate) const fn renewals(&self) -> &Semaphore {
        &self.renewals
    }

    /// Clears the cache of bearers after a change in this process.
    pub fn clear_bearers(&self) {
        self.bearers.clear();
    }

    /// Reads the counter of identity changes and clears the caches if it grew.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn refresh(&self, store: &Store) -> daybook_service::Result<()> {
        let started = std::time::Instant::now();
        let count = store.read_from(ReaderPool::Identity, |tx| {
            tx.identity_changes().count().map_err(Error::from)
        })?;
        self.bearers.confirm(count, started);
        self.signing_keys.confirm(count);
        Ok(())
    }
}
