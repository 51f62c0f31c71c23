//! Counters of requests by operation.
//!
//! The operations are those of the table of routes. A request without one counts for `other`, so no
//! client can add an operation.

use std::sync::LazyLock;
use std::time::Duration;

use actix_web::http::StatusCode;
use daybook_storage::metric::{Counter, DurationHistogram, Gauge};

use crate::routes::{Operation, aliases, operations};

/// The classes of status codes.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The requests that have no response yet.
pub static IN_FLIGHT: Gauge = Gauge::zero();

/// The counters of the operations, in the order of the table of routes.
static OPERATIONS: LazyLock<Vec<RouteMetrics>> = LazyLock::new(|| {
    let mut all: Vec<RouteMetrics> = Vec::new();
    for operation in operations().iter().chain(&aliases()) {
        let (route, method) = labels(operation);
        // Several paths may have the same handler.
        if !all.iter().any(|known| known.route == route && known.method == method) {
            all.push(RouteMetrics::new(route, method));
        }
    }
    all
});

/// The counters of requests without an operation.
static OTHER: RouteMetrics = RouteMetrics::new("other", "other");

/// The requests of an operation.
pub struct RouteMetrics {
    /// The name of the operation.
    pub route: &'static str,
    /// The method. A HEAD request counts as GET.
    pub method: &'static str,
    /// The durations until the head of the response.
    pub durations: DurationHistogram,
    statuses: [Counter; CLASSES.len()],
}

impl RouteMetrics {
    const fn new(route: &'static str, method: &'static str) -> Self {
        let statuses = [const { Counter::new() }; CLASSES.len()];
        Self { route, method, durations: DurationHistogram::of_durations(), statuses }
    }

    /// Returns the counters of an operation.
    pub(crate) fn of(operation: &Operation) -> &'static Self {
        let (route, method) = labels(operation);
        let known = OPERATIONS.iter().find(|known| known.route == route && known.method == method);
        known.unwrap_or(&OTHER)
    }

    /// Returns the counters of requests without an operation.
    pub(crate) fn other() -> &'static Self {
        &OTHER
    }

    /// Counts a request.
    pub(crate) fn count(&self, status: StatusCode, duration: Duration) {
        let class = usize::from(status.as_u16() / 100).saturating_sub(1);
        if let Some(counter) = self.statuses.get(class) {
            counter.add(1);
        }
        self.durations.observe_duration(duration);
    }

    /// Returns the numbers of requests by class of their status.
    pub fn statuses(&self) -> impl Iterator<Item = (&'static str, u64)> {
        CLASSES.iter().copied().zip(self.statuses.iter().map(Counter::get))
    }

    /// Returns the counters of all operations, and of requests without one.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        OPERATIONS.iter().chain([&OTHER])
    }
}

/// Returns the name and the method of an operation. One outside of the contract has the name of its
/// handler.
fn labels(operation: &Operation) -> (&'static str, &'static str) {
    let name = if operation.id.is_empty() { operation.handler } else { operation.id };
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let known = methods.into_iter().find(|method| *method == operation.method.as_str());
    (name, known.unwrap_or("other"))
}

/// A request without a response, counted until it is dropped.
pub(crate) struct InFlight(());

impl InFlight {
    /// Counts a request.
    pub(crate) fn begin() -> Self {
        IN_FLIGHT.add(1);
        Self(())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        IN_FLIGHT.add(-1);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_operation_has_counters_with_labels_of_their_own() {
        let operations: Vec<Operation> = operations();
        assert!(operations.iter().all(|operation| RouteMetrics::of(operation).route != "other"));
        let labels: BTreeSet<_> =
            RouteMetrics::all().map(|metrics| (metrics.route, metrics.method)).collect();
        assert_eq!(labels.len(), RouteMetrics::all().count());
        assert!(labels.contains(&("createTransaction", "POST")));
        assert!(labels.contains(&("authorize_by_form", "POST")), "a handler outside the contract");
    }
}
