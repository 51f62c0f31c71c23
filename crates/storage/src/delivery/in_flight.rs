//! The slots of a process for deliveries (behaviour 8.9).
//!
//! An app may use a limited number of slots. The apps of one user get another slot only while more
//! slots are free than they use. Alone they use half of all slots, and the next user always finds
//! free ones.

use std::collections::HashMap;
use std::hash::Hash;

use daybook_domain::app::AppId;
use daybook_domain::id::UserId;

use crate::conn::sql::Value;
use crate::error::Result;

/// The user of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotHolder {
    /// The app.
    pub app: AppId,
    /// The user who installed it.
    pub installer: Option<UserId>,
}

/// The free slots, and the used ones by app and by installer.
#[derive(Debug, Clone)]
pub struct InFlight {
    free: usize,
    max_per_app: usize,
    apps: HashMap<AppId, usize>,
    installers: HashMap<UserId, usize>,
}

fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
    }
    counts.retain(|_, count| *count > 0);
}

impl InFlight {
    /// Creates `free` slots, of which an app may use `max_per_app`.
    #[must_use]
    pub fn new(free: usize, max_per_app: usize) -> Self {
        Self { free, max_per_app, apps: HashMap::new(), installers: HashMap::new() }
    }

    /// Returns the number of free slots.
    #[must_use]
    pub const fn free(&self) -> usize {
        self.free
    }

    /// Takes a slot.
    pub fn enter(&mut self, slot: &SlotHolder) {
        let SlotHolder { app, installer } = slot;
        self.free = self.free.saturating_sub(1);
        *self.apps.entry(app.clone()).or_default() += 1;
        if let Some(user) = installer {
            *self.installers.entry(*user).or_default() += 1;
        }
    }

    /// Frees a slot.
    pub fn leave(&mut self, slot: &SlotHolder) {
        let SlotHolder { app, installer } = slot;
        self.free += 1;
        decrement(&mut self.apps, app);
        if let Some(user) = installer {
            decrement(&mut self.installers, user);
        }
    }

    /// Repeats a query while it skips rows and slots are free.
    ///
    /// `query` leases what is due and returns whether it skipped a row whose app or user has no
    /// slots left. The next query excludes these, so it finds later rows.
    pub(super) fn fill<T>(
        &mut self,
        mut query: impl FnMut(&mut Self, &mut Vec<T>) -> Result<bool>,
    ) -> Result<Vec<T>> {
        let mut leased = Vec::new();
        while query(self, &mut leased)? && self.free > 0 {}
        Ok(leased)
    }

    /// Returns whether a slot may be taken.
    pub(super) fn admits(&self, slot: &SlotHolder) -> bool {
        let SlotHolder { app, installer } = slot;
        let of_app = self.apps.get(app).copied().unwrap_or_default();
        let of_user = installer.and_then(|user| self.installers.get(&user).copied());
        of_app < self.max_per_app && of_user.unwrap_or_default() < self.free
    }

    /// Returns the apps that have no slots left.
    pub(super) fn full_apps(&self) -> Vec<Value<'static>> {
        let full = self.apps.iter().filter(|(_, count)| **count >= self.max_per_app);
        let full = full.map(|(app, _)| Value::Text(app.as_str().to_owned().into()));
        // `NOT IN (NULL)` matches nothing, so the list must not be empty.
        full.chain([Value::Text("".into())]).collect()
    }

    /// Returns the users whose apps have no slots left.
    pub(super) fn full_installers(&self) -> Vec<Value<'static>> {
        let full = self.installers.iter().filter(|(_, count)| **count >= self.free);
        full.map(|(user, _)| Value::Int(user.get())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(app: &str, user: i64) -> SlotHolder {
        SlotHolder { app: AppId::stored(app.to_owned()), installer: Some(UserId::new(user)) }
    }

    /// Takes all slots that a user may have, for more apps than there are slots.
    fn fill(slots: &mut InFlight, user: i64) -> Vec<SlotHolder> {
        let mut taken = Vec::new();
        for number in 0..100 {
            let next = slot(&format!("{user} {number}"), user);
            while slots.admits(&next) {
                slots.enter(&next);
                taken.push(next.clone());
            }
        }
        taken
    }

    #[test]
    fn each_further_user_gets_half_of_the_free_slots() {
        let mut slots = InFlight::new(64, 8);
        let first = fill(&mut slots, 1);
        assert_eq!(first.len(), 32, "half of all slots");
        assert_eq!(fill(&mut slots, 2).len(), 16);
        assert_eq!(fill(&mut slots, 3).len(), 8);
        assert_eq!(slots.full_installers().len(), 3);
        for slot in &first {
            slots.leave(slot);
        }
        assert_eq!((slots.free(), fill(&mut slots, 3).len()), (40, 16));
        assert_eq!(slots.free(), 24, "as many as the third user has");
    }

    #[test]
    fn app_limit_counts_all_installers() {
        let mut slots = InFlight::new(64, 2);
        slots.enter(&slot("bot", 1));
        slots.enter(&slot("bot", 2));
        assert!(!slots.admits(&slot("bot", 3)) && slots.admits(&slot("other", 1)));
        assert_eq!(slots.full_apps().len(), 2, "the bot, and the empty id");
        slots.leave(&slot("bot", 2));
        assert!(slots.admits(&slot("bot", 3)));
        assert_eq!(slots.full_apps().len(), 1);
    }

    #[test]
    fn app_without_installer_counts_for_no_user() {
        let mut slots = InFlight::new(2, 8);
        let bot = SlotHolder { installer: None, ..slot("bot", 1) };
        slots.enter(&bot);
        assert!(slots.admits(&bot) && slots.full_installers().is_empty());
    }
}
