//! The memory for request bodies, contents of files and large answers, of all requests together.
//! The size of one is limited elsewhere, but not how many are sent or asked for at once. What is
//! lent is booked to its borrower: nobody gets more than is left for the others, and large bodies
//! leave a reserve for small ones (behaviour 0.34).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::id::UserId;
use tokio::sync::oneshot;

use crate::error::RequestError;
use crate::keyed_mutex::{KeyedGuard, KeyedMutex};

/// Memory is counted in steps, so that a body does not ask for each piece that arrives.
const STEP: usize = 4 * 1024;
const MEGABYTE: usize = 1024 * 1024;
/// What is no larger draws on the reserve.
pub(crate) const MAX_SMALL: usize = 64 * 1024;
/// The part of the memory that is the reserve for what is small.
const RESERVED: usize = 8;
/// What a borrower may have in any case, also when less is left for others: the content of the
/// largest file, as bytes and as Base64, and small requests of a busy program.
const LEAST_LARGE: usize = 48 * MEGABYTE;
const LEAST_SMALL: usize = MEGABYTE;

const IN_USE: &str = "the memory for bodies and contents of files is in use; try again shortly";
const SHARE: &str = "your other requests hold your share of the memory; try again shortly";

/// To whom memory is lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum MemoryOwner {
    User(UserId),
    /// Nobody has signed in: the address of the client.
    Client(IpAddr),
}

/// The memory that is left.
#[derive(Debug, Clone)]
pub struct Budget(Arc<Pools>);

#[derive(Debug)]
struct Pools {
    small: Pool,
    large: Pool,
    turns: KeyedMutex<UserId>,
}

/// A part of the memory.
#[derive(Debug)]
struct Pool {
    /// What a borrower may have in any case.
    least: usize,
    lent: Mutex<Reservation>,
}

#[derive(Debug)]
struct Reservation {
    free: usize,
    borrowers: HashMap<MemoryOwner, usize>,
}

impl Pool {
    fn new(size: usize, least: usize) -> Self {
        Self { least, lent: Mutex::new(Reservation { free: size, borrowers: HashMap::new() }) }
    }

    fn lent(&self) -> MutexGuard<'_, Reservation> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends so much more. A borrower has at most as much as is left afterwards, so the last one
    /// to come finds something too.
    ///
    /// # Errors
    /// [`RequestError::Crowded`].
    fn lend(&self, borrower: MemoryOwner, more: usize) -> Result<(), RequestError> {
        let mut lent = self.lent();
        let Some(left) = lent.free.checked_sub(more) else {
            return Err(RequestError::Crowded(IN_USE));
        };
        let held = lent.borrowers.get(&borrower).copied().unwrap_or_default() + more;
        if held > left.max(self.least) {
            return Err(RequestError::Crowded(SHARE));
        }
        lent.free = left;
        lent.borrowers.insert(borrower, held);
        Ok(())
    }

    fn take_back(&self, borrower: MemoryOwner, bytes: usize) {
        if bytes == 0 {
            return;
        }
        let mut lent = self.lent();
        lent.free += bytes;
        let rest = lent.borrowers.get(&borrower).map_or(0, |held| held.saturating_sub(bytes));
        if rest == 0 {
            lent.borrowers.remove(&borrower);
        } else {
            lent.borrowers.insert(borrower, rest);
        }
    }
}

impl Budget {
    /// A budget of so many megabytes (of 1,048,576 bytes) for all requests.
    #[must_use]
    pub fn of_megabytes(megabytes: u16) -> Self {
        let size = usize::from(megabytes) * MEGABYTE;
        let reserve = size / RESERVED;
        Self(Arc::new(Pools {
            small: Pool::new(reserve, LEAST_SMALL),
            large: Pool::new(size - reserve, LEAST_LARGE),
            turns: KeyedMutex::default(),
        }))
    }

    /// A new share for a request of a borrower, empty at first.
    pub(crate) fn grant(&self, borrower: MemoryOwner) -> MemoryShare {
        MemoryShare { pools: Arc::clone(&self.0), borrower, small: 0, large: 0 }
    }

    /// Waits for the user's turn to have a large body worked on, which takes memory that is not
    /// counted.
    pub(crate) async fn turn(&self, user: UserId) -> KeyedGuard {
        self.0.turns.turn(user).await
    }
}

/// The share of one request, given back when it is dropped.
pub(crate) struct MemoryShare {
    pools: Arc<Pools>,
    borrower: MemoryOwner,
    /// What it has of each pool.
    small: usize,
    large: usize,
}

impl MemoryShare {
    /// Grows the share to so many bytes. It never waits: requests that wait hold memory too.
    ///
    /// # Errors
    /// [`RequestError::Crowded`] when nothing is left, or less than the borrower would have.
    pub(crate) fn cover(&mut self, bytes: usize) -> Result<(), RequestError> {
        let wanted = bytes.div_ceil(STEP).saturating_mul(STEP);
        if wanted <= self.small.max(self.large) {
            return Ok(());
        }
        let Pools { small, large, turns: _ } = &*self.pools;
        let is_small = wanted <= MAX_SMALL && self.large == 0;
        if is_small && small.lend(self.borrower, wanted - self.small).is_ok() {
            self.small = wanted;
            return Ok(());
        }
        large.lend(self.borrower, wanted - self.large)?;
        self.large = wanted;
        small.take_back(self.borrower, std::mem::take(&mut self.small));
        Ok(())
    }

    /// Leaves the share with its request, until the answer has been sent.
    pub(crate) fn leave_with(self, request: &HttpRequest) {
        let mut extensions = request.extensions_mut();
        match extensions.get_mut::<AnswerShares>() {
            Some(kept) => kept.0.push(self),
            None => drop(extensions.insert(AnswerShares(vec![self]))),
        }
    }
}

impl Drop for MemoryShare {
    fn drop(&mut self) {
        self.pools.small.take_back(self.borrower, self.small);
        self.pools.large.take_back(self.borrower, self.large);
    }
}

/// What a body has of the memory, and the turn of its user if it is large. What was made of the
/// body waits in the queue of a writer also when its request has ended, so both hold on to it
/// (behaviour 0.34).
#[derive(Clone)]
pub(crate) struct HeldBody {
    share: Arc<MemoryShare>,
    _turn: Option<Arc<KeyedGuard>>,
}

impl HeldBody {
    /// Of a body that has been read.
    pub(crate) fn new(share: MemoryShare, turn: Option<KeyedGuard>) -> Self {
        Self { share: Arc::new(share), _turn: turn.map(Arc::new) }
    }

    /// Leaves it with its request.
    pub(crate) fn leave_with(self, request: &HttpRequest) {
        request.extensions_mut().insert(self);
    }

    /// Whether it took more than what is kept for small bodies: its answer may be long, too.
    pub(crate) fn is_long(&self) -> bool {
        self.share.large > 0
    }

    /// That of a request, for a unit of work that is made of the body.
    pub(crate) fn of(request: &HttpRequest) -> Option<Self> {
        request.extensions().get::<Self>().cloned()
    }
}

/// What a request keeps until its answer has been sent: the shares of its body and of its answer.
pub(crate) struct KeptShares {
    _of_body: Option<Arc<MemoryShare>>,
    _of_answer: Option<AnswerShares>,
}

/// The shares of an answer.
struct AnswerShares(Vec<MemoryShare>);

impl KeptShares {
    /// Takes them from their request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let of_body = HeldBody::of(request).map(|held| held.share);
        let of_answer = request.extensions_mut().remove::<AnswerShares>();
        Self { _of_body: of_body, _of_answer: of_answer }
    }
}

/// The borrower of a request whose token is being looked at.
struct ExpectedBorrower(oneshot::Receiver<MemoryOwner>);

/// Says that it will be known to whom a request belongs: whoever reads its body waits for it.
pub(crate) fn expect_borrower(request: &HttpRequest) -> oneshot::Sender<MemoryOwner> {
    let (sender, receiver) = oneshot::channel();
    request.extensions_mut().insert(ExpectedBorrower(receiver));
    sender
}

/// To whom a request belongs, as soon as its token has been looked at.
///
/// # Errors
/// When the token lets nobody in; the request is answered elsewhere.
pub(crate) async fn borrower(request: &HttpRequest) -> Result<MemoryOwner, RequestError> {
    let expected = request.extensions_mut().remove::<ExpectedBorrower>();
    let Some(expected) = expected else {
        return Err(RequestError::Failed("a body without a caller".to_owned()));
    };
    expected.0.await.map_err(|_| RequestError::LoginRequired)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(number: i64) -> MemoryOwner {
        MemoryOwner::User(UserId::new(number))
    }

    /// Grows a share by megabytes until it is refused.
    fn fill(budget: &Budget, borrower: MemoryOwner) -> (MemoryShare, usize) {
        let mut share = budget.grant(borrower);
        let got = (1..).find(|size| share.cover(size * MEGABYTE).is_err()).unwrap() - 1;
        (share, got)
    }

    #[test]
    fn nobody_has_more_than_is_left() {
        let budget = Budget::of_megabytes(256);
        // 32 of the 256 are the reserve.
        let (first, got) = fill(&budget, user(1));
        assert_eq!(got, 112);
        let (second, got) = fill(&budget, user(2));
        assert_eq!(got, 56);
        let refused = budget.grant(user(2)).cover(MAX_SMALL + 1);
        assert!(matches!(refused, Err(RequestError::Crowded(SHARE))));
        let (third, got) = fill(&budget, user(3));
        assert_eq!(got, 48, "what it may have in any case");
        budget.grant(user(1)).cover(MAX_SMALL).unwrap();
        drop(first);
        assert_eq!(fill(&budget, user(4)).1, 60);
        drop((second, third));
        assert_eq!(fill(&budget, user(1)).1, 112);
    }

    #[test]
    fn the_reserve_is_for_what_is_small() {
        let budget = Budget::of_megabytes(64);
        let (_first, got) = fill(&budget, user(1));
        assert_eq!(got, 48, "the content of the largest file");
        let (_second, got) = fill(&budget, user(2));
        assert_eq!(got, 8);
        let refused = budget.grant(user(3)).cover(MAX_SMALL + 1);
        assert!(matches!(refused, Err(RequestError::Crowded(IN_USE))));
        let mut many = Vec::new();
        loop {
            let mut share = budget.grant(user(1));
            if share.cover(MAX_SMALL).is_err() {
                break;
            }
            many.push(share);
        }
        assert_eq!(many.len(), 64, "half of the reserve");
        budget.grant(user(3)).cover(MAX_SMALL).unwrap();
    }

    #[test]
    fn what_is_dropped_is_given_back() {
        let budget = Budget::of_megabytes(64);
        for _ in 0..3 {
            let mut shares: Vec<MemoryShare> = (1..5).map(|n| budget.grant(user(n))).collect();
            for size in [1, STEP, MAX_SMALL, MAX_SMALL + 1, MEGABYTE, 10 * MEGABYTE] {
                shares.iter_mut().for_each(|share| share.cover(size).unwrap());
            }
        }
        let pools = &budget.0;
        assert_eq!(pools.small.lent().free, 8 * MEGABYTE);
        assert_eq!(pools.large.lent().free, 56 * MEGABYTE);
        assert!(pools.small.lent().borrowers.is_empty() && pools.large.lent().borrowers.is_empty());
    }
}
