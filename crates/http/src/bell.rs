//! The bell that wakes a background worker.

use std::sync::Arc;

use tokio::sync::Notify;

/// Tells a worker that there is something to do. What there is to do stands in the database; the
/// bell says only that it is worth looking, so ringing twice before it is heard is ringing once.
#[derive(Debug, Clone, Default)]
pub struct Bell(Arc<Notify>);

impl Bell {
    /// Rings. It never waits, and a ring that nobody waits for yet is heard later.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    /// Waits until it is rung, or returns at once if it was since it was last heard.
    pub async fn heard(&self) {
        self.0.notified().await;
    }
}
