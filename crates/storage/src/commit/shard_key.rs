//! Shard keys, which order the locks of writes.
//!
//! A write has a shard key, and each shard key belongs to one writer of the process. The key is the
//! book; the user, for data that users have outside books; the username, for a new user;
//! [`ShardKey::NO_BOOK`] or the idempotency key, for a new book; [`ShardKey::DELIVERIES`], to lease
//! deliveries. A use case states it in advance, because the writer is chosen before anything is
//! loaded. SQLite has one writer, PostgreSQL several per process. Within a process, a write
//! therefore rarely waits for the lock of its book: only if another writer took it over from a
//! writer that was busy with a long group ([`crate::commit::writers`]).

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::session::SecretDigest;
use sha2::{Digest, Sha256};

/// The key of writes that must not run concurrently, such as those of one book.
///
/// On PostgreSQL, writes with different keys may run concurrently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardKey(pub(crate) u64);

impl ShardKey {
    /// The key of writes that belong to no book.
    pub const NO_BOOK: Self = Self(0);

    /// The key of leasing deliveries. It sorts after the keys of all books: a write in a book waits
    /// for the locks of its queues, so a holder of queues must not wait for a book.
    pub const DELIVERIES: Self = Self(u64::MAX);

    /// Returns the key of a book.
    #[must_use]
    pub fn of_book(public_id: &str) -> Self {
        Self(digest(public_id.as_bytes()) | BOOK_BIT)
    }

    /// Returns whether this is the key of a book.
    pub(crate) const fn is_book(self) -> bool {
        self.0 & BOOK_BIT != 0 && self.0 != Self::DELIVERIES.0
    }

    /// Returns the key of a request outside books with an idempotency key.
    ///
    /// A repetition gets the same key, and every process locks idempotency keys in this order.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        Self(digest(key.as_bytes()) & !BOOK_BIT)
    }

    /// Returns the key of a new user.
    ///
    /// Users who may get the same username share a key. On PostgreSQL the second insert waits for
    /// the first, and processes that insert several in different orders would deadlock.
    #[must_use]
    pub fn of_new_user(email: &Email) -> Self {
        Self(digest(email.local().as_bytes()) & !BOOK_BIT)
    }

    /// Returns the key of a device that polls for authorization.
    ///
    /// Polls of one device run one after another, in the same order in every process.
    #[must_use]
    pub fn of_device(code: &SecretDigest) -> Self {
        Self(digest(code) & !BOOK_BIT)
    }

    /// Returns the key of the data that a user has outside books.
    ///
    /// It sorts before the keys of all books. The deletion of a book also deletes rows of users,
    /// and a unit of work that holds a book must not wait for a user.
    #[must_use]
    pub fn of_user(user: UserId) -> Self {
        Self(digest(&user.get().to_be_bytes()) & !BOOK_BIT)
    }
}

/// The bit that only keys of books have.
const BOOK_BIT: u64 = 1 << 63;

/// Hashes bytes to a key.
///
/// The result is the same in every process and build, because it is also the order of locks.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    Sha256::digest(bytes).iter().take(8).fold(0, |key, byte| (key << 8) | u64::from(*byte))
}
