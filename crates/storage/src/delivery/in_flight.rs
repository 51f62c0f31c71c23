//! The places that a process has for deliveries, and who has them (behaviour 8.9).
//!
//! An app has no more than some of them. The apps that a user has installed get another one only
//! while more are free than they have: alone they have half of all, and however much they keep
//! waiting, the next user finds places, too.

use std::collections::HashMap;
use std::hash::Hash;

use daybook_domain::app::AppId;
use daybook_domain::id::UserId;

use crate::error::Result;
use crate::sql::Value;

/// Whose a place is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// The app.
    pub app: AppId,
    /// Who installed it.
    pub installer: Option<UserId>,
}

/// How many places there are, and who has how many of them.
#[derive(Debug, Clone)]
pub struct InFlight {
    free: usize,
    of_an_app: usize,
    apps: HashMap<AppId, usize>,
    installers: HashMap<UserId, usize>,
}

fn take_from<K: Eq + Hash>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count = count.saturating_sub(1);
    }
    counts.retain(|_, count| *count > 0);
}

impl InFlight {
    /// So many free places, of which an app may have so many.
    #[must_use]
    pub fn new(free: usize, of_an_app: usize) -> Self {
        Self { free, of_an_app, apps: HashMap::new(), installers: HashMap::new() }
    }

    /// How many are free.
    #[must_use]
    pub const fn free(&self) -> usize {
        self.free
    }

    /// Gives somebody a place.
    pub fn enter(&mut self, seat: &Slot) {
        let Slot { app, installer } = seat;
        self.free = self.free.saturating_sub(1);
        *self.apps.entry(app.clone()).or_default() += 1;
        if let Some(user) = installer {
            *self.installers.entry(*user).or_default() += 1;
        }
    }

    /// Takes a place back.
    pub fn leave(&mut self, seat: &Slot) {
        let Slot { app, installer } = seat;
        self.free += 1;
        take_from(&mut self.apps, app);
        if let Some(user) = installer {
            take_from(&mut self.installers, user);
        }
    }

    /// What looks at all that is due take, while there are places. A look answers whether it has
    /// passed over somebody: they may have no more, and the next one finds those behind.
    pub(super) fn fill<T>(
        &mut self,
        mut look: impl FnMut((&mut Self, &mut Vec<T>)) -> Result<bool>,
    ) -> Result<Vec<T>> {
        let mut taken = Vec::new();
        while look((&mut *self, &mut taken))? && self.free > 0 {}
        Ok(taken)
    }

    /// Whether somebody may have another one.
    pub(super) fn admits(&self, seat: &Slot) -> bool {
        let Slot { app, installer } = seat;
        let of_app = self.apps.get(app).copied().unwrap_or_default();
        let of_user = installer.and_then(|user| self.installers.get(&user).copied());
        of_app < self.of_an_app && of_user.unwrap_or_default() < self.free
    }

    /// The apps that may have no more.
    pub(super) fn full_apps(&self) -> Vec<Value<'static>> {
        let full = self.apps.iter().filter(|(_, count)| **count >= self.of_an_app);
        let full = full.map(|(app, _)| Value::Text(app.as_str().to_owned().into()));
        // An empty list matches nothing, nor does its negation.
        full.chain([Value::Text("".into())]).collect()
    }

    /// The users whose apps may have no more.
    pub(super) fn full_installers(&self) -> Vec<Value<'static>> {
        let full = self.installers.iter().filter(|(_, count)| **count >= self.free);
        full.map(|(user, _)| Value::Int(user.get())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(app: &str, user: i64) -> Slot {
        Slot { app: AppId::stored(app.to_owned()), installer: Some(UserId::new(user)) }
    }

    /// Lets as many enter as are admitted, of more apps than there are places; who they were.
    fn fill(occupied: &mut InFlight, user: i64) -> Vec<Slot> {
        let mut entered = Vec::new();
        for number in 0..100 {
            let next = seat(&format!("{user} {number}"), user);
            while occupied.admits(&next) {
                occupied.enter(&next);
                entered.push(next.clone());
            }
        }
        entered
    }

    #[test]
    fn whoever_comes_finds_places() {
        let mut occupied = InFlight::new(64, 8);
        let first = fill(&mut occupied, 1);
        assert_eq!(first.len(), 32, "half of all");
        assert_eq!(fill(&mut occupied, 2).len(), 16);
        assert_eq!(fill(&mut occupied, 3).len(), 8);
        assert_eq!(occupied.full_installers().len(), 3);
        for seat in &first {
            occupied.leave(seat);
        }
        assert_eq!((occupied.free(), fill(&mut occupied, 3).len()), (40, 16));
        assert_eq!(occupied.free(), 24, "as many as the third has");
    }

    #[test]
    fn an_app_has_its_places_whoever_installed_it() {
        let mut occupied = InFlight::new(64, 2);
        occupied.enter(&seat("bot", 1));
        occupied.enter(&seat("bot", 2));
        assert!(!occupied.admits(&seat("bot", 3)) && occupied.admits(&seat("other", 1)));
        assert_eq!(occupied.full_apps().len(), 2, "the bot, and one that is none");
        occupied.leave(&seat("bot", 2));
        assert!(occupied.admits(&seat("bot", 3)));
        assert_eq!(occupied.full_apps().len(), 1);
    }

    #[test]
    fn an_app_that_nobody_installed_counts_for_nobody() {
        let mut occupied = InFlight::new(2, 8);
        let bot = Slot { installer: None, ..seat("bot", 1) };
        occupied.enter(&bot);
        assert!(occupied.admits(&bot) && occupied.full_installers().is_empty());
    }
}
