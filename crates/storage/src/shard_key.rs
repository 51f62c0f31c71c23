//! Lanes: in which order writes take their locks.
//!
//! A write has a lane, and a lane has a writer of the process. The lane is the book; the user, for
//! what they keep across books; the username, for a new user; [`ShardKey::NO_BOOK`], or the idempotency
//! key, for a new book; [`ShardKey::DELIVERIES`], to take deliveries. The caller gives it, because the
//! writer is chosen before anything is loaded. SQLite has one writer, PostgreSQL several in each
//! process. So inside one process a write of a book hardly ever waits for the book's lock: only
//! where another writer did what a long group of its own would have delayed ([`crate::writers`]).

use daybook_domain::email::Email;
use daybook_domain::id::UserId;
use daybook_domain::session::SecretDigest;
use sha2::{Digest, Sha256};

/// Which writes are not to run side by side: those of one book. Writes of different lanes may on
/// PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ShardKey(pub(crate) u64);

impl ShardKey {
    /// Writes that belong to no book.
    pub const NO_BOOK: Self = Self(0);

    /// What takes queues of deliveries. It comes after the lanes of all books: who writes in a book
    /// waits for its queues, so nobody who holds queues may wait for a book.
    pub const DELIVERIES: Self = Self(u64::MAX);

    /// The lane of a book.
    #[must_use]
    pub fn of_book(public_id: &str) -> Self {
        Self(digest(public_id.as_bytes()) | BOOKS)
    }

    /// Whether it is that of a book.
    pub(crate) const fn is_of_book(self) -> bool {
        self.0 & BOOKS != 0 && self.0 != Self::DELIVERIES.0
    }

    /// The lane of a request that belongs to no book and carries an idempotency key: a repetition
    /// follows it, and every process takes keys in the same order.
    #[must_use]
    pub fn of_key(key: &str) -> Self {
        Self(digest(key.as_bytes()) & !BOOKS)
    }

    /// The lane of a user who is seen for the first time. Two who could get the same username share
    /// it: on PostgreSQL who comes second waits for the first, and processes that met several in
    /// different orders would wait for each other.
    #[must_use]
    pub fn of_newcomer(email: &Email) -> Self {
        Self(digest(email.local().as_bytes()) & !BOOKS)
    }

    /// The lane of a program that asks whether somebody has decided: one device after another, in
    /// the same order in every process.
    #[must_use]
    pub fn of_device(code: &SecretDigest) -> Self {
        Self(digest(code) & !BOOKS)
    }

    /// The lane of what a user keeps across books. It comes before the lanes of all books: the
    /// deletion of a book also deletes rows of users, and a unit of work that holds a book must not
    /// wait for a user.
    #[must_use]
    pub fn of_user(user: UserId) -> Self {
        Self(digest(&user.get().to_be_bytes()) & !BOOKS)
    }
}

/// The bit that lanes of books have, and no other lane has.
const BOOKS: u64 = 1 << 63;

/// The same in every process and every build, because the lane is also the order of locks.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    Sha256::digest(bytes).iter().take(8).fold(0, |lane, byte| (lane << 8) | u64::from(*byte))
}
