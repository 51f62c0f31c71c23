//! Deleting a book, which waits to be removed (behaviour 6.22).

use crate::instant::Instant;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// What a book says of its deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deletion {
    /// When the book was deleted.
    pub deleted_at: Instant,
    /// When it waits no longer. None: it does not wait, its rows are being removed, and nothing
    /// brings it back.
    pub kept_until: Option<Instant>,
}

impl Deletion {
    /// A deletion after which the book waits for so many days; without any it does not wait.
    ///
    /// ```
    /// use daybook_domain::book::Deletion;
    /// use daybook_domain::instant::Instant;
    ///
    /// let deletion = Deletion::new(Instant::new(7), 30);
    /// assert_eq!(deletion.kept_until, Some(Instant::new(7 + 30 * 24 * 60 * 60 * 1000)));
    /// assert!(deletion.waits() && !Deletion::new(Instant::new(7), 0).waits());
    /// ```
    #[must_use]
    pub fn new(now: Instant, days: u16) -> Self {
        let end = now.milliseconds().saturating_add(i64::from(days) * DAY);
        Self { deleted_at: now, kept_until: (days > 0).then_some(Instant::new(end)) }
    }

    /// Whether the book can still be restored.
    #[must_use]
    pub const fn waits(&self) -> bool {
        self.kept_until.is_some()
    }
}
