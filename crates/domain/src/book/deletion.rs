//! Deletion of a book, before its rows are removed (behaviour 6.22).

use crate::instant::{DAY, Instant};

/// The deletion of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// The time of deletion.
    pub deleted_at: Instant,
    /// The time until which it can be restored. `None` when its rows are being removed.
    pub kept_until: Option<Instant>,
}

impl Deletion {
    /// Creates a deletion after which the book can be restored for `days`.
    ///
    /// ```
    /// use daybook_domain::book::Deletion;
    /// use daybook_domain::instant::Instant;
    ///
    /// let deletion = Deletion::new(Instant::new(7), 30);
    /// assert_eq!(deletion.kept_until, Some(Instant::new(7 + 30 * 24 * 60 * 60 * 1000)));
    /// assert!(deletion.is_restorable());
    /// assert!(!Deletion::new(Instant::new(7), 0).is_restorable());
    /// ```
    pub fn new(now: Instant, days: u16) -> Self {
        let end = now.plus(i64::from(days) * DAY);
        Self { deleted_at: now, kept_until: (days > 0).then_some(end) }
    }

    /// Returns whether the book can still be restored.
    pub const fn is_restorable(&self) -> bool {
        self.kept_until.is_some()
    }
}
