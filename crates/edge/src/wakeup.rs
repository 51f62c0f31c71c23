//! Wakes background workers.

use std::sync::Arc;

use tokio::sync::Notify;

/// Notifies a worker that the database has work for it.
///
/// Several notifications before the worker runs count as one.
#[derive(Debug, Clone, Default)]
pub struct Wakeup(Arc<Notify>);

impl Wakeup {
    /// Wakes the worker without waiting. A running worker runs again when it is done.
    pub fn notify(&self) {
        self.0.notify_one();
    }

    /// Waits for a notification, including one since the last call returned.
    pub async fn notified(&self) {
        self.0.notified().await;
    }
}
