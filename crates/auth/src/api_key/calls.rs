//! The counts of calls per API key and day (behaviour 10.13).
//!
//! They are counted in memory, and a background worker writes them to the database.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use daybook_domain::api_key::ApiKeyUsage;
use daybook_domain::id::ApiKeyId;
use daybook_domain::instant::Instant;
use daybook_service::{Error, api_key};
use daybook_storage::Store;
use time::Date;

/// The calls of this process that are not in the database yet.
#[derive(Default)]
pub struct ApiKeyCalls {
    /// Ordered by key and day, so that all processes lock rows in one order.
    pending: Mutex<BTreeMap<(ApiKeyId, Date), u64>>,
    /// Held during a flush.
    flushing: Mutex<()>,
}

impl ApiKeyCalls {
    /// Counts a call.
    pub(crate) fn add(&self, key: ApiKeyId, now: Instant) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = pending.entry((key, api_key::day(now))).or_default();
        *calls = calls.saturating_add(1);
    }

    /// Adds the pending calls of a key to those of the database.
    pub fn add_pending(&self, key: ApiKeyId, stored: &[ApiKeyUsage]) -> Vec<ApiKeyUsage> {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut days: BTreeMap<Date, u64> =
            stored.iter().map(|usage| (usage.day, usage.calls)).collect();
        for ((_, day), calls) in pending.range((key, Date::MIN)..=(key, Date::MAX)) {
            let total = days.entry(*day).or_default();
            *total = total.saturating_add(*calls);
        }
        days.into_iter().rev().map(|(day, calls)| ApiKeyUsage { day, calls }).collect()
    }

    /// Writes the pending calls to the database in one unit of work.
    ///
    /// If the write fails, they stay pending. If its outcome is unknown, they are dropped, because
    /// counting calls twice would be worse.
    ///
    /// # Errors
    /// When the database cannot be written to.
    pub fn flush(&self, store: &Store, now: Instant) -> Result<(), Error> {
        let _flushing = self.flushing.lock().unwrap_or_else(PoisonError::into_inner);
        let counted: Vec<(ApiKeyId, ApiKeyUsage)> = {
            let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
            let usage = |day: &Date, calls: &u64| ApiKeyUsage { day: *day, calls: *calls };
            pending.iter().map(|((key, day), calls)| (*key, usage(day, calls))).collect()
        };
        if counted.is_empty() {
            return Ok(());
        }
        let written = counted.clone();
        match store
            .write_repeatable(api_key::SHARD_KEY, move |tx| api_key::add_calls(tx, &written, now))
        {
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
    fn calls_are_counted_per_key_and_day() {
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
        let written = [ApiKeyUsage { day: today, calls: 10 }];
        assert_eq!(
            calls.add_pending(first, &written),
            [ApiKeyUsage { day: tomorrow, calls: 2 }, ApiKeyUsage { day: today, calls: 11 }]
        );
        assert_eq!(calls.add_pending(ApiKeyId::new(3), &written), written);
    }
}
