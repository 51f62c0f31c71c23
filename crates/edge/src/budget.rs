//! Memory budget for request bodies, file contents and responses of all requests together.
//!
//! A request reserves memory while its body arrives and while its response is encoded, and returns
//! it when the body is processed and the response is sent. Reservations of at most 16 KB are not
//! counted, so small requests are never refused; an eighth of the budget is left for them. A
//! request that finds no memory gets 503 at once. It does not wait, because it would hold other
//! memory meanwhile (behaviour 0.22).
//!
//! Each user holds at most as much as is left for all others, so one user never takes all of it
//! (behaviour 0.34).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::id::UserId;
use tokio::sync::oneshot;

use crate::error::RequestError;
use crate::keyed_mutex::{KeyedGuard, KeyedMutex};

const MEGABYTE: usize = 1024 * 1024;
/// Reservations of at most this many bytes are not counted.
const UNCOUNTED: usize = 16 * 1024;
/// Bytes that a user may hold even if less is left for others: the content of the largest file,
/// as bytes and as Base64.
const GUARANTEED: usize = 48 * MEGABYTE;

const IN_USE: &str = "the memory for bodies and contents of files is in use; try again shortly";
const SHARE: &str = "your other requests hold your share of the memory; try again shortly";

/// The memory budget of the process.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    accounts: Mutex<Accounts>,
    large_bodies: KeyedMutex<UserId>,
}

#[derive(Debug)]
struct Accounts {
    free: usize,
    held: HashMap<UserId, usize>,
}

impl Budget {
    /// A budget of this many megabytes (of 1,048,576 bytes).
    #[must_use]
    pub fn of_megabytes(megabytes: u16) -> Self {
        let free = usize::from(megabytes) * MEGABYTE / 8 * 7;
        let accounts = Accounts { free, held: HashMap::new() };
        let large_bodies = KeyedMutex::default();
        Self(Arc::new(Shared { accounts: Mutex::new(accounts), large_bodies }))
    }

    /// Returns the bytes that are reserved.
    pub fn reserved(&self) -> usize {
        self.with_accounts(|accounts| accounts.held.values().sum())
    }

    /// Returns an empty reservation of the user that a request counts for.
    pub fn reservation(&self, user: UserId) -> Reservation {
        Reservation { budget: self.clone(), user, bytes: 0 }
    }

    /// Waits until no other large body of the user is processed. The values parsed from it take
    /// memory that is not counted.
    pub async fn lock_large_body(&self, user: UserId) -> KeyedGuard {
        self.0.large_bodies.lock(user).await
    }

    fn with_accounts<T>(&self, change: impl FnOnce(&mut Accounts) -> T) -> T {
        change(&mut self.0.accounts.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Accounts {
    fn take(&mut self, user: UserId, bytes: usize) -> Result<(), RequestError> {
        let left = self.free.checked_sub(bytes).ok_or(RequestError::Overloaded(IN_USE))?;
        let held = self.held.get(&user).copied().unwrap_or_default() + bytes;
        if held > left.max(GUARANTEED) {
            return Err(RequestError::Overloaded(SHARE));
        }
        self.free = left;
        self.held.insert(user, held);
        Ok(())
    }

    fn give_back(&mut self, user: UserId, bytes: usize) {
        self.free += bytes;
        let rest = self.held.remove(&user).unwrap_or_default().saturating_sub(bytes);
        if rest > 0 {
            self.held.insert(user, rest);
        }
    }
}

/// Reserved memory, returned to the budget when it is dropped.
#[derive(Debug)]
pub struct Reservation {
    budget: Budget,
    user: UserId,
    bytes: usize,
}

impl Reservation {
    /// Grows the reservation to this many bytes.
    ///
    /// # Errors
    /// [`RequestError::Overloaded`] when the budget or the share of the user is used up.
    pub fn grow_to(&mut self, bytes: usize) -> Result<(), RequestError> {
        if bytes <= self.bytes.max(UNCOUNTED) {
            return Ok(());
        }
        let (user, more) = (self.user, bytes - self.bytes);
        self.budget.with_accounts(|accounts| accounts.take(user, more))?;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.bytes > 0 {
            let (user, bytes) = (self.user, self.bytes);
            self.budget.with_accounts(|accounts| accounts.give_back(user, bytes));
        }
    }
}

/// The resources of a request body: its reservation, and for a large one the lock of its user.
///
/// The request holds it until its response is sent. A queued write holds it until it has run, even
/// if the client has gone (behaviour 0.34).
#[derive(Clone)]
pub struct BodyReservation {
    _memory: Arc<Reservation>,
    _lock: Option<Arc<KeyedGuard>>,
}

impl BodyReservation {
    /// Creates the reservation of a body that has been received.
    pub fn new(memory: Reservation, lock: Option<KeyedGuard>) -> Self {
        Self { _memory: Arc::new(memory), _lock: lock.map(Arc::new) }
    }

    /// Attaches the reservation to its request.
    pub fn attach_to(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Returns the reservation of a request whose body has been received.
    pub fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

/// The user of a request whose token is being verified.
struct ExpectedUser(oneshot::Receiver<UserId>);

/// Returns the sender for the user of a request. The extractor of its body waits for the user.
pub fn expect_user(request: &HttpRequest) -> oneshot::Sender<UserId> {
    let (sender, receiver) = oneshot::channel();
    request.extensions_mut().insert(ExpectedUser(receiver));
    sender
}

/// Returns the user of a request as soon as its token has been verified.
///
/// # Errors
/// When the token is not valid. The extractor of the request then returns the error.
pub async fn user_of(request: &HttpRequest) -> Result<UserId, RequestError> {
    let expected = request.extensions_mut().remove::<ExpectedUser>();
    let Some(expected) = expected else {
        return Err(RequestError::Failed("a body without a caller".to_owned()));
    };
    expected.0.await.map_err(|_| RequestError::LoginRequired)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: i64) -> UserId {
        UserId::new(number)
    }

    /// Grows a reservation by megabytes until it is refused.
    fn fill(budget: &Budget, user: UserId) -> (Reservation, usize) {
        let mut memory = budget.reservation(user);
        let got = (1..).find(|size| memory.grow_to(size * MEGABYTE).is_err()).unwrap() - 1;
        (memory, got)
    }

    #[test]
    fn rule_0_34_a_user_holds_at_most_what_is_left() {
        let budget = Budget::of_megabytes(256);
        let (first, got) = fill(&budget, user(1));
        assert_eq!(got, 112, "half of what can be reserved");
        let (second, got) = fill(&budget, user(2));
        assert_eq!(got, 56);
        assert_eq!(budget.reserved(), (112 + 56) * MEGABYTE);
        let refused = budget.reservation(user(2)).grow_to(UNCOUNTED + 1);
        assert!(matches!(refused, Err(RequestError::Overloaded(SHARE))));
        let (third, got) = fill(&budget, user(3));
        assert_eq!(got, 48, "guaranteed");
        let refused = budget.reservation(user(4)).grow_to(9 * MEGABYTE);
        assert!(matches!(refused, Err(RequestError::Overloaded(IN_USE))));
        budget.reservation(user(1)).grow_to(UNCOUNTED).unwrap();
        drop((first, second, third));
        assert_eq!(fill(&budget, user(1)).1, 112);
    }

    #[test]
    fn dropped_reservations_are_returned() {
        let budget = Budget::of_megabytes(64);
        for _ in 0..3 {
            let mut all: Vec<_> = (1..5).map(|number| budget.reservation(user(number))).collect();
            for size in [1, UNCOUNTED, UNCOUNTED + 1, MEGABYTE, 10 * MEGABYTE] {
                all.iter_mut().for_each(|memory| memory.grow_to(size).unwrap());
            }
        }
        budget.with_accounts(|accounts| {
            assert_eq!((accounts.free, accounts.held.len()), (56 * MEGABYTE, 0));
        });
    }
}
