//! How often keys are used: counted in memory, and written down by a background worker, so that no
//! request waits for it (behaviour 10.13).

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use daybook_domain::api_key::Usage;
use daybook_domain::id::ApiKeyId;
use daybook_domain::instant::Instant;
use daybook_service::{Error, api_key};
use daybook_storage::{ShardKey, Store};
use time::Date;

/// The calls of this process that are not written down yet.
#[derive(Default)]
pub struct ApiKeyCalls {
    /// In the order of keys and days, so that two processes write in one order.
    pending: Mutex<BTreeMap<(ApiKeyId, Date), u64>>,
    /// Held while they are written down.
    flushing: Mutex<()>,
}

impl ApiKeyCalls {
    /// Counts a call.
    pub(crate) fn add(&self, key: ApiKeyId, now: Instant) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = pending.entry((key, api_key::day(now))).or_default();
        *calls = calls.saturating_add(1);
    }

    /// Adds the calls of a key that are not written down yet to those that are.
    pub(crate) fn complete(&self, key: ApiKeyId, written: &[Usage]) -> Vec<Usage> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut days: BTreeMap<Date, u64> =
            written.iter().map(|usage| (usage.day, usage.calls)).collect();
        for ((_, day), calls) in pending.range((key, Date::MIN)..=(key, Date::MAX)) {
            let known = days.entry(*day).or_default();
            *known = known.saturating_add(*calls);
        }
        days.into_iter().rev().map(|(day, calls)| Usage { day, calls }).collect()
    }

    /// Writes down what was counted, in one unit of work. What cannot be written stays counted.
    ///
    /// # Errors
    /// When the database cannot be written to.
    pub fn flush(&self, store: &Store, now: Instant) -> Result<(), Error> {
        let _turn = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        let counted: Vec<(ApiKeyId, Usage)> = {
            let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let usage = |day: &Date, calls: &u64| Usage { day: *day, calls: *calls };
            pending.iter().map(|((key, day), calls)| (*key, usage(day, calls))).collect()
        };
        if counted.is_empty() {
            return Ok(());
        }
        let written = counted.clone();
        match store.write_repeatable(ShardKey::NO_BOOK, move |tx| api_key::count(tx, &written, now))
        {
            // Nobody's calls count twice: better those of this time are lost.
            Ok(()) | Err(Error::Storage(daybook_storage::Error::OutcomeUnknown)) => {}
            Err(error) => return Err(error),
        }
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, usage) in counted {
            if let Some(calls) = pending.get_mut(&(key, usage.day)) {
                *calls = calls.saturating_sub(usage.calls);
            }
        }
        pending.retain(|_, calls| *calls > 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_counted_by_key_and_day() {
        let calls = ApiKeyCalls::default();
        let (first, other) = (ApiKeyId::new(1), ApiKeyId::new(2));
        // 2026-11-22T23:59:59.999Z and the millisecond after it.
        let (evening, midnight) =
            (Instant::new(1_795_391_999_999), Instant::new(1_795_392_000_000));
        for (key, now) in [(first, evening), (first, midnight), (first, midnight), (other, evening)]
        {
            calls.add(key, now);
        }
        let (today, tomorrow) = (api_key::day(evening), api_key::day(midnight));
        assert_eq!(Some(tomorrow), today.next_day());
        let written = [Usage { day: today, calls: 10 }];
        assert_eq!(
            calls.complete(first, &written),
            [Usage { day: tomorrow, calls: 2 }, Usage { day: today, calls: 11 }]
        );
        assert_eq!(calls.complete(ApiKeyId::new(3), &written), written);
    }
}
