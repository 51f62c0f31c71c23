//! The context of a request: the caller, their app, the time and the source of ids.

use std::sync::Arc;

use daybook_domain::app::Visitor;
use daybook_domain::file::NewFile;
use daybook_domain::id::{FileId, UserId};
use daybook_domain::instant::{Instant, Stamp};
use daybook_domain::storage_quota::StorageQuotas;
use daybook_domain::token::{TokenHolder, TokenScope};
use daybook_domain::version::{self, Condition, Tag};
use daybook_storage::Tx;
use daybook_storage::user::User;
use time::Date;

use crate::error::Result;
use crate::ids::Ids;
use crate::user_lock::require_enabled;
use crate::zone;

/// The agent named by the events of operator commands (behaviour 6.21).
const OPERATOR: &str = "daybook";

/// The context that every use case receives besides its input.
#[derive(Debug, Clone)]
pub struct Context {
    /// The authenticated user.
    pub user: Arc<User>,
    /// The limits of the access token (behaviour 11.9).
    pub scope: TokenScope,
    /// Whether the configuration lists the user as an administrator (behaviour 9.3).
    pub is_administrator: bool,
    /// The app that the request names as its origin. It is not authenticated (behaviour 9.2).
    pub agent: Option<String>,
    /// The number of apps that acted one after another before this request (behaviour 8.11).
    pub depth: i64,
    /// The lease of the delivery whose token authenticates the request (behaviour 8.9).
    pub cause_lease: Option<i64>,
    /// The time of the request.
    pub now: Instant,
    /// The source of ids.
    pub ids: Arc<Ids>,
    /// The version that the caller expects of the resource it changes (behaviour 0.17).
    pub condition: Option<Condition>,
    /// The storage quotas. `None` exempts the request from them (behaviour 10.14).
    pub storage_quotas: Option<StorageQuotas>,
}

impl Context {
    /// Creates the context of a plain user request: no app, precondition, limit or quota.
    #[must_use]
    pub const fn new(user: Arc<User>, now: Instant, ids: Arc<Ids>) -> Self {
        let scope = TokenScope { read_only: false, books: None, holder: TokenHolder::User };
        Self {
            user,
            scope,
            is_administrator: false,
            agent: None,
            depth: 0,
            cause_lease: None,
            now,
            ids,
            condition: None,
            storage_quotas: None,
        }
    }

    /// Returns this context without storage quotas.
    ///
    /// Use it for changes that free storage or withdraw access: they must succeed even when a quota
    /// is exhausted.
    #[must_use]
    pub fn exempt_from_quotas(&self) -> Self {
        Self { storage_quotas: None, ..self.clone() }
    }

    /// Creates the context of an operator command, in the name of a user.
    ///
    /// Every event names a user, and the operator does not have one.
    pub(crate) fn for_operator(user: User, ids: &Arc<Ids>, now: Instant) -> Self {
        let cx = Self::new(Arc::new(user), now, Arc::clone(ids));
        Self { agent: Some(OPERATOR.to_owned()), ..cx }
    }

    /// Locks the caller for a change of data they keep across books, and reloads them.
    ///
    /// Until this unit of work ends, other such changes wait, and the caller cannot be renamed or
    /// deleted. Authentication may rest on data cached for some seconds, and nothing may be stored
    /// for a deleted user (behaviour 7.11).
    ///
    /// # Errors
    /// [`daybook_domain::session::Refusal::Disabled`] if the caller is now disabled or deleted.
    pub(crate) fn lock_caller(&self, tx: &mut Tx<'_>) -> Result<Self> {
        let caller = tx.users().lock(self.user.id)?;
        self.refreshed(caller)
    }

    /// Takes a shared lock on the caller for a row elsewhere that names them, and reloads them.
    ///
    /// The caller cannot be renamed or deleted until this unit of work ends. Other changes of their
    /// data do not wait.
    ///
    /// # Errors
    /// Those of [`Context::lock_caller`].
    pub(crate) fn share_lock_caller(&self, tx: &mut Tx<'_>) -> Result<Self> {
        let caller = tx.users().share_lock(self.user.id)?;
        self.refreshed(caller)
    }

    fn refreshed(&self, caller: Option<User>) -> Result<Self> {
        let user = Arc::new(require_enabled(caller)?);
        Ok(Self { user, ..self.clone() })
    }

    /// Returns the user whose limits the caller's requests count against (behaviour 10.18).
    #[must_use]
    pub fn quota_subject(&self) -> UserId {
        self.user.quota_subject()
    }

    /// Returns the caller as apps see them.
    #[must_use]
    pub fn as_app_visitor(&self) -> Visitor<'_> {
        app_visitor(&self.user, self.is_administrator)
    }

    /// Returns the stamp of a resource that this request creates.
    #[must_use]
    pub fn stamp(&self) -> Stamp {
        Stamp::new(self.agent.clone(), self.now)
    }

    /// Returns a new id.
    #[must_use]
    pub fn mint(&self) -> i64 {
        self.ids.next(self.now)
    }
    /// Returns the generated fields of a new file that `creator` uploads.
    pub(crate) fn new_file(&self, creator: UserId) -> NewFile {
        NewFile {
            id: FileId::new(self.mint()),
            token: self.ids.token(),
            by: creator,
            stamp: self.stamp(),
        }
    }

    /// Refuses to change `target` if its version differs from the one in `If-Match`.
    ///
    /// Refusals have an order (behaviour 0.17, 0.30). A use case calls this method
    /// - after every check that ends in 404 (missing) or 403 (permission): [`crate::access`], and
    ///   `check_permitted` and `check_writable` of the domain;
    /// - before every check of values and states (400).
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

    /// Returns the current day in the time zone of a book.
    #[must_use]
    pub fn today(&self, book: &daybook_domain::book::Book) -> Date {
        zone::day(self.now, &book.settings.time_zone)
    }
}

/// Returns a user as apps see them.
pub(crate) fn app_visitor(user: &User, is_administrator: bool) -> Visitor<'_> {
    Visitor { id: user.id, username: &user.username, email: &user.email, is_administrator }
}
