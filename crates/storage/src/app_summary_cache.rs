//! The cache of app summaries, shared by all connections of a store.
//!
//! Everything that an app created shows its summary, and summaries rarely change. A change by this
//! process is visible at once, a change by another process when the entry expires.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::app::AppSummary;

/// Maximum number of entries. When it is reached, the cache is cleared.
const MAX_ENTRIES: usize = 2_000;
/// How long an entry is valid.
const MAX_AGE: Duration = Duration::from_secs(10);

/// App summaries by id, with the time of the entry. An id without an app has an empty entry.
#[derive(Debug, Default)]
pub(crate) struct AppSummaryCache(Mutex<HashMap<String, (Option<AppSummary>, Instant)>>);

impl AppSummaryCache {
    /// Returns the cached summaries of these apps and removes the ids with an entry from the set.
    pub(crate) fn take_cached(&self, ids: &mut BTreeSet<String>) -> HashMap<String, AppSummary> {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cached = HashMap::new();
        ids.retain(|id| match entries.get(id) {
            Some((summary, since)) if since.elapsed() < MAX_AGE => {
                cached.extend(summary.clone().map(|summary| (id.clone(), summary)));
                false
            }
            Some(_) | None => true,
        });
        cached
    }

    /// Caches the summaries of these apps, as far as they exist.
    pub(crate) fn insert(&self, ids: BTreeSet<String>, read: &HashMap<String, AppSummary>) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        for id in ids {
            if entries.len() >= MAX_ENTRIES {
                entries.clear();
            }
            let summary = read.get(&id).cloned();
            entries.insert(id, (summary, now));
        }
    }

    /// Removes the entry of a changed app.
    pub(crate) fn remove(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(ids: &[&str]) -> BTreeSet<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn summaries_are_cached_until_they_are_removed() {
        let cache = AppSummaryCache::default();
        let summary = AppSummary { name: "Bot".to_owned(), logo: None, logo_dark: None };
        let read = HashMap::from([("bot".to_owned(), summary)]);
        let mut wanted = ids(&["bot", "none"]);
        assert!(cache.take_cached(&mut wanted).is_empty());
        cache.insert(wanted, &read);
        let mut wanted = ids(&["bot", "none", "new"]);
        assert_eq!(cache.take_cached(&mut wanted), read);
        assert_eq!(wanted, ids(&["new"]), "a missing app has an entry, too");
        cache.remove("bot");
        assert!(cache.take_cached(&mut ids(&["bot"])).is_empty());
        for number in 0..=MAX_ENTRIES {
            cache.insert(ids(&[&number.to_string()]), &read);
        }
        assert!(cache.0.lock().unwrap().len() <= MAX_ENTRIES);
    }
}
