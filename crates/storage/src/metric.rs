//! Counters and histograms of this process, which the server exports to Prometheus.
//!
//! All are atomics without locks, so counting costs some nanoseconds. A static of each metric is
//! declared where its events happen. Durations are in microseconds, because the crates compute
//! without floats; the server prints them in seconds.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Creates a counter at zero.
    #[must_use]
    pub const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds a number.
    pub fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    /// Returns the number.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

/// A number that grows and shrinks. It has no value until it is set.
#[derive(Debug)]
pub struct Gauge(AtomicI64);

/// The number of a gauge without a value.
const UNSET: i64 = i64::MIN;

impl Gauge {
    /// Creates a gauge without a value.
    #[must_use]
    pub const fn unset() -> Self {
        Self(AtomicI64::new(UNSET))
    }

    /// Creates a gauge at zero.
    #[must_use]
    pub const fn zero() -> Self {
        Self(AtomicI64::new(0))
    }

    /// Sets the number.
    pub fn set(&self, number: i64) {
        self.0.store(number, Ordering::Relaxed);
    }

    /// Removes the value.
    pub fn clear(&self) {
        self.set(UNSET);
    }

    /// Adds a number, which may be negative.
    pub fn add(&self, number: i64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    /// Returns the number, if there is one.
    pub fn get(&self) -> Option<i64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|number| *number != UNSET)
    }
}

/// Counters by the value of a label. Other values count for the last one.
#[derive(Debug)]
pub struct LabelledCounter<const N: usize> {
    values: [&'static str; N],
    counters: [Counter; N],
}

impl<const N: usize> LabelledCounter<N> {
    /// Creates counters for these values.
    #[must_use]
    pub const fn new(values: [&'static str; N]) -> Self {
        Self { values, counters: [const { Counter::new() }; N] }
    }

    /// Counts one event with a value.
    pub fn count(&self, value: &str) {
        let known = self.iter().find(|(known, _)| *known == value);
        if let Some((_, counter)) = known.or_else(|| self.iter().last()) {
            counter.add(1);
        }
    }

    /// Returns the values with their counters.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Counter)> {
        self.values.iter().copied().zip(&self.counters)
    }
}

/// The number of observations up to each of some bounds, and their sum.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: [u64; N],
    buckets: [Counter; N],
    above: Counter,
    sum: Counter,
}

/// A histogram of durations, in microseconds.
pub type DurationHistogram = Histogram<13>;

impl DurationHistogram {
    /// Creates a histogram of durations between a millisecond and ten seconds.
    #[must_use]
    pub const fn of_durations() -> Self {
        Self::new([
            1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
            2_500_000, 5_000_000, 10_000_000,
        ])
    }

    /// Adds a duration.
    pub fn observe_duration(&self, duration: Duration) {
        self.observe(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX));
    }
}

impl<const N: usize> Histogram<N> {
    /// Creates a histogram with these upper bounds, which ascend.
    #[must_use]
    pub const fn new(bounds: [u64; N]) -> Self {
        let buckets = [const { Counter::new() }; N];
        Self { bounds, buckets, above: Counter::new(), sum: Counter::new() }
    }

    /// Adds an observation.
    pub fn observe(&self, number: u64) {
        let bucket = self.bounds.iter().zip(&self.buckets).find(|(bound, _)| number <= **bound);
        bucket.map_or(&self.above, |(_, bucket)| bucket).add(1);
        self.sum.add(number);
    }

    /// Returns each bound with the number of observations up to it.
    pub fn cumulative(&self) -> impl Iterator<Item = (u64, u64)> {
        self.bounds.iter().zip(&self.buckets).scan(0_u64, |total, (bound, bucket)| {
            *total = total.saturating_add(bucket.get());
            Some((*bound, *total))
        })
    }

    /// Returns the number of observations above all bounds.
    pub fn above(&self) -> u64 {
        self.above.get()
    }

    /// Returns the sum of all observations.
    pub fn sum(&self) -> u64 {
        self.sum.get()
    }
}

/// The durations of commits, with the flush of the last rows.
pub static COMMIT_DURATION: DurationHistogram = Histogram::of_durations();
/// The numbers of units of work in a group that was committed.
pub static GROUP_SIZE: Histogram<10> = Histogram::new([1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
/// The number of events that were committed.
pub static EVENTS_APPENDED: Counter = Counter::new();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histogram_counts_up_to_each_bound() {
        let histogram = Histogram::new([10, 20]);
        for number in [0, 10, 11, 20, 21] {
            histogram.observe(number);
        }
        assert_eq!(histogram.cumulative().collect::<Vec<_>>(), [(10, 2), (20, 4)]);
        assert_eq!((histogram.above(), histogram.sum()), (1, 62));
    }

    #[test]
    fn unknown_label_values_count_for_the_last() {
        let counter = LabelledCounter::new(["a", "b", "other"]);
        for value in ["b", "a", "b", "c", "other"] {
            counter.count(value);
        }
        let counted: Vec<u64> = counter.iter().map(|(_, counter)| counter.get()).collect();
        assert_eq!(counted, [1, 2, 2]);
    }

    #[test]
    fn gauge_has_no_value_until_it_is_set() {
        let gauge = Gauge::unset();
        assert_eq!(gauge.get(), None);
        gauge.set(-3);
        assert_eq!(gauge.get(), Some(-3));
        gauge.clear();
        assert_eq!(gauge.get(), None);
    }
}
