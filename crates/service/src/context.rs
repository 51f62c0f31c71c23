//! What every use case is told besides its input: who, through which app, when.

use std::sync::Arc;

use daybook_domain::RefusalKind;
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::version::{self, Condition, Tag};
use daybook_storage::user::User;
use time::Date;

use crate::error::Result;
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
    /// What the caller expects of the one resource it changes (behaviour 0.17).
    pub condition: Option<Condition>,
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

    /// What becomes of a change of `target` whose rules say `outcome`, before anything is written:
    /// too little permission is told before an unmet condition, and that before every other refusal
    /// (behaviour 0.17).
    ///
    /// # Errors
    /// Those of `outcome`; [`version::Refusal::Stale`].
    pub fn unless_stale<'r, R, T>(&self, target: Option<&'r R>, outcome: Result<T>) -> Result<T>
    where
        Tag: From<&'r R>,
    {
        let Some(condition) = &self.condition else { return outcome };
        if outcome
            .as_ref()
            .is_err_and(|error| matches!(error.kind(), RefusalKind::Denied | RefusalKind::Missing))
        {
            return outcome;
        }
        let met = target.is_some_and(|target| condition.accepts(&Tag::from(target)));
        if met { outcome } else { Err(version::Refusal::Stale.into()) }
    }

    /// Today in a book's zone.
    #[must_use]
    pub fn today(&self, book: &daybook_domain::book::Book) -> Date {
        zone::day(self.now, &book.settings.time_zone)
    }
}
