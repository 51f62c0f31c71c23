//! What every use case gets besides its input: the caller, their app, the time.

use std::sync::Arc;

use daybook_domain::app::Visitor;
use daybook_domain::id::UserId;
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::storage_quota::StorageQuotas;
use daybook_domain::token::{TokenHolder, TokenScope};
use daybook_domain::version::{self, Condition, Tag};
use daybook_storage::Tx;
use daybook_storage::user::User;
use time::Date;

use crate::error::Result;
use crate::ids::Ids;
use crate::{user, zone};

/// The agent that the events of an operator's command name (behaviour 6.21).
const OPERATOR: &str = "daybook";

/// The caller, the app, the time, the source of new ids, and the caller's precondition.
#[derive(Debug, Clone)]
pub struct Context {
    /// The authenticated user.
    pub user: Arc<User>,
    /// What the access token is limited to (behaviour 11.9).
    pub scope: TokenScope,
    /// Whether the configuration names the user among the administrators (behaviour 9.3).
    pub is_administrator: bool,
    /// The app the request names as its origin; not authenticated (behaviour 9.2).
    pub agent: Option<String>,
    /// How many apps acted one after another until this request (behaviour 8.11).
    pub depth: i64,
    /// The lease of the delivery with whose token it is made (behaviour 8.9).
    pub cause_lease: Option<i64>,
    /// The time of the request.
    pub now: Instant,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// What the caller expects of the one resource it changes (behaviour 0.17).
    pub condition: Option<Condition>,
    /// How much may be stored, but for what no quota holds for (behaviour 10.14).
    pub storage_quotas: Option<StorageQuotas>,
}

impl Context {
    /// A request of a user without an app, a precondition, a limit or a quota.
    #[must_use]
    pub const fn new(user: Arc<User>, now: Instant, ids: Arc<Ids>) -> Self {
        let scope = TokenScope { read_only: false, books: None, holder: TokenHolder::User };
        let (is_administrator, agent, depth, condition) = (false, None, 0, None);
        let (cause_lease, storage_quotas) = (None, None);
        Self {
            user,
            scope,
            is_administrator,
            agent,
            depth,
            cause_lease,
            now,
            ids,
            condition,
            storage_quotas,
        }
    }

    /// The same for what goes on when storage quotas are used up, because it makes room or takes
    /// something from somebody.
    #[must_use]
    pub fn beyond_quotas(&self) -> Self {
        Self { storage_quotas: None, ..self.clone() }
    }

    /// A command of the operator, in the name of a user: an event needs a user, and an operator is
    /// none.
    pub(crate) fn of_operator(user: User, ids: &Arc<Ids>, now: Instant) -> Self {
        let cx = Self::new(Arc::new(user), now, Arc::clone(ids));
        Self { agent: Some(OPERATOR.to_owned()), ..cx }
    }

    /// The same with the caller as they are now, for a change of what they keep across books: until
    /// this unit of work ends, other such changes wait, and nobody changes the caller's names or
    /// deletes them. They were let in by what a process may have remembered for some seconds, and
    /// nothing is to be kept for somebody who was deleted (behaviour 7.11).
    ///
    /// # Errors
    /// [`daybook_domain::session::Refusal::Disabled`] for who is disabled now, or deleted.
    pub(crate) fn locked(&self, tx: &mut Tx<'_>) -> Result<Self> {
        let caller = tx.users().lock(self.user.id)?;
        self.of_now(caller)
    }

    /// As [`Context::locked`], for what is written elsewhere and names the caller: nothing else
    /// waits.
    ///
    /// # Errors
    /// As [`Context::locked`].
    pub(crate) fn kept(&self, tx: &mut Tx<'_>) -> Result<Self> {
        let caller = tx.users().keep(self.user.id)?;
        self.of_now(caller)
    }

    fn of_now(&self, caller: Option<User>) -> Result<Self> {
        let user = Arc::new(user::enabled(caller)?);
        Ok(Self { user, ..self.clone() })
    }

    /// For whom limits count what the caller asks for (behaviour 10.18).
    #[must_use]
    pub fn payer(&self) -> UserId {
        self.user.payer()
    }

    /// The caller, as apps see them.
    #[must_use]
    pub fn visitor(&self) -> Visitor<'_> {
        visitor(&self.user, self.is_administrator)
    }

    /// The stamp of whatever this request creates.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.agent.clone(), self.now)
    }

    /// A new number.
    #[must_use]
    pub fn mint(&self) -> i64 {
        self.ids.next(self.now)
    }

    /// Refuses to change `target` when it is not in the state the caller expects (`If-Match`).
    ///
    /// Refusals have an order (behaviour 0.17, 0.30), and it is kept by where this stands. A use
    /// case calls it
    /// - after everything that is refused because it does not exist (404) or because the permission
    ///   does not reach to it (403): [`crate::access`], `check_permitted` and `check_writable` in
    ///   the domain;
    /// - before everything that is refused because of values and states (400).
    ///
    /// # Errors
    /// [`version::Refusal::Stale`] (412).
    pub fn check_precondition<'r, R>(
        &self,
        target: &'r R,
    ) -> std::result::Result<(), version::Refusal>
    where
        Tag: From<&'r R>,
    {
        match &self.condition {
            Some(condition) if !condition.accepts(&Tag::from(target)) => {
                Err(version::Refusal::Stale)
            }
            _ => Ok(()),
        }
    }

    /// Today in a book's zone.
    #[must_use]
    pub fn today(&self, book: &daybook_domain::book::Book) -> Date {
        zone::day(self.now, &book.settings.time_zone)
    }
}

/// A user, as apps see them.
pub(crate) fn visitor(user: &User, is_administrator: bool) -> Visitor<'_> {
    Visitor { id: user.id, username: &user.username, email: &user.email, is_administrator }
}
