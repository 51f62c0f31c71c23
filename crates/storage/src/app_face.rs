//! The cache of how apps look, shared by all connections of a store: whatever an app made shows it,
//! and it hardly ever changes. A change that another process makes is seen when what is remembered
//! has become too old; one of this process at once.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use daybook_domain::app::AppSummary;

/// Faces remembered at most; when there are more, all are forgotten.
const MAX_REMEMBERED: usize = 2_000;
/// How long a face is remembered.
const MAX_AGE: Duration = Duration::from_secs(10);

/// The faces of apps by their ids, and since when they are known; none for ids that no app has.
#[derive(Debug, Default)]
pub(crate) struct AppFaceCache(Mutex<HashMap<String, (Option<AppSummary>, Instant)>>);

impl AppFaceCache {
    /// The faces that are remembered among those of these apps; takes out the ids whose face is
    /// known, or known not to be.
    pub(crate) fn take_known(&self, ids: &mut BTreeSet<String>) -> HashMap<String, AppSummary> {
        let remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = HashMap::new();
        ids.retain(|id| match remembered.get(id) {
            Some((face, since)) if since.elapsed() < MAX_AGE => {
                known.extend(face.clone().map(|face| (id.clone(), face)));
                false
            }
            Some(_) | None => true,
        });
        known
    }

    /// Remembers what was read of these apps.
    pub(crate) fn learn(&self, ids: BTreeSet<String>, read: &HashMap<String, AppSummary>) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        for id in ids {
            if remembered.len() >= MAX_REMEMBERED {
                remembered.clear();
            }
            let face = read.get(&id).cloned();
            remembered.insert(id, (face, now));
        }
    }

    /// Forgets an app, which changes.
    pub(crate) fn forget(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(some: &[&str]) -> BTreeSet<String> {
        some.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn faces_are_remembered_until_they_change() {
        let cache = AppFaceCache::default();
        let face = AppSummary { name: "Bot".to_owned(), logo: None, logo_dark: None };
        let read = HashMap::from([("bot".to_owned(), face)]);
        let mut wanted = ids(&["bot", "none"]);
        assert!(cache.take_known(&mut wanted).is_empty());
        cache.learn(wanted, &read);
        let mut wanted = ids(&["bot", "none", "new"]);
        assert_eq!(cache.take_known(&mut wanted), read);
        assert_eq!(wanted, ids(&["new"]), "that there is none is remembered too");
        cache.forget("bot");
        assert!(cache.take_known(&mut ids(&["bot"])).is_empty());
        for number in 0..=MAX_REMEMBERED {
            cache.learn(ids(&[&number.to_string()]), &read);
        }
        assert!(cache.0.lock().unwrap().len() <= MAX_REMEMBERED);
    }
}
