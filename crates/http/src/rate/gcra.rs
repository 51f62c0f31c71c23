//! What was taken by each key, in memory.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use governor::nanos::Nanos;
use governor::state::StateStore;

/// Keys that a limiter remembers at most. When there are more, those are forgotten that have all of
/// their cells again, and all when that is not enough.
const MAX_KEYS: usize = 100_000;

/// What is asked about a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ProbeMode {
    /// To take cells.
    Take,
    /// Whether cells could be taken; nothing is taken.
    Look,
}

/// When each key will have all of its cells again, its *theoretical arrival time*, in the time of
/// the limiter's clock.
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

    /// Makes room for another key.
    fn make_room(&self, arrivals: &mut HashMap<K, Nanos>, now: Nanos) {
        if arrivals.len() < self.max_keys {
            return;
        }
        arrivals.retain(|_, arrival| *arrival > now);
        // Else each new key would look through all of them again.
        if arrivals.len() > self.max_keys / 2 {
            arrivals.clear();
        }
    }
}

/// A key, what is asked about it, and the time in nanoseconds.
pub(super) type Probe<K> = (K, ProbeMode, u64);

impl<K: Eq + Hash + Copy> StateStore for GcraStore<K> {
    type Key = Probe<K>;

    fn measure_and_replace<T, F, E>(&self, (key, access, now): &Probe<K>, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut arrivals = self.arrivals.lock().unwrap_or_else(PoisonError::into_inner);
        let known = arrivals.get_mut(key);
        let (outcome, arrival) = decide(known.as_deref().copied())?;
        match (access, known) {
            (ProbeMode::Look, _) => {}
            (ProbeMode::Take, Some(known)) => *known = arrival,
            (ProbeMode::Take, None) => {
                self.make_room(&mut arrivals, Nanos::from(*now));
                arrivals.insert(*key, arrival);
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
        store.measure_and_replace(&(key, ProbeMode::Take, now), decide).unwrap();
    }

    fn known(store: &GcraStore<u32>) -> usize {
        store.arrivals.lock().unwrap().len()
    }

    #[test]
    fn memory_is_bounded() {
        let store = GcraStore::bounded(4);
        for key in 0..4 {
            take(&store, key, 0, u64::from(key) * 10);
        }
        // 0, 1 and 2 have all of their cells again.
        take(&store, 4, 20, 70);
        assert_eq!(known(&store), 2);
        for key in 5..7 {
            take(&store, key, 20, 70);
        }
        assert_eq!(known(&store), 4);
        // A key that is known needs no room.
        take(&store, 6, 20, 80);
        assert_eq!(known(&store), 4);
        take(&store, 7, 20, 70);
        assert_eq!(known(&store), 1, "all of them were in use");
    }

    #[test]
    fn a_look_changes_nothing() {
        let store = GcraStore::bounded(4);
        let decide = |_: Option<Nanos>| Ok::<_, ()>(((), Nanos::from(9)));
        store.measure_and_replace(&(1, ProbeMode::Look, 0), decide).unwrap();
        assert_eq!(known(&store), 0);
    }
}
