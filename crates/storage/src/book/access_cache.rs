//! The cache of accesses, for reads of a single statement ([`crate::commit::tx`]).

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use daybook_domain::id::UserId;
use daybook_domain::permission::Permission;

use crate::access::BookAccess;
use crate::conn::sql::Sql;
use crate::rows::book_state::BookStateRow;

/// Size of the cache in bytes after which it is cleared.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Approximate size of an entry without the properties of the book.
const WITHOUT_PROPERTIES: usize = 1_500;

/// How many pages are read on a snapshot after one that needed several statements. The first page
/// after a change of the chart does, because it fills a cache; pages with files always do.
const PAGES_ON_SNAPSHOT: u32 = 10;

/// The public id of a book, and the e-mail address of a user.
pub(crate) type AccessKey = (String, String);

/// A book as a user entered it before.
#[derive(Debug)]
pub(crate) struct KnownAccess {
    pub(crate) email: String,
    pub(crate) owner: UserId,
    pub(crate) access: BookAccess,
    pub(crate) state: BookStateRow,
    /// How many more pages of this book are read on a snapshot.
    pages_on_snapshot: AtomicU32,
}

impl KnownAccess {
    /// Returns whether it has the same book, apart from its counters, and the same permission.
    fn is_same(&self, owner: UserId, access: &BookAccess, state: &BookStateRow) -> bool {
        let (book, other) = (&self.access.book, &access.book);
        self.owner == owner
            && self.state.chart_version == state.chart_version
            && self.access.granted == access.granted
            && self.access.deletion == access.deletion
            && book.id == other.id
            && book.stamp.version == other.stamp.version
            && book.owner_name == other.owner_name
            && book.file_secret == other.file_secret
    }

    /// Returns the query that has one row if the database still agrees with [`Self::is_same`].
    pub(crate) fn unchanged(&self) -> Sql<'_> {
        let book = &self.access.book;
        Sql::new(
            "SELECT 1 AS one FROM books b JOIN book_state s ON s.book_id = b.id \
             JOIN users u ON u.id = b.owner_id \
             LEFT JOIN collaborators c ON c.book_id = b.id AND c.email = {} WHERE b.id = {} \
             AND b.public_id = {} AND b.version = {} AND b.owner_id = {} AND b.file_secret = {}",
        )
        .bind((
            self.email.as_str(),
            book.id,
            &book.key,
            book.stamp.version,
            self.owner,
            book.file_secret.as_str(),
        ))
        .push(
            " AND b.deleted_at IS NULL AND u.username = {} AND s.chart_version = {} \
             AND COALESCE(c.permission, '') = {}",
        )
        .bind((
            book.owner_name.as_str(),
            self.state.chart_version,
            self.access.granted.map_or("", Permission::as_str),
        ))
    }

    /// Returns whether the next page is tried as a single statement.
    pub(crate) fn try_page(&self) -> bool {
        let one_less = |left: u32| left.checked_sub(1);
        self.pages_on_snapshot.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err()
    }

    /// Records that a page needed several statements, for example because its transactions have
    /// files or other creators. The next pages probably do, too.
    pub(crate) fn note_further_statement(&self) {
        self.pages_on_snapshot.store(PAGES_ON_SNAPSHOT, Ordering::Relaxed);
    }

    fn bytes(&self) -> usize {
        self.access.book.settings.properties.bytes().saturating_add(WITHOUT_PROPERTIES)
    }
}

/// The last access of each user to each book. A reader must check that it still holds.
#[derive(Debug, Default)]
pub(crate) struct AccessCache(Mutex<Accesses>);

#[derive(Debug, Default)]
struct Accesses {
    known: HashMap<AccessKey, Arc<KnownAccess>>,
    bytes: usize,
}

impl AccessCache {
    /// Removes all entries. After a failover the database may use the same versions again.
    pub(crate) fn clear(&self) {
        *self.lock() = Accesses::default();
    }

    /// Returns the last access of a user to a book.
    pub(crate) fn find(&self, key: &AccessKey) -> Option<Arc<KnownAccess>> {
        self.lock().known.get(key).cloned()
    }

    /// Remembers an access. It is cloned only if it has changed.
    pub(crate) fn remember(
        &self,
        key: &AccessKey,
        owner: UserId,
        access: &BookAccess,
        state: &BookStateRow,
    ) {
        let mut accesses = self.lock();
        if accesses.known.get(key).is_some_and(|before| before.is_same(owner, access, state)) {
            return;
        }
        if accesses.bytes > MAX_BYTES {
            *accesses = Accesses::default();
        }
        let (access, state) = (access.clone(), state.clone());
        let (email, pages_on_snapshot) = (key.1.clone(), AtomicU32::new(0));
        let known = KnownAccess { email, owner, access, state, pages_on_snapshot };
        let added = known.bytes();
        let replaced = accesses.known.insert(key.clone(), Arc::new(known));
        let removed = replaced.map_or(0, |before| before.bytes());
        accesses.bytes = accesses.bytes.saturating_add(added).saturating_sub(removed);
    }

    fn lock(&self) -> MutexGuard<'_, Accesses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
