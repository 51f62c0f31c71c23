//! The bounded in-memory store of the generic cell rate algorithm.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;

/// The maximum number of keys of a limiter.
///
/// When it is reached, keys with a full bucket are removed. If more than half of them remain, all
/// are removed.
const MAX_KEYS: usize = 100_000;

/// Whether a probe changes the bucket of its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ProbeMode {
    /// Consumes tokens.
    Consume,
    /// Only checks whether tokens are available.
    Peek,
}

/// The *theoretical arrival time* of each key: when its bucket will be full again.
pub(super) struct GcraStore<K> {
    arrivals: Mutex<HashMap<K, Nanos>>,
    max_keys: usize,
}

impl<K: Eq + Hash + Copy> GcraStore<K> {
    pub(super) fn new() -> Self {
        Self::bounded(MAX_KEYS)
    }

    fn bounded(max_keys: usize) -> Self {
        Self { arrivals: Mutex::default(), max_keys }
    }

    /// Removes keys if the store is full.
    fn evict(&self, arrivals: &mut HashMap<K, Nanos>, now: Nanos) {
        if arrivals.len() < self.max_keys {
            return;
        }
        arrivals.retain(|_, arrival| *arrival > now);
        // A nearly full store would scan all keys again for every new key.
        if arrivals.len() > self.max_keys / 2 {
            arrivals.clear();
        }
    }
}

/// The key that `governor` passes to the store.
///
/// It carries the mode and the time, because the interface of the store has no other way for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Probe<K> {
    pub(super) key: K,
    pub(super) mode: ProbeMode,
    /// The time of the limiter's clock in nanoseconds.
    pub(super) now: u64,
}

impl<K: Eq + Hash + Copy> StateStore for GcraStore<K> {
    type Key = Probe<K>;

    fn measure_and_replace<T, F, E>(&self, probe: &Probe<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let stored = arrivals.get_mut(&probe.key);
        let (outcome, arrival) = decide(stored.as_deref().copied())?;
        match (probe.mode, stored) {
            (ProbeMode::Peek, _) => {}
            (ProbeMode::Consume, Some(stored)) => *stored = arrival,
            (ProbeMode::Consume, None) => {
                self.evict(&mut arrivals, Nanos::from(probe.now));
                arrivals.insert(probe.key, arrival);
            }
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(store: &GcraStore<u32>, key: u32, now: u64, arrival: u64) {
        let decide = |_: Option<Nanos>| Ok::<_, ()>(((), Nanos::from(arrival)));
        let probe = Probe { key, mode: ProbeMode::Consume, now };
        store.measure_and_replace(&probe, decide).unwrap();
    }

    fn count_keys(store: &GcraStore<u32>) -> usize {
        store.arrivals.lock().unwrap().len()
    }

    #[test]
    fn full_store_evicts_keys() {
        let store = GcraStore::bounded(4);
        for key in 0..4 {
            take(&store, key, 0, u64::from(key) * 10);
        }
        // The buckets of 0, 1 and 2 are full again.
        take(&store, 4, 20, 70);
        assert_eq!(count_keys(&store), 2);
        for key in 5..7 {
            take(&store, key, 20, 70);
        }
        assert_eq!(count_keys(&store), 4);
        // A stored key evicts nothing.
        take(&store, 6, 20, 80);
        assert_eq!(count_keys(&store), 4);
        take(&store, 7, 20, 70);
        assert_eq!(count_keys(&store), 1, "all buckets were in use");
    }

    #[test]
    fn peek_stores_nothing() {
        let store = GcraStore::bounded(4);
        let decide = |_: Option<Nanos>| Ok::<_, ()>(((), Nanos::from(9)));
        let probe = Probe { key: 1, mode: ProbeMode::Peek, now: 0 };
        store.measure_and_replace(&probe, decide).unwrap();
        assert_eq!(count_keys(&store), 0);
    }
}
