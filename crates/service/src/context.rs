//! What every use case is told besides its input: who, through which app, when.

use std::sync::Arc;

use daybook_domain::instant::{Instant, Stamp};
use daybook_storage::user::User;
use time::Date;

use crate::ids::Ids;
use crate::zone;

/// Who asks, through which app, when, and where new ids come from.
#[derive(Debug, Clone)]
pub struct Context {
    /// The authenticated user.
    pub user: Arc<User>,
    /// The app the request names as its origin; not authenticated (behaviour 9.2).
    pub agent: Option<String>,
    /// When the request arrived.
    pub now: Instant,
    /// The source of ids.
    pub ids: Arc<Ids>,
}

impl Context {
    /// The stamp of what this request makes.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.agent.clone(), self.now)
    }

    /// A new number.
    #[must_use]
    pub fn mint(&self) -> i64 {
        self.ids.next(self.now)
    }

    /// Today in a book's zone.
    #[must_use]
    pub fn today(&self, book: &daybook_domain::book::Book) -> Date {
        zone::day(self.now, &book.settings.time_zone)
    }
}
