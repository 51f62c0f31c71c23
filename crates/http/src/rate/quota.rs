//! Quotas: how many cells a minute the calls of an API key, or else of a user, may cost (behaviour
//! 10.6).

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use daybook_domain::id::{ApiKeyId, UserId};

use super::limiter::{Exceeded, Left, Limiter, SteadyClock};
use crate::error::RequestError;

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// What each call costs at least.
const LEAST: NonZeroU32 = NonZeroU32::MIN;

/// Whose calls count together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum QuotaSubject {
    /// An API key, whoever sends it.
    Key(ApiKeyId),
    /// A user who sends no key.
    User(UserId),
}

/// What is left of somebody's quota is too little for a call: seconds until it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the quota of {calls_per_minute} calls a minute is used up; try again in {wait_seconds} s")]
pub(crate) struct QuotaExceeded {
    wait_seconds: u64,
    calls_per_minute: u32,
}

impl From<QuotaExceeded> for RequestError {
    fn from(exceeded: QuotaExceeded) -> Self {
        Self::TooMany(exceeded.wait_seconds, exceeded.to_string())
    }
}

/// What a call of an operation costs that costs more than 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cost(NonZeroU32);

impl Cost {
    /// Nothing for what every call costs.
    pub(crate) fn of(cells: u32) -> Option<Self> {
        NonZeroU32::new(cells).filter(|cells| *cells > LEAST).map(Self)
    }

    /// The cells that the call of an operation takes.
    pub(crate) fn cells(known: Option<&Self>) -> NonZeroU32 {
        known.map_or(LEAST, |cost| cost.0)
    }
}

/// The quotas of this process.
pub struct Quotas {
    usual: Arc<Limiter<QuotaSubject>>,
    /// Of keys with a rate of their own, by that rate.
    own: RwLock<HashMap<u32, Arc<Limiter<QuotaSubject>>>>,
}

impl Quotas {
    /// Quotas of so many cells a minute, all of which may be used at once.
    #[must_use]
    pub fn per_minute(cells: NonZeroU32) -> Self {
        Self { usual: limiter(cells), own: RwLock::default() }
    }

    /// An account of what a request costs, with nothing taken yet. `rate` is that of a key with its
    /// own.
    pub(crate) fn charge(&self, payer: QuotaSubject, rate: Option<u32>) -> Charge {
        let limiter = match rate.and_then(NonZeroU32::new) {
            None => Arc::clone(&self.usual),
            Some(rate) => self.of_rate(rate),
        };
        Charge { limiter, payer, left: Mutex::default() }
    }

    fn of_rate(&self, rate: NonZeroU32) -> Arc<Limiter<QuotaSubject>> {
        let known = self.own.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&rate.get()) {
            return Arc::clone(known);
        }
        drop(known);
        let mut known = self.own.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(rate.get()).or_insert_with(|| limiter(rate)))
    }
}

fn limiter(cells: NonZeroU32) -> Arc<Limiter<QuotaSubject>> {
    Arc::new(Limiter::new(cells, SteadyClock::default()))
}

/// What a request costs.
pub(crate) struct Charge {
    limiter: Arc<Limiter<QuotaSubject>>,
    payer: QuotaSubject,
    /// What was left when something was taken, or refused, last.
    left: Mutex<Option<Left>>,
}

impl Charge {
    /// Takes cells, all or none.
    ///
    /// # Errors
    /// [`QuotaExceeded`].
    pub(crate) fn take(&self, cells: NonZeroU32) -> Result<(), QuotaExceeded> {
        let taken = self.limiter.take(self.payer, cells);
        let (left, outcome) = match taken {
            Ok(left) => (left, Ok(())),
            Err(Exceeded { left, wait_seconds }) => {
                let calls_per_minute = self.limiter.per_minute();
                (left, Err(QuotaExceeded { wait_seconds, calls_per_minute }))
            }
        };
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = Some(left);
        outcome
    }

    /// Adds to an answer what the quota is, and what is left of it.
    pub(crate) fn show(&self, headers: &mut HeaderMap) {
        let left = *self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Left { cells, full_after_seconds }) = left else { return };
        headers.insert(LIMIT, HeaderValue::from(self.limiter.per_minute()));
        headers.insert(REMAINING, HeaderValue::from(cells));
        headers.insert(RESET, HeaderValue::from(full_after_seconds));
    }
}

/// What a request still has to take. A copy takes nothing after the other has.
#[derive(Clone)]
pub(crate) struct DeferredCharge {
    charge: Arc<Charge>,
    cells: NonZeroU32,
    is_taken: Arc<AtomicBool>,
}

impl DeferredCharge {
    pub(crate) fn new(charge: Arc<Charge>, cells: NonZeroU32) -> Self {
        Self { charge, cells, is_taken: Arc::default() }
    }

    /// Takes it, unless it is taken.
    ///
    /// # Errors
    /// [`QuotaExceeded`].
    pub(crate) fn take(self) -> Result<(), QuotaExceeded> {
        if !self.is_taken.load(Ordering::Relaxed) {
            self.charge.take(self.cells)?;
            self.is_taken.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// What a call takes before it is known whether it was answered before, and what it takes when it
/// was not (behaviour 10.6).
pub(crate) const fn in_two(cost: NonZeroU32) -> (NonZeroU32, Option<NonZeroU32>) {
    (LEAST, NonZeroU32::new(cost.get().saturating_sub(LEAST.get())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    fn shown(charge: &Charge) -> [String; 3] {
        let mut headers = HeaderMap::new();
        charge.show(&mut headers);
        [LIMIT, REMAINING, RESET].map(|name| {
            let value = headers.get(name).map(|value| value.to_str().unwrap().to_owned());
            value.unwrap_or_default()
        })
    }

    #[test]
    fn payers_have_quotas_of_their_own() {
        let quotas = Quotas::per_minute(cells(5));
        let user = |id| quotas.charge(QuotaSubject::User(UserId::new(id)), None);
        let first = user(1);
        assert_eq!(shown(&first), ["", "", ""], "nothing was taken yet");
        first.take(cells(3)).unwrap();
        assert_eq!(shown(&first), ["5", "2", "36"]);
        let again = user(1);
        assert_eq!(again.take(cells(3)).unwrap_err().calls_per_minute, 5);
        assert_eq!(shown(&again), ["5", "2", "36"]);
        user(2).take(cells(5)).unwrap();
        // The key with the same number is somebody else.
        quotas.charge(QuotaSubject::Key(ApiKeyId::new(1)), None).take(cells(5)).unwrap();
        let dear = |rate| quotas.charge(QuotaSubject::Key(ApiKeyId::new(2)), Some(rate));
        dear(100).take(cells(60)).unwrap();
        assert!(dear(100).take(cells(60)).is_err(), "the same limiter");
        assert_eq!(shown(&dear(100)), ["", "", ""]);
    }

    #[test]
    fn what_calls_cost() {
        let cost = |cells| Cost::cells(Cost::of(cells).as_ref()).get();
        assert_eq!([0, 1, 2, 3].map(cost), [1, 1, 2, 3]);
        assert_eq!(Cost::of(1), None, "it is left with no request");
        assert_eq!(in_two(cells(1)), (cells(1), None));
        assert_eq!(in_two(cells(3)), (cells(1), Some(cells(2))));
    }
}
