//! The reports in transfer, which are limited by user and by process (behaviour 13.11).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use daybook_domain::id::UserId;
use daybook_storage::REPORT_READERS;

/// The reports that one user may have in transfer. Another user always finds a connection.
const MAX_OF_USER: u32 = 2;
/// The reports in transfer, by user.
#[derive(Clone, Default)]
pub struct ReportSlots(Arc<Mutex<HashMap<UserId, u32>>>);

/// A report in transfer; its place is free again when it is dropped.
pub(crate) struct ReportSlot {
    slots: ReportSlots,
    user: UserId,
}

impl ReportSlots {
    /// Takes a place, unless the user or all users have too many.
    pub(crate) fn acquire(&self, user: UserId) -> Option<ReportSlot> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let total: u32 = counts.values().sum();
        let own = counts.entry(user).or_default();
        if *own >= MAX_OF_USER || total >= REPORT_READERS {
            return None;
        }
        *own += 1;
        Some(ReportSlot { slots: self.clone(), user })
    }
}

impl Drop for ReportSlot {
    fn drop(&mut self) {
        let mut counts = self.slots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = counts.get_mut(&self.user) {
            *own -= 1;
            if *own == 0 {
                counts.remove(&self.user);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_13_11_users_share_the_places() {
        let slots = ReportSlots::default();
        let [one, two, three] = [1, 2, 3].map(UserId::new);
        let held = [one, one, two, two].map(|user| slots.acquire(user));
        assert!(held.iter().all(Option::is_some));
        assert!(slots.acquire(one).is_none() && slots.acquire(three).is_none());
        drop(held);
        let first = slots.acquire(one);
        assert!(first.is_some() && slots.acquire(three).is_some());
    }
}
