//! What the copies share that are more than one unit of work (behaviour 6.14).

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::wakeup::Wakeup;

/// Large copies that a process makes at once: each holds a connection for reading.
const AT_ONCE: usize = 2;

/// The slots for large copies, and who is told when one fails.
#[derive(Clone)]
pub struct LargeCopies {
    /// One for each copy that is made at once. Further ones wait.
    pub(crate) slots: Arc<Semaphore>,
    /// Wakes the worker that removes what an unfinished copy leaves.
    pub(crate) sweep: Wakeup,
    /// Whether the server is about to end.
    pub(crate) stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl LargeCopies {
    /// Copies that give up when `stop` says so, and then wake the worker of `sweep`.
    pub fn new(sweep: Wakeup, stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { slots: Arc::new(Semaphore::new(AT_ONCE)), sweep, stop: Arc::new(stop) }
    }
}
