//! How a background worker is woken.

use std::sync::Arc;

use tokio::sync::Notify;

/// Tells a worker that there is something to do. What there is to do stands in the database; the
/// wakeup says only that it is worth looking, so two before the worker looks are one.
#[derive(Debug, Clone, Default)]
pub struct Wakeup(Arc<Notify>);

impl Wakeup {
    /// Wakes the worker. It never waits; a worker at work looks again when it is done.
    pub fn notify(&self) {
        self.0.notify_one();
    }

    /// Waits until it is notified, or returns at once if it was since it last returned.
    pub async fn notified(&self) {
        self.0.notified().await;
    }
}
