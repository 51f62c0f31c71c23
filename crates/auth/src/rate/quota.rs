//! Quotas: the cost per minute of the calls of an API key, or of a user without one (behaviour
//! 10.6).

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use daybook_domain::id::{ApiKeyId, UserId};
use daybook_edge::error::RequestError;
use daybook_edge::metric::RateLimit;

use super::limiter::{Exceeded, Limiter, Remaining, SteadyClock};

const LIMIT: HeaderName = HeaderName::from_static("ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("ratelimit-reset");

/// The cost of a call, unless its operation has a higher one.
const MIN_COST: NonZeroU32 = NonZeroU32::MIN;

/// The owner of a quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum QuotaSubject {
    /// An API key, regardless of the user.
    Key(ApiKeyId),
    /// A user without an API key.
    User(UserId),
    /// A user in the console of this server, without an API key.
    Console(UserId),
}

/// The rest of a quota is less than the cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the quota of {calls_per_minute} calls a minute is used up; try again in {wait_seconds} s")]
pub struct QuotaExceeded {
    wait_seconds: u64,
    calls_per_minute: u32,
}

impl From<QuotaExceeded> for RequestError {
    fn from(exceeded: QuotaExceeded) -> Self {
        Self::TooMany(RateLimit::Quota, exceeded.wait_seconds, exceeded.to_string())
    }
}

/// The cost of an operation that costs more than 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost(NonZeroU32);

impl Cost {
    /// Creates a cost; `None` for 1 or less.
    #[must_use]
    pub fn new(tokens: u32) -> Option<Self> {
        NonZeroU32::new(tokens).filter(|tokens| *tokens > MIN_COST).map(Self)
    }

    /// Returns the tokens of a cost, or 1 without one.
    pub(crate) fn tokens(cost: Option<&Self>) -> NonZeroU32 {
        cost.map_or(MIN_COST, |cost| cost.0)
    }
}

/// The quotas of this process.
pub struct Quotas {
    default: Arc<Limiter<QuotaSubject>>,
    console: Arc<Limiter<QuotaSubject>>,
    /// The limiters of API keys with an individual rate, by rate.
    by_rate: RwLock<HashMap<u32, Arc<Limiter<QuotaSubject>>>>,
}

impl Quotas {
    /// Creates quotas of tokens per minute, with bursts of the same size: the default one, and that
    /// of a user in the console.
    #[must_use]
    pub fn per_minute(tokens: NonZeroU32, console: NonZeroU32) -> Self {
        let (default, console) = (new_limiter(tokens), new_limiter(console));
        Self { default, console, by_rate: RwLock::default() }
    }

    /// Creates the charge of a request; `rate` is the individual rate of its API key.
    pub(crate) fn charge(&self, subject: QuotaSubject, rate: Option<u32>) -> Charge {
        let limiter = match (subject, rate.and_then(NonZeroU32::new)) {
            (_, Some(rate)) => self.limiter_of_rate(rate),
            (QuotaSubject::Console(_), None) => Arc::clone(&self.console),
            (QuotaSubject::Key(_) | QuotaSubject::User(_), None) => Arc::clone(&self.default),
        };
        Charge { limiter, subject, remaining: Mutex::default() }
    }

    fn limiter_of_rate(&self, rate: NonZeroU32) -> Arc<Limiter<QuotaSubject>> {
        let limiters = self.by_rate.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(limiter) = limiters.get(&rate.get()) {
            return Arc::clone(limiter);
        }
        drop(limiters);
        let mut limiters = self.by_rate.write().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(limiters.entry(rate.get()).or_insert_with(|| new_limiter(rate)))
    }
}

fn new_limiter(tokens: NonZeroU32) -> Arc<Limiter<QuotaSubject>> {
    Arc::new(Limiter::new(tokens, SteadyClock::default()))
}

/// The charge of a request to a quota.
pub struct Charge {
    limiter: Arc<Limiter<QuotaSubject>>,
    subject: QuotaSubject,
    /// The rest of the quota after the last attempt to take tokens.
    remaining: Mutex<Option<Remaining>>,
}

impl Charge {
    /// Takes all of the tokens or none.
    ///
    /// # Errors
    /// [`QuotaExceeded`].
    pub(crate) fn take(&self, tokens: NonZeroU32) -> Result<(), QuotaExceeded> {
        let (remaining, outcome) = match self.limiter.take(self.subject, tokens) {
            Ok(remaining) => (remaining, Ok(())),
            Err(Exceeded { remaining, wait_seconds }) => {
                let calls_per_minute = self.limiter.per_minute();
                (remaining, Err(QuotaExceeded { wait_seconds, calls_per_minute }))
            }
        };
        *self.remaining.lock().unwrap_or_else(PoisonError::into_inner) = Some(remaining);
        outcome
    }

    /// Adds the `RateLimit` headers to a response.
    pub fn add_headers(&self, headers: &mut HeaderMap) {
        let remaining = *self.remaining.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Remaining { tokens, full_after_seconds }) = remaining else { return };
        headers.insert(LIMIT, HeaderValue::from(self.limiter.per_minute()));
        headers.insert(REMAINING, HeaderValue::from(tokens));
        headers.insert(RESET, HeaderValue::from(full_after_seconds));
    }
}

/// The rest of the cost of a request, which is charged unless the request is a replay.
///
/// Clones share their state, so that it is charged once.
#[derive(Clone)]
pub struct DeferredCharge {
    charge: Arc<Charge>,
    tokens: NonZeroU32,
    is_taken: Arc<AtomicBool>,
}

impl DeferredCharge {
    pub(crate) fn new(charge: Arc<Charge>, tokens: NonZeroU32) -> Self {
        Self { charge, tokens, is_taken: Arc::default() }
    }

    /// Charges the tokens, unless they are charged already.
    ///
    /// # Errors
    /// [`QuotaExceeded`].
    pub fn take(self) -> Result<(), QuotaExceeded> {
        if !self.is_taken.load(Ordering::Relaxed) {
            self.charge.take(self.tokens)?;
            self.is_taken.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Splits a cost into that of a replay and the rest (behaviour 10.6).
pub(crate) const fn split_cost(cost: NonZeroU32) -> (NonZeroU32, Option<NonZeroU32>) {
    (MIN_COST, NonZeroU32::new(cost.get().saturating_sub(MIN_COST.get())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).unwrap()
    }

    fn shown(charge: &Charge) -> [String; 3] {
        let mut headers = HeaderMap::new();
        charge.add_headers(&mut headers);
        [LIMIT, REMAINING, RESET].map(|name| {
            let value = headers.get(name).map(|value| value.to_str().unwrap().to_owned());
            value.unwrap_or_default()
        })
    }

    #[test]
    fn each_subject_has_its_own_quota() {
        let quotas = Quotas::per_minute(tokens(5), tokens(9));
        let user = |id| quotas.charge(QuotaSubject::User(UserId::new(id)), None);
        let first = user(1);
        assert_eq!(shown(&first), ["", "", ""], "no tokens taken yet");
        first.take(tokens(3)).unwrap();
        assert_eq!(shown(&first), ["5", "2", "36"]);
        let second = user(1);
        assert_eq!(second.take(tokens(3)).unwrap_err().calls_per_minute, 5);
        assert_eq!(shown(&second), ["5", "2", "36"]);
        user(2).take(tokens(5)).unwrap();
        // A key and a user with the same number are different subjects.
        quotas.charge(QuotaSubject::Key(ApiKeyId::new(1)), None).take(tokens(5)).unwrap();
        // A user's calls in the console are counted for themselves.
        quotas.charge(QuotaSubject::Console(UserId::new(1)), None).take(tokens(9)).unwrap();
        let rated = |rate| quotas.charge(QuotaSubject::Key(ApiKeyId::new(2)), Some(rate));
        rated(100).take(tokens(60)).unwrap();
        assert!(rated(100).take(tokens(60)).is_err(), "the same limiter");
        assert_eq!(shown(&rated(100)), ["", "", ""]);
    }

    #[test]
    fn cost_is_at_least_one_and_is_split_for_replays() {
        let cost = |tokens| Cost::tokens(Cost::new(tokens).as_ref()).get();
        assert_eq!([0, 1, 2, 3].map(cost), [1, 1, 2, 3]);
        assert_eq!(Cost::new(1), None);
        assert_eq!(split_cost(tokens(1)), (tokens(1), None));
        assert_eq!(split_cost(tokens(3)), (tokens(1), Some(tokens(2))));
    }
}
